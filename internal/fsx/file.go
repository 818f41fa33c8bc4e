package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

// KindError refuses something that is not a regular file.
type KindError struct {
	Path string
	Kind string // "directory", "named pipe", "device", "socket", "special file"
}

func (e *KindError) Error() string {
	return fmt.Sprintf("%s is a %s, not a regular file", e.Path, e.Kind)
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeDevice != 0:
		return "device"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "special file"
}

// Stat describes what is at a place.
func (r *Root) Stat(p Path) (fs.FileInfo, error) { return r.root.Lstat(p.Rel) }

// Open opens a regular file for reading. Anything else is a *KindError and is not opened: to open a
// pipe would wait for a writer.
func (r *Root) Open(p Path) (*os.File, error) {
	info, err := r.root.Lstat(p.Rel)
	if err != nil {
		return nil, err
	}
	if kind := kindOf(info.Mode()); kind != "" {
		return nil, &KindError{Path: p.Rel, Kind: kind}
	}
	f, err := open(r.root, p.Rel, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, err
	}
	if kind := kindOf(info.Mode()); kind != "" {
		f.Close()
		return nil, &KindError{Path: p.Rel, Kind: kind}
	}
	return f, nil
}

// open opens what is there without waiting for a pipe's other end. It does wait for a file that
// another writer is just putting in its place (see lease).
func open(root *os.Root, rel string, flag int) (*os.File, error) {
	const tries = 1000 // of a millisecond: far more than an exchange takes
	for n := 0; ; n++ {
		f, err := root.OpenFile(rel, flag|openFlags, 0)
		if !errors.Is(err, syscall.EAGAIN) || n == tries {
			return f, err
		}
		time.Sleep(time.Millisecond)
	}
}

// ReadDir lists a directory, sorted by name.
func (r *Root) ReadDir(p Path) ([]fs.DirEntry, error) {
	f, err := r.root.OpenFile(p.Rel, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	sortEntries(entries)
	return entries, err
}

// Similar finds a name in the same directory that was probably meant: equal but for case, or with
// the same beginning. It is "" when there is none.
func (r *Root) Similar(p Path) string {
	dir, name := path.Split(p.Rel)
	entries, err := r.ReadDir(Path{Rel: path.Clean(dir)})
	if err != nil {
		return ""
	}
	stem := strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
	best := ""
	for _, e := range entries {
		got := strings.ToLower(e.Name())
		if got == strings.ToLower(name) {
			return dir + e.Name()
		}
		gotStem := strings.TrimSuffix(got, path.Ext(got))
		if len(stem) > 2 && len(gotStem) > 2 && best == "" && (strings.HasPrefix(gotStem, stem) || strings.HasPrefix(stem, gotStem)) {
			best = dir + e.Name()
		}
	}
	return best
}

func (r *Root) exists(rel string) bool {
	_, err := r.root.Lstat(rel)
	return err == nil
}
