package shell

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Bounds on what plain keeps in mind.
const (
	maxLine   = 64 << 10 // bytes of an unfinished line: what is longer is not redrawn any more
	maxString = 4 << 10  // bytes of an unfinished control string: the start of one was no start
)

// plain turns what a program draws on a terminal into the text that would be there in the end.
// Escape sequences and other controls go, a line that is begun again after a carriage return or was
// erased counts as it is last, a backspace takes back a character. Movements to other lines are not
// followed. That text was erased is said behind its line: it must not be read by one and seen by nobody.
// Input comes in pieces of valid UTF-8.
type plain struct {
	mode   mode
	length int    // of the control string
	param  byte   // last parameter byte of the control sequence
	line   []byte // not finished yet
	again  bool   // what comes next begins the line again
	erased int    // characters that a sequence took off the line
}

// mode is where in a sequence the last byte was.
type mode int

const (
	ground  mode = iota
	escape       // after ESC
	inter        // after ESC and an intermediate: a character set is named
	control      // in a control sequence
	text         // in a control string
	textEnd      // in one, after ESC
)

// write adds a piece and appends the lines that it finishes to dst.
func (p *plain) write(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if p.mode == ground {
			if n := span(s[i:]); n > 0 {
				dst = p.put(dst, s[i:i+n])
				i += n
				continue
			}
		}
		c := s[i]
		i++
		if c == 0xC2 && i < len(s) && s[i] < 0xA0 { // the controls beyond ASCII
			if p.mode != text && p.mode != textEnd || s[i] == 0x9C {
				dst = p.second(dst, s[i]-0x40)
			}
			i++
			continue
		}
		dst = p.step(dst, c)
	}
	return dst
}

// span is how many bytes at the start of s are text. A byte C2 may begin a control.
func span(s string) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7F || c == 0xC2 && i+1 < len(s) && s[i+1] < 0xA0 {
			return i
		}
	}
	return len(s)
}

// put adds text to the line.
func (p *plain) put(dst []byte, s string) []byte {
	if p.again {
		p.line, p.again = p.line[:0], false
	}
	p.line = append(p.line, s...)
	if len(p.line) > maxLine {
		dst = append(dst, p.line...)
		p.line = p.line[:0]
	}
	return dst
}

// step takes a byte that may mean something else than itself.
func (p *plain) step(dst []byte, c byte) []byte {
	switch {
	case c == 0x1B && p.mode == text:
		p.mode = textEnd
	case c == 0x1B:
		p.mode = escape
	case p.mode == text || p.mode == textEnd:
		return p.inString(dst, c)
	case c < ' ' || c == 0x7F:
		return p.control(dst, c)
	case c >= utf8.RuneSelf: // no part of a sequence
		p.mode = ground
		return p.put(dst, string([]byte{c}))
	case p.mode == escape:
		return p.second(dst, c)
	case p.mode == inter:
		if c >= 0x30 {
			p.mode = ground
		}
	case p.mode == control:
		p.sequence(c)
	default:
		return p.put(dst, string([]byte{c}))
	}
	return dst
}

// inString takes a byte of a control string, which ends with BEL, ESC \ or, given up, with its line.
func (p *plain) inString(dst []byte, c byte) []byte {
	p.length++
	switch {
	case c == 0x07 || p.mode == textEnd && c == '\\':
		p.mode = ground
	case c == '\n' || p.length > maxString:
		p.mode = ground
		return p.step(dst, c)
	default:
		p.mode = text
	}
	return dst
}

// control carries out a control character.
func (p *plain) control(dst []byte, c byte) []byte {
	switch c {
	case '\n':
		dst = append(p.end(dst), '\n')
		p.again, p.mode = false, ground
	case '\r':
		p.again = true
	case '\b':
		_, n := utf8.DecodeLastRune(p.line)
		p.line = p.line[:len(p.line)-n]
	case '\t':
		if p.mode == ground {
			return p.put(dst, "\t")
		}
	}
	return dst
}

// second takes the byte after ESC.
func (p *plain) second(dst []byte, c byte) []byte {
	switch {
	case c == '[':
		p.mode, p.param = control, 0
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		p.mode, p.length = text, 0
	case c >= 0x20 && c <= 0x2F:
		p.mode = inter
	default:
		p.mode = ground
	}
	return dst
}

// sequence takes a byte of a control sequence. Erasing the whole line and moving to its first column
// mean something.
func (p *plain) sequence(c byte) {
	switch {
	case c >= 0x20 && c <= 0x3F:
		p.param = c
		return
	case c == 'K' && p.param == '2':
		p.erased += utf8.RuneCount(bytes.TrimSpace(p.line))
		p.line = p.line[:0]
	case c == 'G' && (p.param == 0 || p.param == '1'):
		p.again = true
	}
	p.mode = ground
}

// end appends the unfinished line.
func (p *plain) end(dst []byte) []byte {
	dst = append(dst, p.line...)
	if p.erased > 0 {
		dst = fmt.Appendf(dst, " [erased: %d characters]", p.erased)
	}
	p.line, p.erased = p.line[:0], 0
	return dst
}

// live is what a person sees of an output while it comes: the same text that is kept. A line that
// began anew follows a carriage return.
type live struct{ seen []byte } // of the unfinished line

// next is what to show after more lines were finished and the unfinished one may be another.
func (v *live) next(finished, line []byte) string {
	var out []byte
	if len(finished) > 0 {
		out = v.line(out, finished)
		v.seen = v.seen[:0]
	}
	out = v.line(out, line)
	v.seen = append(v.seen[:0], line...)
	return string(out)
}

func (v *live) line(out, now []byte) []byte {
	if rest, ok := bytes.CutPrefix(now, v.seen); ok {
		return append(out, rest...)
	}
	return append(append(out, '\r'), now...)
}
