package search

import (
	"bytes"
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// automaton decides whether lines match, one step a byte. Its states are sets of places in the
// program; they are made when they are first reached, since few of all that are possible ever are.
// It is for one goroutine.
type automaton struct {
	program *program
	states  map[string]*state
	begin   *state
	broken  bool // it became too large: what it says is worth nothing
	set     set
	key     []byte
}

// state is where the program may be between two characters.
type state struct {
	next  [256]*state // by byte, nil where step knows more
	multi []*state    // by class, for characters beyond ASCII
	match bool        // it has matched, whatever comes
	dead  bool        // the line cannot match any more
	pcs   []uint32    // places
	prior rune        // what stands for the character before, -1 at the begin of a line
}

// maxStates bounds the memory of an automaton, at 2 KiB a state.
const maxStates = 1000

func newAutomaton(p *program) *automaton {
	a := &automaton{program: p, states: make(map[string]*state), set: newSet(len(p.insts))}
	a.begin = a.state(nil, -1)
	return a
}

// scan looks for the first line that matches, from the begin of a line on, and returns a place in
// it: inside, or at its end. A carriage return at the end of a line is not there.
func (a *automaton) scan(text []byte, at int) (place int, found bool) {
	s := a.begin
	if s.match {
		return at, true
	}
	for at < len(text) {
		if next := s.next[text[at]]; next != nil {
			s = next
			at++
			continue
		}
		next, size := a.step(s, text[at:])
		if next == nil || next.match {
			return at, next != nil
		}
		s = next
		at += size
	}
	last := len(text) == 0 || text[len(text)-1] != '\n' // there is a line at the end
	return len(text), last && a.atEnd(s)
}

// step goes over one character, and remembers the way where it is certain. The state is nil when
// the automaton became too large.
func (a *automaton) step(s *state, text []byte) (next *state, size int) {
	c := text[0]
	switch {
	case s.dead:
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			return a.begin, i + 1
		}
		return s, len(text)
	case c == '\n':
		if next = a.begin; a.atEnd(s) {
			next = a.matched()
		}
	case c == '\r' && (len(text) == 1 || text[1] == '\n'):
		return s, 1
	case c < utf8.RuneSelf:
		next = a.follow(s, a.program.plain[c])
	default:
		r, size := utf8.DecodeRune(text)
		return a.multi(s, a.program.class(r)), size
	}
	if next != nil && !next.match && c != '\r' {
		s.next[c] = next
	}
	return next, 1
}

// multi is follow, remembered by class.
func (a *automaton) multi(s *state, class int) *state {
	if s.multi == nil {
		s.multi = make([]*state, len(a.program.classes))
	}
	if s.multi[class] == nil {
		s.multi[class] = a.follow(s, class)
	}
	return s.multi[class]
}

// matched is a state that has matched.
func (a *automaton) matched() *state { return &state{match: true} }

// follow makes the state after a character.
func (a *automaton) follow(s *state, class int) *state {
	c := a.program.classes[class]
	now := rune(' ')
	if c.word {
		now = 'w'
	}
	var next []uint32
	if a.reach(s, now) {
		return a.matched()
	}
	for _, pc := range a.set.members {
		if a.program.takes(pc, c.char) {
			next = append(next, a.program.insts[pc].Out)
		}
	}
	return a.state(next, now)
}

// atEnd reports whether the line matches when it ends here.
func (a *automaton) atEnd(s *state) bool { return a.reach(s, -1) }

// reach collects the places that can be reached without a character between the one before and the
// one now, and reports whether one is the end of the expression.
func (a *automaton) reach(s *state, now rune) bool {
	flags := syntax.EmptyOpContext(s.prior, now)
	a.set.clear()
	for _, pc := range s.pcs {
		if a.visit(pc, flags) {
			return true
		}
	}
	return false
}

func (a *automaton) visit(pc uint32, flags syntax.EmptyOp) bool {
	if !a.set.add(pc) {
		return false
	}
	in := &a.program.insts[pc]
	switch in.Op {
	case syntax.InstMatch:
		return true
	case syntax.InstAlt, syntax.InstAltMatch:
		return a.visit(in.Out, flags) || a.visit(in.Arg, flags)
	case syntax.InstCapture, syntax.InstNop:
		return a.visit(in.Out, flags)
	case syntax.InstEmptyWidth:
		return syntax.EmptyOp(in.Arg)&^flags == 0 && a.visit(in.Out, flags)
	}
	return false
}

// state is the state at some places after a character, made if it is new. A match may begin
// anywhere, so the start is among them. It is nil when there are too many.
func (a *automaton) state(pcs []uint32, prior rune) *state {
	pcs = append(pcs, a.program.start)
	slices.Sort(pcs)
	pcs = slices.Compact(pcs)
	a.key = binary.LittleEndian.AppendUint32(a.key[:0], uint32(prior))
	for _, pc := range pcs {
		a.key = binary.LittleEndian.AppendUint32(a.key, pc)
	}
	if s := a.states[string(a.key)]; s != nil {
		return s
	}
	if len(a.states) == maxStates {
		a.broken = true
		return nil
	}
	s := &state{pcs: pcs, prior: prior}
	a.states[string(a.key)] = s
	s.match = a.certain(s)
	s.dead = prior >= 0 && !a.alive(s)
	return s
}

// alive reports whether a state inside a line can come to a match.
func (a *automaton) alive(s *state) bool {
	const inside = syntax.EmptyEndLine | syntax.EmptyEndText | syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
	a.set.clear()
	for _, pc := range s.pcs {
		if a.visit(pc, inside) {
			return true
		}
	}
	return slices.ContainsFunc(a.set.members, func(pc uint32) bool {
		switch a.program.insts[pc].Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			return true
		}
		return false
	})
}

// certain reports whether a state has matched without regard to what comes next.
func (a *automaton) certain(s *state) bool {
	a.set.clear()
	for _, pc := range s.pcs {
		if a.visit(pc, 0) {
			return true
		}
	}
	return false
}

// set is a set of places.
type set struct {
	in      []bool
	members []uint32
}

func newSet(size int) set { return set{in: make([]bool, size)} }

func (s *set) clear() {
	for _, pc := range s.members {
		s.in[pc] = false
	}
	s.members = s.members[:0]
}

func (s *set) add(pc uint32) bool {
	if s.in[pc] {
		return false
	}
	s.in[pc] = true
	s.members = append(s.members, pc)
	return true
}
