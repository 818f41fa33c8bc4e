package tool

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"strings"

	"paicli/agent"
	"paicli/internal/fsx"
)

//go:embed list_dir.md
var listDirText string

// maxEntries bounds the entries of a directory that are listed.
const maxEntries = 1000

type listDirArgs struct {
	Path string `json:"path"`
}

func listDir(w *workspace) agent.Tool {
	return agent.New(agent.Typed[listDirArgs]{
		Name:        "list_dir",
		Description: listDirText,
		Intent: func(_ context.Context, in listDirArgs) (agent.Intent, error) {
			p, err := w.resolve(in.Path, fsx.Read)
			return agent.Intent{Title: p.Rel, Access: reads(p)}, err
		},
		Run: func(_ context.Context, _ *agent.Call, in listDirArgs) (agent.Output, error) {
			return w.runList(in)
		},
	})
}

func (w *workspace) runList(in listDirArgs) (agent.Output, error) {
	p, err := w.resolve(in.Path, fsx.Read)
	if err != nil {
		return agent.Output{}, err
	}
	if err := w.mustBeDir(p, in.Path); err != nil {
		return agent.Output{}, err
	}
	entries, err := w.root.ReadDir(p)
	if err != nil {
		return agent.Output{}, w.explain(in.Path, err)
	}
	if len(entries) == 0 {
		return agent.Output{Text: p.Rel + " is an empty directory", Detail: files(nil, 0)}, nil
	}
	shown := entries[:min(len(entries), maxEntries)]
	more := len(entries) - len(shown)
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n", p.Rel, plural(len(entries), "entry"))
	names := make([]string, len(shown))
	for i, e := range shown {
		names[i] = e.Name()
		fmt.Fprintf(&b, "[%s] %s\n", letter(e.Type()), e.Name())
	}
	if more > 0 {
		fmt.Fprintf(&b, "(truncated: %d more; use glob_files with a pattern)\n", more)
	}
	return agent.Output{Text: b.String(), Detail: files(names, more)}, nil
}

// mustBeDir refuses what is not a directory.
func (w *workspace) mustBeDir(p fsx.Path, name string) error {
	info, err := w.root.Stat(p)
	if err != nil {
		return w.explain(name, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", name)
	}
	return nil
}

// letter says what an entry is: D directory, F file, L link, S anything else.
func letter(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "D"
	case mode.IsRegular():
		return "F"
	case mode&fs.ModeSymlink != 0:
		return "L"
	}
	return "S"
}
