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

	"paicli/internal/textedit"
)

// scan reads a file once from begin to end, in little memory: it keeps the lines that were asked
// for, and of the rest only what must be known of the whole (its hash, how many lines, which line
// ends, whether it is text).
type scan struct {
	want  part
	hash  hash.Hash
	total int      // lines
	lines []string // those wanted

	line  []byte // the current line as far as it is kept
	long  bool   // more of it was dropped
	open  bool   // a line has begun
	bom   bool
	crlf  int
	bare  int // line feeds without carriage return
	runes int // shown so far
	full  bool
	last  byte   // the byte before
	rest  []byte // the begin of a character whose end has not arrived
}

func newScan(want part) *scan { return &scan{want: want, hash: sha256.New()} }

func (s *scan) sum() (out sum) {
	s.hash.Sum(out[:0])
	return out
}

// read reads everything. Its errors are those of the reader and of ctx, and
// textedit.ErrBinary and textedit.ErrEncoding for what is not text.
func (s *scan) read(ctx context.Context, r io.Reader) error {
	buf := make([]byte, 64<<10) // few calls, and small beside the rest of the program
	for first := true; ; first = false {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			if bad := s.take(buf[:n], first); bad != nil {
				return bad
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	if len(s.rest) > 0 {
		return textedit.ErrEncoding
	}
	if s.open {
		s.endLine()
	}
	return nil
}

// take adds a piece of the file.
func (s *scan) take(p []byte, first bool) error {
	s.hash.Write(p)
	if first {
		if bytes.HasPrefix(p, []byte("\xff\xfe")) || bytes.HasPrefix(p, []byte("\xfe\xff")) {
			return textedit.ErrEncoding
		}
		if textedit.IsBinary(p) {
			return textedit.ErrBinary
		}
		if rest, ok := bytes.CutPrefix(p, []byte("\uFEFF")); ok {
			s.bom, p = true, rest
		}
	}
	if bytes.IndexByte(p, 0) >= 0 {
		return textedit.ErrBinary
	}
	if !s.valid(p) {
		return textedit.ErrEncoding
	}
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
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
		s.last = '\n'
		p = p[i+1:]
	}
	return nil
}

// valid checks a piece of UTF-8 whose ends may cut a character.
func (s *scan) valid(p []byte) bool {
	if len(s.rest) > 0 {
		n := 0
		for n < len(p) && n < utf8.UTFMax && !utf8.FullRune(s.rest) {
			s.rest = append(s.rest, p[n])
			n++
		}
		if !utf8.FullRune(s.rest) {
			return true
		}
		if !utf8.Valid(s.rest) {
			return false
		}
		s.rest, p = nil, p[n:]
	}
	cut := len(p)
	for back := 1; back < utf8.UTFMax && back <= len(p); back++ {
		if c := p[len(p)-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(p[len(p)-back:]) {
				cut = len(p) - back
			}
			break
		}
	}
	s.rest = append(s.rest, p[cut:]...)
	return utf8.Valid(p[:cut])
}

// wanted reports whether the current line is shown.
func (s *scan) wanted() bool {
	n := s.total + 1
	return !s.full && n >= s.want.offset && n-s.want.offset < s.want.limit
}

// maxLineBytes is room for a line of maxLineRunes and one more, to see that it is longer.
const maxLineBytes = (maxLineRunes + 1) * utf8.UTFMax

func (s *scan) add(p []byte) {
	if len(p) == 0 {
		s.open = true
		return
	}
	s.open, s.last = true, p[len(p)-1]
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
		}
		s.runes += utf8.RuneCountInString(text)
		if s.full = s.runes > s.want.runes && len(s.lines) > 0; !s.full {
			s.lines = append(s.lines, text)
		}
	}
	s.total++
	s.line, s.long, s.open, s.last = s.line[:0], false, false, 0
}

// manner says how the file is written, where that is not the usual.
func (s *scan) manner() string {
	out := ""
	switch {
	case s.crlf > 0 && s.bare > 0:
		out = ", mixed CRLF and LF"
	case s.crlf > 0:
		out = ", CRLF"
	}
	if s.bom {
		out += ", UTF-8 with BOM"
	}
	return out
}

func isNotText(err error) bool {
	return errors.Is(err, textedit.ErrBinary) || errors.Is(err, textedit.ErrEncoding)
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
