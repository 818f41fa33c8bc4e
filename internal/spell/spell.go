// Package spell finds the name that was probably meant by a misspelled one. It knows no names of its
// own.
package spell

import "strings"

// Nearest is the known name that takes the fewest changes to get from name, if they are at most most;
// of several, the one whose length is nearest. It is "" when none is near. Case does not count.
func Nearest(name string, known []string, most int) string {
	best, least, off := "", most+1, 0
	for _, k := range known {
		d := distance(strings.ToLower(name), strings.ToLower(k))
		far := max(len(k)-len(name), len(name)-len(k))
		if d < least || d == least && best != "" && far < off {
			best, least, off = k, d, far
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with their neighbour.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
