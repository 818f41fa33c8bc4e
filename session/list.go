package session

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Info is what a list of sessions tells of one.
type Info struct {
	ID       string    `json:"id"`
	Path     string    `json:"path"`
	Root     string    `json:"root"`
	Title    string    `json:"title"` // the first line of the user's first words
	Started  time.Time `json:"started"`
	Modified time.Time `json:"modified"`
	Size     int64     `json:"size"` // bytes
	From     string    `json:"from,omitempty"`
}

// validID reports whether a text can be the id of a session; nothing else becomes part of a path.
func validID(id string) bool {
	if len(id) < 6 || id[0] == '-' {
		return false
	}
	return strings.IndexFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
}

// List tells of the sessions in a folder, the newest first; with a root only those of that project.
// Files that are no sessions are left out. A folder that is not there holds none.
func List(dir, root string) ([]Info, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var infos []Info
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), extension)
		if !ok || !validID(id) {
			continue
		}
		info, err := Stat(dir, id)
		if err == nil && (root == "" || info.Root == root) {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b Info) int {
		return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(b.ID, a.ID))
	})
	return infos, nil
}

// titleRoom is how much of a log is read for its title: the first words stand near the beginning.
const titleRoom = 128 << 10

// Stat tells of one session without reading all of it.
func Stat(dir, id string) (Info, error) {
	if !validID(id) {
		return Info{}, fmt.Errorf("find session: %w", fs.ErrNotExist)
	}
	f, err := os.Open(pathOf(dir, id))
	if err != nil {
		return Info{}, fmt.Errorf("find session: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return Info{}, fmt.Errorf("find session: %w", err)
	}
	info := Info{ID: id, Path: f.Name(), Modified: st.ModTime(), Size: st.Size()}
	buf := make([]byte, min(titleRoom, st.Size()))
	n, err := io.ReadFull(f, buf)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.HasPrefix(buf[:n], []byte(`{"format":"paicli-session"`)) {
		return Info{}, fmt.Errorf("find session: %w", ErrNotSession)
	}
	for line := range bytes.Lines(buf[:n]) {
		if info.read(bytes.TrimSuffix(line, []byte("\n"))) {
			break
		}
	}
	return info, nil
}

// read takes what a record tells and reports whether all is known.
func (i *Info) read(line []byte) bool {
	e, err := parseRecord(line)
	if err != nil {
		return false
	}
	switch b := e.Body.(type) {
	case *Opened:
		i.Root, i.From = b.Root, b.From
		if i.Started.IsZero() {
			i.Started = e.Time
		}
	case *Said:
		if b.By == ByUser {
			i.Title, _, _ = strings.Cut(strings.TrimSpace(b.Text), "\n")
			return true
		}
	}
	return false
}

// Newest is the session of a project that was used last and in which a person has said something: a
// session of tool calls only is nothing to go on with.
func Newest(dir, root string) (Info, error) {
	infos, err := List(dir, root)
	if err != nil {
		return Info{}, err
	}
	infos = slices.DeleteFunc(infos, func(i Info) bool { return i.Title == "" })
	if len(infos) == 0 {
		return Info{}, fmt.Errorf("find session: %w", fs.ErrNotExist)
	}
	return infos[0], nil
}

// Remove deletes a session that no process has open, with what is kept beside its log.
func Remove(dir, id string) error {
	if !validID(id) {
		return fmt.Errorf("remove session: %w", fs.ErrNotExist)
	}
	f, err := os.OpenFile(pathOf(dir, id), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("remove session: %w", err)
	}
	defer f.Close()
	if !lock(f) {
		return fmt.Errorf("remove session: %w", &InUseError{ID: id})
	}
	err = os.RemoveAll(basesOf(dir, id)) // first: while there is a log, it can be tried again
	if err == nil {
		err = os.Remove(f.Name())
	}
	if err != nil {
		return fmt.Errorf("remove session: %w", err)
	}
	return nil
}

// Fork makes a session that begins with everything another one holds, and opens it. The other one
// is left as it is, also when a process is writing to it.
func Fork(id string, opts Options) (*Log, Report, error) {
	if !validID(id) {
		return nil, Report{}, fmt.Errorf("fork session: %w", fs.ErrNotExist)
	}
	old, err := os.Open(pathOf(opts.Dir, id))
	if err != nil {
		return nil, Report{}, fmt.Errorf("fork session: %w", err)
	}
	defer old.Close()
	now := time.Now
	if opts.Now != nil {
		now = opts.Now
	}
	f, err := createFile(opts.Dir, newID(now()))
	if err != nil {
		return nil, Report{}, err
	}
	_, err = io.Copy(f, old)
	unlock(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, Report{}, fmt.Errorf("fork session: %w", errors.Join(err, os.Remove(f.Name())))
	}
	l, report, err := Open(strings.TrimSuffix(filepath.Base(f.Name()), extension), opts)
	if err != nil {
		return nil, report, errors.Join(err, os.Remove(f.Name()))
	}
	_, err = l.append("", l.state.Turn, []Body{&Opened{ID: l.id, Root: opts.Root, Version: opts.Version, From: id}})
	if err == nil {
		shareBases(basesOf(opts.Dir, id), l.Bases())
	}
	return l, report, err
}

// ReadAll gives the durable events of a session as they are in its file, without opening it for
// writing: for lists and exports.
func ReadAll(dir, id string, each func(Event, error) bool) error {
	if !validID(id) {
		return fmt.Errorf("read session: %w", fs.ErrNotExist)
	}
	f, err := os.Open(pathOf(dir, id))
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	defer f.Close()
	l := Options{}.newLog(id)
	if err := l.readHeader(f); err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	more := true
	err = eachLine(f, int64(len(header)), func(at int64, line []byte, whole bool) {
		if !whole || !more {
			return
		}
		e, err := parseRecord(line)
		if errors.Is(err, errUnknownType) {
			return
		}
		if err != nil {
			err = fmt.Errorf("read record at byte %d: %w", at, err)
		}
		more = each(e, err)
	})
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	return nil
}
