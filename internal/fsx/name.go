package fsx

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// namePattern is a pattern for one name, taken apart so that the usual ones are quick.
type namePattern struct {
	kind kind
	text string // what the kind speaks of
	need string // of a glob: text that every name has which matches
}

type kind int

// The kinds of patterns.
const (
	isGlob    kind = iota // for doublestar
	isLiteral             // the text itself
	hasPrefix             // text*
	hasSuffix             // *text
	isAny                 // *
)

// isSpecial reports whether a pattern has characters with a meaning. Braces have one in globs only;
// those of ignore files are escaped.
func isSpecial(pattern string) bool { return strings.ContainsAny(pattern, `*?[\`) }

func newNamePattern(p string) namePattern {
	head, headStar := strings.CutSuffix(p, "*")
	tail, tailStar := strings.CutPrefix(p, "*")
	switch {
	case !strings.ContainsAny(p, `*?[\{`):
		return namePattern{kind: isLiteral, text: p}
	case strings.Trim(p, "*") == "":
		return namePattern{kind: isAny}
	case headStar && !strings.ContainsAny(head, `*?[\{`):
		return namePattern{kind: hasPrefix, text: head}
	case tailStar && !strings.ContainsAny(tail, `*?[\{`):
		return namePattern{kind: hasSuffix, text: tail}
	}
	return namePattern{kind: isGlob, text: p, need: needOf(p)}
}

// needOf is the longest text of a pattern that stands for itself. Where classes, alternatives or
// escapes make that less than obvious, nothing is needed.
func needOf(p string) string {
	if i := strings.IndexAny(p, `[\{`); i >= 0 {
		p = p[:i]
	}
	best := ""
	for text := range strings.FieldsFuncSeq(p, func(r rune) bool { return r == '*' || r == '?' }) {
		if len(text) > len(best) {
			best = text
		}
	}
	return best
}

func (p namePattern) match(name string) bool {
	switch p.kind {
	case isLiteral:
		return name == p.text
	case hasPrefix:
		return strings.HasPrefix(name, p.text)
	case hasSuffix:
		return strings.HasSuffix(name, p.text)
	case isAny:
		return true
	}
	if !strings.Contains(name, p.need) {
		return false
	}
	ok, _ := doublestar.Match(p.text, name)
	return ok
}
