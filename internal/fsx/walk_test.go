package fsx

import (
	"context"
	"errors"
	"path"
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

func FuzzRules(f *testing.F) {
	f.Add("*.log\n!keep\n/a/b/\n[a-\n\\ ", "a/b/c.log")
	f.Fuzz(func(t *testing.T, rules, rel string) {
		if rel = strings.Trim(rel, "/"); rel == "" {
			return
		}
		l := newLevel(nil, ".", parseRules(rules))
		dir, name := path.Split(rel)
		n := &node{rel: path.Clean(dir), rules: l, here: l.forDir(path.Clean(dir))}
		if name != "" {
			n.ignored(name, false)
		}
	})
}
