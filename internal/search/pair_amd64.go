package search

import "golang.org/x/sys/cpu"

// pairAVX2 is the first place at which the bytes of first and second, with the bits of their masks
// set, are a and b; -1 when there is none. It looks at 64 places with one step; places is a
// multiple of that.
//
//go:noescape
func pairAVX2(first, second *byte, places int, a, b, maskA, maskB byte) int

// blockSize is how many places are looked at with one step.
const blockSize = 64

// pair looks for the two rarest bytes of the needle, in whole blocks from a place on. It returns the
// first place where both are, or where the blocks end.
func (n *needle) pair(text []byte, at, places int) int {
	whole := (places - at) &^ (blockSize - 1)
	if whole == 0 || !cpu.X86.HasAVX2 {
		return n.pairByWord(text, at, places)
	}
	found := pairAVX2(&text[at+n.a], &text[at+n.b], whole, n.bytes[n.a], n.bytes[n.b], n.mask[n.a], n.mask[n.b])
	if found < 0 {
		return at + whole
	}
	return at + found
}
