// Package textedit finds and replaces a quoted piece of text in a file's text, compares two texts,
// and tells text from other bytes. It works on strings in memory; it opens no file and knows no
// tool.
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

// NotFoundError says that the text is not in the file.
type NotFoundError struct {
	Near     int    // the line (from 1) that is most like the first line looked for; 0 = none is like it
	NearText string // its text
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
	Count int    // how many places were replaced
	Line  int    // the line (from 1) of the first one
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
		if !ok {
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
		return found[0], nil
	}
	return span{}, ambiguous(text, found)
}

// exact finds all places of old as written, overlapping ones too. When there is none, line ends may
// differ from the file's.
func exact(text, old string) []span {
	found := occurrences(text, old)
	if len(found) > 0 || !strings.Contains(old, "\n") {
		return found
	}
	lf := toLF(old)
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
	for _, s := range exact(text, old) {
		if len(apart) == 0 || s.from >= apart[len(apart)-1].to {
			apart = append(apart, s)
		}
	}
	if len(apart) == 0 {
		return Replacement{}, notFound(text, old)
	}
	return splice(text, repl, apart)
}

// splice puts repl in the place of each span.
func splice(text, repl string, spans []span) (Replacement, error) {
	major := lineEnd(text)
	var b strings.Builder
	b.Grow(len(text) + len(spans)*len(repl))
	done := 0
	for _, s := range spans {
		end := lineEnd(text[s.from:s.to])
		if end == "" {
			end = major
		}
		b.WriteString(text[done:s.from])
		b.WriteString(withLineEnd(repl, end))
		done = s.to
	}
	b.WriteString(text[done:])
	if b.String() == text {
		return Replacement{}, ErrNoChange
	}
	return Replacement{Text: b.String(), Count: len(spans), Line: lineOf(text, spans[0].from)}, nil
}

func ambiguous(text string, found []span) error {
	e := &AmbiguousError{Count: len(found)}
	line, done := 1, 0
	for _, s := range found[:min(len(found), maxLines)] {
		line += strings.Count(text[done:s.from], "\n")
		done = s.from
		e.Lines = append(e.Lines, line)
	}
	return e
}

func lineOf(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// startsLine reports whether only blanks stand before a place on its line.
func startsLine(text string, at int) bool {
	return strings.TrimLeft(text[strings.LastIndexByte(text[:at], '\n')+1:at], " \t") == ""
}

// lineEnd is the more frequent line end of a text; "" when it has none.
func lineEnd(text string) string {
	all, crlf := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	switch {
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
	}
	return s
}

func toLF(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func toCRLF(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
