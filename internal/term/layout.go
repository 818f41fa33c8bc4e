package term

import (
	"strings"
)

// Layout is an editor as rows of a terminal.
type Layout struct {
	Rows   []string
	Row    int    // of the cursor
	Before string // what stands before the cursor in its row
	Above  int    // rows that are scrolled out at the top
	Below  int    // and at the bottom
}

// Layout lays the text out behind a prompt, in rows of fewer than width cells, at most rows of them:
// those around the cursor. Further rows begin below the text of the first.
func (e *Editor) Layout(prompt string, width, rows int) Layout {
	e.lead = Width(prompt)
	e.width = max(width-1-e.lead, 1)
	spans := wrap(e.text, e.width)
	indent := strings.Repeat(" ", e.lead)
	row := rowOf(spans, e.at)
	first := 0
	if rows = max(rows, 1); len(spans) > rows {
		first = min(max(row-rows/2, 0), len(spans)-rows)
	}
	last := min(first+rows, len(spans))
	l := Layout{Row: row - first, Above: first, Below: len(spans) - last}
	for i := first; i < last; i++ {
		head := indent
		if i == 0 {
			head = prompt
		}
		l.Rows = append(l.Rows, head+e.text[spans[i].from:spans[i].to].row())
		if i == row {
			l.Before = head + e.text[spans[i].from:e.at].row()
		}
	}
	return l
}

// row is a part of a draft without line ends.
func (d Draft) row() string { return strings.ReplaceAll(d.Shown(), "\n", "") }

// span is a row: units from ≤ i < to. A line end belongs to the row that it ends.
type span struct{ from, to int }

// wrap breaks a draft into rows of at most width cells. There is always a row for a cursor at the
// end.
func wrap(d Draft, width int) []span {
	var rows []span
	from, cells := 0, 0
	for i := 0; i < len(d); i++ {
		w := d[i].width()
		if cells+w > width && i > from {
			to := allowed(d, from, i)
			rows = append(rows, span{from, to})
			from, cells = to, 0
			for _, u := range d[from:i] {
				cells += u.width()
			}
		}
		cells += w
		if d[i].breaks() {
			rows = append(rows, span{from, i + 1})
			from, cells = i+1, 0
		}
	}
	return append(rows, span{from, len(d)})
}

// Signs that do not begin and do not end a row of Chinese or Japanese text (W3C, Requirements for
// Chinese Text Layout).
const (
	closing = "。，、；：！？）」』】》〉…"
	opening = "（「『【《〈"
)

// allowed is where a row may be broken that overflows at unit i.
func allowed(d Draft, from, i int) int {
	for at := i; at > from+1 && at > i-4; at-- {
		if !strings.Contains(closing, d[at].text) && !strings.Contains(opening, d[at-1].text) {
			return at
		}
	}
	return i
}

// rowOf is the row in which a place lies.
func rowOf(spans []span, at int) int {
	for i := len(spans) - 1; i > 0; i-- {
		if at >= spans[i].from {
			return i
		}
	}
	return 0
}

// vertical moves the cursor by rows, as far as there is one, and keeps its cell if it can.
func (e *Editor) vertical(by int) bool {
	if e.width == 0 {
		return false
	}
	spans := wrap(e.text, e.width)
	row := rowOf(spans, e.at)
	if row+by < 0 || row+by >= len(spans) {
		return false
	}
	cell := 0
	for _, u := range e.text[spans[row].from:e.at] {
		cell += u.width()
	}
	to := spans[row+by]
	e.at = to.from
	for e.at < to.to && !e.text[e.at].breaks() && cell >= e.text[e.at].width() {
		cell -= e.text[e.at].width()
		e.at++
	}
	if e.at == to.to && row+by < len(spans)-1 {
		e.at = to.to - 1 // behind the last unit the next row begins
	}
	return true
}
