package config

import (
	"strconv"
	"strings"
)

// nearest finds the known key that was probably meant by an unknown one: the closest name at the
// same place, else a key elsewhere whose last name is the same.
func nearest(known []key, path []string) string {
	above, name := path[:len(path)-1], path[len(path)-1]
	best, least := "", len(name)/3+2
	for _, k := range known {
		if _, below := k.match(above); !below {
			continue
		}
		candidate := k.path[len(above)]
		if d := distance(strings.ToLower(name), strings.ToLower(candidate)); candidate != "*" && d < least {
			best, least = dotted(join(above), candidate), d
		}
	}
	if best != "" {
		return best
	}
	for _, k := range known {
		if strings.EqualFold(k.path[len(k.path)-1], name) {
			return strings.Replace(join(k.path), `"*"`, `"<id>"`, 1)
		}
	}
	return ""
}

// distance counts the insertions, deletions, replacements and swaps of neighbours that make b of a.
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

// dotted adds a name to a dotted key, in quotes where it is no plain word.
func dotted(key, name string) string {
	plain := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") == ""
	if !plain {
		name = strconv.Quote(name)
	}
	if key == "" {
		return name
	}
	return key + "." + name
}

func join(path []string) string {
	out := ""
	for _, name := range path {
		out = dotted(out, name)
	}
	return out
}

// shorten makes a value fit for a message.
func shorten(s string) string {
	const most = 60
	r := []rune(s)
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
