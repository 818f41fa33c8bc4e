package search

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// literal is text that is looked for.
type literal struct {
	chars   []char
	needles []needle // one of them is in each match, at its place
}

// char is a character, in all the ways in which it may stand in a text: one when case matters.
type char []string

// fold is 0x20 for a letter that is compared as a byte, its case aside, 0 for what is compared as it
// is. K and S are not such letters: the Kelvin sign and the long s are forms of them.
func (c char) fold() (mask byte, ok bool) {
	switch {
	case len(c) == 1:
		return 0, true
	case len(c) == 2 && len(c[0]) == 1 && len(c[1]) == 1:
		return 0x20, true
	}
	return 0, false
}

// forms lists a character, in lower case if that is ASCII, and what differs from it by case only.
func forms(r rune) char {
	c := char{string(r)}
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		c = append(c, string(o))
	}
	for i, form := range c {
		if len(form) == 1 && form[0] >= 'a' && form[0] <= 'z' {
			c[0], c[i] = c[i], c[0]
		}
	}
	return c
}

func newLiteral(text string, ignoreCase bool) *literal {
	l := &literal{}
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		c := char{text[:size]}
		if ignoreCase && (r != utf8.RuneError || size > 1) {
			c = forms(r)
		}
		l.chars = append(l.chars, c)
		text = text[size:]
	}
	if n, ok := bestNeedle(l.chars); ok {
		l.needles = []needle{n}
		return l
	}
	for _, form := range l.chars[0] { // every character has foreign forms
		l.needles = append(l.needles, newNeedle([]byte(form), make([]byte, len(form))))
	}
	return l
}

// bestNeedle is the rarest piece of a text that can be looked for as bytes.
func bestNeedle(chars []char) (best needle, ok bool) {
	for from := 0; from < len(chars); from++ {
		var text, mask []byte
		to := from
		for ; to < len(chars); to++ {
			m, ok := chars[to].fold()
			if !ok || chars[to][0] == string(utf8.RuneError) {
				break // stands for bytes that are none
			}
			for i := range len(chars[to][0]) {
				text, mask = append(text, chars[to][0][i]), append(mask, m)
			}
		}
		if to == from {
			continue
		}
		n := newNeedle(text, mask)
		n.lead = from
		if !ok || n.bits() > best.bits() {
			best, ok = n, true
		}
		from = to
	}
	return best, ok
}

// find is the first match at or after a place, -1 when there is none.
func (l *literal) find(f *finder, text []byte, at int) (from, to int) {
	for look := at; ; {
		place, n := f.next(text, look)
		if place < 0 {
			return -1, -1
		}
		from, back := l.before(text[at:place], n.lead)
		to, forth := l.after(text, place, n.lead)
		if back && forth {
			return at + from, to
		}
		look = place + 1
	}
}

// before goes back over the first characters from the end of a text.
func (l *literal) before(text []byte, count int) (from int, ok bool) {
	for i := count - 1; i >= 0; i-- {
		size := l.chars[i].size(text, bytes.HasSuffix)
		if size == 0 {
			return 0, false
		}
		text = text[:len(text)-size]
	}
	return len(text), true
}

// after goes on over the characters from one on.
func (l *literal) after(text []byte, at, from int) (to int, ok bool) {
	for _, c := range l.chars[from:] {
		size := c.size(text[at:], bytes.HasPrefix)
		if size == 0 {
			return 0, false
		}
		at += size
	}
	return at, true
}

// size is that of the form of a character that a text begins or ends with, 0 when there is none.
func (c char) size(text []byte, has func(text, form []byte) bool) int {
	for _, form := range c {
		if has(text, []byte(form)) {
			return len(form)
		}
	}
	return 0
}
