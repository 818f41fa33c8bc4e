package fsx

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// handle is an open directory, shared by those who look at its files.
type handle struct {
	fd    int // -1 = closed again; files are opened by way of the root
	users atomic.Int32
	open  *atomic.Int32 // of the tree
}

func (h *handle) keep() { h.users.Add(1) }

// release gives it back; the last one closes it.
func (h *handle) release() {
	if h.users.Add(-1) == 0 {
		h.shut()
	}
}

func (h *handle) shut() {
	if h.fd >= 0 {
		unix.Close(h.fd)
		h.fd = -1
		h.open.Add(-1)
	}
}

// maxOpen is how many directories are kept open; a process may have 1024 files open on most systems.
const maxOpen = 256

// open opens and reads the directory. The one who called has it until release.
func (n *node) open(w *Item) (entries, error) {
	fd, err := n.tree.openDir(n.rel)
	if err != nil {
		return nil, err
	}
	n.handle.fd, n.handle.open = fd, &n.tree.open
	n.handle.keep()
	many := n.tree.open.Add(1) > maxOpen
	names, err := w.readNames(fd)
	if err != nil {
		n.handle.release()
		return nil, &fs.PathError{Op: "read", Path: n.rel, Err: err}
	}
	if many {
		n.handle.shut()
	}
	slices.SortFunc(names, comparePaths)
	return names, nil
}

const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC

// openDir opens a directory below the root with no link on the way to it. The system does so in one
// call, where it can; os.Root goes step by step.
func (t *tree) openDir(rel string) (int, error) {
	if fd, err := openBeneath(t.top, rel); err == nil {
		return fd, nil
	}
	return t.openStepwise(rel)
}

func (t *tree) openStepwise(rel string) (int, error) {
	f, err := t.root.root.OpenFile(rel, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return -1, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: rel, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return -1, err
	}
	var fd int
	err = control(f, func(own uintptr) (err error) {
		fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0)
		return err
	})
	return fd, err
}

func openBeneath(top *os.File, rel string) (fd int, err error) {
	how := unix.OpenHow{Flags: dirFlags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	err = control(top, func(own uintptr) (err error) {
		fd, err = unix.Openat2(int(own), rel, &how)
		return err
	})
	return fd, err
}

// control calls do with the number of an open file.
func control(f *os.File, do func(fd uintptr) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = do(fd) })
	return errors.Join(err, failed)
}

// readNames reads a directory.
func (f *Item) readNames(fd int) (entries, error) {
	if f.list == nil {
		f.list = make([]byte, 32<<10)
	}
	var names entries
	for {
		n, err := unix.Getdents(fd, f.list)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return names, err
		}
		names = parseNames(names, fd, string(f.list[:n]))
	}
}

// Offsets in a directory entry of getdents64: number, place, length, type, name.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

func parseNames(names entries, fd int, buf string) entries {
	names = slices.Grow(names, len(buf)/32) // as long as most entries are
	for len(buf) > direntName {
		size := int(buf[direntLength]) | int(buf[direntLength+1])<<8
		if size <= direntName || size > len(buf) {
			break
		}
		name := buf[direntName:size]
		if end := strings.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		if name != "." && name != ".." {
			names = append(names, entry{name, fileMode(fd, name, buf[direntType])})
		}
		buf = buf[size:]
	}
	return names
}

// fileMode is the type of an entry, asked for where the directory does not tell it.
func fileMode(fd int, name string, typ byte) fs.FileMode {
	switch typ {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_UNKNOWN:
		var st unix.Stat_t
		if unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT != 0 {
			return fileMode(fd, name, byte(st.Mode&unix.S_IFMT>>12))
		}
	}
	return fs.ModeIrregular
}

const fileFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_NOCTTY

// Read reads a regular file, of at most so many bytes; a larger one is ErrTooLarge. What it returns
// is valid until the worker's next call. The directory said what the file is, so nothing is asked
// about it: should a pipe stand there by now, reading it does not wait.
func (f *Item) Read(most int) ([]byte, error) {
	if f.dir.handle.fd < 0 {
		return f.readOpened(most)
	}
	fd, err := openAt(f.dir.handle.fd, f.entry.name)
	if errors.Is(err, unix.EAGAIN) { // another writer is just putting it in its place, see open
		return f.readOpened(most)
	}
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n := 0
	for {
		if n == len(f.buf) {
			f.grow(most)
		}
		got, err := unix.Read(fd, f.buf[n:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return nil, err
		case got == 0:
			return f.buf[:n], nil
		}
		if n += got; n > most {
			return nil, ErrTooLarge
		}
	}
}

func openAt(dir int, name string) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, fileFlags, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}
