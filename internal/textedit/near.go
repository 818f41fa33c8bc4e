package textedit

import (
	"slices"
	"strings"
)

// Bounds on the search for a line that is like the one looked for: it only serves a message.
const (
	nearLines  = 50_000
	nearLength = 300  // bytes of a line that are compared
	nearEnough = 0.45 // share of letter pairs in common
	maxNear    = 3    // lines that are named
)

// notFound makes the error, with the lines that are most like the first line of old that says
// something. When one is the same, the first line behind it that differs is what was meant.
func notFound(text, old string) error {
	e := &NotFoundError{}
	wanted := strings.Split(strings.TrimSuffix(toLF(old), "\n"), "\n")
	skip := 0
	for skip < len(wanted) && len(squeeze(wanted[skip])) <= 2 {
		skip++
	}
	if skip == len(wanted) {
		return e
	}
	want := squeeze(wanted[skip])
	var best []candidate
	lines := strings.Split(text, lineFeed(text))
	pairs := pairsOf(want)
	for i, line := range lines[:min(len(lines), nearLines)] {
		if got := likeness(pairs, len(want), squeeze(line)); got > nearEnough {
			best = insert(best, candidate{at: i, likeness: got})
		}
	}
	for _, c := range best {
		at := differing(lines, c.at, wanted[skip:])
		e.Near = append(e.Near, Line{Number: at + 1, Text: strings.TrimSuffix(lines[at], "\r")})
	}
	return e
}

// candidate is a line that is like the one looked for.
type candidate struct {
	at       int
	likeness float64
}

// insert keeps the best candidates in order; of equals the first stands first.
func insert(best []candidate, c candidate) []candidate {
	i := len(best)
	for i > 0 && best[i-1].likeness < c.likeness {
		i--
	}
	best = slices.Insert(best, i, c)
	return best[:min(len(best), maxNear)]
}

// differing is the first line from at on that is not as wanted, at itself when all are.
func differing(lines []string, at int, wanted []string) int {
	for i, want := range wanted {
		if at+i >= len(lines) {
			break
		}
		if strings.TrimSuffix(lines[at+i], "\r") != want {
			return at + i
		}
	}
	return at
}

// squeeze drops all blanks of the compared part of a line.
func squeeze(line string) string {
	if len(line) > nearLength {
		line = line[:nearLength]
	}
	return strings.Join(strings.Fields(line), "")
}

func pairsOf(s string) map[string]int {
	pairs := make(map[string]int, len(s))
	for i := 0; i+2 <= len(s); i++ {
		pairs[s[i:i+2]]++
	}
	return pairs
}

// likeness is the Dice coefficient of byte pairs, 1 for equal lines.
func likeness(pairs map[string]int, length int, line string) float64 {
	if len(line) < 2 || len(line) > 3*length || length > 3*len(line) {
		return 0
	}
	seen := make(map[string]int, len(line))
	common := 0
	for i := 0; i+2 <= len(line); i++ {
		p := line[i : i+2]
		if seen[p] < pairs[p] {
			seen[p]++
			common++
		}
	}
	return 2 * float64(common) / float64(length-1+len(line)-1)
}
