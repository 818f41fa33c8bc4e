package charset

import (
	"unicode"
	"unicode/utf16"
)

// minWide is how many units UTF-16 without a mark must have to be recognised.
const minWide = 4

// wide recognises UTF-16 without a byte order mark by its NUL bytes: nearly all are on one side
// of the units, where characters of European languages have them, and everything read so is text.
// Anything less certain, such as Chinese with few plain characters, is binary.
func wide(p []byte) (Guess, error) {
	var zero [2]int
	for i, c := range p {
		if c == 0 {
			zero[i%2]++
		}
	}
	if len(p)%2 != 0 || len(p) < 2*minWide || 4*min(zero[0], zero[1]) > max(zero[0], zero[1]) || 10*max(zero[0], zero[1]) < 3*len(p)/2 {
		return Guess{}, ErrBinary
	}
	g := Guess{Encoding: UTF16LE}
	if zero[0] > zero[1] {
		g.Encoding = UTF16BE
	}
	units := make([]uint16, len(p)/2)
	for i := range units {
		lo, hi := p[2*i], p[2*i+1]
		if g.Encoding == UTF16BE {
			lo, hi = hi, lo
		}
		units[i] = uint16(hi)<<8 | uint16(lo)
	}
	runes := utf16.Decode(units)
	for i, r := range runes {
		cut := i == len(runes)-1 && len(p) == pieceSize // half of a pair, whose other half is in the next piece
		if !isText(r) && !cut {
			return Guess{}, ErrBinary
		}
	}
	return g, nil
}

// isText reports whether a character is one that texts have.
func isText(r rune) bool {
	switch r {
	case '\t', '\n', '\r', '\f', '\v', '\b', 0x1B, 0x1A:
		return true
	case unicode.ReplacementChar:
		return false
	}
	return unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r)
}
