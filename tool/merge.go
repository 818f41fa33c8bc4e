package tool

import (
	"errors"
	"fmt"
	"strings"

	"paicli/internal/charset"
	"paicli/internal/textedit"
)

// Bounds on what is said of others' changes, in bytes.
const (
	maxTheirs = 4000 // of a diff of what was merged
	maxSide   = 1000 // of either side of a conflict
)

// planMerge plans an edit of a file that has changed since it was read: the edit is made on the file
// as the model knows it, and merged with what changed since when both do not touch. Otherwise, or
// when what the model knows is not kept, it is refused.
func (w *workspace) planMerge(c change, in editFileArgs) (change, textedit.Replacement, error) {
	none := textedit.Replacement{}
	stale := &staleError{c.path.Rel}
	base := w.seen.base(c.path)
	if base == nil {
		return change{}, none, stale
	}
	known, err := charset.Decode(base)
	if err != nil || known.Encoding != c.before.Encoding || known.BOM != c.before.BOM {
		return change{}, none, stale
	}
	ours, r, err := w.knownChange(c, base, known, in)
	if err != nil {
		return change{}, none, err
	}
	m, err := textedit.Merge(known.Text, r.Text, c.before.Text)
	if err != nil {
		return change{}, none, explainConflict(stale, err)
	}
	if len(m.Edits) == 0 {
		return change{}, none, fmt.Errorf("nothing to do: %s has changed since it was read and has this text already; read it again", c.path.Rel)
	}
	if c.data, err = textedit.Apply(c.raw, c.before, m.Edits); err != nil {
		return change{}, none, explainBytes(c.path, err)
	}
	theirs := textedit.Compare(known.Text, c.before.Text, maxTheirs)
	c.after, c.base, c.note = m.Text, c.data, mergedNote(theirs)
	if theirs.Cut {
		c.base = ours // it was not shown all of theirs: its next edit is merged again
	}
	r.Line = 1 + strings.Count(c.before.Text[:m.Edits[0].From], "\n")
	return c, r, nil
}

// knownChange makes an edit on a file as the model knows it.
func (w *workspace) knownChange(c change, base []byte, known charset.Text, in editFileArgs) ([]byte, textedit.Replacement, error) {
	ours, r, err := planOn(change{path: c.path, raw: base, before: known}, in)
	if err != nil {
		return nil, r, fmt.Errorf("%w (and as it was, the edit was not possible: %w)", &staleError{c.path.Rel}, err)
	}
	return ours.data, r, nil
}

func mergedNote(theirs textedit.Diff) string {
	note := "\nThe file had changed since it was read; the edit was merged with these changes of others:\n" + charset.Visible(theirs.Unified)
	if theirs.Cut {
		note += "(truncated: read the file again to see all of them)\n"
	}
	return note
}

// explainConflict shows both sides of a conflict.
func explainConflict(stale error, err error) error {
	var c *textedit.ConflictError
	if !errors.As(err, &c) {
		return stale
	}
	return fmt.Errorf("%w. Nothing was written, since the change touches the same lines as yours.\nWhen it was read:\n%sNow, from line %d on:\n%sWith your edit:\n%s",
		stale, side(c.Base), c.Line, side(c.Theirs), side(c.Ours))
}

// side shows one side of a conflict, line by line.
func side(text string) string {
	if text == "" {
		return "(nothing)\n"
	}
	text = charset.Visible(text)
	if len(text) > maxSide {
		text = strings.ToValidUTF8(text[:maxSide], "") + " … (truncated)"
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}
