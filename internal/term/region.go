package term

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Row is one row of the region. SGR is its style, "" for none.
type Row struct {
	Text string
	SGR  string
}

// Region is the output of a program in a terminal and, below it, a few rows that are drawn again and
// again. What was written is never touched again, so it stays in the terminal's own history; only
// the line that is not finished and the rows below it change.
//
// A frame is one write: up to the first row that changes, erase below, new output, rows, cursor. The
// cursor is put in place by printing again what stands before it, so that it is right also where the
// terminal and Width disagree about a character.
type Region struct {
	w    io.Writer
	size func() (columns, rows int)

	pending bytes.Buffer // output since the last frame
	line    []byte       // the unfinished line of the output
	col     int          // its width in cells
	tail    string       // what of it stands in its last row
	drawn   frame        // what is on the screen now
	cols    int          // when it was drawn
	height  int
}

// frame is the rows below the output.
type frame struct {
	rows   []Row
	row    int    // of the cursor
	before string // what stands before the cursor in its row
}

// NewRegion makes a region that begins at the cursor, which must be in column 0. size gives the
// terminal's size in cells.
func NewRegion(w io.Writer, size func() (columns, rows int)) *Region {
	r := &Region{w: w, size: size}
	r.cols, r.height = size()
	return r
}

// Write adds output: printable text with line ends and tabs. Whole lines may hold styles; the
// beginning of a line that is not finished must not. It is shown with the next Draw.
func (r *Region) Write(text string) {
	text, r.col = spread(text, r.col)
	r.pending.WriteString(text)
}

// Draw shows the output so far and the rows below it, with the cursor in one of them behind a text.
// Rows that are too long are cut. Nothing is written when nothing has changed.
func (r *Region) Draw(rows []Row, row int, before string) error {
	cols, height := r.size()
	if cols != r.cols || height != r.height {
		r.reflow(cols)
		r.height = height
	}
	f := frame{rows: fit(rows, cols), row: row, before: before}
	if over := len(f.rows) - max(height-2, 1); over > 0 { // the unfinished line needs one, too
		over = min(over, row)
		f.rows, f.row = f.rows[over:], row-over
		f.rows = f.rows[:min(len(f.rows), max(height-2, 1))]
	}
	if r.pending.Len() == 0 && r.drawn.same(f) {
		return nil
	}
	return r.frame(f)
}

func (f frame) same(g frame) bool {
	return f.row == g.row && f.before == g.before && slices.Equal(f.rows, g.rows)
}

func fit(rows []Row, cols int) []Row {
	out := make([]Row, len(rows))
	for i, row := range rows {
		out[i] = Row{Cut(row.Text, max(cols-1, 1), ""), row.SGR}
	}
	return out
}

// frame writes one frame.
func (r *Region) frame(f frame) error {
	var b bytes.Buffer
	b.WriteString("\x1b[?2026h\x1b[?25l")
	r.erase(&b)
	r.emit(&b)
	if r.tail != "" && len(f.rows) > 0 {
		b.WriteString("\r\n")
	}
	for i, row := range f.rows {
		if i > 0 {
			b.WriteString("\r\n")
		}
		if row.SGR == "" {
			b.WriteString(row.Text)
		} else {
			b.WriteString("\x1b[" + row.SGR + "m" + row.Text + "\x1b[m")
		}
	}
	if len(f.rows) > 0 {
		up(&b, len(f.rows)-1-f.row)
		b.WriteString("\r" + f.before)
	}
	b.WriteString("\x1b[?25h\x1b[?2026l")
	r.drawn = f
	_, err := r.w.Write(b.Bytes())
	return err
}

// erase clears the rows and goes to the beginning of the row that the next output continues. That
// row is written over, not cleared: a terminal that clears it forgets that it belongs to the one
// above.
func (r *Region) erase(b *bytes.Buffer) {
	if len(r.drawn.rows) > 0 {
		up(b, r.drawn.row)
		b.WriteString("\r\x1b[J")
		if r.tail != "" {
			up(b, 1)
		}
	}
	b.WriteString("\r")
}

// emit writes the unfinished row again and the new output behind it.
func (r *Region) emit(b *bytes.Buffer) {
	fresh := r.pending.String()
	r.pending.Reset()
	b.WriteString(strings.ReplaceAll(r.tail+fresh, "\n", "\r\n"))
	if i := strings.LastIndexByte(fresh, '\n'); i >= 0 {
		r.line, r.tail, fresh = r.line[:0], "", fresh[i+1:]
	}
	r.line = append(r.line, fresh...)
	r.tail = lastRow(r.tail+fresh, r.cols)
}

// lastRow is what of a line stands in its last row when the terminal breaks it.
func lastRow(s string, cols int) string {
	from, at, cells := 0, 0, 0
	clusters(s, func(c string, w int) bool {
		if cells+w > cols {
			from, cells = at, 0
		}
		cells += w
		at += len(c)
		return true
	})
	return s[from:]
}

// reflow follows the terminal, which has broken its rows anew for another width: where the cursor's
// row was, there may be more rows above it now.
func (r *Region) reflow(cols int) {
	cells := func(s string) int { return max((Width(s)+cols-1)/cols, 1) - 1 }
	for _, row := range r.drawn.rows[:min(r.drawn.row, len(r.drawn.rows))] {
		r.drawn.row += cells(row.Text)
	}
	r.drawn.row += cells(r.drawn.before)
	r.cols = cols
	r.tail = lastRow(string(r.line), cols)
	r.drawn.before = "\x00" // nothing drawn is the same any more
}

// Close removes the rows below the output and leaves the cursor in column 0 below it.
func (r *Region) Close() error {
	if cols, _ := r.size(); cols != r.cols {
		r.reflow(cols)
	}
	var b bytes.Buffer
	r.erase(&b)
	r.emit(&b)
	if r.tail != "" {
		b.WriteString("\r\n")
	}
	r.line, r.tail, r.col, r.drawn = nil, "", 0, frame{}
	_, err := r.w.Write(b.Bytes())
	return err
}

// Clear empties the screen; what has scrolled out of it stays.
func (r *Region) Clear() error {
	if err := r.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(r.w, "\x1b[H\x1b[2J")
	return err
}

func up(b *bytes.Buffer, n int) {
	if n > 0 {
		fmt.Fprintf(b, "\x1b[%dA", n)
	}
}
