package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"paicli/agent"
	"paicli/internal/fsx"
)

//go:embed read_file.md
var readFileText string

// Bounds on what one call shows.
const (
	maxLines      = 2000    // as the original has it
	maxLineRunes  = 2000    // of one line
	maxFirstRunes = 32_000  // when no part was asked for: what a message may hold
	maxListing    = 50_000  // maxFirstRunes with the numbers of maxLines lines, head and foot
	maxPartRunes  = 100_000 // when a part was asked for
)

type readFileArgs struct {
	Path   string `json:"path"`
	Offset count  `json:"offset,omitempty" jsonschema:"first line, from 1"`
	Limit  count  `json:"limit,omitempty" jsonschema:"lines, at most 2000"`
}

func readFile(w *workspace) agent.Tool {
	return agent.New(agent.Typed[readFileArgs]{
		Name:        "read_file",
		Description: readFileText,
		Intent: func(_ context.Context, in readFileArgs) (agent.Intent, error) {
			p, err := w.resolve(in.Path, fsx.Read)
			return agent.Intent{Title: p.Rel, Access: reads(p)}, err
		},
		Run: func(ctx context.Context, _ *agent.Call, in readFileArgs) (agent.Output, error) {
			return w.runRead(ctx, in)
		},
	})
}

// part is the piece of a file that was asked for.
type part struct {
	offset, limit int
	runes         int  // how much of it is shown
	cut           bool // the limit was larger than may be
}

func (in readFileArgs) part() (part, error) {
	p := part{offset: max(1, int(in.Offset)), limit: int(in.Limit), runes: maxPartRunes}
	if in.Offset < 0 && in.Offset != -1 {
		return p, fmt.Errorf("offset must be at least 1, got %d", in.Offset)
	}
	if in.Limit < 0 {
		return p, fmt.Errorf("limit must be from 1 to %d", maxLines)
	}
	if in.Offset == 0 && in.Limit == 0 {
		p.runes = maxFirstRunes
	}
	if p.limit == 0 || p.limit > maxLines {
		p.cut = p.limit > maxLines
		p.limit = maxLines
	}
	return p, nil
}

func (w *workspace) runRead(ctx context.Context, in readFileArgs) (agent.Output, error) {
	want, err := in.part()
	if err != nil {
		return agent.Output{}, err
	}
	p, err := w.resolve(in.Path, fsx.Read)
	if err != nil {
		return agent.Output{}, err
	}
	f, err := w.root.Open(p)
	if err != nil {
		return agent.Output{}, w.explain(in.Path, err)
	}
	defer f.Close()
	s := newScan(want)
	if err := s.read(ctx, f); err != nil {
		if isNotText(err) {
			return agent.Output{}, notText(p, err)
		}
		return agent.Output{}, w.explain(in.Path, err)
	}
	w.seen.note(p, s.sum())
	if s.total > 0 && want.offset > s.total || s.total == 0 && want.offset > 1 {
		return agent.Output{}, fmt.Errorf("offset %d is out of range: %s has %s", want.offset, p.Rel, plural(s.total, "line"))
	}
	d := files([]string{p.Rel}, 0)
	d.Files.First, d.Files.Last = want.offset, want.offset+len(s.lines)-1
	whole := in.Offset != 0 || in.Limit != 0 || isKept(p)
	return agent.Output{Text: listing(p, want, s), Detail: d, Limit: maxListing, Whole: whole}, nil
}

// isKept reports whether a file is the kept result of a call: to read it must not keep it again.
func isKept(p fsx.Path) bool { return strings.HasPrefix(p.Rel, fsx.OutputsDir+"/") }

// listing writes what was read: a header, the lines with their numbers, and where to go on.
func listing(p fsx.Path, want part, s *scan) string {
	if s.total == 0 {
		return p.Rel + " is an empty file (0 lines)"
	}
	last := want.offset + len(s.lines) - 1
	var b strings.Builder
	fmt.Fprintf(&b, "%s (lines %d-%d of %d%s)\n", p.Rel, want.offset, last, s.total, s.manner())
	for i, line := range s.lines {
		fmt.Fprintf(&b, "%d | %s\n", want.offset+i, line)
	}
	if want.cut {
		fmt.Fprintf(&b, "(limit was cut to %d)\n", maxLines)
	}
	if more := s.total - last; more > 0 {
		fmt.Fprintf(&b, "(truncated: %s more; continue with offset=%d)\n", plural(more, "line"), last+1)
	}
	return b.String()
}
