package fsx

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestWalkWhileThingsMove: what a directory said may be wrong by the time a file is read. A pipe in
// its place does not hold the walk up, a link is not followed.
func TestWalkWhileThingsMove(t *testing.T) {
	r := project(t, Options{}, "a", "", "d/fifo", "plain", "d/link", "plain", "d/ok", "plain", "outside/secret", "secret")
	var swapped atomic.Bool
	var got []string
	_, err := Walk(t.Context(), r, Path{Rel: "d"}, Visit[string]{
		Look: func() func(*Item) (string, bool) {
			return func(f *Item) (string, bool) {
				if !swapped.Swap(true) {
					replace(t, filepath.Join(r.Dir(), "d/fifo"), func(p string) error { return syscall.Mkfifo(p, 0o600) })
					replace(t, filepath.Join(r.Dir(), "d/link"), func(p string) error { return os.Symlink("../outside/secret", p) })
				}
				data, err := f.Read(100)
				return f.Name() + " " + string(data), err == nil
			}
		},
		Take: func(s string) bool {
			got = append(got, s)
			return true
		},
	})
	if err != nil || len(got) < 1 || got[len(got)-1] != "ok plain" {
		t.Errorf("%q, %v", got, err)
	}
	for _, s := range got {
		if s == "link secret" {
			t.Error("a link was followed")
		}
	}
}

func replace(t *testing.T, path string, with func(path string) error) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
	if err := with(path); err != nil {
		t.Error(err)
	}
}

// TestOpenDir: both ways of opening a directory refuse links, and open only directories.
func TestOpenDir(t *testing.T) {
	r := project(t, Options{}, "d/e/f", "", "link", "->d", "up", "->..")
	tree, err := newTree(r)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.close()
	for rel, ok := range map[string]bool{".": true, "d/e": true, "d/e/f": false, "no": false, "up": false, "up/x": false, "..": false} {
		fd, err := openBeneath(tree.top, rel)
		if err == nil {
			syscall.Close(fd)
		}
		if (err == nil) != ok {
			t.Errorf("beneath %s: %v", rel, err)
		}
		if fd, err = tree.openStepwise(rel); err == nil {
			syscall.Close(fd)
		}
		if (err == nil) != ok {
			t.Errorf("stepwise %s: %v", rel, err)
		}
	}
}
