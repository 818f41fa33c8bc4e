package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"paicli/agent"
	"paicli/internal/fsx"
)

//go:embed glob_files.md
var globFilesText string

// searchTime bounds a search in a large tree; what was found by then is the answer.
const searchTime = 8 * time.Second

// inTime bounds a search; a program that wants all that there is waits for it.
func (w *workspace) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.uncapped {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, searchTime)
}

type globFilesArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path,omitempty" jsonschema:"directory to search"`
	MaxResults count  `json:"max_results,omitempty" jsonschema:"default 50, at most 200"`
}

func globFiles(w *workspace) agent.Tool {
	return agent.New(agent.Typed[globFilesArgs]{
		Name:        "glob_files",
		Description: globFilesText,
		Intent: func(_ context.Context, in globFilesArgs) (agent.Intent, error) {
			p, err := w.resolveOr(in.Path, ".")
			if err == nil {
				_, err = w.glob(in.Pattern)
			}
			return agent.Intent{Title: in.Pattern, Access: reads(p)}, err
		},
		Run: func(ctx context.Context, _ *agent.Call, in globFilesArgs) (agent.Output, error) {
			return w.runGlob(ctx, in)
		},
	})
}

// glob reads a pattern.
func (w *workspace) glob(pattern string) (fsx.Glob, error) {
	g, err := w.root.Glob(pattern)
	if errors.Is(err, fsx.ErrBlank) {
		return g, errors.New("pattern is empty")
	}
	return g, err
}

func (w *workspace) runGlob(ctx context.Context, in globFilesArgs) (agent.Output, error) {
	g, err := w.glob(in.Pattern)
	if err != nil {
		return agent.Output{}, err
	}
	most, err := in.MaxResults.or("max_results", 50, 1, 200)
	if err != nil {
		return agent.Output{}, err
	}
	if w.uncapped {
		most = math.MaxInt - 1
	}
	p, err := w.resolveOr(in.Path, ".")
	if err != nil {
		return agent.Output{}, err
	}
	if err := w.mustBeDir(p, in.Path); err != nil {
		return agent.Output{}, err
	}
	short, cancel := w.inTime(ctx)
	defer cancel()
	var found []string
	skipped, err := fsx.Walk(short, w.root, p, fsx.Visit[string]{
		Look: func() func(*fsx.Item) (string, bool) {
			return func(f *fsx.Item) (string, bool) {
				if !g.MatchFile(f, p) {
					return "", false
				}
				return f.Path(), true
			}
		},
		Take: func(path string) bool {
			found = append(found, path)
			return len(found) <= most
		},
	})
	late := short.Err() != nil && ctx.Err() == nil
	if err != nil && !late {
		return agent.Output{}, w.explain(in.Path, err)
	}
	return globOutput(in.Pattern, found, most, skipped, late), nil
}

func globOutput(pattern string, found []string, most int, skipped fsx.Skipped, late bool) agent.Output {
	if len(found) == 0 {
		return agent.Output{Text: "no files found for " + pattern + skipNote(skipped) + lateNote(late), Detail: files(nil, 0)}
	}
	more := max(0, len(found)-most)
	found = found[:len(found)-more]
	var b strings.Builder
	fmt.Fprintf(&b, "%s found\n", plural(len(found), "file"))
	for i, path := range found {
		b.WriteString(strconv.Itoa(i+1) + ". " + path + "\n")
	}
	if more > 0 {
		fmt.Fprintf(&b, "(truncated at max_results=%d: there are more; narrow the pattern)\n", most)
	}
	b.WriteString(lateNote(late))
	return agent.Output{Text: b.String(), Detail: files(found, more)}
}

// skipNote tells of what an unsuccessful search did not look at.
func skipNote(s fsx.Skipped) string {
	var notes []string
	if s.Ignored > 0 {
		notes = append(notes, plural(s.Ignored, "entry")+" ignored by .gitignore or as generated; name one as path to search it")
	}
	if s.Unreadable > 0 {
		notes = append(notes, plural(s.Unreadable, "directory")+" could not be read")
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, ", ") + ")"
}

func lateNote(late bool) string {
	if !late {
		return ""
	}
	return fmt.Sprintf(" (truncated: the search ended after %d s; name a smaller directory)", int(searchTime.Seconds()))
}
