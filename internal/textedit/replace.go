// Package textedit finds and replaces a quoted piece of text in a file's text, puts the change into
// the file's bytes, compares two texts and merges two changes of one. It works in memory; it opens
// no file and knows no tool.
//
// Replace looks in three steps, each only when the one before found nothing:
//
//	as written ─► characters folded, blanks at line ends ignored ─► line numbers taken off, then both again
//
// What is found is always a span of the original bytes; bytes outside it never change.
package textedit

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of Replace. They are returned as they are; NotFoundError and AmbiguousError carry more.
var (
	ErrEmptyOld = errors.New("the text to replace is empty")
	ErrNoChange = errors.New("the replacement changes nothing: old and new text are the same")
)

// NotFoundError says that the text is not in the file. Near are the lines of the file that were
// probably meant, the likeliest first, at most maxNear.
type NotFoundError struct{ Near []Line }

// Line is a line of a file: its number, from 1, and its text without line end.
type Line struct {
	Number int
	Text   string
}

func (e *NotFoundError) Error() string { return "the text is not in the file" }

// AmbiguousError says that the text is in the file more than once. Lines are the lines (from 1) on
// which each place begins, the first maxLines of them.
type AmbiguousError struct {
	Count int
	Lines []int
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the text is in the file %d times", e.Count)
}

// maxLines bounds AmbiguousError.Lines.
const maxLines = 20

// Replacement is what Replace made.
type Replacement struct {
	Text  string // the whole new text
	Edits []Edit // what was replaced, in order
	Line  int    // the line (from 1) of the first place
}

// Edit puts New in the place of the bytes from From to To of a text.
type Edit struct {
	From, To int
	New      string
}

// Replace replaces the one place where old stands in text; with all every place, without overlap,
// and then only as written. The new text is inserted as it is, but its line ends become those of
// the place it goes to. Replace never guesses: two places, or none, are an error.
func Replace(text, old, repl string, all bool) (Replacement, error) {
	if old == "" {
		return Replacement{}, ErrEmptyOld
	}
	if old == repl {
		return Replacement{}, ErrNoChange
	}
	if all {
		return replaceAll(text, old, repl)
	}
	at, err := locate(text, old)
	if notFound := (*NotFoundError)(nil); errors.As(err, &notFound) {
		bare, bareRepl, ok := stripBoth(old, repl)
		if !ok || bare == "" {
			return Replacement{}, err
		}
		var again error
		if at, again = locate(text, bare); again != nil || !startsLine(text, at.from) {
			return Replacement{}, err
		}
		repl, err = bareRepl, nil
	}
	if err != nil {
		return Replacement{}, err
	}
	return splice(text, repl, []span{at})
}

// span is a piece of a text, in bytes.
type span struct{ from, to int }

// locate finds the one place of old.
func locate(text, old string) (span, error) {
	found := exact(text, old)
	if len(found) == 0 {
		found = folded(text, old)
	}
	switch len(found) {
	case 0:
		return span{}, notFound(text, old)
	case 1:
		return wholeEnd(text, found[0], 0), nil
	}
	return span{}, ambiguous(text, found)
}

// wholeEnd makes a place that begins within a CRLF begin before it: half of a line end must not stay
// behind. It does not reach before a place that is taken already.
func wholeEnd(text string, s span, taken int) span {
	if s.from > taken && text[s.from-1] == '\r' && text[s.from] == '\n' {
		s.from--
	}
	return s
}

// exact finds all places of old as written, overlapping ones too. When there is none, line ends may
// differ from the file's.
func exact(text, old string) []span {
	found := occurrences(text, old)
	if len(found) > 0 || !strings.Contains(old, "\n") {
		return found
	}
	lf := toLF(old)
	if lineEnd(text) == "\r" {
		return occurrences(text, strings.ReplaceAll(lf, "\n", "\r"))
	}
	if found = occurrences(text, toCRLF(lf)); len(found) == 0 && lf != old {
		found = occurrences(text, lf)
	}
	return found
}

// occurrences finds all places, overlapping ones too.
func occurrences(text, old string) []span {
	var found []span
	for from := 0; ; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			return found
		}
		found = append(found, span{from + i, from + i + len(old)})
		from += i + 1
	}
}

func replaceAll(text, old, repl string) (Replacement, error) {
	var apart []span
	taken := 0
	for _, s := range exact(text, old) {
		if s.from >= taken {
			apart = append(apart, wholeEnd(text, s, taken))
			taken = s.to
		}
	}
	if len(apart) == 0 {
		return Replacement{}, notFound(text, old)
	}
	return splice(text, repl, apart)
}

// splice puts repl in the place of each span, with the line ends of what was there, or else of the
// whole text.
func splice(text, repl string, spans []span) (Replacement, error) {
	major := lineEnd(text)
	edits := make([]Edit, len(spans))
	changes := false
	for i, s := range spans {
		end := lineEnd(text[s.from:s.to])
		if end == "" || end == "\r" {
			end = major
		}
		edits[i] = Edit{From: s.from, To: s.to, New: withLineEnd(repl, end)}
		changes = changes || edits[i].New != text[s.from:s.to]
	}
	if !changes {
		return Replacement{}, ErrNoChange
	}
	return Replacement{Text: apply(text, edits), Edits: edits, Line: lineOf(text, spans[0].from)}, nil
}

// apply makes the new text. The edits are in order and do not overlap.
func apply(text string, edits []Edit) string {
	var b strings.Builder
	done := 0
	for _, e := range edits {
		b.WriteString(text[done:e.From])
		b.WriteString(e.New)
		done = e.To
	}
	b.WriteString(text[done:])
	return b.String()
}

func ambiguous(text string, found []span) error {
	e := &AmbiguousError{Count: len(found)}
	line, done, end := 1, 0, lineFeed(text)
	for _, s := range found[:min(len(found), maxLines)] {
		line += strings.Count(text[done:s.from], end)
		done = s.from
		e.Lines = append(e.Lines, line)
	}
	return e
}

func lineOf(text string, at int) int { return 1 + strings.Count(text[:at], lineFeed(text)) }

// lineFeed is the character that ends the lines of a text: a carriage return in files of the classic
// Mac, which have no line feed at all; elsewhere a carriage return alone is data.
func lineFeed(text string) string {
	if lineEnd(text) == "\r" {
		return "\r"
	}
	return "\n"
}

// startsLine reports whether only blanks stand before a place on its line.
func startsLine(text string, at int) bool {
	return strings.TrimLeft(text[strings.LastIndex(text[:at], lineFeed(text))+1:at], " \t") == ""
}

// lineEnd is the more frequent line end of a text; "" when it has none.
func lineEnd(text string) string {
	all, crlf := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	switch {
	case all == 0 && strings.Contains(text, "\r"):
		return "\r"
	case all == 0:
		return ""
	case 2*crlf >= all:
		return "\r\n"
	}
	return "\n"
}

func withLineEnd(s, end string) string {
	switch end {
	case "\r\n":
		return toCRLF(toLF(s))
	case "\n":
		return toLF(s)
	case "\r":
		return strings.ReplaceAll(toLF(s), "\n", "\r")
	}
	return s
}

func toLF(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func toCRLF(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
