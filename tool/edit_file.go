package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"paicli/agent"
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
	c, err := w.current(in.Path)
	if err != nil {
		return change{}, textedit.Replacement{}, err
	}
	if c.created {
		return change{}, textedit.Replacement{}, w.notFound(in.Path)
	}
	r, err := textedit.Replace(c.before.Text, in.OldText, in.NewText, in.ReplaceAll)
	if err != nil {
		return change{}, r, explainEdit(c.path, err)
	}
	c.after = r.Text
	if n := len(c.bytes()); n > maxWrite {
		return change{}, r, tooLarge(c.path, n)
	}
	return c, r, nil
}

func (w *workspace) runEdit(in editFileArgs) (agent.Output, error) {
	p, unlock, err := w.lock(in.Path)
	if err != nil {
		return agent.Output{}, err
	}
	defer unlock()
	c, r, err := w.planEdit(in)
	if err != nil {
		return agent.Output{}, err
	}
	if c.path != p {
		return agent.Output{}, errMoved(in.Path)
	}
	if err := w.commit(c); err != nil {
		return agent.Output{}, err
	}
	where := "line " + strconv.Itoa(r.Line)
	if in.ReplaceAll {
		where = plural(r.Count, "place")
	}
	return agent.Output{Text: fmt.Sprintf("file edited: %s (%s)", p.Rel, where), Detail: c.detail()}, nil
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
		return errors.New("old_text was not found in " + p.Rel + nearest(missing) +
			". Quote the lines as read_file shows them, without numbers; read the file again if you quote from memory")
	case errors.As(err, &many):
		return fmt.Errorf("old_text is in %s %d times, beginning on lines %s: quote more lines around the place, or set replace_all",
			p.Rel, many.Count, lineList(many))
	}
	return err
}

// nearest shows the line that was probably meant, with its indentation made visible.
func nearest(e *textedit.NotFoundError) string {
	if e.Near == 0 {
		return ""
	}
	text := strings.TrimLeft(e.NearText, " \t")
	indent := e.NearText[:len(e.NearText)-len(text)]
	indent = strings.NewReplacer("\t", "→", " ", "·").Replace(indent)
	shown, _ := cutLine(text, 200)
	return fmt.Sprintf("; the nearest line is %d: %s%s (→ is a tab, · a space)", e.Near, indent, shown)
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
