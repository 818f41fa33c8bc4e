package effect

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxGuesses bounds substitutions within substitutions whose output is looked for.
const maxGuesses = 3

// substitution writes the output of a command: a guess when it is an echo of known words, otherwise
// unknown.
func (e *expander) substitution(part syntax.WordPart, quoted bool) {
	e.next.subs = append(e.next.subs, part)
	sub, ok := part.(*syntax.CmdSubst)
	if !ok {
		e.more++
		e.cur.WriteString(unknown)
		return
	}
	e.next.public = true
	text, known := "", false
	if e.guesses++; len(sub.Stmts) == 1 && e.guesses <= maxGuesses {
		text, known = e.printed(sub.Stmts[0])
	}
	e.guesses--
	if text = strings.TrimRight(text, "\n"); !known || strings.Contains(text, unknown) {
		e.cur.WriteString(unknown)
		return
	}
	e.next.guess = true
	e.write(text, quoted)
}

// variable writes the value of a variable.
func (e *expander) variable(p *syntax.ParamExp, value arg, quoted bool) {
	e.next.guess = e.next.guess || value.guess
	if value.text == unknown {
		switch name := ""; {
		case p.Param != nil && isNumber(p.Param.Value) && p.Short:
			e.next.public = true
		case p.Param != nil:
			name = p.Param.Value
			fallthrough
		default:
			e.next.remote = e.next.remote || e.tainted[name]
			e.more++
		}
	}
	e.write(value.text, quoted)
}

// Bounds on what a word becomes. What is larger is unknown.
const (
	maxValue  = 64 << 10 // bytes
	maxFields = 4096
	maxParams = 256
)

// write writes text that the shell parts at blanks unless it is quoted.
func (e *expander) write(text string, quoted bool) {
	if e.cur.Len()+len(text) > maxValue || len(e.out) > maxFields {
		text = unknown
	}
	if _, changed := e.vars["IFS"]; quoted || changed || !strings.ContainsAny(text, " \t\n*?[") {
		if changed && !quoted {
			e.next.guess = true
		}
		e.cur.WriteString(text)
		return
	}
	marks := arg{public: e.next.public, guess: e.next.guess, remote: e.next.remote}
	fields := strings.Fields(text)
	if len(fields) > maxFields {
		fields = []string{unknown}
	}
	for i, field := range fields {
		if e.cur.Len() > 0 && (i > 0 || strings.TrimLeft(text[:1], " \t\n") == "") {
			e.flush()
			e.next = marks
		}
		e.next.glob = e.next.glob || strings.ContainsAny(field, "*?[")
		e.cur.WriteString(field)
	}
}

// parameters writes "$@" and "$*" where the parameters of the script or function are known.
func (e *expander) parameters(p *syntax.ParamExp, quoted bool) bool {
	if e.params == nil || p.Param == nil || p.Param.Value != "@" && p.Param.Value != "*" || !isPlain(p) || p.Exp != nil {
		return false
	}
	if len(e.params) > maxParams {
		e.cur.WriteString(unknown)
		return true
	}
	for i, a := range e.params {
		if i > 0 {
			e.flush()
		}
		e.next.glob, e.next.guess = e.next.glob || a.glob, e.next.guess || a.guess
		e.next.remote = e.next.remote || a.remote
		e.write(a.text, quoted)
	}
	return true
}

func isPlain(p *syntax.ParamExp) bool {
	return !p.Length && !p.Width && !p.Excl && !p.IsSet && p.Slice == nil && p.Repl == nil && p.Index == nil &&
		p.Flags == nil && p.NestedParam == nil && len(p.Modifiers) == 0 && p.Names == 0
}

// isNumber knows the parameters that are numbers whatever happens.
func isNumber(name string) bool {
	return name == "?" || name == "#" || name == "$" || name == "!"
}

// value is the value of a variable as far as it is known. A value that stands in for a missing one is
// a guess.
func (w *walker) value(p *syntax.ParamExp) arg {
	none := arg{text: unknown}
	if p.Param == nil || !isPlain(p) {
		return none
	}
	base, ok := w.lookup(p.Param.Value)
	if !ok {
		base = none
	}
	if p.Exp == nil {
		return base
	}
	switch op := p.Exp.Op; op {
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return base
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if ok && base.text != "" {
			return base
		}
		return w.standIn(p.Exp.Word)
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return w.standIn(p.Exp.Word)
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		if p.Exp.Word == nil { // nothing is cut off
			return base
		}
		cut := p.Exp.Word.Lit()
		if !ok || base.glob || cut == "" || strings.ContainsAny(cut, `*?[\`) {
			return none
		}
		if op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix {
			return arg{text: strings.TrimSuffix(base.text, cut)}
		}
		return arg{text: strings.TrimPrefix(base.text, cut)}
	}
	return none
}

// standIn is the word after an operator such as :- as a guess.
func (w *walker) standIn(word *syntax.Word) arg {
	if word == nil {
		return arg{guess: true}
	}
	if v := w.fields(word); len(v) == 1 && !strings.Contains(v[0].text, unknown) {
		return arg{text: v[0].text, glob: v[0].glob, guess: true}
	}
	return arg{text: unknown}
}

// lookup is the value of a variable without any operator.
func (w *walker) lookup(name string) (arg, bool) {
	if v, ok := w.vars[name]; ok {
		return v, true
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= len(w.params) {
		return w.params[i-1], true
	}
	switch {
	case name == "HOME":
		return arg{text: w.home}, true
	case name == "PWD" && w.dir != "":
		return arg{text: w.dir}, true
	}
	return arg{}, false
}
