package repl

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/session"
)

// change is a line of a diff. It is numbered as it is, or, if it goes, as it was.
type change struct {
	n    int
	sign byte // ' ', '+', '-', or '@' between two parts of the file
	text string
	// A line that takes the place of another, or whose place another takes, is paired: from and to
	// bound, in bytes, what differs.
	paired   bool
	from, to int
}

// diff draws a change as lines with numbers, at most so many of them; 0 means all. Of a line that is
// too long for a row, what changed is always shown.
func (l *loop) diff(d *session.Diff, most int) []string {
	all := changes(d.Unified)
	more := 0
	if most > 0 && len(all) > most {
		more = len(all) - most
		all = all[:most]
	}
	digits := 1
	for _, c := range all {
		digits = max(digits, len(strconv.Itoa(c.n)))
	}
	room := 0 // as much as there is
	if l.columns != nil {
		room = max(l.columns()-1-len("    ")-digits-len(" +"), 20)
	}
	var rows []string
	for _, c := range all {
		if c.sign == '@' {
			rows = append(rows, l.styled(dim, strings.Repeat(" ", digits)+" ..."))
			continue
		}
		rows = append(rows, l.change(c, digits, room))
	}
	if more > 0 {
		rows = append(rows, l.styled(dim, l.say(i18n.RunMoreLines, more)))
	}
	return rows
}

// change draws one line.
func (l *loop) change(c change, digits, room int) string {
	number := fmt.Sprintf("%*d ", digits, c.n)
	before, middle, after := c.text[:c.from], c.text[c.from:c.to], c.text[c.to:]
	if room > 0 && term.Width(c.text) > room {
		before, middle, after = l.window(c, room)
	}
	switch c.sign {
	case '+':
		return number + l.marked(green, "+"+before, middle, after)
	case '-':
		return number + l.marked(red, "-"+before, middle, after)
	}
	return number + " " + before + middle + after
}

// marked styles a line, and the part of it that changed.
func (l *loop) marked(sgr, before, middle, after string) string {
	if middle == "" || !l.opts.Color {
		return l.styled(sgr, before+middle+after)
	}
	return "\x1b[" + sgr + "m" + before + "\x1b[1;4m" + middle + "\x1b[22;24m" + after + "\x1b[m"
}

const (
	// around is how many cells beside what changed are shown at least of a line that is too long.
	around = 20
	// longRows is how many rows of a changed line are shown before the rest is counted.
	longRows = 6
)

// window is what is shown of a line that is too long: what changed and a little beside it, or, where
// the whole line is new or gone, its beginning.
func (l *loop) window(c change, room int) (before, middle, after string) {
	before, middle, after = c.text[:c.from], c.text[c.from:c.to], c.text[c.to:]
	if c.sign == ' ' {
		return term.Cut(c.text, room, "..."), "", ""
	}
	if !c.paired {
		return l.cutLong(c.text, room), "", ""
	}
	const dots = "..."
	side := max((room-term.Width(middle))/2-len(dots), around)
	if term.Width(after) > side {
		after = term.Cut(after, side, "") + dots
	}
	if over := term.Width(before) - side; over > 0 {
		before = dots + before[len(term.Cut(before, over, "")):]
	}
	return before, l.cutLong(middle, room), after
}

// cutLong cuts a text of many rows and says by how much.
func (l *loop) cutLong(text string, room int) string {
	head := term.Cut(text, longRows*room, "")
	if len(head) == len(text) {
		return text
	}
	return head + l.say(i18n.AskMoreChars, utf8.RuneCountInString(text[len(head):]))
}

// changes reads the hunks of a diff.
func changes(unified string) []change {
	var all []change
	was, is := 1, 1
	for _, line := range strings.Split(strings.TrimRight(unified, "\n"), "\n") {
		if line == "" {
			line = " "
		}
		text := visible(strings.TrimSuffix(line[1:], "\r"))
		switch line[0] {
		case '@':
			was, is = hunk(line)
			if len(all) > 0 {
				all = append(all, change{sign: '@'})
			}
		case '-':
			all = append(all, change{n: was, sign: '-', text: text})
			was++
		case '+':
			all = append(all, change{n: is, sign: '+', text: text})
			is++
		case ' ':
			all = append(all, change{n: is, sign: ' ', text: text})
			was++
			is++
		}
	}
	compare(all)
	return all
}

// hunk reads where a part of the file begins, from its head `@@ -1,3 +1,4 @@`.
func hunk(head string) (was, is int) {
	was, is = 1, 1
	parts := strings.Fields(head)
	for _, word := range parts[:min(len(parts), 3)] {
		first, _, _ := strings.Cut(word, ",")
		n, err := strconv.Atoi(strings.TrimLeft(first, "+-"))
		switch {
		case err != nil:
		case word[0] == '-':
			was = n
		case word[0] == '+':
			is = n
		}
	}
	return was, is
}

// compare finds what changed in lines that take the place of others: in a run of lines that go and a
// run of as many that come, line by line.
func compare(all []change) {
	for i := 0; i < len(all); {
		gone := run(all[i:], '-')
		come := run(all[i+gone:], '+')
		if gone == come {
			for j := range gone {
				pair(&all[i+j], &all[i+gone+j])
			}
		}
		i += max(gone+come, 1)
	}
}

func run(all []change, sign byte) (n int) {
	for n < len(all) && all[n].sign == sign {
		n++
	}
	return n
}

// pair marks what two lines do not have in common at their beginnings and ends.
func pair(a, b *change) {
	x, y := a.text, b.text
	from := 0
	for from < len(x) && from < len(y) && x[from] == y[from] {
		from++
	}
	for from > 0 && (from < len(x) && !utf8.RuneStart(x[from]) || from < len(y) && !utf8.RuneStart(y[from])) {
		from--
	}
	end := 0
	for end < len(x)-from && end < len(y)-from && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	for end > 0 && (!utf8.RuneStart(x[len(x)-end]) || !utf8.RuneStart(y[len(y)-end])) {
		end--
	}
	a.paired, a.from, a.to = true, from, len(x)-end
	b.paired, b.from, b.to = true, from, len(y)-end
}
