package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// cutRoom is more characters than the notice of a cut has.
const cutRoom = 160

// fit cuts a text that is still over its own limit after the wraps: its first and last part stay,
// with a notice between them.
func (o Output) fit() Output {
	lead, body := o.Text[:o.Lead], o.Text[o.Lead:]
	if o.Whole || o.Limit <= 0 || utf8.RuneCountInString(body) <= o.Limit {
		return o
	}
	half := max(1, (o.Limit-cutRoom-utf8.RuneCountInString(lead))/2)
	first, last := Ends(body, half, half)
	gone := body[len(first) : len(body)-len(last)]
	o.Text = fmt.Sprintf("%s%s\n[… truncated: %d lines, %d characters left out of %d; ask for less at a time …]\n%s", lead,
		strings.TrimSuffix(first, "\n"), strings.Count(gone, "\n"), utf8.RuneCountInString(gone), utf8.RuneCountInString(body), last)
	return o
}

// Ends are the beginning and the end of a text, at most so many characters each, which do not
// overlap. Where the end of a line is near, within a quarter, the cut is there.
func Ends(text string, head, tail int) (first, last string) {
	at := 0
	for ; head > 0 && at < len(text); head-- {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	first = text[:at]
	if i := strings.LastIndexByte(first, '\n') + 1; at < len(text) && i > at*3/4 {
		first = first[:i]
	}
	rest := text[len(first):]
	at = len(rest)
	for ; tail > 0 && at > 0; tail-- {
		_, n := utf8.DecodeLastRuneInString(rest[:at])
		at -= n
	}
	last = rest[at:]
	if i := strings.IndexByte(last, '\n') + 1; at > 0 && i > 0 && i < len(last)/4 {
		last = last[i:]
	}
	return first, last
}
