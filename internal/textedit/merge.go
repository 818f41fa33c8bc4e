package textedit

import (
	"slices"
	"strings"
)

// ConflictError says that two changes of a text touch: the lines that both change, or that lie side
// by side, as they were and as either side has them. Line is their place (from 1) in theirs.
type ConflictError struct {
	Line               int
	Base, Ours, Theirs string
}

func (e *ConflictError) Error() string { return "both sides changed the same lines" }

// Merged is theirs with our change in it.
type Merged struct {
	Text  string
	Edits []Edit // our change as edits of theirs; none when they had made the same
}

// Merge takes two changes of one text, ours and theirs, into one text, line by line. Changes that
// overlap or lie side by side are a *ConflictError, unless both are the same.
func Merge(base, ours, theirs string) (Merged, error) {
	m, err := into(base, ours, theirs)
	if err != nil {
		return Merged{}, err
	}
	// The other way round the same must come out: neither side's change was lost or moved.
	if back, err := into(base, theirs, ours); err != nil || back.Text != m.Text {
		return Merged{}, &ConflictError{Line: 1, Base: base, Ours: ours, Theirs: theirs}
	}
	return m, nil
}

// into puts the change from base to ours into theirs.
func into(base, ours, theirs string) (Merged, error) {
	b, o, t := splitLines(base), splitLines(ours), splitLines(theirs)
	their := changes(b, t)
	starts := lineStarts(t)
	shift := 0 // from lines of base to lines of theirs
	var edits []Edit
	for _, h := range changes(b, o) {
		for len(their) > 0 && their[0].to < h.from {
			shift += their[0].grows()
			their = their[1:]
		}
		if len(their) > 0 && their[0].from <= h.to {
			if !h.same(their[0]) {
				return Merged{}, conflict(b, h, their, shift, t)
			}
			continue
		}
		edits = append(edits, Edit{From: starts[h.from+shift], To: starts[h.to+shift], New: strings.Join(h.lines, "")})
	}
	return Merged{Text: apply(theirs, edits), Edits: edits}, nil
}

// block is a change of the lines from from to to of a text.
type block struct {
	from, to int
	lines    []string
}

func (b block) grows() int { return len(b.lines) - (b.to - b.from) }

func (b block) same(o block) bool {
	return b.from == o.from && b.to == o.to && slices.Equal(b.lines, o.lines)
}

// changes lists the changed lines of a text; between two blocks is at least one line that stays.
func changes(before, after []string) []block {
	var out []block
	open := false
	for _, op := range script(before, after) {
		if op.kind == ' ' {
			open = false
			continue
		}
		if !open {
			out = append(out, block{from: op.a - 1, to: op.a - 1})
			open = true
		}
		last := &out[len(out)-1]
		if op.kind == '-' {
			last.to++
		} else {
			last.lines = append(last.lines, op.line)
		}
	}
	return out
}

// lineStarts are the places where lines begin, and the end of the text.
func lineStarts(lines []string) []int {
	starts := make([]int, len(lines)+1)
	for i, l := range lines {
		starts[i+1] = starts[i] + len(l)
	}
	return starts
}

// conflict describes where our block meets their next ones; shift is how far theirs is before them.
func conflict(base []string, h block, their []block, shift int, theirs []string) error {
	from, to := h.from, h.to
	end := shift
	for _, t := range their {
		if t.from > h.to {
			break
		}
		from, to = min(from, t.from), max(to, t.to)
		end += t.grows()
	}
	// Our side is the block with the lines of base that only they changed.
	mine := slices.Concat(base[from:h.from], h.lines, base[h.to:to])
	return &ConflictError{
		Line:   from + shift + 1,
		Base:   strings.Join(base[from:to], ""),
		Ours:   strings.Join(mine, ""),
		Theirs: strings.Join(theirs[from+shift:to+end], ""),
	}
}
