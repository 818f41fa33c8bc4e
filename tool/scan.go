package tool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"strings"
	"unicode/utf8"

	"paicli/internal/charset"
)

// scan goes through a text once, in little memory: it keeps the lines that were asked for, and of
// the rest only what must be known of the whole: how many lines, and which line ends.
type scan struct {
	want  part
	total int      // lines
	lines []string // those wanted
	short bool     // a line was not shown whole

	line  []byte // the current line as far as it is kept
	long  bool   // more of it was dropped
	open  bool   // a line has begun
	end   byte   // what ends a line, 0 before the first piece
	crlf  int
	bare  int // line ends without carriage return
	runes int // shown so far
	full  bool
	last  byte // the byte before
}

func newScan(want part) *scan { return &scan{want: want} }

// read reads everything, or until enough says so once all wanted lines are there. Its errors are
// those of the reader and of ctx, and charset.ErrBinary.
func (s *scan) read(ctx context.Context, r io.Reader, enough func() bool) (whole bool, err error) {
	buf := make([]byte, 64<<10) // few calls, and small beside the rest of the program
	for {
		n, err := io.ReadFull(r, buf)
		if bytes.IndexByte(buf[:n], 0) >= 0 {
			return false, charset.ErrBinary
		}
		s.take(buf[:n])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			s.finish()
			return true, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return false, err
		}
		if s.complete() && enough() {
			return false, nil
		}
	}
}

// complete reports whether all wanted lines are there.
func (s *scan) complete() bool { return s.full || s.total-s.want.offset+1 >= s.want.limit }

// take adds a piece of text.
func (s *scan) take(p []byte) {
	if s.end == 0 && len(p) > 0 {
		s.end = '\n'
		if bytes.IndexByte(p, '\n') < 0 && bytes.IndexByte(p, '\r') >= 0 {
			s.end = '\r' // a file of the classic Mac
		}
	}
	for len(p) > 0 {
		i := bytes.IndexByte(p, s.end)
		if i < 0 {
			s.add(p)
			break
		}
		s.add(p[:i])
		if s.last == '\r' {
			s.crlf++
		} else {
			s.bare++
		}
		s.endLine()
		p = p[i+1:]
	}
}

// finish ends a last line that has no line end.
func (s *scan) finish() {
	if s.open {
		s.endLine()
	}
}

// wanted reports whether the current line is shown.
func (s *scan) wanted() bool {
	n := s.total + 1
	return !s.full && n >= s.want.offset && n-s.want.offset < s.want.limit
}

// maxLineBytes is room for a line of maxLineRunes and one more, to see that it is longer.
const maxLineBytes = (maxLineRunes + 1) * utf8.UTFMax

func (s *scan) add(p []byte) {
	s.open = true
	if len(p) == 0 {
		return
	}
	s.last = p[len(p)-1]
	if !s.wanted() {
		return
	}
	if room := maxLineBytes - len(s.line); len(p) > room {
		p, s.long = p[:room], true
	}
	s.line = append(s.line, p...)
}

// endLine takes the current line as finished.
func (s *scan) endLine() {
	if s.wanted() {
		text := strings.ToValidUTF8(strings.TrimSuffix(string(s.line), "\r"), "") // cut at its room, not at a character
		text, cut := cutLine(text, maxLineRunes)
		if cut || s.long {
			text += " … (line truncated)"
			s.short = true
		}
		s.runes += utf8.RuneCountInString(text)
		if s.full = s.runes > s.want.runes && len(s.lines) > 0; !s.full {
			s.lines = append(s.lines, text)
		}
	}
	s.total++
	s.line, s.long, s.open, s.last = s.line[:0], false, false, 0
}

// lineEnds names the line ends, where they are not the usual.
func (s *scan) lineEnds() string {
	switch {
	case s.end == '\r':
		return "CR"
	case s.crlf > 0 && s.bare > 0:
		return "mixed CRLF and LF"
	case s.crlf > 0:
		return "CRLF"
	}
	return ""
}

// cutLine keeps the first n characters of a line.
func cutLine(line string, n int) (string, bool) {
	if len(line) <= n {
		return line, false
	}
	for i := range line {
		if n == 0 {
			return line[:i], true
		}
		n--
	}
	return line, false
}

// keeper takes the bytes of a file as they are read: their hash, their number, and all of them as
// long as they are few.
type keeper struct {
	hash hash.Hash
	n    int64
	most int
	data []byte // nil when there were more than most
}

func newKeeper(most int) *keeper { return &keeper{hash: sha256.New(), most: most, data: []byte{}} }

func (k *keeper) Write(p []byte) (int, error) {
	k.hash.Write(p)
	k.n += int64(len(p))
	if k.data != nil && len(k.data)+len(p) <= k.most {
		k.data = append(k.data, p...)
	} else {
		k.data = nil
	}
	return len(p), nil
}

func (k *keeper) sum() (out sum) {
	k.hash.Sum(out[:0])
	return out
}
