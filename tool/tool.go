// Package tool holds the built-in tools that work on one project: files, search and commands. Each
// tool is one .go file and one .md file, the text that the model reads. Tools have no policy: they
// say what a call would touch, and gates decide. All texts here are for the model.
package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"paicli/agent"
	"paicli/internal/fsx"
	"paicli/session"
)

// Options of the tools.
type Options struct {
	Root   *fsx.Root   // the project, required
	Env    []string    // environment of commands, without secrets
	Images func() bool // whether the model takes images now; nil = never
	// Kept is asked once, by the first call that reads or changes a file, for what is kept of the
	// session; nil = nothing.
	Kept func() Kept
	// Denied reports whether a rule denies reading a path of the project; nil = no rule does. What
	// is denied, and files of credentials, are searched only where they are named themselves, which
	// gates see.
	Denied func(path string) bool
	// Jobs are the session's commands in the background, to be closed by whoever made them; without
	// them there are none.
	Jobs *Jobs
	// Mode is the permission mode now (nil = auto); SetMode changes it when a person has approved a
	// plan. One is not given without the other.
	Mode    func() string
	SetMode func(mode string) error
	// Mute leaves out the tools that talk with a person: nobody listens to them.
	Mute bool
}

// All makes the built-in tools of one session, sorted by name. What they remember of the session is
// which files the model has seen; it is shared among them and safe for parallel calls.
func All(o Options) []agent.Tool {
	w := &workspace{
		root: o.Root, env: o.Env, images: o.Images, seen: newSeen(o.Root, o.Kept), jobs: o.Jobs, mode: o.Mode, setMode: o.SetMode,
	}
	w.hides = func(f *fsx.Item) bool { return f.Secret() || o.Denied != nil && o.Denied(f.Path()) }
	if w.jobs == nil {
		w.jobs = &Jobs{closed: true}
	}
	all := []agent.Tool{
		askUser(),
		createProject(w),
		editFile(w),
		executeCommand(w),
		exitPlan(w),
		globFiles(w),
		grepCode(w),
		jobTool(w),
		listDir(w),
		readFile(w),
		todoWrite(),
		writeFile(w),
	}
	if o.Mute {
		all = slices.DeleteFunc(all, func(t agent.Tool) bool {
			return slices.Contains([]string{"ask_user", "exit_plan", "todo_write"}, t.Spec().Name)
		})
	}
	return all
}

// workspace is what the tools of a session share.
type workspace struct {
	root    *fsx.Root
	env     []string
	images  func() bool
	seen    *seen
	jobs    *Jobs
	mode    func() string
	setMode func(mode string) error

	hides func(*fsx.Item) bool // files that a search passes over; nil = none

	uncapped bool // searches show all that there is
}

// explain words an error about a path for the model: the thing, the reason, the next step.
func (w *workspace) explain(path string, err error) error {
	var kind *fsx.KindError
	var outside *fsx.OutsideError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return w.notFound(path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("permission denied: %s", path)
	case errors.Is(err, fsx.ErrBlank):
		return errors.New("path is empty: give a path relative to the project")
	case errors.As(err, &kind) && kind.Kind == "directory":
		return fmt.Errorf("%s is a directory, not a regular file: list it with list_dir", path)
	case errors.As(err, &outside):
		return fmt.Errorf("%w: use a path inside the project", outside)
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return fmt.Errorf("%s: %w", path, pathErr.Err)
	}
	return err
}

// notFound names what was probably meant.
func (w *workspace) notFound(path string) error {
	hint := "look with list_dir or glob_files"
	if p, err := w.root.Resolve(path, fsx.Read); err == nil {
		if name := w.root.Similar(p); name != "" {
			hint = "did you mean " + name + "?"
		}
	}
	return fmt.Errorf("not found: %s; %s", path, hint)
}

// resolve finds a place in the project.
func (w *workspace) resolve(path string, use fsx.Use) (fsx.Path, error) {
	p, err := w.root.Resolve(path, use)
	return p, w.explain(path, err)
}

// resolveOr does so with a path that may be left out.
func (w *workspace) resolveOr(path, byDefault string) (fsx.Path, error) {
	if path == "" {
		path = byDefault
	}
	return w.resolve(path, fsx.Read)
}

func reads(p fsx.Path) []agent.Access {
	return []agent.Access{{Verb: agent.VerbRead, Target: p.Rel}}
}

func writes(p fsx.Path) []agent.Access {
	return []agent.Access{{Verb: agent.VerbWrite, Target: p.Rel}}
}

// oneLine makes a title of text that may have several lines.
func oneLine(s string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if strings.TrimSpace(rest) != "" {
		first += " …"
	}
	return first
}

func files(paths []string, more int) *session.Detail {
	return &session.Detail{Shape: session.ShapeFiles, Files: &session.Files{Paths: paths, More: more}}
}

// plural writes a number with its noun.
func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	case strings.HasSuffix(noun, "ch"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
