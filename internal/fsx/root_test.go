package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// project makes a project of path, content pairs; a path that ends in a slash is a directory, a
// content that begins with -> a link.
func project(t testing.TB, o Options, files ...string) *Root {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		put(t, dir, files[i], files[i+1])
	}
	if o.Home != "" {
		o.Home = filepath.Join(dir, o.Home)
	}
	r, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	p := filepath.Join(dir, name)
	err := os.MkdirAll(filepath.Dir(p), 0o755)
	if target, ok := strings.CutPrefix(content, "->"); ok && err == nil {
		err = os.Symlink(target, p)
	} else if strings.HasSuffix(name, "/") && err == nil {
		err = os.MkdirAll(p, 0o755)
	} else if err == nil {
		err = os.WriteFile(p, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestResolve(t *testing.T) {
	r := project(t, Options{}, "a.txt", "1", "src/b/c.txt", "2", "link", "->src/b", "chain", "->link", "back", "->..",
		"backdoor", "->/etc", "dangling", "->later/real.txt", "escape", "->../outside/new.txt", "loop", "->loop", "..odd/a..b", "3",
		"absolute", "->"+os.TempDir())
	inside := map[string]string{
		"a.txt": "a.txt", ".": ".", "./src/../a.txt": "a.txt", "src//b/c.txt": "src/b/c.txt", "link/c.txt": "src/b/c.txt",
		"chain/new/x": "src/b/new/x", "link/../x": "src/x", "no/such/../thing": "no/thing", "dangling": "later/real.txt",
		"..odd/a..b": "..odd/a..b", r.Dir() + "/a.txt": "a.txt", r.Dir(): ".", "a.txt/below": "a.txt/below",
	}
	for in, want := range inside {
		if got, err := r.Resolve(in, Write); err != nil || got.Rel != want {
			t.Errorf("Resolve(%q) = %q, %v, want %q", in, got.Rel, err, want)
		}
	}
	for _, in := range []string{
		"/etc/passwd", "../../etc/passwd", "..", "backdoor/secret.txt", "back/x", "back", "escape", "src/../../outside",
		r.Dir() + "-evil/x", "absolute/x", "~", "~/x", "no/../../x",
	} {
		_, err := r.Resolve(in, Read)
		var outside *OutsideError
		if !errors.As(err, &outside) || !strings.Contains(err.Error(), in) || !strings.Contains(err.Error(), r.Dir()) {
			t.Errorf("Resolve(%q): %v", in, err)
		}
	}
	for in, want := range map[string]error{"": ErrBlank, "   ": ErrBlank, "a\x00b": ErrNUL} {
		if _, err := r.Resolve(in, Read); !errors.Is(err, want) {
			t.Errorf("Resolve(%q): %v", in, err)
		}
	}
	if _, err := r.Resolve("loop", Read); err == nil {
		t.Error("a loop of links was resolved")
	}
}

func TestOpenThroughLink(t *testing.T) {
	r := project(t, Options{}, "a.txt", "1")
	link := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(r.Dir(), link); err != nil {
		t.Fatal(err)
	}
	other, err := Open(link, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, in := range []string{"a.txt", link + "/a.txt", r.Dir() + "/a.txt"} {
		if got, err := other.Resolve(in, Read); err != nil || got.Rel != "a.txt" {
			t.Errorf("Resolve(%q) = %q, %v", in, got.Rel, err)
		}
	}
	if _, err := Open("  ", Options{}); err == nil {
		t.Error("a blank root was opened")
	}
}

func TestProtectedPlaces(t *testing.T) {
	r := project(t, Options{Home: ".home"},
		".home/sessions/s.jsonl", "x", ".git/config", "x", "sub/.git", "gitdir: x", ".paicli/tool-outputs/1.txt", "x",
		"innocent.txt", "->.home/sessions/s.jsonl", "hook", "->.git/config")
	for _, in := range []string{".home/sessions/s.jsonl", "innocent.txt", ".home/new", ".HOME/sessions/s.jsonl", ".home"} {
		var private *PrivateError
		if _, err := r.Resolve(in, Read); !errors.As(err, &private) {
			t.Errorf("Resolve(%q, Read): %v", in, err)
		}
	}
	for _, in := range []string{".git/config", ".GIT/config", "hook", "sub/.git", ".git", "new/.git/hooks/x", ".paicli/tool-outputs/1.txt"} {
		var readOnly *ReadOnlyError
		if _, err := r.Resolve(in, Write); !errors.As(err, &readOnly) {
			t.Errorf("Resolve(%q, Write): %v", in, err)
		}
		if _, err := r.Resolve(in, Read); err != nil {
			t.Errorf("Resolve(%q, Read): %v", in, err)
		}
	}
	for _, in := range []string{".gitignore", ".github/x", ".paicli/config.json"} {
		if _, err := r.Resolve(in, Write); err != nil {
			t.Errorf("Resolve(%q, Write): %v", in, err)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"a/../b", "link/../../x", "/etc/../tmp", "./.", "a//b/", "link/loop", "..", "~"} {
		f.Add(s)
	}
	r := project(f, Options{}, "a/b/c", "1", "link", "->a/b", "up", "->../..", "loop", "->loop")
	f.Fuzz(func(t *testing.T, in string) {
		p, err := r.Resolve(in, Read)
		if err != nil {
			return
		}
		if !filepath.IsLocal(filepath.FromSlash(p.Rel)) {
			t.Fatalf("Resolve(%q) = %q", in, p.Rel)
		}
		if real, err := filepath.EvalSymlinks(filepath.Join(r.Dir(), p.Rel)); err == nil && real != filepath.Join(r.Dir(), p.Rel) {
			t.Fatalf("Resolve(%q) = %q, which is really %q", in, p.Rel, real)
		}
	})
}

func read(t *testing.T, r *Root, rel string) string {
	t.Helper()
	f, err := r.Open(Path{Rel: rel})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// overwrite writes a file whatever is there.
func overwrite(r *Root, rel, data string) error {
	old, err := os.ReadFile(filepath.Join(r.Dir(), rel))
	if errors.Is(err, fs.ErrNotExist) {
		return r.Create(Path{Rel: rel}, []byte(data))
	}
	return r.Replace(Path{Rel: rel}, old, []byte(data))
}

func TestWriteFile(t *testing.T) {
	r := project(t, Options{}, "run.sh", "old", "plain.txt", "old")
	if err := os.Chmod(filepath.Join(r.Dir(), "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("n", 255)
	for _, rel := range []string{"run.sh", "plain.txt", "new.txt", "deep/er/new.txt", long} {
		if err := overwrite(r, rel, "new "+rel); err != nil {
			t.Fatalf("WriteFile(%.20q): %v", rel, err)
		}
		if got := read(t, r, rel); got != "new "+rel {
			t.Errorf("%.20q holds %.40q", rel, got)
		}
	}
	if info, err := r.Stat(Path{Rel: "run.sh"}); err != nil || info.Mode() != 0o755 {
		t.Errorf("mode of run.sh: %v, %v", info.Mode(), err)
	}
	if info, err := r.Stat(Path{Rel: "new.txt"}); err != nil || info.Mode()&0o600 != 0o600 || info.Mode()&0o111 != 0 {
		t.Errorf("mode of new.txt: %v, %v", info.Mode(), err)
	}
	noTemps(t, r)
}

func noTemps(t *testing.T, r *Root) {
	t.Helper()
	err := filepath.WalkDir(r.Dir(), func(p string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), tempPrefix) {
			t.Errorf("%s is left", p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWriteFileRefuses(t *testing.T) {
	r := project(t, Options{}, "locked.txt", "original", "dir/", "", "file", "x")
	if err := os.Chmod(filepath.Join(r.Dir(), "locked.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := overwrite(r, "locked.txt", "x"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file without any write bit: %v", err)
	}
	if got := read(t, r, "locked.txt"); got != "original" {
		t.Errorf("it holds %q", got)
	}
	var kind *KindError
	if err := overwrite(r, "dir", ""); !errors.As(err, &kind) || kind.Kind != "directory" {
		t.Errorf("a directory: %v", err)
	}
	for _, rel := range []string{"file/below.txt", strings.Repeat("x", 300)} {
		if err := overwrite(r, rel, ""); err == nil {
			t.Errorf("%.20q was written", rel)
		}
	}
	noTemps(t, r)
}

// A link swapped in after Resolve must not lead outside.
func TestSwappedLink(t *testing.T) {
	r := project(t, Options{}, "d/a.txt", "1")
	p, err := r.Resolve("d/new.txt", Write)
	if err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	if err := os.Rename(filepath.Join(r.Dir(), "d"), filepath.Join(r.Dir(), "e")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(r.Dir(), "d")); err != nil {
		t.Fatal(err)
	}
	if err := r.Create(p, []byte("x")); err == nil {
		t.Error("written through the swapped link")
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("%v was made outside", entries)
	}
}

func TestLock(t *testing.T) {
	r := project(t, Options{})
	n := 0
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			defer r.Lock(Path{Rel: "a"})()
			n++
		})
	}
	wg.Wait()
	if n != 50 || len(r.locks) != 0 {
		t.Errorf("%d, %d locks left", n, len(r.locks))
	}
}

func TestSimilar(t *testing.T) {
	r := project(t, Options{}, "README.md", "", "src/handler.go", "")
	for in, want := range map[string]string{"readme.md": "README.md", "src/handlers.go": "src/handler.go", "x.txt": "", "no/dir": ""} {
		if got := r.Similar(Path{Rel: in}); got != want {
			t.Errorf("Similar(%q) = %q, want %q", in, got, want)
		}
	}
}
