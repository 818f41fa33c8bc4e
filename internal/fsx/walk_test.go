package fsx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func walkAll(t *testing.T, r *Root, start string) ([]string, Skipped) {
	t.Helper()
	got := []string{}
	skipped, err := Walk(t.Context(), r, Path{Rel: start}, paths(func(path string) bool {
		got = append(got, path)
		return true
	}))
	if err != nil {
		t.Fatal(err)
	}
	return got, skipped
}

// paths is a visit that takes the path of every file.
func paths(take func(path string) bool) Visit[string] {
	return Visit[string]{
		Look: func() func(*Item) (string, bool) { return func(f *Item) (string, bool) { return f.Path(), true } },
		Take: take,
	}
}

func TestWalk(t *testing.T) {
	tests := []struct {
		name  string
		start string
		files string // with blanks between; a name with = has what follows as its content, | for a line end
		want  string
	}{
		{"in order", ".", "b a/c a.txt a-b a/b", "a-b a.txt a/b a/c b"},
		{"dot files", ".", ".editorconfig .config/a", ".config/a .editorconfig"},
		{"internal", ".", ".git/HEAD .paicli/x node_modules/y .idea/z .venv/w a", "a"},
		{"build results are guessed", ".", "target/a dist/b build/c coverage/d src/build/e a", "a"},
		{"unless an ignore file says", ".", ".gitignore=/build build/a src/build/b", ".gitignore src/build/b"},
		{"a start below", "src", "src/a src/b/c d", "src/a src/b/c"},
		{"an ignored start", "out", ".gitignore=out out/a", "out/a"},
		{"negation", ".", ".gitignore=*.log|!keep.log a.log keep.log", ".gitignore keep.log"},
		{"no way back into an ignored directory", ".", ".gitignore=foo|!foo/bar foo/bar z", ".gitignore z"},
		{"content ignored, one kept", ".", ".gitignore=foo/*|!foo/bar foo/bar foo/out", ".gitignore foo/bar"},
		{"a rule below does not leak", ".", "sub/.gitignore=*.tmp sub/a.tmp b.tmp", "b.tmp sub/.gitignore"},
		{"a rule below wins", ".", ".gitignore=*.tmp sub/.gitignore=!a.tmp sub/a.tmp b.tmp", ".gitignore sub/.gitignore sub/a.tmp"},
		{"directories only", ".", ".gitignore=out/ out/x lib/out", ".gitignore lib/out"},
		{"exclude ranks below", ".", ".git/info/exclude=*.dat|*.bin .gitignore=!keep.dat keep.dat x.bin", ".gitignore keep.dat"},
		{"inner slash anchors", ".", ".gitignore=a/b a/b c/a/b", ".gitignore c/a/b"},
		{"stars", ".", ".gitignore=**/gen|x/**/y a/gen/f x/1/2/y x/z", ".gitignore x/z"},
		{"braces are literal", ".", ".gitignore={a,b}.txt a.txt {a,b}.txt", ".gitignore a.txt"},
		{"comment", ".", ".gitignore=#a|\\#b #a #b", "#a .gitignore"},
	}
	for _, tt := range tests {
		var files []string
		for f := range strings.FieldsSeq(tt.files) {
			name, content, _ := strings.Cut(f, "=")
			files = append(files, name, strings.ReplaceAll(content, "|", "\n"))
		}
		got, _ := walkAll(t, project(t, Options{}, files...), tt.start)
		if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestWalkStaysInside(t *testing.T) {
	r := project(t, Options{Home: "state"}, "state/secret", "x", "a", "x", "up", "->..", "self", "->.")
	got, _ := walkAll(t, r, ".")
	if diff := cmp.Diff([]string{"a", "self", "up"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWalkCounts(t *testing.T) {
	r := project(t, Options{}, ".gitignore", "*.log\nout/", "a.log", "", "b.log", "", "out/c", "", "d", "")
	if _, skipped := walkAll(t, r, "."); skipped.Ignored != 3 {
		t.Errorf("got %+v", skipped)
	}
}

func TestWalkEnds(t *testing.T) {
	r := project(t, Options{}, "a", "", "b", "", "c", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all := func(string) bool { return true }
	if _, err := Walk(ctx, r, Path{Rel: "."}, paths(all)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of ctx: %v", err)
	}
	n := 0
	if _, err := Walk(t.Context(), r, Path{Rel: "."}, paths(func(string) bool { n++; return false })); err != nil || n != 1 {
		t.Errorf("%d visits, %v", n, err)
	}
	for _, start := range []string{"no", "a"} {
		if _, err := Walk(t.Context(), r, Path{Rel: start}, paths(all)); err == nil {
			t.Errorf("%s was walked", start)
		}
	}
}

func TestGlob(t *testing.T) {
	r := project(t, Options{})
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"*.go", "main.go", true},
		{"*.go", "a/b/c.go", true},
		{"**/*.go", "main.go", true},
		{"**/*Service.java", "src/x/UserService.java", true},
		{"src/*.go", "src/a.go", true},
		{"src/*.go", "src/a/b.go", false},
		{"./src/*.go", "src/a.go", true},
		{"**/*.{ts,tsx}", "s/b.tsx", true},
		{"README.md", "README.md", true},
		{"app/[slug]/page.tsx", "app/[slug]/page.tsx", true},
		{`**/\{type\}*.md`, "{type} note.md", true},
		{"*0*0*0*0*0*0*0*0*0*0*0*0*01", strings.Repeat("0", 200), false},
		{r.Dir() + "/src/*.go", "src/a.go", true},
	}
	for _, tt := range tests {
		g, err := r.Glob(tt.pattern)
		if err != nil || g.Match(tt.path) != tt.want {
			t.Errorf("Glob(%q).Match(%q) = %v, %v", tt.pattern, tt.path, !tt.want, err)
		}
	}
	for _, pattern := range []string{"a[", "[中", "../x/*", "a/../../b", "/etc/*", " "} {
		if _, err := r.Glob(pattern); err == nil {
			t.Errorf("Glob(%q) is no error", pattern)
		}
	}
}

// TestWalkInOrder: whatever is found first, it is taken in the order of the paths, and a walk that
// is ended has taken the begin of it.
func TestWalkInOrder(t *testing.T) {
	var files []string
	for i := range 30 {
		for k := range 7 * i {
			files = append(files, fmt.Sprintf("d%d/%d", i%7, i)+strings.Repeat("/x", k%3)+fmt.Sprint(".", k), "")
		}
	}
	r := project(t, Options{}, files...)
	all, _ := walkAll(t, r, ".")
	if !slices.IsSorted(all) || len(all) != len(files)/2 {
		t.Fatalf("%d paths, sorted %v, want %d", len(all), slices.IsSorted(all), len(files)/2)
	}
	for _, most := range []int{1, 2, 50, 1000} {
		var got []string
		_, err := Walk(t.Context(), r, Path{Rel: "."}, paths(func(path string) bool {
			got = append(got, path)
			return len(got) < most
		}))
		if err != nil || !slices.Equal(got, all[:most]) {
			t.Errorf("the first %d: %d, %v", most, len(got), err)
		}
	}
}

// TestWalkEndsInTheMiddle: no result is taken twice or out of order, and no directory stays open.
func TestWalkEndsInTheMiddle(t *testing.T) {
	var files []string
	for i := range 200 {
		files = append(files, fmt.Sprintf("d%d/e/f", i), "", fmt.Sprintf("d%d/z", i), "")
	}
	r := project(t, Options{}, files...)
	all, _ := walkAll(t, r, ".")
	open := openFiles(t)
	for n := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		_, err := Walk(ctx, r, Path{Rel: "."}, paths(func(path string) bool {
			if got = append(got, path); len(got) == n {
				cancel()
			}
			return true
		}))
		if n > 0 && !errors.Is(err, context.Canceled) || !slices.Equal(got, all[:len(got)]) {
			t.Errorf("canceled after %d: %d, %v", n, len(got), err)
		}
		cancel()
	}
	if now := openFiles(t); now != open {
		t.Errorf("%d files are open, %d were", now, open)
	}
}

// openFiles counts the open files of the process where the system tells them.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Log("open files are not counted:", err)
	}
	return len(entries)
}

// TestItemRead: whole files of all sizes, and none that is larger than wanted.
func TestItemRead(t *testing.T) {
	const most = 1 << 20
	var files []string
	for _, size := range []int{0, 1, firstBuffer - 1, firstBuffer, firstBuffer + 1, 4 * firstBuffer, most - 1, most, most + 1} {
		files = append(files, fmt.Sprint(size), strings.Repeat("0123456789abcdef", size/16+1)[:size])
	}
	r := project(t, Options{}, files...)
	_, err := Walk(t.Context(), r, Path{Rel: "."}, Visit[string]{
		Look: func() func(*Item) (string, bool) {
			return func(f *Item) (string, bool) {
				want := files[slices.Index(files, f.Name())+1]
				got, err := f.Read(most)
				switch {
				case len(want) > most && !errors.Is(err, ErrTooLarge):
					t.Errorf("%s bytes: %v", f.Name(), err)
				case len(want) <= most && (err != nil || string(got) != want):
					t.Errorf("%s bytes: %d, %v", f.Name(), len(got), err)
				}
				return "", false
			}
		},
	})
	if err != nil {
		t.Error(err)
	}
}
