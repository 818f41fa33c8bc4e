// Package boundary keeps texts of others from being taken for something else: for our own tags around
// a tool's result, or for less than they are, because a part of them cannot be seen. It knows how a
// model may read a tag and which characters people do not see; what goes around a result, and what is
// said to people, is others' work.
package boundary

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Removed says what Neutral left out: how many characters, and the first few kinds of them.
type Removed struct {
	Count int
	Kinds []rune
}

// maxKinds bounds Removed.Kinds.
const maxKinds = 5

// Neutral makes a text that holds no tag of a tool's result, in whatever spelling, and nothing that
// cannot be seen. Of a tag only the bracket changes, into &lt; or, when it is another character than
// <, into its number. The work is in proportion to the text.
func Neutral(s string) (string, Removed) {
	edits := find(s, true)
	var gone Removed
	for _, e := range edits {
		gone.add(e.gone)
	}
	return apply(s, edits), gone
}

func (r *Removed) add(c rune) {
	if c == 0 {
		return
	}
	r.Count++
	for _, k := range r.Kinds {
		if k == c {
			return
		}
	}
	if len(r.Kinds) < maxKinds {
		r.Kinds = append(r.Kinds, c)
	}
}

// Written is what of a text somebody meant who quotes its neutral form. ok is false when the neutral
// form is no other, or holds the quotation not exactly once.
func Written(s, quote string) (written string, ok bool) {
	edits := find(s, true)
	if len(edits) == 0 || quote == "" {
		return "", false
	}
	neutral := apply(s, edits)
	at := strings.Index(neutral, quote)
	if at < 0 || strings.Contains(neutral[at+1:], quote) {
		return "", false
	}
	from, okFrom := source(edits, at, true)
	to, okTo := source(edits, at+len(quote), false)
	if !okFrom || !okTo || from > to {
		return "", false
	}
	return s[from:to], true
}

// Restore gives the tags of a text that was quoted from a neutral form their brackets back.
func Restore(s string) string {
	var out strings.Builder
	rest := s
	for {
		i := strings.IndexByte(rest, '&')
		if i < 0 {
			break
		}
		bracket, size := escaped(rest[i:])
		if size == 0 || !tag(rest[i+size:]) {
			out.WriteString(rest[:i+1])
			rest = rest[i+1:]
			continue
		}
		out.WriteString(rest[:i])
		out.WriteRune(bracket)
		rest = rest[i+size:]
	}
	if out.Len() == 0 {
		return s
	}
	return out.String() + rest
}

// escaped is the bracket whose escape a text begins with.
func escaped(s string) (bracket rune, size int) {
	const plain = "&lt;"
	if strings.HasPrefix(s, plain) {
		return '<', len(plain)
	}
	var n rune
	if _, err := fmt.Sscanf(s[:min(len(s), len("&#xFFFF;"))], "&#x%X;", &n); err != nil || !opens(n) || n == '<' || !strings.HasPrefix(s, escape(n)) {
		return 0, 0
	}
	return n, len(escape(n))
}

func escape(bracket rune) string {
	if bracket == '<' {
		return "&lt;"
	}
	return fmt.Sprintf("&#x%X;", bracket)
}

// edit puts to in the place of the bytes from ≤ i < end.
type edit struct {
	from, end int
	to        string
	gone      rune // a character that cannot be seen; 0 for a bracket
}

// find lists what has to change in a text, brackets only when asked for.
func find(s string, brackets bool) []edit {
	var edits []edit
	var eye sight
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c == '<' && brackets && tag(s[i+1:]) {
				edits = append(edits, edit{from: i, end: i + 1, to: escape('<')})
			}
			eye = sight{before: rune(c)}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == blackFlag {
			size = max(size, flag(s[i:]))
		}
		switch {
		case eye.hides(r):
			edits = append(edits, edit{from: i, end: i + size, gone: r})
		case brackets && opens(r) && tag(s[i+size:]):
			edits = append(edits, edit{from: i, end: i + size, to: escape(r)})
		}
		i += size
	}
	return edits
}

func apply(s string, edits []edit) string {
	if len(edits) == 0 {
		return s
	}
	var out strings.Builder
	done := 0
	for _, e := range edits {
		out.WriteString(s[done:e.from])
		out.WriteString(e.to)
		done = e.end
	}
	out.WriteString(s[done:])
	return out.String()
}

// source is the place in the original of a place in the edited text, false inside of what was put in.
// What was left out at the place itself stays out of the span that begins or ends there.
func source(edits []edit, at int, begins bool) (int, bool) {
	shift := 0
	for _, e := range edits {
		start := e.from + shift
		if at < start || at == start && (!begins || e.to != "") {
			break
		}
		if at < start+len(e.to) {
			return 0, false
		}
		shift += len(e.to) - (e.end - e.from)
	}
	return at - shift, true
}
