package textedit

import (
	"bytes"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldedText is a text with its characters folded: compatibility forms (NFKC), typographic quotes,
// dashes and spaces as their plain ones, no blanks at line ends. Where folding changed something, a
// patch says what; everywhere else bytes are equal.
type foldedText struct {
	text    string
	patches []patch // in order, not overlapping
}

// patch says that the bytes to of the folded text stand for the bytes from of the original.
type patch struct{ from, to span }

// folded finds the places of old when both are folded. A place that would begin or end inside what
// was one character is none.
func folded(text, old string) []span {
	needle := fold(old).text
	if strings.TrimSpace(needle) == "" {
		return nil
	}
	f := fold(text)
	var found []span
	for _, s := range occurrences(f.text, needle) {
		from, okFrom := f.source(s.from, true)
		to, okTo := f.source(s.to, false)
		if okFrom && okTo {
			found = append(found, span{from, to})
		}
	}
	return found
}

// source is the place in the original of a place in the folded text. Blanks that were dropped there
// lie before the place when it begins something, behind it when it ends something, so that they
// stay out of the span. It is false inside a folded character.
func (f *foldedText) source(at int, begins bool) (int, bool) {
	i := sort.Search(len(f.patches), func(i int) bool { return f.patches[i].to.to > at })
	if !begins { // a dropped run at this place is behind it
		for i > 0 && f.patches[i-1].to == (span{at, at}) {
			i--
		}
	}
	if i < len(f.patches) && f.patches[i].to.from < at && at < f.patches[i].to.to {
		return 0, false
	}
	if i == 0 {
		return at, true
	}
	last := f.patches[i-1]
	return last.from.to + at - last.to.to, true
}

// folder writes a foldedText.
type folder struct {
	out     []byte
	patches []patch
}

func fold(text string) *foldedText {
	f := &folder{out: make([]byte, 0, len(text))}
	for at := 0; at < len(text); {
		end, next := len(text), len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		f.line(text, span{at, end})
		f.out = append(f.out, text[end:next]...)
		at = next
	}
	return &foldedText{text: string(f.out), patches: f.patches}
}

// line folds one line without its line feed.
func (f *folder) line(text string, l span) {
	begin, before := len(f.out), len(f.patches)
	if isASCII(text[l.from:l.to]) {
		f.out = append(f.out, text[l.from:l.to]...)
	} else {
		f.characters(text, l)
	}
	f.trim(begin, before, l.to)
}

// characters folds a line that is not plain ASCII, one normalisation segment after the other.
func (f *folder) characters(text string, l span) {
	var it norm.Iter
	it.InitString(norm.NFKC, text[l.from:l.to])
	for pos := 0; !it.Done(); {
		piece := string(it.Next())
		// A character that expands comes in pieces while the position stands still.
		for it.Pos() == pos && !it.Done() {
			piece += string(it.Next())
		}
		from := span{l.from + pos, l.from + it.Pos()}
		pos = it.Pos()
		f.write(text, from, strings.Map(plain, piece))
	}
}

// write adds a folded piece, with a patch when it differs from what it stands for.
func (f *folder) write(text string, from span, piece string) {
	at := len(f.out)
	f.out = append(f.out, piece...)
	if text[from.from:from.to] != piece {
		f.patches = append(f.patches, patch{from: from, to: span{at, at + len(piece)}})
	}
}

// trim drops the blanks at the end of the line that begins at begin in the output; before is the
// number of patches there were, end where the line ends in the original.
func (f *folder) trim(begin, before, end int) {
	kept := begin + len(bytes.TrimRightFunc(f.out[begin:], unicode.IsSpace))
	if n := len(f.patches); n > before && f.patches[n-1].to.from < kept && kept < f.patches[n-1].to.to {
		kept = f.patches[n-1].to.to // a character that folds to text ending in a blank stays whole
	}
	if kept == len(f.out) {
		return
	}
	dropped := len(f.out) - kept
	for len(f.patches) > before && f.patches[len(f.patches)-1].to.from >= kept {
		last := f.patches[len(f.patches)-1]
		dropped += (last.from.to - last.from.from) - (last.to.to - last.to.from)
		f.patches = f.patches[:len(f.patches)-1]
	}
	f.out = f.out[:kept]
	f.patches = append(f.patches, patch{from: span{end - dropped, end}, to: span{kept, kept}})
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// plain maps typographic characters to those that are typed.
func plain(r rune) rune {
	switch {
	case r >= 0x2018 && r <= 0x201B:
		return '\''
	case r >= 0x201C && r <= 0x201F:
		return '"'
	case r >= 0x2010 && r <= 0x2015, r == 0x2212:
		return '-'
	case r == 0x00A0, r == 0x202F, r == 0x205F, r == 0x3000, r >= 0x2002 && r <= 0x200A:
		return ' '
	}
	return r
}
