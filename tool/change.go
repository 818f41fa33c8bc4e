package tool

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"paicli/internal/charset"
	"paicli/internal/fsx"
	"paicli/internal/textedit"
	"paicli/session"
)

// Bounds on changed files, in bytes.
const (
	maxWrite = 5 << 20  // as the original has it
	maxDiff  = 64 << 10 // of a diff that is shown
)

// change is a file as it is and as a call would leave it.
type change struct {
	path    fsx.Path
	created bool
	raw     []byte // the file as it is, byte for byte
	before  charset.Text
	after   string
	data    []byte // what is written
	// base is the file as the model knows it after the change: data, unless the change was merged
	// with others that it was not shown.
	base  []byte
	whole bool   // the model knows all of the file
	note  string // what the model must know of the change
}

// lock keeps other calls from changing a file while a change of it is planned or made: between the
// write and the note of it the file would look changed by somebody else.
func (w *workspace) lock(name string) (p fsx.Path, unlock func(), err error) {
	if p, err = w.resolve(name, fsx.Write); err != nil {
		return p, nil, err
	}
	return p, w.root.Lock(p), nil
}

// current reads the file that a call would change. A file that is not there is an empty one that
// will be created.
func (w *workspace) current(name string) (change, error) {
	p, err := w.resolve(name, fsx.Write)
	if err != nil {
		return change{}, err
	}
	data, err := w.load(p)
	if errors.Is(err, fs.ErrNotExist) {
		return change{path: p, created: true}, nil
	}
	if err != nil {
		return change{}, w.explain(name, err)
	}
	text, err := charset.Decode(data)
	if err != nil {
		return change{}, notText(p, err)
	}
	return change{path: p, raw: data, before: text}, nil
}

// check refuses a change of a file that the model does not know as it is.
func (w *workspace) check(c change) error {
	if c.created {
		return nil
	}
	return w.seen.check(c.path, sha256.Sum256(c.raw))
}

// load reads a whole file that is small enough to be changed.
func (w *workspace) load(p fsx.Path) ([]byte, error) {
	f, err := w.root.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWrite+1))
	if err == nil && len(data) > maxWrite {
		err = fmt.Errorf("%s is larger than %d MiB: change it with a command", p.Rel, maxWrite>>20)
	}
	return data, err
}

// notText refuses a file that is not text in a known encoding, or whose bytes would not survive.
func notText(p fsx.Path, err error) error {
	var loss *charset.LossError
	switch {
	case errors.Is(err, charset.ErrBinary):
		return fmt.Errorf("%s is a binary file, not text: use a command such as file, xxd or strings on it", p.Rel)
	case errors.As(err, &loss):
		return fmt.Errorf("%s is not changed: its encoding seems to be %s, but not all of its bytes are, and they would be lost; change it with a command",
			p.Rel, loss.Encoding)
	}
	return fmt.Errorf("%s is not UTF-8 text and its encoding is not known: convert it with a command such as iconv", p.Rel)
}

// explainBytes words why a change cannot be written into the bytes of its file.
func explainBytes(p fsx.Path, err error) error {
	var unfit *charset.UnfitError
	if errors.As(err, &unfit) {
		return fmt.Errorf("nothing was written: the encoding of %s is %s, which has no %q (%U); write it in another way, or convert the file with a command first",
			p.Rel, unfit.Encoding, unfit.Char, unfit.Char)
	}
	return fmt.Errorf("nothing was written to %s: %w; change it with a command", p.Rel, err)
}

// refuseOmission refuses text that stands for text that was left out.
func refuseOmission(p fsx.Path, arg, fresh, old string) error {
	line, found := textedit.Omission(fresh, old, isMarkdown(p))
	if !found {
		return nil
	}
	short, _ := cutLine(line, 200)
	return fmt.Errorf("nothing was written: %s has a line that stands for omitted text (%s); give the text itself, or use edit_file to change only a part of %s",
		arg, short, p.Rel)
}

// detail shows the change.
func (c change) detail() *session.Detail {
	d := textedit.Compare(c.before.Text, c.after, maxDiff)
	return &session.Detail{Shape: session.ShapeDiff, Diff: &session.Diff{
		Path: c.path.Rel, Unified: charset.Visible(d.Unified), Added: d.Added, Removed: d.Removed, Created: c.created,
	}}
}

// commit writes the change, unless the file is no longer what it was planned on. The caller holds the
// lock of the file. It returns what the model knows of the file then.
func (w *workspace) commit(c change) ([]session.Seen, error) {
	var err error
	if c.created {
		err = w.root.Create(c.path, c.data)
	} else {
		err = w.root.Replace(c.path, c.raw, c.data)
	}
	if err != nil {
		return nil, err
	}
	var kept []byte
	if c.whole {
		kept = c.base
	}
	return w.seen.note(c.path, sha256.Sum256(c.base), kept), nil
}

func tooLarge(p fsx.Path, size int) error {
	return fmt.Errorf("%s would have %d bytes, more than the %d MiB that may be written at once: write it in parts", p.Rel, size, maxWrite>>20)
}
