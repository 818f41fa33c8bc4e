package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"paicli/agent"
	"paicli/internal/charset"
	"paicli/internal/fsx"
	"paicli/session"
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

// maxCounted is how much of a file is read to count its lines, in bytes. Of a larger one no more is
// read than what was asked for; it is far beyond what these tools change, so nothing of it is
// remembered either.
const maxCounted = 64 << 20

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
	if in.first() {
		p.runes = maxFirstRunes
	}
	if p.limit == 0 || p.limit > maxLines {
		p.cut = p.limit > maxLines
		p.limit = maxLines
	}
	return p, nil
}

// first reports that no part was asked for.
func (in readFileArgs) first() bool { return in.Offset == 0 && in.Limit == 0 }

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
	if format := imageFormat(f); format != "" {
		return w.showImage(p, f, format)
	}
	l, err := w.look(ctx, p, f, want)
	if err != nil {
		if errors.Is(err, charset.ErrBinary) || errors.Is(err, charset.ErrUnknown) {
			return agent.Output{}, notText(p, err)
		}
		return agent.Output{}, w.explain(in.Path, err)
	}
	if l.total > 0 && want.offset > l.total || l.total == 0 && want.offset > 1 {
		return agent.Output{}, fmt.Errorf("offset %d is out of range: %s has %s", want.offset, p.Rel, plural(l.total, "line"))
	}
	d := files([]string{p.Rel}, 0)
	d.Files.First, d.Files.Last = want.offset, want.offset+len(l.lines)-1
	text := ""
	if in.first() && isNotebook(p) {
		text = notebookListing(p.Rel, l)
	}
	if text == "" {
		text = l.listing(p, want)
	}
	return agent.Output{Text: text, Detail: d, Limit: maxListing, Whole: !in.first() || isKept(p), Seen: l.seen}, nil
}

// isKept reports whether a file is the kept result of a call: to read it must not keep it again.
func isKept(p fsx.Path) bool { return strings.HasPrefix(p.Rel, fsx.OutputsDir+"/") }

// look is what reading a file found.
type look struct {
	*scan
	guess charset.Guess
	bad   int    // bytes that are no text
	whole bool   // it was read to its end
	size  int64  // of the file, in bytes
	data  []byte // all of it, when it is small
	seen  []session.Seen
}

// look reads a file and remembers what the model has seen of it.
func (w *workspace) look(ctx context.Context, p fsx.Path, f *os.File, want part) (*look, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	l := &look{scan: newScan(want), size: info.Size()}
	if l.guess, err = charset.Examine(io.LimitReader(f, maxCounted)); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	k := newKeeper(keepable(p, info.Size()))
	r := charset.NewReader(io.TeeReader(f, k), l.guess)
	l.whole, err = l.read(ctx, r, func() bool { return k.n > maxCounted })
	if err != nil {
		return nil, err
	}
	l.bad, l.data = r.Bad, k.data
	if l.whole && k.n <= maxCounted {
		var base []byte
		if want.offset == 1 && len(l.lines) == l.total && !l.short {
			base = k.data
		}
		l.seen = w.seen.note(p, k.sum(), base)
	}
	return l, nil
}

// keepable is how many bytes of a file are kept as they are read: all of a small one, to merge with,
// and of a notebook, to be parsed.
func keepable(p fsx.Path, size int64) int {
	most := maxBase
	if isNotebook(p) {
		most = maxWrite
	}
	if size > int64(most) {
		return 0
	}
	return most
}

// listing writes what was read: a header, the lines with their numbers, and where to go on.
func (l *look) listing(p fsx.Path, want part) string {
	if l.total == 0 {
		return p.Rel + " is an empty file (0 lines)"
	}
	last := want.offset + len(l.lines) - 1
	var b strings.Builder
	fmt.Fprintf(&b, "%s (lines %d-%d of %s%s)\n", p.Rel, want.offset, last, l.count(), l.manner())
	for i, line := range l.lines {
		fmt.Fprintf(&b, "%d | %s\n", want.offset+i, line)
	}
	if want.cut {
		fmt.Fprintf(&b, "(limit was cut to %d)\n", maxLines)
	}
	switch more := l.total - last; {
	case !l.whole:
		fmt.Fprintf(&b, "(truncated: there are more lines; continue with offset=%d)\n", last+1)
	case more > 0:
		fmt.Fprintf(&b, "(truncated: %s more; continue with offset=%d)\n", plural(more, "line"), last+1)
	}
	return b.String()
}

// count says how many lines there are, or how many were seen of a file that was not read to its end.
func (l *look) count() string {
	if l.whole {
		return fmt.Sprint(l.total)
	}
	return fmt.Sprintf("at least %d: a file of %d MiB, of which not all was counted", l.total, l.size>>20)
}

// manner says how the file is written, where that is not the usual.
func (l *look) manner() string {
	out := ""
	if ends := l.lineEnds(); ends != "" {
		out += ", " + ends
	}
	if m := l.guess.Manner(); m != "" {
		out += ", " + m
	}
	if l.bad > 0 {
		out += fmt.Sprintf(`, %s that are no text shown as \xNN`, plural(l.bad, "byte"))
	}
	return out
}
