package textedit

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// edits is how many random edits are made: PAICLI_FULL=1 makes all of them.
func edits() int {
	if os.Getenv("PAICLI_FULL") == "1" {
		return 20_000
	}
	return 2000
}

// seed is that of the random edits: always the same, unless PAICLI_SEED is another number.
func seed(t *testing.T) uint64 {
	t.Helper()
	given := os.Getenv("PAICLI_SEED")
	if given == "" {
		return 8
	}
	n, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestNoByteIsLost makes random edits in files of all encodings and compares the bytes outside of
// the place. What is expected comes from a plain reading of the rules that shares no code with
// Replace: where the text is found once it must be replaced there and nowhere else; otherwise it
// must be refused for the right reason.
func TestNoByteIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, seed(t)))
	files := corpus(t)
	made, refused := 0, 0
	for range edits() {
		f := files[rng.IntN(len(files))]
		e := randomEdit(rng, f)
		out, err := run(f, e)
		if problem := e.judge(f, out, err); problem != "" {
			t.Fatalf("%s: %s\nedit %+v\ngot %q, %v", f.name, problem, e, out, err)
		}
		if err == nil {
			made++
		} else {
			refused++
		}
	}
	t.Logf("%d edits made, %d refused, in %d files: 0 bytes differ outside", made, refused, len(files))
	if made < edits()/3 {
		t.Errorf("only %d edits were made", made)
	}
}

var errWrong = errors.New("wrong")

// run makes an edit and checks what must hold of every one that is made.
func run(f sampleFile, e randomized) ([]byte, error) {
	r, err := Replace(f.text.Text, e.old, e.repl, e.all)
	if err != nil {
		return nil, err
	}
	if want := 1 + strings.Count(f.text.Text[:r.Edits[0].From], feed(f.text.Text)); r.Line != want {
		return nil, fmt.Errorf("%w: line %d instead of %d", errWrong, r.Line, want)
	}
	out, err := Apply(f.data, f.text, r.Edits)
	if err == nil && !bytes.Equal(out, f.bytes(r.Text, true)) {
		return nil, fmt.Errorf("%w: the text and the bytes differ", errWrong)
	}
	if there := f.text.Text[r.Edits[0].From:r.Edits[0].To]; !e.means(f.text.Text, there) {
		return nil, fmt.Errorf("%w: %q was replaced", errWrong, there)
	}
	return out, err
}

// means reports whether a replaced piece is what was asked for, with or without line numbers.
func (e randomized) means(text, there string) bool {
	got := folds(asLF(text, there))
	bare, _ := unnumbered(e.old)
	return got == folds(asLF(text, e.old)) || got == folds(asLF(text, bare))
}

// randomized is an edit of the text from i to j.
type randomized struct {
	mode      string
	old, repl string
	all       bool
	i, j      int
}

func randomEdit(rng *rand.Rand, f sampleFile) randomized {
	text := f.text.Text
	e := randomized{mode: []string{"exact", "all", "line ends", "folded", "numbered", "absent", "unfit", "lines", "half", "same"}[rng.IntN(10)]}
	e.i, e.j = anySpan(rng, text)
	if e.mode == "folded" || e.mode == "numbered" || e.mode == "lines" {
		e.i, e.j = lineSpan(rng, text)
	}
	var repl strings.Builder
	for range rng.IntN(12) {
		repl.WriteRune(f.all[rng.IntN(len(f.all))])
	}
	e.old, e.repl, e.all = text[e.i:e.j], repl.String(), e.mode == "all"
	if rng.IntN(5) == 0 {
		e.repl = strings.ReplaceAll(e.repl, "\n", "\r\n")
	}
	switch e.mode {
	case "line ends":
		e.old = asLF(text, e.old)
		if rng.IntN(3) == 0 {
			e.old = strings.ReplaceAll(e.old, "\n", "\r\n")
		}
	case "folded":
		if e.i > 0 && text[e.i-1] == '\n' && rng.IntN(2) == 0 {
			e.i-- // with the line end before
		}
		e.old = text[e.i:e.j]
		e.old = folds(asLF(text, e.old))
	case "numbered":
		e.old = number(asLF(text, e.old), rng)
		if rng.IntN(2) == 0 {
			e.repl = number(e.repl, rng)
		}
		if first, rest, ok := strings.Cut(asLF(text, text[e.i:e.j]), "\n"); ok && rng.IntN(3) == 0 {
			e.old = number(first, rng) + "\n" + rest // only one line has a number
		}
	case "half":
		e.old = half(rng, text)
	case "same":
		e.old, e.repl = folds(asLF(text, e.old)), e.old
	case "absent":
		if e.old += "\x02absent"; rng.IntN(2) == 0 {
			e.old = "\t\u00a0\n\u00a0\t"
		}
	case "unfit":
		e.repl += "\U0001F600"
	}
	return e
}

// half is folded text that begins or ends within what is one character in the text.
func half(rng *rand.Rand, text string) string {
	var wide []int
	for i, r := range text {
		if utf8.RuneCountInString(norm.NFKC.String(string(r))) > 1 {
			wide = append(wide, i)
		}
	}
	if len(wide) == 0 {
		i, j := anySpan(rng, text)
		return folds(asLF(text, text[i:j]))
	}
	at := wide[rng.IntN(len(wide))]
	_, size := utf8.DecodeRuneInString(text[at:])
	all := []rune(folds(text[at:at+size]) + string([]rune(text[at+size:])[:2]))
	if rng.IntN(2) == 0 {
		return string(all[1:])
	}
	before := []rune(text[:at])
	return string(before[max(0, len(before)-3):]) + string(all[:1])
}

// anySpan is a piece of a text between two characters.
func anySpan(rng *rand.Rand, text string) (int, int) {
	i := rng.IntN(len(text))
	j := min(len(text), i+1+rng.IntN(30))
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	for j < len(text) && !utf8.RuneStart(text[j]) {
		j++
	}
	return i, j
}

// lineSpan is one to three whole lines, with or without the last line end.
func lineSpan(rng *rand.Rand, text string) (int, int) {
	starts := []int{0}
	for i := range text {
		if text[i] == feed(text)[0] && i+1 < len(text) {
			starts = append(starts, i+1)
		}
	}
	n := rng.IntN(len(starts))
	i, j := starts[n], len(text)
	if m := n + 1 + rng.IntN(3); m < len(starts) {
		j = starts[m]
	}
	if rng.IntN(2) == 0 {
		j = i + len(strings.TrimRight(text[i:j], "\r\n"))
	}
	if i == j {
		return anySpan(rng, text)
	}
	return i, j
}

// feed, asLF, folds and number write text as a model may.
func feed(text string) string {
	if !strings.Contains(text, "\n") && strings.Contains(text, "\r") {
		return "\r"
	}
	return "\n"
}

func asLF(text, s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if feed(text) == "\r" {
		return strings.ReplaceAll(s, "\r", "\n")
	}
	return s
}

func folds(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRightFunc(strings.Map(typed, norm.NFKC.String(l)), unicode.IsSpace)
	}
	return strings.Join(lines, "\n")
}

func typed(r rune) rune {
	for plain, fancy := range map[rune]string{
		'\'': "\u2018\u2019\u201a\u201b", '"': "\u201c\u201d\u201e\u201f", '-': "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
		' ': "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
	} {
		if strings.ContainsRune(fancy, r) {
			return plain
		}
	}
	return r
}

func number(s string, rng *rand.Rand) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = fmt.Sprintf("%*d%s%s", 1+rng.IntN(5), i+1, []string{" | ", "|", "→"}[rng.IntN(3)], l)
	}
	return strings.Join(lines, "\n") + strings.Repeat("\n", strings.Count(s[len(strings.TrimSuffix(s, "\n")):], "\n"))
}
