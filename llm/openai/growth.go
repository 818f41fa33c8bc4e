package openai

import "strings"

const (
	// sureLength is the length from which one delta that repeats the whole text before it proves
	// that deltas are cumulative. Shorter texts repeat by chance and need a second proof.
	sureLength = 24
	// sureDeltas is the number of deltas after which a repetition of the whole answer is its
	// closing snapshot.
	sureDeltas = 4
)

// growth tells deltas from snapshots: some servers send the whole text so far each time, or once
// more at the end. Equality alone proves nothing, since two equal short deltas can be real.
type growth struct {
	sofar      strings.Builder
	deltas     int
	held       string // may be a snapshot; the next delta tells
	cumulative bool
}

// next takes a delta and returns the text that is new.
func (g *growth) next(d string) string {
	if d == "" {
		return ""
	}
	g.deltas++
	before := g.sofar.String()
	grown := len(d) > len(before) && strings.HasPrefix(d, before)
	switch {
	case g.cumulative && grown:
		return g.add(d[len(before):])
	case g.cumulative && strings.HasPrefix(before, d):
		return ""
	case g.held != "":
		held := g.held
		g.held = ""
		if len(d) > len(held) && strings.HasPrefix(d, held) {
			g.cumulative = true
			return g.add(d[len(before):])
		}
		return g.add(held + d)
	case g.deltas == 2 && grown && len(before) >= sureLength && varied(before):
		g.cumulative = true
		return g.add(d[len(before):])
	case g.deltas == 2 && grown:
		g.held = d
		return ""
	case g.deltas >= sureDeltas && len(d) >= sureLength && d == before && varied(d):
		return ""
	}
	g.cumulative = false
	return g.add(d)
}

// rest returns what is still held at the end: without a further delta, words that begin with the
// whole text before them are a snapshot, white space and single signs are not.
func (g *growth) rest() string {
	held, before := g.held, g.sofar.String()
	g.held = ""
	if held != "" && varied(before) {
		return g.add(held[len(before):])
	}
	return g.add(held)
}

// snapshot takes a text that is known to be the whole and returns what of it is new.
func (g *growth) snapshot(whole string) string {
	pending := g.rest()
	before := g.sofar.String()
	switch {
	case before == "":
		return pending + g.add(whole)
	case strings.HasPrefix(whole, before):
		return pending + g.add(whole[len(before):])
	}
	return pending // another wording of what was streamed
}

func (g *growth) add(s string) string {
	g.sofar.WriteString(s)
	return s
}

// varied reports whether s has three different characters, not counting white space.
func varied(s string) bool {
	var seen [2]rune
	n := 0
	for _, r := range s {
		switch {
		case r == ' ' || r == '\n' || r == '\t' || r == '\r':
		case n > 0 && r == seen[0] || n > 1 && r == seen[1]:
		case n == 2:
			return true
		default:
			seen[n] = r
			n++
		}
	}
	return false
}
