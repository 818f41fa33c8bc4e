//go:build !windows

package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
)

func TestPipeIsNotOpened(t *testing.T) {
	r := project(t, Options{})
	if err := syscall.Mkfifo(filepath.Join(r.Dir(), "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	var kind *KindError
	if _, err := r.Open(Path{Rel: "pipe"}); !errors.As(err, &kind) || kind.Kind != "named pipe" {
		t.Errorf("Open: %v", err)
	}
	if err := r.Create(Path{Rel: "pipe"}, nil); !errors.As(err, &kind) {
		t.Errorf("Create: %v", err)
	}
	if err := r.Replace(Path{Rel: "pipe"}, nil, nil); !errors.As(err, &kind) {
		t.Errorf("Replace: %v", err)
	}
}

func TestSpecialFilesAreNotReplaced(t *testing.T) {
	r := project(t, Options{}, "a", "")
	l, err := net.Listen("unix", filepath.Join(r.Dir(), "s"))
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	var kind *KindError
	if err := r.Replace(Path{Rel: "s"}, nil, nil); !errors.As(err, &kind) || kind.Kind != "socket" {
		t.Errorf("a socket: %v", err)
	}
}

// A new file has the mode that any program would give it; an old one keeps its own, without what
// would make new content run as somebody else.
func TestModes(t *testing.T) {
	r := project(t, Options{}, "run.sh", "old", "secret", "old", "suid", "old")
	for name, mode := range map[string]fs.FileMode{"run.sh": 0o751, "secret": 0o600, "suid": 0o755 | fs.ModeSetuid | fs.ModeSetgid} {
		if err := os.Chmod(filepath.Join(r.Dir(), name), mode); err != nil {
			t.Fatal(err)
		}
		if err := r.Replace(Path{Rel: name}, []byte("old"), []byte("new")); err != nil {
			t.Fatal(err)
		}
		if got := modeOf(t, r, name); got != mode.Perm() {
			t.Errorf("%s: %v", name, got)
		}
	}
	if err := r.Create(Path{Rel: "new"}, nil); err != nil {
		t.Fatal(err)
	}
	umask := syscall.Umask(0)
	syscall.Umask(umask)
	if got, want := modeOf(t, r, "new"), fs.FileMode(0o666&^umask); got != want {
		t.Errorf("new: %v, want %v", got, want)
	}
}

func TestOwnerIsKept(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root can give files away")
	}
	r := project(t, Options{}, "a.txt", "old")
	if err := os.Chown(filepath.Join(r.Dir(), "a.txt"), 65534, 65533); err != nil {
		t.Fatal(err)
	}
	if err := r.Replace(Path{Rel: "a.txt"}, []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := r.Stat(Path{Rel: "a.txt"})
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 65534 || st.Gid != 65533 {
		t.Errorf("owner %d, group %d", st.Uid, st.Gid)
	}
}

// TestSwappedForGit: a directory that becomes a link to .git in the middle of a write does not lead the
// write there.
func TestSwappedForGit(t *testing.T) {
	r := project(t, Options{}, ".git/f.txt", "git", "d/x", "")
	dir := filepath.Join(r.Dir(), "d")
	done := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			_ = os.Rename(dir, dir+".away")
			_ = os.Symlink(".git", dir)
			runtime.Gosched()
			_ = os.Remove(dir)
			_ = os.Rename(dir+".away", dir)
		}
	})
	for n := range 3000 {
		_ = r.Create(Path{Rel: fmt.Sprintf("d/new%d.txt", n)}, []byte("x"))
		_ = r.Replace(Path{Rel: "d/f.txt"}, []byte("git"), []byte("ours"))
	}
	close(done)
	swapper.Wait()
	entries, err := os.ReadDir(filepath.Join(r.Dir(), ".git"))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if data, err := os.ReadFile(filepath.Join(r.Dir(), ".git", "f.txt")); err != nil || string(data) != "git" {
		t.Errorf("%q, %v", data, err)
	}
}
