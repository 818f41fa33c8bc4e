package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strings"

	"paicli/agent"
	"paicli/internal/charset"
	"paicli/internal/fsx"
)

//go:embed write_file.md
var writeFileText string

type writeFileArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func writeFile(w *workspace) agent.Tool {
	return agent.New(agent.Typed[writeFileArgs]{
		Name:        "write_file",
		Description: writeFileText,
		Intent: func(_ context.Context, in writeFileArgs) (agent.Intent, error) {
			_, unlock, err := w.lock(in.Path)
			if err != nil {
				return agent.Intent{}, err
			}
			defer unlock()
			c, err := w.planWrite(in)
			if err != nil {
				return agent.Intent{}, err
			}
			return agent.Intent{Title: c.path.Rel, Access: writes(c.path), Preview: c.detail()}, nil
		},
		Run: func(_ context.Context, _ *agent.Call, in writeFileArgs) (agent.Output, error) {
			return w.runWrite(in)
		},
	})
}

// planWrite says what a call would do. A file keeps its encoding as long as that has all of the new
// text; line ends are those of the text.
func (w *workspace) planWrite(in writeFileArgs) (change, error) {
	if strings.HasSuffix(in.Path, "/") {
		return change{}, fmt.Errorf("%s names a directory: give the path of a file", in.Path)
	}
	if len(in.Content) > maxWrite {
		return change{}, tooLarge(fsx.Path{Rel: in.Path}, len(in.Content))
	}
	c, err := w.current(in.Path)
	if err != nil {
		return change{}, err
	}
	if err := w.check(c); err != nil {
		return change{}, err
	}
	in.Content = restored(c.before.Text, in.Content)
	if err := refuseOmission(c.path, "content", in.Content, c.before.Text); err != nil {
		return change{}, err
	}
	c.after = in.Content
	if c.before.BOM {
		c.after = strings.TrimPrefix(in.Content, "\uFEFF")
	}
	c.note = c.before.Encoding.String()
	c.data, err = c.before.Encode(c.after)
	if unfit := (*charset.UnfitError)(nil); errors.As(err, &unfit) {
		c.data = []byte(c.after)
		c.note = fmt.Sprintf("now UTF-8: %s has no %q", unfit.Encoding, unfit.Char)
	}
	c.base, c.whole = c.data, true
	if len(c.data) > maxWrite {
		return change{}, tooLarge(c.path, len(c.data))
	}
	return c, nil
}

func (w *workspace) runWrite(in writeFileArgs) (agent.Output, error) {
	p, unlock, err := w.lock(in.Path)
	if err != nil {
		return agent.Output{}, err
	}
	defer unlock()
	c, err := w.planWrite(in)
	if err != nil {
		return agent.Output{}, err
	}
	if c.path != p {
		return agent.Output{}, errMoved(in.Path)
	}
	known, err := w.commit(c)
	if err != nil {
		return agent.Output{}, w.explain(p.Rel, err)
	}
	return agent.Output{Text: written(c), Detail: c.detail(), Seen: known}, nil
}

// written says what was done.
func written(c change) string {
	how := "overwritten"
	if c.created {
		how = "created"
	}
	how += ", " + plural(lineCount(c.after), "line")
	if c.note != charset.UTF8.String() {
		how += ", " + c.note
	}
	return fmt.Sprintf("file written: %s (%s)", c.path.Rel, how)
}

// isMarkdown reports whether a text may have examples between fences.
func isMarkdown(p fsx.Path) bool {
	switch strings.ToLower(path.Ext(p.Rel)) {
	case ".md", ".markdown", ".mdx":
		return true
	}
	return false
}

// errMoved refuses a path that a link has turned elsewhere between two looks.
func errMoved(path string) error {
	return errors.New(path + " was replaced by a link meanwhile: nothing was written")
}

// lineCount counts lines; an unfinished last one counts.
func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
