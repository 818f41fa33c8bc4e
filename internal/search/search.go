// Package search finds the lines of a text that match a pattern: literal text or a regular
// expression (RE2), with or without regard to case. It is as quick as it can be without giving up
// on being exactly what package regexp says of each line: what a match must contain is looked for
// in the whole text first, and what remains is decided by an automaton that is built as it goes. It
// opens no files and words no errors.
package search

import (
	"bytes"
	"context"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// Options of Compile; the zero value is literal text with regard to case.
type Options struct {
	Regex      bool
	IgnoreCase bool
}

// Pattern is what is looked for. It does not change and may be used by several goroutines.
type Pattern struct {
	literal *literal       // nil for a regular expression
	re      *regexp.Regexp // nil for literal text
	program *program       // of re; nil when it is too large for an automaton
	needles []needle       // each match has one of them in it; none = nothing is known
	worth   bool           // lines with a needle are few enough to look for them first
}

// Compile reads a pattern, which is not empty. Its errors are those of regexp/syntax.
func Compile(pattern string, o Options) (*Pattern, error) {
	if !o.Regex {
		l := newLiteral(pattern, o.IgnoreCase)
		return &Pattern{literal: l, needles: l.needles, worth: true}, nil
	}
	if o.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	tree = tree.Simplify()
	found := required(tree)
	p := &Pattern{re: re, needles: found.needles, worth: found.bits >= fewLines}
	if prog, err := syntax.Compile(tree); err == nil {
		p.program = newProgram(prog)
	}
	return p, nil
}

// fewLines is how rare, in bits, text must be for lines with it to be looked for first: one place in
// 256, which is every sixth line of source code.
const fewLines = 8

// Matcher applies a pattern, for one goroutine.
type Matcher struct {
	pattern *Pattern
	auto    *automaton // nil = too large
	finder  finder
}

// Matcher makes one.
func (p *Pattern) Matcher() *Matcher {
	m := &Matcher{pattern: p, finder: finder{needles: p.needles}}
	if p.program != nil {
		m.auto = newAutomaton(p.program)
	}
	return m
}

// Absent reports whether the bytes of a file rule out that its text matches, in UTF-8 and in every
// other encoding in which ASCII is ASCII. What is not plain may only be ruled out in bytes that
// are UTF-8.
func (m *Matcher) Absent(data []byte) bool {
	if len(m.pattern.needles) == 0 {
		return false
	}
	m.finder.reset()
	if at, _ := m.finder.next(data, 0); at >= 0 {
		return false
	}
	for i := range m.pattern.needles {
		if !m.pattern.needles[i].plain {
			return utf8.Valid(data)
		}
	}
	return true
}

// Line is a line that matches, without its line feed: text[Start:End].
type Line struct{ Start, End int }

// Search finds the matching lines of a text. The text must not change until the last call of Next.
func (m *Matcher) Search(text []byte) *Search {
	m.finder.reset()
	return &Search{m: m, text: text}
}

// Search is a search of one text in progress.
type Search struct {
	m    *Matcher
	text []byte
	at   int
}

// Next gives the next line that matches; false when there is none or ctx has ended. A carriage
// return at the end of a line does not belong to it, as far as matching is concerned.
func (s *Search) Next(ctx context.Context) (Line, bool) {
	for s.at < len(s.text) && ctx.Err() == nil {
		from, ok := s.candidate()
		if !ok {
			break
		}
		line := lineAround(s.text, from)
		s.at = line.End + 1
		if s.m.sure() || s.m.matches(ctx, s.text[line.Start:line.End]) {
			return line, true
		}
	}
	s.at = len(s.text)
	return Line{}, false
}

// candidate is a place in the next line that matches or, unless the matcher is sure, may match.
func (s *Search) candidate() (int, bool) {
	m := s.m
	switch {
	case m.pattern.literal != nil:
		from, _ := m.pattern.literal.find(&m.finder, s.text, s.at)
		return from, from >= 0
	case m.pattern.worth:
		from, _ := m.finder.next(s.text, s.at)
		return from, from >= 0
	case m.auto != nil:
		from, found := m.auto.scan(s.text, s.at)
		if m.auto.broken {
			m.auto = nil
			return s.at, true
		}
		return from, found
	}
	return s.at, true
}

// sure reports whether a candidate is a match.
func (m *Matcher) sure() bool {
	return m.pattern.literal != nil || m.auto != nil && !m.pattern.worth
}

// matches reports whether one line matches.
func (m *Matcher) matches(ctx context.Context, line []byte) bool {
	if m.auto != nil {
		_, found := m.auto.scan(line, 0)
		if !m.auto.broken {
			return found
		}
		m.auto = nil
	}
	from, _ := m.locate(ctx, line)
	return from >= 0
}

// Locate says where in a line the first match is, -1 when there is none or ctx has ended.
func (m *Matcher) Locate(ctx context.Context, line []byte) (from, to int) {
	if l := m.pattern.literal; l != nil {
		f := finder{needles: l.needles}
		f.reset()
		return l.find(&f, line, 0)
	}
	return m.locate(ctx, line)
}

// longLine is the length, in bytes, from which on a line is read piece by piece, so that the end of
// ctx is noticed.
const longLine = 16 << 10

func (m *Matcher) locate(ctx context.Context, line []byte) (from, to int) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	var loc []int
	if len(line) < longLine {
		loc = m.pattern.re.FindIndex(line)
	} else {
		loc = m.pattern.re.FindReaderIndex(&runes{ctx: ctx, text: line})
	}
	if loc == nil || ctx.Err() != nil {
		return -1, -1
	}
	return loc[0], loc[1]
}

// lineAround is the line that a place is in.
func lineAround(text []byte, at int) Line {
	line := Line{Start: bytes.LastIndexByte(text[:at], '\n') + 1, End: len(text)}
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		line.End = at + i
	}
	return line
}
