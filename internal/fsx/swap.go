package fsx

import (
	"errors"
	"io/fs"
	"os"
)

// errNoExchange says that the system or the file system cannot exchange two names.
var errNoExchange = errors.New("names cannot be exchanged here")

// swap puts the new file in the place of the target, if that still has the old content.
//
// A look followed by a rename leaves a moment in which another program's file can be renamed into
// the place and be lost. So the two names are exchanged, which the system does in one step, and what
// came out is compared with what was expected. If it is another file, it goes back.
//
// What stays open is a program that has the old file open and writes into it after the comparison,
// and a kill, a loss of power included, between an exchange that took out another program's file and
// the one that puts it back.
func (w *write) swap(old []byte) error {
	ours, err := w.dir.Lstat(w.temp)
	if err != nil {
		return err
	}
	switch err := w.exchange(); {
	case errors.Is(err, errNoExchange):
		return w.renameOver(old)
	case errors.Is(err, fs.ErrNotExist): // deleted
		return errors.Join(&ChangedError{Path: w.path.Rel}, w.dir.Remove(w.temp))
	case err != nil:
		return errors.Join(err, w.dir.Remove(w.temp))
	}
	if w.holds(w.temp, old) {
		return w.discard()
	}
	if err := w.putBack(ours); err != nil {
		return err
	}
	return errors.Join(&ChangedError{Path: w.path.Rel}, w.discard())
}

// putBack returns another program's file, which is at the temporary name, to its place, where ours
// is. That program may be faster again: then ours does not come out but its next file, which goes
// back in turn. What came out last is at the temporary name.
func (w *write) putBack(placed fs.FileInfo) error {
	for {
		theirs, err := w.dir.Lstat(w.temp)
		if err != nil {
			return err
		}
		if err := w.exchange(); errors.Is(err, fs.ErrNotExist) { // they took ours away
			return w.dir.Rename(w.temp, w.name)
		} else if err != nil {
			return err
		}
		out, err := w.dir.Lstat(w.temp)
		if err != nil {
			return err
		}
		if os.SameFile(out, placed) {
			return nil
		}
		placed = theirs
	}
}

// renameOver is what systems without an exchange get: the moment between a last look and the rename
// stays open.
func (w *write) renameOver(old []byte) error {
	if !w.holds(w.name, old) {
		return errors.Join(&ChangedError{Path: w.path.Rel}, w.dir.Remove(w.temp))
	}
	if err := w.dir.Rename(w.temp, w.name); err != nil {
		return errors.Join(err, w.dir.Remove(w.temp))
	}
	return nil
}

// discard removes what came out of the exchange.
func (w *write) discard() error {
	if err := w.dir.Remove(w.temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// exchange swaps the temporary file and the target.
func (w *write) exchange() error {
	d, err := w.dir.Open(".")
	if err != nil {
		return errNoExchange // a directory that may not be read
	}
	defer d.Close()
	return exchange(d, w.temp, w.name)
}
