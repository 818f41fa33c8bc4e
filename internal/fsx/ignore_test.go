package fsx

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"
)

// TestGitAgrees compares walks through random trees with random ignore files with what git says of
// them.
func TestGitAgrees(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	runs := 40
	if os.Getenv("PAICLI_FULL") == "1" {
		runs = 1000
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range runs {
		files := randomTree(rng)
		if diff := cmp.Diff(gitFiles(t, files), ourFiles(t, files)); diff != "" {
			t.Fatalf("tree %d %q (-git +ours):\n%s", n, files, diff)
		}
	}
}

// randomTree is path, content pairs.
func randomTree(rng *rand.Rand) []string {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	name := func() string {
		return pick("a", "b", "foo", "bar", "a.log", "b.log", "foo.txt", ".env", "a b", "#x", "!y", "{a,b}", "a[1]")
	}
	dir := func() string {
		var parts []string
		for range rng.IntN(4) {
			parts = append(parts, pick("a", "b", "foo", "bar", "out"))
		}
		return path.Join(parts...)
	}
	pattern := func() string {
		return pick("", "", "", "!", "!") + pick("", "", "/", "**/", "a/", "*/", "foo/**/") +
			pick("a", "b", "foo", "bar", "*.log", "*", "a*", "?", "[ab]", "[!a]*", "f*o", "out", "*.t?t", "**", ".*", `\#x`, `\!y`, "{a,b}", "#x", `a\[1]`, "[a-f]oo", "*o*", "a b", "b.log ") +
			pick("", "", "", "/", "/*", "/**")
	}
	files := []string{"z", "", ".gitignore", "unmatched\n"}
	for range 3 + rng.IntN(15) {
		files = append(files, path.Join(dir(), name()), "x")
	}
	for range 1 + rng.IntN(3) {
		var lines []string
		for range 1 + rng.IntN(5) {
			lines = append(lines, pattern())
		}
		files = append(files, path.Join(dir(), ".gitignore"), strings.Join(lines, pick("\n", "\r\n"))+pick("", "\n"))
	}
	return append(files, ".git/info/exclude", pattern()+"\n"+pattern()+"\n")
}

// sow makes the tree; what cannot be made, since a file is where a directory should be, is left
// out.
func sow(t *testing.T, files []string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		p := path.Join(dir, files[i])
		if os.MkdirAll(path.Dir(p), 0o755) == nil {
			_ = os.WriteFile(p, []byte(files[i+1]), 0o644)
		}
	}
	return dir
}

func gitFiles(t *testing.T, files []string) []string {
	t.Helper()
	dir := sow(t, files)
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_TEMPLATE_DIR=")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	git("init", "-q")
	found := []string{}
	for name := range strings.SplitSeq(git("ls-files", "-o", "-z", "--exclude-standard"), "\x00") {
		if name != "" {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

func ourFiles(t *testing.T, files []string) []string {
	t.Helper()
	r, err := Open(sow(t, files), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	found, _ := walkAll(t, r, ".")
	return found
}

// Whatever is in an ignore file, reading and applying it ends well, and a rule for a plain name
// holds.
func FuzzRules(f *testing.F) {
	f.Add("*.log\n!keep\n/a/b/\n[a-\n\\ ", "a/b/c.log")
	f.Add("**/x/**\n!/**/y\n*/\n{a,b}", "x/y/z")
	f.Fuzz(func(t *testing.T, rules, rel string) {
		if rel = path.Clean("/" + rel)[1:]; rel == "" {
			return
		}
		dir, name := path.Split(rel)
		ask := func(rules string) bool {
			l := newLevel(nil, ".", parseRules(rules))
			n := &node{rel: path.Clean(dir), rules: l, here: l.forDir(path.Clean(dir))}
			return n.ignored(name, false)
		}
		ask(rules)
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.") == "" {
			if !ask(rules + "\n" + name) {
				t.Errorf("%q is not ignored by its name after %q", rel, rules)
			}
			plain := strings.Trim(rel, "abcdefghijklmnopqrstuvwxyz0123456789./") == ""
			if plain && ask(rules+"\n!/"+rel) {
				t.Errorf("%q is ignored although the last of the rules %q keeps it", rel, rules)
			}
		}
	})
}

// The short ways of matching names say what the long one does.
func FuzzName(f *testing.F) {
	for _, pattern := range []string{"*.go", "a*", "*", "a", "a?c", "*.{a,b}", `\*x`, "[a-c]*", "*_*_*"} {
		f.Add(pattern, "abc.go")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if strings.Contains(pattern+name, "/") || pattern == "" || name == "" || !doublestar.ValidatePattern(pattern) || !utf8.ValidString(pattern) || !utf8.ValidString(name) {
			return // no file has an empty name; bytes that are no text all look the same to the long way
		}
		if want, _ := doublestar.Match(pattern, name); newNamePattern(pattern).match(name) != want {
			t.Errorf("%q matches %q: want %v", pattern, name, want)
		}
	})
}

func TestManyDirectoriesOpen(t *testing.T) {
	var files, want []string
	for i := range 300 { // of which each has a file behind the one below it
		dir := strings.Repeat("d/", i)
		files = append(files, dir+"z", "")
		want = append([]string{dir + "z"}, want...)
	}
	got, _ := walkAll(t, project(t, Options{}, files...), ".")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := fmt.Sprint(len(got)); got != "300" {
		t.Error(got)
	}
}
