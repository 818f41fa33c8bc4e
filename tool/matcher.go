package tool

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// matcher finds lines that match a pattern.
type matcher struct {
	literal string         // what every matching line has in it; "" = nothing is known
	re      *regexp.Regexp // nil when the literal is all there is
}

func newMatcher(pattern string, isRegex, ignoreCase bool) (*matcher, error) {
	if pattern == "" {
		return nil, errors.New("pattern is empty")
	}
	if !isRegex && !ignoreCase {
		return &matcher{literal: pattern}, nil
	}
	source := pattern
	if !isRegex {
		source = regexp.QuoteMeta(pattern)
	}
	if ignoreCase {
		source = "(?i)" + source
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, explainRegex(pattern, err)
	}
	m := &matcher{re: re}
	if parsed, err := syntax.Parse(source, syntax.Perl); err == nil {
		m.literal = required(parsed.Simplify())
	}
	return m, nil
}

func explainRegex(pattern string, err error) error {
	var detail *syntax.Error
	if errors.As(err, &detail) {
		hint := ""
		if strings.Contains(pattern, "(?=") || strings.Contains(pattern, "(?!") || strings.Contains(pattern, "(?<") {
			hint = "; RE2 has no look-around: make two searches"
		} else if detail.Code == syntax.ErrInvalidEscape {
			hint = "; RE2 has no back-references"
		}
		return fmt.Errorf("invalid regex: %s: `%s`%s", detail.Code, detail.Expr, hint)
	}
	return fmt.Errorf("invalid regex: %w", err)
}

// required is the longest text that every match of a regular expression contains, "" when none is
// certain. It is what makes a search fast: lines without it are not matched at all.
func required(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if lit := required(sub); len(lit) > len(best) {
				best = lit
			}
		}
		return best
	}
	return ""
}

// next finds the first matching line that begins at at or later; at is the begin of a line. It is
// false when there is none or ctx has ended.
func (m *matcher) next(ctx context.Context, text string, at int) (place, bool) {
	for n := 0; at < len(text); n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return place{}, false
		}
		from := at
		if m.literal != "" {
			i := strings.Index(text[at:], m.literal)
			if i < 0 {
				return place{}, false
			}
			from = at + i
		}
		p := lineAround(text, from)
		if m.re == nil {
			p.from, p.to = from, from+len(m.literal)
			return p, true
		}
		if loc := m.re.FindStringIndex(strings.TrimSuffix(text[p.start:p.end], "\r")); loc != nil {
			p.from, p.to = p.start+loc[0], p.start+loc[1]
			return p, true
		}
		at = p.end + 1
	}
	return place{}, false
}

// lineAround is the line that a place is in, without its line feed.
func lineAround(text string, at int) place {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	return place{start: start, end: end}
}
