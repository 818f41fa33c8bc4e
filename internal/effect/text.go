package effect

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds on what is parsed: the parser recurses, and its stack must not overflow on hostile text.
const (
	maxText     = 256 << 10
	maxNesting  = 200
	maxDepth    = 8           // strings within strings: sh -c 'sh -c …'
	maxCuts     = 16          // readings of a text whose comments hide one another
	maxWork     = 8 * maxText // all text that is read, repetitions by loops and nested strings included
	commandCost = 64          // of that work, each command takes on top
)

// text judges a piece of shell text that runs where the walker stands. Text that exceeds a bound is
// judged by its pieces, so that no bound switches a rule off.
func (w *walker) text(text string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	w.left -= len(text) + 1
	switch {
	case hasControl(text):
		w.opaque(Ask, text, "control characters in the command")
	case len(text) > maxText || nesting(text) > maxNesting || w.depth > maxDepth || w.left < 0:
		w.opaque(Ask, text, "too long or too deeply nested to be read")
	default:
		w.joined(text)
		return
	}
	w.pieces(text)
}

// joined judges text again when lines are joined in it: the shell joins them before it looks for
// substitutions, the parser only between words. A comment is not joined with the line after it, so
// that text in which there may be one is read both ways.
func (w *walker) joined(text string) {
	dir, vars := w.dir, maps.Clone(w.vars)
	text = w.parsed(text, false)
	flat := strings.ReplaceAll(text, "\\\n", "")
	if flat == text {
		return
	}
	w.raise(Review, "lines joined by a backslash")
	for _, other := range slices.Compact([]string{flat, joinOutsideComments(text)}) {
		again := &walker{scan: w.scan, dir: dir, vars: maps.Clone(vars), depth: w.depth, in: w.in}
		again.parsed(other, true)
	}
}

// joinOutsideComments joins lines but for those in which a comment may stand. Inside an operator there
// is none.
func joinOutsideComments(text string) string {
	var b strings.Builder
	comment := false
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], "\\\n") && (!comment || i > 0 && strings.IndexByte("$<>&|;(", text[i-1]) >= 0) {
			i++
			continue
		}
		comment = text[i] != '\n' && (comment || text[i] == '#')
		b.WriteByte(text[i])
	}
	return b.String()
}

// parsed judges text by its syntax tree, or by its pieces when it has none, and returns it as it was
// read. A second reading of the same text looks for what the first one missed and lists the
// commands of the first only.
func (w *walker) parsed(text string, again bool) string {
	file, err := parse(text)
	for cuts := 0; err == nil; cuts++ {
		fixed := cutComments(file, text)
		if fixed == text {
			break
		}
		if cuts == maxCuts {
			err = errComments
			break
		}
		text = fixed
		w.raise(Review, "a comment that shells and this reading see differently")
		file, err = parse(text)
	}
	if err != nil {
		w.opaque(Review, text, "not readable as a shell command")
		w.pieces(text)
		return text
	}
	listed := len(w.out.Commands)
	w.src = text
	w.stmts(file.Stmts)
	if again {
		w.unrepeat(listed)
	}
	return text
}

// unrepeat drops the commands from n on that are listed before n already.
func (w *walker) unrepeat(n int) {
	known := map[string]bool{}
	for _, c := range w.out.Commands[:n] {
		known[strings.Join(c.Words, unknown)] = true
	}
	kept := w.out.Commands[:n]
	for _, c := range w.out.Commands[n:] {
		if !known[strings.Join(c.Words, unknown)] {
			kept = append(kept, c)
		}
	}
	w.out.Commands = kept
}

// errComments says that the comments of a text cannot be told from the rest.
var errComments = errors.New("comments hide one another")

func parse(text string) (*syntax.File, error) {
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	return parser.Parse(strings.NewReader(text), "")
}

// cutComments takes the backslash off comments that end in one. The shell ends such a comment at
// the end of its line, the parser drops the next line with it. It also puts a backslash before a # inside
// a word, where for the shell no comment begins; after a quote inside of case the parser sees one.
func cutComments(file *syntax.File, text string) string {
	if !strings.Contains(text, "#") {
		return text
	}
	fixed := []byte(text)
	var inWord []int
	syntax.Walk(file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.Comment)
		if !ok {
			return true
		}
		if at := int(c.Pos().Offset()); at > 0 && at < len(text) && strings.IndexByte(" \t\n;&|()<>`", text[at-1]) < 0 {
			inWord = append(inWord, at)
		} else if strings.HasSuffix(c.Text, "\\\n") {
			cutFrom(fixed, int(c.End().Offset())-2)
		}
		return true
	})
	slices.Sort(inWord)
	for _, at := range slices.Backward(slices.Compact(inWord)) {
		fixed = slices.Insert(fixed, at, '\\')
	}
	return string(fixed)
}

// cutFrom takes off the backslash at a place, and those of the lines after it that are comments for
// that reason.
func cutFrom(text []byte, at int) {
	for at >= 0 && at < len(text) && text[at] == '\\' {
		text[at] = ' '
		line, _, _ := bytes.Cut(text[at+2:], []byte("\n"))
		if !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) {
			return
		}
		at += 1 + len(line)
	}
}

// hasControl reports control characters that no command needs and that shells, parsers and screens
// read differently.
func hasControl(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	}) >= 0
}

// nesting is the largest number of brackets open at a time, whatever their meaning. Backquotes
// count as opening: they nest by escaping.
func nesting(text string) int {
	open, most := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '`':
			open++
			most = max(most, open)
		case ')', '}':
			open = max(0, open-1)
		}
	}
	return most
}
