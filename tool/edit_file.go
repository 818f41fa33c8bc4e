package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"paicli/agent"
	"paicli/internal/charset"
	"paicli/internal/fsx"
	"paicli/internal/textedit"
)

//go:embed edit_file.md
var editFileText string

type editFileArgs struct {
	Path       string `json:"path"`
	OldText    string `json:"old_text"`
	NewText    string `json:"new_text"`
	ReplaceAll bool   `json:"replace_all,omitempty"`
}

func editFile(w *workspace) agent.Tool {
	return agent.New(agent.Typed[editFileArgs]{
		Name:        "edit_file",
		Description: editFileText,
		Intent: func(_ context.Context, in editFileArgs) (agent.Intent, error) {
			_, unlock, err := w.lock(in.Path)
			if err != nil {
				return agent.Intent{}, err
			}
			defer unlock()
			c, _, err := w.planEdit(in)
			if err != nil {
				return agent.Intent{}, err
			}
			return agent.Intent{Title: c.path.Rel, Access: writes(c.path), Preview: c.detail()}, nil
		},
		Run: func(_ context.Context, _ *agent.Call, in editFileArgs) (agent.Output, error) {
			return w.runEdit(in)
		},
	})
}

// planEdit says what a call would do.
func (w *workspace) planEdit(in editFileArgs) (change, textedit.Replacement, error) {
	none := textedit.Replacement{}
	c, err := w.current(in.Path)
	if err != nil {
		return change{}, none, err
	}
	if c.created {
		return change{}, none, w.notFound(in.Path)
	}
	c.whole = w.seen.base(c.path) != nil
	plan := planOn
	err = w.check(c)
	if stale := (*staleError)(nil); errors.As(err, &stale) {
		plan = w.planMerge
	} else if err != nil {
		return change{}, none, err
	}
	c, r, err := plan(c, in)
	if err != nil {
		return change{}, none, err
	}
	if len(c.data) > maxWrite {
		return change{}, none, tooLarge(c.path, len(c.data))
	}
	return c, r, nil
}

// planOn plans an edit of a file that is as the model knows it.
func planOn(c change, in editFileArgs) (change, textedit.Replacement, error) {
	in, err := in.asWritten(c.path, c.before.Text)
	if err != nil {
		return change{}, textedit.Replacement{}, err
	}
	r, err := textedit.Replace(c.before.Text, in.OldText, in.NewText, in.ReplaceAll)
	if err != nil {
		return change{}, r, explainEdit(c.path, err)
	}
	if err := refuseOmission(c.path, "new_text", in.NewText, in.OldText); err != nil {
		return change{}, r, err
	}
	c.after = r.Text
	if c.data, err = textedit.Apply(c.raw, c.before, r.Edits); err != nil {
		return change{}, r, explainBytes(c.path, err)
	}
	c.base = c.data
	return c, r, nil
}

// maxTries bounds how often an edit is planned anew because the file changed at the very moment.
const maxTries = 8

func (w *workspace) runEdit(in editFileArgs) (agent.Output, error) {
	p, unlock, err := w.lock(in.Path)
	if err != nil {
		return agent.Output{}, err
	}
	defer unlock()
	for try := 1; ; try++ {
		c, r, err := w.planEdit(in)
		if err != nil {
			return agent.Output{}, err
		}
		if c.path != p {
			return agent.Output{}, errMoved(in.Path)
		}
		known, err := w.commit(c)
		if changed := (*fsx.ChangedError)(nil); errors.As(err, &changed) && try < maxTries {
			continue
		}
		if err != nil {
			return agent.Output{}, w.explain(p.Rel, err)
		}
		return agent.Output{Text: edited(c, r, in.ReplaceAll), Detail: c.detail(), Seen: known}, nil
	}
}

// edited says what was done.
func edited(c change, r textedit.Replacement, all bool) string {
	where := "line " + strconv.Itoa(r.Line)
	if all {
		where = plural(len(r.Edits), "place")
	}
	if m := c.before.Manner(); m != "" {
		where += ", " + m
	}
	return fmt.Sprintf("file edited: %s (%s)%s", c.path.Rel, where, c.note)
}

// explainEdit words why an edit was not made.
func explainEdit(p fsx.Path, err error) error {
	var missing *textedit.NotFoundError
	var many *textedit.AmbiguousError
	switch {
	case errors.Is(err, textedit.ErrEmptyOld):
		return errors.New("old_text is empty: quote the text to replace, or use write_file")
	case errors.Is(err, textedit.ErrNoChange):
		return errors.New("nothing to do: old_text and new_text are the same")
	case errors.As(err, &missing):
		return errors.New("old_text was not found in " + p.Rel +
			". Quote the lines as read_file shows them, without numbers; read the file again if you quote from memory" + nearest(missing))
	case errors.As(err, &many):
		return fmt.Errorf("old_text is in %s %d times, beginning on lines %s: quote more lines around the place, or set replace_all",
			p.Rel, many.Count, lineList(many))
	}
	return err
}

// nearest shows the lines that were probably meant, with their blanks at begin and end made visible.
func nearest(e *textedit.NotFoundError) string {
	if len(e.Near) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(". The nearest lines are (→ is a tab, · a space):")
	for _, l := range e.Near {
		fmt.Fprintf(&b, "\n%d | %s", l.Number, visibleBlanks(charset.Visible(l.Text)))
	}
	return b.String()
}

// visibleBlanks shows the blanks around a line, and tabs and unusual blanks in it, as characters.
func visibleBlanks(line string) string {
	line, cut := cutLine(line, 200)
	show := strings.NewReplacer("\t", "→", "\u00a0", "<U+00A0>", "\u3000", "<U+3000>", "\u200b", "<U+200B>", "\ufeff", "<U+FEFF>")
	text := strings.Trim(line, " \t")
	from := strings.Index(line, text)
	head, tail := line[:from], line[from+len(text):]
	ends := strings.NewReplacer("\t", "→", " ", "·")
	line = ends.Replace(head) + show.Replace(text) + ends.Replace(tail)
	if cut {
		line += "…"
	}
	return line
}

func lineList(e *textedit.AmbiguousError) string {
	parts := make([]string, len(e.Lines))
	for i, n := range e.Lines {
		parts[i] = strconv.Itoa(n)
	}
	list := strings.Join(parts, ", ")
	if more := e.Count - len(e.Lines); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
