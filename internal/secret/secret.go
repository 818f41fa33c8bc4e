// Package secret takes secrets out of text that is kept or sent: known values in every spelling that
// programs give them (scrub), and, where the values are not known, what looks like a secret by its
// form or by the name in front of it (redact). It does not know where secrets come from.
//
//	values ─► New ─► Scrubber ─► Text, Bytes; Stream for text that comes in pieces
//	text ──────────► Redact ───► the same text with *** in place of keys, passwords and tokens
package secret

import (
	"encoding/base64"
	"strings"
)

// Mark stands where a known value was.
const Mark = "[secret]"

// Scrubber replaces known values by Mark: as they are, with JSON's and URLs' escapes in any mixture,
// and in Base64 (both alphabets, wherever in the encoded text the value begins, broken into lines or
// not). It is not changed by use and may be used by several goroutines.
type Scrubber struct {
	first [256]bool // bytes with which a match may begin
	pairs [1 << 10]uint64
	byTwo map[uint16][]needle // by the first two characters
	most  int
}

// needle is a value, or what Base64 makes of it.
type needle struct {
	raw    string
	text   string // raw with one backslash for several: how many there are depends on the escapes
	base64 bool   // of either alphabet; line ends may stand in it
	digits bool   // nothing else, so that it may be a number of JSON
}

// New makes a scrubber. Values of fewer than two bytes are left out: they are no secrets.
func New(values []string) *Scrubber {
	s := &Scrubber{byTwo: make(map[uint16][]needle)}
	for _, v := range values {
		if len(v) < 2 {
			continue
		}
		s.add(needle{raw: v, text: single(v), digits: strings.Trim(v, "0123456789") == ""})
		for shift := range 3 {
			if core := base64Core(v, shift); len(core) >= minBase64 {
				s.add(needle{raw: core, text: core, base64: true})
			}
		}
	}
	if len(s.byTwo) > 0 {
		s.first['%'], s.first['\\'] = true, true
	}
	return s
}

// minBase64 is the least length of an encoded value that is looked for: shorter ones are in any text.
const minBase64 = 8

// base64Core is what Base64 makes of a value that begins shift bytes behind a group of three: the
// characters that come from the value alone.
func base64Core(v string, shift int) string {
	all := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + v))
	return all[(shift*8+5)/6 : (shift+len(v))*8/6]
}

func (s *Scrubber) add(n needle) {
	if len(n.text) < 2 {
		return
	}
	a, b := fold(n.text[0], n.base64), fold(n.text[1], n.base64)
	for _, c := range spellings(a, n.base64) {
		s.first[c] = true
	}
	key := uint16(a)<<8 | uint16(b)
	s.pairs[key>>6] |= 1 << (key & 63)
	s.byTwo[key] = append(s.byTwo[key], n)
	s.most = max(s.most, len(n.text))
}

// single makes one backslash of several.
func single(v string) string {
	for strings.Contains(v, `\\`) {
		v = strings.ReplaceAll(v, `\\`, `\`)
	}
	return v
}

// fold makes one alphabet of Base64's two, and one character of a blank and of what it is in URLs.
func fold(c byte, base64 bool) byte {
	switch {
	case !base64 && c == '+':
		return ' '
	case base64 && c == '-':
		return '+'
	case base64 && c == '_':
		return '/'
	}
	return c
}

func spellings(c byte, base64 bool) []byte {
	switch {
	case base64 && c == '+':
		return []byte("+-")
	case base64 && c == '/':
		return []byte("/_")
	case c == ' ':
		return []byte(" +")
	}
	return []byte{c}
}

// Text scrubs a text.
func (s *Scrubber) Text(text string) string {
	out, _ := s.scrub(text, true)
	return out
}

// Bytes scrubs a text, for example a line of JSON: valid JSON stays valid.
func (s *Scrubber) Bytes(text []byte) []byte {
	in := string(text)
	if out, _ := s.scrub(in, true); out != in {
		return []byte(out)
	}
	return text
}

// scrub replaces values. Unless the text is final, it keeps back the rest from where a value may have
// begun.
func (s *Scrubber) scrub(text string, final bool) (out, rest string) {
	if len(s.byTwo) == 0 {
		return text, ""
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		if !s.first[text[i]] || i+1 < len(text) && s.neither(text[i], text[i+1]) {
			i++
			continue
		}
		size, open := s.match(text, i)
		switch {
		case open && !final:
			return b.String() + text[done:i], text[i:]
		case size > 0:
			b.WriteString(text[done:i])
			b.WriteString(Mark)
			i += size
			done = i
		default:
			i++
		}
	}
	if done == 0 {
		return text, ""
	}
	return b.String() + text[done:], ""
}

// neither reports whether no value begins with two characters that stand for themselves: nearly all
// places of a text are passed over by it.
func (s *Scrubber) neither(a, b byte) bool {
	for _, c := range [2]byte{a, b} {
		if c == '%' || c == '\\' || c == '\n' || c == '\r' {
			return false
		}
	}
	text := uint16(fold(a, false))<<8 | uint16(fold(b, false))
	coded := uint16(fold(a, true))<<8 | uint16(fold(b, true))
	return s.pairs[text>>6]&(1<<(text&63)) == 0 && s.pairs[coded>>6]&(1<<(coded&63)) == 0
}

// match is the length of the longest value that begins at a place. open says that the text ends
// within one.
func (s *Scrubber) match(text string, at int) (size int, open bool) {
	for _, base64 := range []bool{false, true} {
		for _, raw := range []bool{true, false} {
			key, ended, ok := pair(text[at:], base64, raw)
			if ended {
				open = true
				continue
			}
			if !ok || s.pairs[key>>6]&(1<<(key&63)) == 0 {
				continue
			}
			for _, n := range s.byTwo[key] {
				if n.base64 != base64 {
					continue
				}
				length, ended := n.match(text[at:])
				open = open || ended
				if length > size && !(n.digits && number(text, at, at+length)) {
					size = length
				}
			}
		}
	}
	return size, open && size == 0
}

// pair are the first two characters of a text, as they are or without their escapes.
func pair(text string, base64, raw bool) (key uint16, ended, ok bool) {
	var two [2]byte
	for i := range two {
		if base64 && i > 0 {
			text = text[breaks(text):]
		}
		if text == "" {
			return 0, true, false
		}
		c, size := text[0], 1
		if !raw {
			if c, size = unescape(text); size == 0 {
				return 0, true, false
			}
		}
		two[i], text = fold(c, base64), text[size:]
	}
	return uint16(two[0])<<8 | uint16(two[1]), false, true
}

// match is the length of the needle at the beginning of a text, 0 if it is not there. ended says that
// the text is over before that is clear.
func (n needle) match(text string) (length int, ended bool) {
	if strings.HasPrefix(text, n.raw) {
		return len(n.raw), false
	}
	if strings.HasPrefix(n.raw, text) {
		return 0, true
	}
	at := 0
	for i := range len(n.text) {
		if n.base64 && i > 0 {
			at += breaks(text[at:])
		}
		if at >= len(text) {
			return 0, true
		}
		size, ended := n.one(n.text[i], text[at:])
		if ended {
			return 0, true
		}
		if size == 0 {
			return 0, false
		}
		at += size
	}
	return at, false
}

// one is the length of a character in whatever spelling at the beginning of a text, 0 if it is not
// there.
func (n needle) one(c byte, text string) (size int, ended bool) {
	want := fold(c, n.base64)
	switch {
	case want == '\\' && backslashes(text) > 0:
		return backslashes(text), false
	case fold(text[0], n.base64) == want && !strings.HasPrefix(text, "%25"):
		return 1, false
	case text[0] != '%' && text[0] != '\\':
		return 0, false
	}
	got, size := unescape(text)
	if size == 0 {
		return 0, true
	}
	if fold(got, n.base64) != want {
		return 0, false
	}
	return size, false
}

// number reports whether digits are a number of JSON rather than text: replacing it would break the
// line.
func number(text string, from, to int) bool {
	before, after := byte(' '), byte(' ')
	if from > 0 {
		before = text[from-1]
	}
	if to < len(text) {
		after = text[to]
	}
	return strings.IndexByte(":,[-.0123456789", before) >= 0 && strings.IndexByte(",]}.eE0123456789", after) >= 0
}
