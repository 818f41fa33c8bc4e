package fsx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// ChangedError refuses to write over what somebody else has put there meanwhile.
type ChangedError struct{ Path string }

func (e *ChangedError) Error() string { return e.Path + " was changed by somebody else meanwhile" }

// Replace gives an existing file new content, if it still has the old one; else it is a
// *ChangedError and the file stays as it is.
//
// Whatever happens, also a crash or a full disk, there is the old file or the new one and nothing
// between: the content goes to a file beside the target, to the disk, and then in its place. Where
// the system can exchange two names (see swap), no change that another program makes at the same
// time by renaming is lost.
//
// Permission bits and, where possible, owner and group stay; set-user-id and set-group-id do not,
// as with any write. Other names of the file (hard links) keep the old content, whole: to write into
// the file itself could not be undone. ACLs and extended attributes are not carried over. A file
// that could not be written in place is not replaced either.
func (r *Root) Replace(p Path, old, data []byte) error {
	w, err := r.begin(p)
	if err != nil {
		return gone(p, err)
	}
	defer w.end()
	info, err := w.writable()
	if err != nil {
		return gone(p, err)
	}
	if !w.holds(w.name, old) {
		return &ChangedError{Path: p.Rel}
	}
	if err := w.prepare(data, info); err != nil {
		return failed(p, err)
	}
	defer syncDir(w.dir, ".")
	return failed(p, w.swap(old))
}

// Create makes a file that does not exist, with its parent directories. What is there already is
// a *ChangedError, or a *KindError when it is no regular file.
func (r *Root) Create(p Path, data []byte) error {
	made, err := r.mkdirs(path.Dir(p.Rel))
	if err != nil {
		return failed(p, err)
	}
	w, err := r.begin(p)
	if err != nil {
		return failed(p, err)
	}
	defer w.end()
	if err := w.free(); err != nil {
		return failed(p, err)
	}
	if err := w.prepare(data, nil); err != nil {
		return failed(p, err)
	}
	if err := w.place(); err != nil {
		return failed(p, err)
	}
	syncDir(w.dir, ".")
	for _, dir := range made {
		syncDir(r.root, path.Dir(dir))
	}
	return nil
}

// gone words what a missing file means to somebody who has seen it.
func gone(p Path, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &ChangedError{Path: p.Rel}
	}
	return failed(p, err)
}

// failed names the file that was to be written instead of the one beside it.
func failed(p Path, err error) error {
	var changed *ChangedError
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &changed):
		return changed
	case errors.As(err, &at):
		return &fs.PathError{Op: "write", Path: p.Rel, Err: at.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: "write", Path: p.Rel, Err: link.Err}
	}
	return err
}

// write is one file on its way into place.
type write struct {
	path Path
	dir  *os.Root // of the target
	name string   // of the target
	temp string   // of the file beside it
	held *os.File // that file, under a lease; nil where there are none
}

// end releases what the write holds.
func (w *write) end() {
	if w.held != nil {
		w.held.Close() // synced before
	}
	w.dir.Close()
}

func (r *Root) begin(p Path) (*write, error) {
	rel := path.Dir(p.Rel)
	r.sweep(rel)
	dir, err := r.root.OpenRoot(rel)
	if err != nil {
		return nil, err
	}
	if !r.isAt(dir, rel) {
		dir.Close()
		return nil, &ChangedError{Path: p.Rel}
	}
	return &write{path: p, dir: dir, name: path.Base(p.Rel)}, nil
}

// isAt reports whether an open directory is the one at a place, with no link on the way. Resolved
// paths have none, but one may have been put in since: it cannot lead out of the project, but into
// what is not written in it.
func (r *Root) isAt(dir *os.Root, rel string) bool {
	at := "."
	var info fs.FileInfo
	for part := range strings.SplitSeq(rel, "/") {
		at = path.Join(at, part)
		var err error
		if info, err = r.root.Lstat(at); err != nil || !info.IsDir() {
			return false
		}
	}
	opened, err := dir.Stat(".")
	return err == nil && os.SameFile(info, opened)
}

// mkdirs makes a directory with its parents and returns those that were not there, the deepest
// first.
func (r *Root) mkdirs(rel string) ([]string, error) {
	var missing []string
	for d := rel; d != "." && !r.exists(d); d = path.Dir(d) {
		missing = append(missing, d)
	}
	if len(missing) == 0 {
		return nil, nil
	}
	return missing, r.root.MkdirAll(rel, 0o777)
}

// free checks that nothing has the name of the target.
func (w *write) free() error {
	info, err := w.dir.Lstat(w.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case kindOf(info.Mode()) != "":
		return &KindError{Path: w.path.Rel, Kind: kindOf(info.Mode())}
	}
	return &ChangedError{Path: w.path.Rel}
}

// writable checks that the target is a file that may be written, and describes it.
func (w *write) writable() (fs.FileInfo, error) {
	info, err := w.dir.Lstat(w.name)
	if err != nil {
		return nil, err
	}
	if kind := kindOf(info.Mode()); kind != "" {
		return nil, &KindError{Path: w.path.Rel, Kind: kind}
	}
	if info.Mode()&0o222 == 0 {
		return nil, &fs.PathError{Op: "write", Path: w.path.Rel, Err: fs.ErrPermission}
	}
	f, err := open(w.dir, w.name, os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	return info, f.Close()
}

// holds reports whether a name is that of a regular file with this content.
func (w *write) holds(name string, content []byte) bool {
	f, err := open(w.dir, name, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(content)) {
		return false
	}
	got, err := io.ReadAll(f)
	return err == nil && bytes.Equal(got, content)
}

// prepare writes the content to a new file beside the target, down to the disk. The old file, if
// there is one, gives its owner and mode. Nothing stays after an error.
func (w *write) prepare(data []byte, old fs.FileInfo) error {
	w.temp = newTemp()
	f, err := w.dir.OpenFile(w.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if err = fill(f, data, old); err == nil && old != nil && lease(f) {
		w.held = f
		return nil
	}
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, w.dir.Remove(w.temp))
	}
	return err
}

func fill(f *os.File, data []byte, old fs.FileInfo) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	return finish(f, old)
}

// finish gives a written file the owner and mode of another, if there is one, and waits for the disk.
func finish(f *os.File, like fs.FileInfo) error {
	if like != nil {
		keepOwner(f, like)
		if err := f.Chmod(like.Mode().Perm()); err != nil {
			return err
		}
	}
	return f.Sync()
}

// place gives the new file its name, which must be free. A link is made by the system only when it
// is; file systems without links get a look and a rename.
func (w *write) place() error {
	err := w.dir.Link(w.temp, w.name)
	if err == nil {
		return w.dir.Remove(w.temp)
	}
	if err := w.free(); err != nil {
		return errors.Join(err, w.dir.Remove(w.temp))
	}
	if err := w.dir.Rename(w.temp, w.name); err != nil {
		return errors.Join(err, w.dir.Remove(w.temp))
	}
	return nil
}

// syncDir makes a change of names durable. A file system that cannot do it has none to lose.
func syncDir(root *os.Root, rel string) {
	if d, err := root.Open(rel); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// File is one file of CreateAll.
type File struct {
	Path Path
	Data []byte
}

// CreateAll makes files that do not exist, all of them or, after an error, none.
func (r *Root) CreateAll(files []File) error {
	var made []string // what to remove again, in this order
	for _, f := range files {
		dirs, err := r.mkdirs(path.Dir(f.Path.Rel))
		made = append(dirs, made...)
		if err == nil {
			err = r.Create(f.Path, f.Data)
		}
		if err == nil {
			made = append([]string{f.Path.Rel}, made...)
			continue
		}
		for _, rel := range made {
			if undo := r.root.Remove(rel); undo != nil && !errors.Is(undo, fs.ErrNotExist) {
				err = fmt.Errorf("%w (%s could not be removed again)", err, rel)
			}
		}
		return err
	}
	return nil
}
