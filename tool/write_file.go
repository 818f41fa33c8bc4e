package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"paicli/agent"
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

// planWrite says what a call would do.
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
	c.after = in.Content
	if strings.HasPrefix(in.Content, "\uFEFF") {
		c.before.BOM = false // it brings its own
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
	if err := w.commit(c); err != nil {
		return agent.Output{}, err
	}
	d := c.detail()
	verb := "overwritten"
	if c.created {
		verb = "created"
	}
	text := fmt.Sprintf("file written: %s (%s, %s)", p.Rel, verb, plural(lineCount(c.after), "line"))
	return agent.Output{Text: text, Detail: d}, nil
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
