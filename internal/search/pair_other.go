//go:build !amd64

package search

// pair looks for the two rarest bytes of the needle, from a place on. It returns the first place
// where both may be, or where it stopped looking.
func (n *needle) pair(text []byte, at, places int) int { return n.pairByWord(text, at, places) }
