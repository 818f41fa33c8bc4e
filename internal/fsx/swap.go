package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// errNoExchange says that the system or the file system cannot exchange two names.
var errNoExchange = errors.New("names cannot be exchanged here")

// swap puts the new file in the place of the target, if that still has the old content.
//
// A look followed by a rename leaves a moment in which another program's file can be renamed into
// the place and be lost. So the two names are exchanged, which the system does in one step, and what
// came out is compared with what was expected. If it is another file, we were late, and what it
// holds must be in place again (see adopt and putBack).
//
// In between, that program could read ours, add to it, and so carry on without what it had put in
// place itself. A lease on our file makes the system hold up whoever opens it until all is settled.
// Only one of us exchanges files in a directory at a time, also between processes: two who take out
// each other's files would never end well.
//
// What stays open is a program that has the old file open and writes into it after the comparison,
// and a kill in the moment after an exchange that took out another program's file.
func (w *write) swap(old []byte) error {
	d, err := w.dir.Open(".")
	if err != nil {
		return errors.Join(err, w.discard())
	}
	defer d.Close()
	lockDir(d)
	ours, err := w.dir.Lstat(w.temp)
	if err != nil {
		return errors.Join(err, w.discard())
	}
	if !w.holds(w.name, old) {
		return errors.Join(&ChangedError{Path: w.path.Rel}, w.discard())
	}
	switch err := exchange(d, w.temp, w.name); {
	case errors.Is(err, errNoExchange): // the moment stays open
		return errors.Join(w.dir.Rename(w.temp, w.name), w.discard())
	case errors.Is(err, fs.ErrNotExist): // deleted
		return errors.Join(&ChangedError{Path: w.path.Rel}, w.discard())
	case err != nil:
		return errors.Join(err, w.discard())
	}
	if w.holds(w.temp, old) {
		return w.discard()
	}
	if w.held == nil || w.adopt() != nil {
		if err := w.putBack(d, ours); err != nil {
			return err
		}
	}
	return errors.Join(&ChangedError{Path: w.path.Rel}, w.discard())
}

// adopt gives our file, which is in place, the content of the one that came out. Whoever opens it
// waits for that, so that nobody sees ours, and a next file of the other program may come over it at
// any time. After an error, ours is good for nothing.
func (w *write) adopt() error {
	f, err := open(w.dir, w.temp, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if kind := kindOf(info.Mode()); kind != "" {
		return &KindError{Path: w.path.Rel, Kind: kind}
	}
	if err := w.held.Truncate(0); err != nil {
		return err
	}
	if _, err := io.Copy(io.NewOffsetWriter(w.held, 0), f); err != nil {
		return err
	}
	return finish(w.held, info)
}

// putBack is for where there are no leases: it returns another program's file, which is at the
// temporary name, to its place, where ours is. If that program was faster again, its next file is in that place and stays there. What is at
// the temporary name afterwards is not needed any more.
func (w *write) putBack(d *os.File, placed fs.FileInfo) error {
	for {
		there, err := w.dir.Lstat(w.name)
		if errors.Is(err, fs.ErrNotExist) { // they took ours away
			return w.dir.Rename(w.temp, w.name)
		}
		if err != nil || !os.SameFile(there, placed) {
			return err
		}
		theirs, err := w.dir.Lstat(w.temp)
		if err != nil {
			return err
		}
		if err := exchange(d, w.temp, w.name); err != nil {
			return err
		}
		out, err := w.dir.Lstat(w.temp)
		if err != nil || os.SameFile(out, placed) {
			return err
		}
		placed = theirs // a next file came out: it goes back in turn
	}
}

// lockDir locks a directory until it is closed. Who holds the lock of a directory for long is none of
// us (a script run by flock, say) and is not waited for.
func lockDir(d *os.File) {
	const tries = 1000 // of a millisecond: far more than an exchange takes
	for range tries {
		if !errors.Is(tryLock(d), syscall.EAGAIN) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// discard removes what is at the temporary name, if there is anything.
func (w *write) discard() error {
	if err := w.dir.Remove(w.temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
