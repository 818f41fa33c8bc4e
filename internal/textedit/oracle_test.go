package textedit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"paicli/internal/charset"
)

// The rules of Replace, read the plain way: what an edit must give.

// places are all places of old, overlapping ones too, found the plain way.
func places(text, old string) (at []int) {
	for i := 0; i+len(old) <= len(text); i++ {
		if text[i:i+len(old)] == old {
			at = append(at, i)
		}
	}
	return at
}

// asWritten finds old as written or with the line ends of the file.
func asWritten(text, old string) (found string, at []int) {
	forms := []string{old}
	if strings.Contains(old, "\n") {
		lf := strings.ReplaceAll(old, "\r\n", "\n")
		forms = append(forms, strings.ReplaceAll(lf, "\n", "\r\n"), lf)
		if feed(text) == "\r" {
			forms = []string{old, strings.ReplaceAll(lf, "\n", "\r")}
		}
	}
	for _, form := range forms {
		if at := places(text, form); len(at) > 0 {
			return form, at
		}
	}
	return old, nil
}

// judge compares an outcome with what the rules say, "" when it is right.
func (e randomized) judge(f sampleFile, out []byte, err error) string {
	text := f.text.Text
	if errors.Is(err, errWrong) {
		return err.Error()
	}
	if e.old == "" {
		return wants(errors.Is(err, ErrEmptyOld), "nothing is found everywhere")
	}
	if e.old == e.repl {
		return wants(errors.Is(err, ErrNoChange), "the same text is no change")
	}
	form, at := asWritten(text, e.old)
	switch {
	case e.all && len(at) > 0:
		return e.judgeAll(f, form, out, err)
	case len(at) > 1:
		return judgeAmbiguous(text, at, err)
	case len(at) == 1:
		return e.judgeOne(f, e.repl, [][2]int{whole(text, at[0], len(form))}, out, err)
	}
	if n := len(places(folds(text), folds(e.old))); e.all || strings.TrimSpace(folds(e.old)) == "" || n == 0 {
		return e.judgeMissing(f, out, err)
	} else if n > 1 && err != nil || e.mode == "half" {
		return "" // a match may be half a character; run has seen to it that no such was replaced
	}
	return e.judgeOne(f, e.repl, e.folded(text), out, err)
}

// folded is the place of a folded match: without the blanks at the end of its last line, and
// without those of a line that ends before it.
func (e randomized) folded(text string) [][2]int {
	blank := func(r rune) bool { return unicode.IsSpace(r) && r != '\n' }
	j := e.i + len(strings.TrimRightFunc(text[e.i:e.j], blank))
	i := e.j - len(strings.TrimLeftFunc(text[e.i:e.j], blank))
	if i >= len(text) || text[i] != '\n' {
		i = e.i
	}
	return [][2]int{whole(text, i, j-i)}
}

// judgeMissing: what is not in the text must be refused, unless it has line numbers and is there
// without.
func (e randomized) judgeMissing(f sampleFile, out []byte, err error) string {
	var missing *NotFoundError
	bare, numbered := unnumbered(e.old)
	if e.all || !numbered {
		return wants(errors.As(err, &missing), "what is not there must not be found")
	}
	repl := e.repl
	if b, ok := unnumbered(repl); ok {
		repl = b
	}
	text := f.text.Text
	form, at := asWritten(text, bare)
	if len(at) == 1 {
		at := [][2]int{whole(text, at[0], len(form))}
		return e.judgeBare(f, repl, at, out, err)
	}
	if len(at) == 0 && len(places(folds(text), folds(bare))) == 1 && strings.TrimSpace(folds(bare)) != "" {
		return e.judgeBare(f, repl, e.foldedBare(text, bare), out, err)
	}
	return wants(errors.As(err, &missing), "the first reason must be given")
}

// judgeBare: text that was found without its numbers must stand at the beginning of a line.
func (e randomized) judgeBare(f sampleFile, repl string, at [][2]int, out []byte, err error) string {
	if !beginsLine(f.text.Text, at[0][0]) {
		var missing *NotFoundError
		return wants(errors.As(err, &missing), "the first reason must be given")
	}
	return e.judgeOne(f, repl, at, out, err)
}

// foldedBare is the place of a folded match of text without its numbers. It may be only a part of
// the span that was quoted: a line of the file that begins like one with a number loses that too.
func (e randomized) foldedBare(text, bare string) [][2]int {
	want := folds(bare)
	if folds(asLF(text, text[e.i:e.j])) == want {
		return e.folded(text)
	}
	for i := len(text) - 1; i >= 0; i-- { // the shortest: the last place to begin, the first to end
		for j := i + 1; j <= len(text) && j <= i+3*len(want)+30; j++ {
			if utf8.RuneStart(text[i]) && (j == len(text) || utf8.RuneStart(text[j])) && folds(asLF(text, text[i:j])) == want {
				return [][2]int{whole(text, i, j-i)}
			}
		}
	}
	return [][2]int{{e.i, e.j}}
}

// whole is a place with all of the line end that it begins in.
func whole(text string, at, size int) [2]int {
	if at > 0 && text[at-1:at+1] == "\r\n" {
		return [2]int{at - 1, at + size}
	}
	return [2]int{at, at + size}
}

func beginsLine(text string, at int) bool {
	line := text[strings.LastIndex(text[:at], feed(text))+1 : at]
	return strings.Trim(line, " \t") == ""
}

// unnumbered takes line numbers off, if all lines that are not empty have one.
func unnumbered(s string) (string, bool) {
	lines, any := strings.Split(s, "\n"), false
	for i, l := range lines {
		if strings.Trim(l, "\r") == "" {
			continue
		}
		digits := strings.TrimLeft(strings.TrimLeft(l, " "), "0123456789")
		rest, ok := "", false
		for _, sep := range []string{" | ", "|", "→", "\t"} {
			if !ok {
				rest, ok = strings.CutPrefix(digits, sep)
			}
		}
		if !ok { // a blank line that was trimmed
			rest, ok = strings.CutPrefix(digits, " |")
			ok = ok && strings.Trim(rest, "\r") == ""
		}
		if !ok || len(digits) == len(strings.TrimLeft(l, " ")) {
			return s, false
		}
		lines[i], any = rest, true
	}
	return strings.Join(lines, "\n"), any
}

// judgeOne: the bytes must be the old ones but for one of the places, which holds the new text.
func (e randomized) judgeOne(f sampleFile, repl string, at [][2]int, out []byte, err error) string {
	text := f.text.Text
	for _, p := range at {
		fresh := ended(repl, text[p[0]:p[1]], text)
		head, mid := f.bytes(text[:p[0]], true), f.bytes(fresh, false)
		tail := f.data[len(head)+len(f.bytes(text[p[0]:p[1]], false)):]
		switch {
		case e.mode == "unfit" && !f.holdsAll():
			var unfit *charset.UnfitError
			return wants(errors.As(err, &unfit) && unfit.Char == '\U0001F600', "a character has no place in the encoding")
		case fresh == text[p[0]:p[1]]:
			return wants(errors.Is(err, ErrNoChange), "nothing changes")
		case err == nil && bytes.Equal(out, slices.Concat(head, mid, tail)):
			return ""
		}
	}
	return fmt.Sprintf("the text is there once, at one of %v of %q", at, text)
}

// bytes encodes a piece of the file, nil when it does not fit.
func (f sampleFile) bytes(text string, first bool) []byte {
	if first && f.text.BOM {
		text = "\uFEFF" + text
	}
	out, err := f.text.Encoding.Encode(text)
	if err != nil {
		return nil
	}
	return out
}

// holdsAll knows which encodings have every character.
func (f sampleFile) holdsAll() bool {
	switch f.text.Encoding {
	case charset.UTF8, charset.UTF16LE, charset.UTF16BE, charset.GB18030:
		return true
	}
	return false
}

// ended is new text with the line ends of what was there, or else of the file.
func ended(repl, there, text string) string {
	end := feed(text)
	for _, s := range []string{text, there} {
		if n := strings.Count(s, "\n"); n > 0 {
			end = "\n"
			if 2*strings.Count(s, "\r\n") >= n {
				end = "\r\n"
			}
		}
	}
	if !strings.ContainsAny(text, "\r\n") {
		return repl
	}
	return strings.ReplaceAll(strings.ReplaceAll(repl, "\r\n", "\n"), "\n", end)
}

func judgeAmbiguous(text string, at []int, err error) string {
	var many *AmbiguousError
	if !errors.As(err, &many) || many.Count != len(at) {
		return fmt.Sprintf("the text is there %d times", len(at))
	}
	for n, i := range at[:min(len(at), 20)] {
		if want := 1 + strings.Count(text[:i], feed(text)); many.Lines[n] != want {
			return fmt.Sprintf("place %d is on line %d", n+1, want)
		}
	}
	return ""
}

func (e randomized) judgeAll(f sampleFile, form string, out []byte, err error) string {
	text, done, changed := f.text.Text, 0, false
	var want strings.Builder
	for _, at := range places(text, form) {
		if at < done {
			continue
		}
		p := whole(text, at, len(form))
		p[0] = max(p[0], done)
		fresh := ended(e.repl, text[p[0]:p[1]], text)
		changed = changed || fresh != text[p[0]:p[1]]
		want.WriteString(text[done:p[0]] + fresh)
		done = p[1]
	}
	if !changed {
		return wants(errors.Is(err, ErrNoChange), "no place changes")
	}
	want.WriteString(text[done:])
	return wants(err == nil && bytes.Equal(out, f.bytes(want.String(), true)), "every place must be replaced, from left to right")
}

func wants(ok bool, problem string) string {
	if ok {
		return ""
	}
	return problem
}
