package tool

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"

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
	before  textedit.Text
	after   string
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
// will be created; one that is there must be known to the model.
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
	text, err := textedit.Decode(data)
	if err != nil {
		return change{}, notText(p, err)
	}
	if err := w.seen.check(p, sha256.Sum256(data)); err != nil {
		return change{}, err
	}
	return change{path: p, raw: data, before: text}, nil
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

// notText refuses a file that is not text in a known encoding.
func notText(p fsx.Path, err error) error {
	if errors.Is(err, textedit.ErrBinary) {
		return fmt.Errorf("%s is a binary file, not text: use a command such as file, xxd or strings on it", p.Rel)
	}
	return fmt.Errorf("%s is not UTF-8 text and its encoding is not known: convert it with a command such as iconv", p.Rel)
}

// bytes is the new content.
func (c change) bytes() []byte { return c.before.Encode(c.after) }

// detail shows the change.
func (c change) detail() *session.Detail {
	d := textedit.Compare(c.before.Text, c.after, maxDiff)
	return &session.Detail{Shape: session.ShapeDiff, Diff: &session.Diff{
		Path: c.path.Rel, Unified: d.Unified, Added: d.Added, Removed: d.Removed, Created: c.created,
	}}
}

// commit writes the change. The caller holds the lock of the file.
func (w *workspace) commit(c change) error {
	data := c.bytes()
	if len(data) > maxWrite {
		return tooLarge(c.path, len(data))
	}
	if err := w.put(c, data); err != nil {
		return w.explain(c.path.Rel, err)
	}
	w.seen.note(c.path, sha256.Sum256(data))
	return nil
}

// put writes the file, unless it is no longer what the change was planned on.
func (w *workspace) put(c change, data []byte) error {
	if c.created {
		return w.root.Create(c.path, data)
	}
	return w.root.Replace(c.path, c.raw, data)
}

func tooLarge(p fsx.Path, size int) error {
	return fmt.Errorf("%s would have %d bytes, more than the %d MiB that may be written at once: write it in parts", p.Rel, size, maxWrite>>20)
}
