package search

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
)

// needle is a piece of text that is looked for as bytes. A byte of the text fits one of the needle
// when both are equal once the bits of the mask are set in the text's: 0x20 for a letter whose case
// does not matter, 0 otherwise.
type needle struct {
	bytes []byte
	mask  []byte
	a, b  int  // places of its two rarest bytes
	rare  bool // the byte at a is exact and so rare that looking for it alone is quickest
	plain bool // it is ASCII
	exact bool // the mask is zero
	lead  int  // how many characters of a literal are before it
}

func newNeedle(text, mask []byte) needle {
	n := needle{bytes: text, mask: mask, plain: true, exact: true}
	for i, c := range text {
		n.plain = n.plain && c < 0x80
		n.exact = n.exact && mask[i] == 0
		if rarity(c, mask[i]) > rarity(text[n.a], mask[n.a]) {
			n.a = i
		}
	}
	if n.a == 0 {
		n.b = len(text) - 1
	}
	for i, c := range text {
		if i != n.a && rarity(c, mask[i]) > rarity(text[n.b], mask[n.b]) {
			n.b = i
		}
	}
	n.rare = mask[n.a] == 0 && rarity(text[n.a], 0) >= veryRare
	return n
}

// bits is how rare the needle is: it stands in one of 2^bits places, roughly.
func (n *needle) bits() int {
	sum := 0
	for i, c := range n.bytes {
		sum += rarity(c, n.mask[i])
	}
	return sum
}

// common lists the bytes of source code, the most frequent first: 20 MB of C, Go and Python.
const common = " etrisn_\na\tocdlufphm)(0,g*.Ebv=;wTI/x-SCy\"RkA:PL1>FND{}2MOG'qHB4V#UX&3W6][8z+5!K%\\Y<|@Qj97Z`?"

// veryRare is the rarity from which on a byte is worth looking for alone. A stop at a byte costs as
// much as comparing 200 others.
const veryRare = 8

// rarity is the negative logarithm to base 2 of how frequent a byte is in source code.
func rarity(c, mask byte) int {
	if mask != 0 { // both cases, of which the lower one is most
		return rarity(c, 0)
	}
	switch i := strings.IndexByte(common, c); {
	case i < 0:
		return 12
	case i == 0:
		return 3
	case i < 3:
		return 4
	case i < 12:
		return 5
	case i < 20:
		return 6
	case i < 46:
		return 7
	case i < 62:
		return 8
	case i < 76:
		return 9
	}
	return 10
}

// fits compares a place of a text with the needle.
func (n *needle) fits(text []byte) bool {
	if len(text) < len(n.bytes) {
		return false
	}
	if n.exact {
		return string(text[:len(n.bytes)]) == string(n.bytes)
	}
	for i, c := range n.bytes {
		if text[i]|n.mask[i] != c {
			return false
		}
	}
	return true
}

// index is the first place of the needle in a text, -1 when there is none.
func (n *needle) index(text []byte) int {
	places := len(text) - len(n.bytes) + 1
	if n.rare {
		return n.indexRare(text, places)
	}
	for at := 0; at < places; at++ {
		if at = n.pair(text, at, places); at < places && n.fits(text[at:]) {
			return at
		}
	}
	return -1
}

// indexRare goes from one occurrence of the rarest byte to the next.
func (n *needle) indexRare(text []byte, places int) int {
	for at := 0; at < places; at++ {
		i := bytes.IndexByte(text[at+n.a:places+n.a], n.bytes[n.a])
		if i < 0 {
			return -1
		}
		if at += i; n.fits(text[at:]) {
			return at
		}
	}
	return -1
}

// The lowest and the highest bit of every byte of a word.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// zeros marks the bytes of a word that are zero with their highest bit. Bytes above a zero may be
// marked too, but a word without zero has no mark.
func zeros(x uint64) uint64 { return (x - lowBits) &^ x & highBits }

// pairByWord looks for the two rarest bytes at eight places with one step. It returns the first
// place where both may be, or the end.
func (n *needle) pairByWord(text []byte, at, places int) int {
	p, q := text[n.a:n.a+places], text[n.b:n.b+places]
	a, b := uint64(n.bytes[n.a])*lowBits, uint64(n.bytes[n.b])*lowBits
	maskA, maskB := uint64(n.mask[n.a])*lowBits, uint64(n.mask[n.b])*lowBits
	for ; at+8 <= places; at += 8 {
		x := (binary.LittleEndian.Uint64(p[at:]) | maskA) ^ a | (binary.LittleEndian.Uint64(q[at:]) | maskB) ^ b
		if marks := zeros(x); marks != 0 {
			return at + bits.TrailingZeros64(marks)>>3
		}
	}
	for ; at < places; at++ {
		if p[at]|n.mask[n.a] == n.bytes[n.a] && q[at]|n.mask[n.b] == n.bytes[n.b] {
			return at
		}
	}
	return places
}

// finder finds the first of several needles.
type finder struct {
	needles []needle
	found   []int // next place of each in the text, none when there is none, -1 when not looked for
}

const none = int(^uint(0) >> 1)

// reset is called for each new text.
func (f *finder) reset() {
	if f.found == nil {
		f.found = make([]int, len(f.needles))
	}
	for i := range f.found {
		f.found[i] = -1
	}
}

// next is the first place at or after a place, and the needle that is there; -1 when there is none.
func (f *finder) next(text []byte, at int) (int, *needle) {
	best, which := none, 0
	for i := range f.needles {
		if f.found[i] < at {
			f.found[i] = none
			if n := f.needles[i].index(text[at:]); n >= 0 {
				f.found[i] = at + n
			}
		}
		if f.found[i] < best {
			best, which = f.found[i], i
		}
	}
	if best == none {
		return -1, nil
	}
	return best, &f.needles[which]
}
