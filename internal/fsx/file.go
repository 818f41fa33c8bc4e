package fsx

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
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
	f, err := r.root.OpenFile(p.Rel, os.O_RDONLY|openFlags, 0)
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

// WriteFile replaces the content of a file, or makes it with its parent directories, so that after
// a crash there is the old file or the new one. The mode and, where possible, the owner of an
// existing file stay. A file that could not be written in place is not replaced either.
func (r *Root) WriteFile(p Path, data []byte) error {
	old, err := r.writable(p)
	if err != nil {
		return err
	}
	dir := path.Dir(p.Rel)
	if old == nil && dir != "." {
		if err := r.root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	temp, err := r.writeTemp(dir, data, old)
	if err != nil {
		return err
	}
	if err := r.root.Rename(temp, p.Rel); err != nil {
		return errors.Join(err, r.root.Remove(temp))
	}
	return r.syncDir(dir)
}

// writable checks that a place can be written and returns what is there, nil when it is free.
func (r *Root) writable(p Path) (fs.FileInfo, error) {
	info, err := r.root.Lstat(p.Rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if kind := kindOf(info.Mode()); kind != "" {
		return nil, &KindError{Path: p.Rel, Kind: kind}
	}
	if info.Mode()&0o222 == 0 {
		return nil, &fs.PathError{Op: "write", Path: p.Rel, Err: fs.ErrPermission}
	}
	f, err := r.root.OpenFile(p.Rel, os.O_WRONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	return info, f.Close()
}

// writeTemp writes data to a new file in dir and returns its name. Nothing stays after an error.
// The name is short, whatever that of the target.
func (r *Root) writeTemp(dir string, data []byte, old fs.FileInfo) (name string, err error) {
	var random [6]byte
	rand.Read(random[:])
	name = path.Join(dir, tempPrefix+hex.EncodeToString(random[:]))
	f, err := r.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, r.root.Remove(name))
		}
	}()
	if _, err := f.Write(data); err != nil {
		return "", err
	}
	if old != nil {
		keepOwner(f, old)
		if err := f.Chmod(old.Mode()); err != nil {
			return "", err
		}
	}
	return name, f.Sync()
}

// tempPrefix begins the names of files that are being written.
const tempPrefix = ".paicli-"

// syncDir makes a rename durable. A file system that cannot do it has none to lose.
func (r *Root) syncDir(dir string) error {
	d, err := r.root.Open(dir)
	if err != nil {
		return nil // the directory may be written but not read: the file is in place
	}
	_ = d.Sync()
	return d.Close()
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
