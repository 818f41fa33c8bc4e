// Package termtest is a terminal for tests: a screen with history that understands what package term
// writes and no more. It does not break lines anew when it is resized.
package termtest

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"paicli/internal/term"
)

// Screen is the terminal. It may be used by several goroutines.
type Screen struct {
	mu         sync.Mutex
	cols, rows int
	lines      []line // history and screen
	top        int    // the screen's first line
	row, col   int    // of the cursor, in the screen
	rest       []byte // of an unfinished sequence
	raw        strings.Builder
}

// line is one row: a cell holds a cluster; the second cell of a wide one is empty.
type line struct {
	cells   []string
	wrapped bool // goes on in the next row
}

// New makes an empty screen.
func New(cols, rows int) *Screen { return &Screen{cols: cols, rows: rows, lines: make([]line, 1)} }

// Write is what the program prints.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw.Write(p)
	b := append(s.rest, p...)
	for len(b) > 0 {
		n := s.step(b)
		if n == 0 {
			break
		}
		b = b[n:]
	}
	s.rest = slices.Clone(b)
	return len(p), nil
}

// Text is what stands on the screen and in its history, without blanks at the ends of rows. Rows
// that the terminal broke are joined.
func (s *Screen) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text(s.lines)
}

// Visible is what stands on the screen, row by row.
func (s *Screen) Visible() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []string
	for _, l := range s.lines[s.top:] {
		rows = append(rows, strings.TrimRight(strings.Join(l.cells, ""), " "))
	}
	return rows
}

// Before is what stands before the cursor in its row.
func (s *Screen) Before() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	cells := s.at().cells
	return strings.Join(cells[:min(s.col, len(cells))], "")
}

// Raw is every byte that was written.
func (s *Screen) Raw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

func (s *Screen) text(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		row := strings.Join(l.cells, "")
		if l.wrapped {
			b.WriteString(row)
			continue
		}
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (s *Screen) at() *line { return &s.lines[s.top+s.row] }

// step takes one character or sequence and returns its length, 0 when it is unfinished.
func (s *Screen) step(b []byte) int {
	switch b[0] {
	case '\r':
		s.col = 0
		return 1
	case '\n':
		s.down()
		return 1
	case 0x1b:
		return s.escape(b)
	}
	if !utf8.FullRune(b) {
		return 0
	}
	end := 0
	for end < len(b) && b[end] >= 0x20 && utf8.FullRune(b[end:]) {
		_, n := utf8.DecodeRune(b[end:])
		end += n
	}
	if end == 0 {
		return 1
	}
	for _, u := range term.NewDraft(string(b[:end])).Clusters() {
		s.put(u)
	}
	return end
}

func (s *Screen) put(cluster string) {
	w := term.Width(cluster)
	if w == 0 {
		if l := s.at(); s.col > 0 && s.col <= len(l.cells) {
			l.cells[s.col-1] += cluster
		}
		return
	}
	if s.col+w > s.cols {
		s.at().wrapped = true
		s.down()
		s.col = 0
	}
	l := s.at()
	for len(l.cells) < s.col+w {
		l.cells = append(l.cells, " ")
	}
	l.cells[s.col] = cluster
	if w == 2 {
		l.cells[s.col+1] = ""
	}
	s.col += w
}

func (s *Screen) down() {
	if s.row++; s.top+s.row == len(s.lines) {
		s.lines = append(s.lines, line{})
	}
	if s.row == s.rows {
		s.row--
		s.top++
	}
}

func (s *Screen) escape(b []byte) int {
	if len(b) < 3 || b[1] != '[' {
		return min(len(b)/3, 1) // nothing else is written
	}
	end := slices.IndexFunc(b[2:], func(c byte) bool { return c >= 0x40 && c <= 0x7e })
	if end < 0 {
		return 0
	}
	params := string(b[2 : end+2])
	switch b[end+2] {
	case 'A':
		n, _ := strconv.Atoi(params)
		s.row = max(s.row-max(n, 1), 0)
		s.col = min(s.col, s.cols-1)
	case 'H':
		s.row, s.col = 0, 0
	case 'J':
		if params == "2" {
			s.top, s.row, s.col = len(s.lines), 0, 0
			s.lines = append(s.lines, line{})
			break
		}
		s.lines = s.lines[:s.top+s.row+1]
		l := s.at()
		l.cells, l.wrapped = l.cells[:min(s.col, len(l.cells))], false
	}
	return end + 3
}
