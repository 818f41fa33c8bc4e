package search

import (
	"regexp/syntax"
	"slices"
	"unicode"
)

// program is a regular expression as an automaton needs it: its instructions, and the characters in
// classes whose members no instruction tells apart.
type program struct {
	insts   []syntax.Inst
	start   uint32
	bounds  []rune   // where intervals of characters begin, from 0 on
	classOf []int    // the class of each interval
	classes []member // one character of each class
	plain   [0x80]int
}

// member stands for the characters of its class.
type member struct {
	char rune
	word bool
}

// Bounds of what is made into an automaton.
const (
	maxInsts = 2000
	maxTests = 1 << 21 // instructions times intervals
)

// newProgram prepares a program, nil when it is too large.
func newProgram(prog *syntax.Prog) *program {
	p := &program{insts: prog.Inst, start: uint32(prog.Start), bounds: boundsOf(prog)}
	if len(p.insts) > maxInsts || len(p.insts)*len(p.bounds) > maxTests {
		return nil
	}
	known := make(map[string]int)
	for _, r := range p.bounds {
		key := p.signature(r)
		class, ok := known[key]
		if !ok {
			class = len(p.classes)
			known[key] = class
			p.classes = append(p.classes, member{r, syntax.IsWordChar(r)})
		}
		p.classOf = append(p.classOf, class)
	}
	for r := range p.plain {
		p.plain[r] = p.class(rune(r))
	}
	return p
}

// boundsOf collects where the answer of some instruction may change.
func boundsOf(prog *syntax.Prog) []rune {
	bounds := []rune{0, 0x80}
	add := func(from, to rune) { bounds = append(bounds, from, to+1) }
	for _, word := range [][2]rune{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {'\n', '\n'}} {
		add(word[0], word[1])
	}
	for i := range prog.Inst {
		in := &prog.Inst[i]
		if in.Op != syntax.InstRune && in.Op != syntax.InstRune1 {
			continue
		}
		if len(in.Rune) == 1 {
			add(in.Rune[0], in.Rune[0])
			for r := unicode.SimpleFold(in.Rune[0]); r != in.Rune[0]; r = unicode.SimpleFold(r) {
				add(r, r)
			}
		}
		for k := 0; k+1 < len(in.Rune); k += 2 {
			add(in.Rune[k], in.Rune[k+1])
		}
	}
	slices.Sort(bounds)
	return slices.Compact(bounds)
}

// signature says which instructions take a character.
func (p *program) signature(r rune) string {
	key := make([]byte, len(p.insts)/8+2)
	for i := range p.insts {
		if p.takes(uint32(i), r) {
			key[i/8] |= 1 << (i % 8)
		}
	}
	if syntax.IsWordChar(r) {
		key[len(key)-1] = 1
	}
	return string(key)
}

// takes reports whether an instruction takes a character.
func (p *program) takes(pc uint32, r rune) bool {
	switch in := &p.insts[pc]; in.Op {
	case syntax.InstRune, syntax.InstRune1:
		return in.MatchRune(r)
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	}
	return false
}

// class is the class of a character.
func (p *program) class(r rune) int {
	i, found := slices.BinarySearch(p.bounds, r)
	if !found {
		i--
	}
	return p.classOf[i]
}
