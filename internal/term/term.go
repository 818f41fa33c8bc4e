// Package term is what a front end in a terminal needs and a front end without one does not: keys
// out of bytes, a line editor, the width of text in cells, a region below the output that is redrawn
// in place, and raw mode that is undone on every way out.
//
//	bytes ─► Decoder ─► Key ─► Editor ─► Layout ─► Region ─► bytes
//
// It knows nothing of conversations and has no words for people.
package term

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Width is how many cells a text takes that holds neither newlines nor tabs nor control characters.
// Characters whose width is ambiguous count as one cell.
func Width(s string) int { return displaywidth.String(s) }

// clusters calls f for each grapheme cluster of a text, with its width in cells, until f says no.
func clusters(s string, f func(cluster string, width int) bool) {
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		if !f(g.Value(), g.Width()) {
			return
		}
	}
}

// Cut shortens a text to a number of cells; what was cut is marked by tail, which counts too.
func Cut(s string, cells int, tail string) string {
	if Width(s) <= cells {
		return s
	}
	room := cells - Width(tail)
	var b strings.Builder
	clusters(s, func(c string, w int) bool {
		room -= w
		if room >= 0 {
			b.WriteString(c)
		}
		return room >= 0
	})
	if Width(tail) <= cells {
		b.WriteString(tail)
	}
	return b.String()
}

// tabStop is where a tab goes: to the next multiple of as many cells.
const tabStop = 8

// spread replaces tabs by spaces, for a text that begins in column col of its line. It returns the
// column behind the text too.
func spread(s string, col int) (string, int) {
	if !strings.ContainsRune(s, '\t') {
		if i := strings.LastIndexByte(s, '\n'); i >= 0 {
			col, s2 := 0, s[i+1:]
			return s, col + Width(s2)
		}
		return s, col + Width(s)
	}
	var b strings.Builder
	for piece := range strings.SplitAfterSeq(s, "\n") {
		for i, part := range strings.Split(piece, "\t") {
			if i > 0 {
				n := tabStop - col%tabStop
				b.WriteString("        "[:n])
				col += n
			}
			b.WriteString(part)
			col += Width(strings.TrimSuffix(part, "\n"))
		}
		if strings.HasSuffix(piece, "\n") {
			col = 0
		}
	}
	return b.String(), col
}
