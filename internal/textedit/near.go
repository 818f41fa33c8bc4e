package textedit

import "strings"

// Bounds on the search for a line that is like the one looked for: it only serves a message.
const (
	nearLines  = 50_000
	nearLength = 300  // bytes of a line that are compared
	nearEnough = 0.45 // share of letter pairs in common
)

// notFound makes the error, with the line that is most like the first line of old that says
// something.
func notFound(text, old string) error {
	e := &NotFoundError{}
	want := ""
	for line := range strings.Lines(old) {
		if want = squeeze(line); len(want) > 2 {
			break
		}
	}
	if len(want) <= 2 {
		return e
	}
	pairs := pairsOf(want)
	best, n := nearEnough, 0
	for line := range strings.Lines(text) {
		if n++; n > nearLines {
			break
		}
		if got := likeness(pairs, len(want), squeeze(line)); got > best {
			best, e.Near, e.NearText = got, n, strings.TrimRight(line, "\r\n")
		}
	}
	return e
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
