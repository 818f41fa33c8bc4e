package fsx

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzFence: whatever links there are and whatever path is given, nothing outside the project is read
// or changed, nothing of the program's own state is reached, and .git is not written.
func FuzzFence(f *testing.F) {
	f.Add("a\n../outside\nb\na/secret", "b")
	f.Add("d\nsub\nd/l\n../../outside/new", "d/l")
	f.Add("a\nb\nb\na", "a/x")
	f.Add("g\n.git\nh\ng", "h/config")
	f.Add("s\nstate", "s/secret")
	f.Add("abs\n/etc", "abs/passwd")
	f.Add("x\n.", "x/x/../x/../../outside/secret")
	f.Fuzz(func(t *testing.T, links, name string) {
		base := t.TempDir()
		for dir, content := range map[string]string{"outside": "SECRET", "project/state": "SECRET", "project/.git": "GIT", "project/sub": "ok"} {
			put(t, base, filepath.Join(dir, "secret"), content)
		}
		dir := filepath.Join(base, "project")
		plant(dir, links)
		r, err := Open(dir, Options{Home: filepath.Join(dir, "state")})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		before := photo(t, base)
		if p, err := r.Resolve(name, Read); err == nil {
			look(t, r, p)
		}
		if p, err := r.Resolve(name, Write); err == nil {
			_ = r.Create(p, []byte("new"))
			_ = r.Replace(p, []byte("ok"), []byte("new"))
			_ = r.Create(Path{Rel: p.Rel + "/x/y"}, []byte("new"))
		}
		if after := photo(t, base); after != before {
			t.Errorf("links %q, path %q: before\n%s\nafter\n%s", links, name, before, after)
		}
		rel, where, err := r.Where(name)
		if p, refused := r.Resolve(name, Read); err == nil && refused == nil && (where == Outside || rel != p.Rel) {
			t.Errorf("%q is at %q (%v) and %q", name, rel, where, p.Rel)
		}
	})
}

// plant makes links, name and target a line each, where they are possible. None lies outside.
func plant(dir, links string) {
	lines := strings.Split(links, "\n")
	for i := 0; i+1 < len(lines) && i < 12; i += 2 {
		if !filepath.IsLocal(lines[i]) || strings.IndexByte(links, 0) >= 0 {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return
		}
		_ = root.Symlink(lines[i+1], lines[i])
		root.Close()
	}
}

// look reads all that a path gives.
func look(t *testing.T, r *Root, p Path) {
	t.Helper()
	if f, err := r.Open(p); err == nil {
		data, _ := io.ReadAll(io.LimitReader(f, 1<<10))
		f.Close()
		if bytes.Contains(data, []byte("SECRET")) {
			t.Errorf("%q gave away a secret", p.Rel)
		}
	}
	entries, err := r.ReadDir(p)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Name() == "project" {
			t.Errorf("%q lists the folder above the project", p.Rel)
		}
	}
}

// photo describes everything that must stay as it is.
func photo(t *testing.T, base string) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range []string{"outside", "project/state", "project/.git"} {
		err := filepath.WalkDir(filepath.Join(base, dir), func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			data, _ := os.ReadFile(p)
			b.WriteString(strings.TrimPrefix(p, base) + " " + d.Type().String() + " " + string(data) + "\n")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b.WriteString(e.Name() + "\n")
	}
	return b.String()
}
