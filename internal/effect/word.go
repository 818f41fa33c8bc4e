package effect

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unknown stands in an argument for what only the shell would know: the value of a variable, the
// output of a command. No text that is parsed contains it.
const unknown = "\x00"

// home stands for the user's home directory, which the shape of its path then protects.
const home = "/home/~"

// maxBraces bounds the words that braces may make of one.
const maxBraces = 64

// arg is one argument as the command would see it.
type arg struct {
	text string
	subs []syntax.WordPart // its substitutions
}

// downloads reports whether a substitution in the argument fetches something.
func (a arg) downloads() bool {
	for _, part := range a.subs {
		if downloads(part) {
			return true
		}
	}
	return false
}

// name is the argument as a command name: the last part of its path, in lower case.
func (a arg) name() string {
	return strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(a.text, `\`, "/"))), ".exe")
}

// joined writes arguments as one text again.
func joined(argv []arg) string {
	parts := make([]string, len(argv))
	for i, a := range argv {
		parts[i] = a.text
	}
	return strings.Join(parts, " ")
}

// arguments expands the words of a command.
func arguments(words []*syntax.Word) []arg {
	var argv []arg
	for _, w := range words {
		argv = append(argv, fields(w)...)
	}
	if len(argv) == 0 {
		argv = []arg{{}}
	}
	return argv
}

// fields expands one word: braces, quotes, escapes, the home directory and ${IFS}.
func fields(w *syntax.Word) []arg {
	if w == nil {
		return nil
	}
	words := []*syntax.Word{w}
	if strings.Contains(w.Lit(), "{") || len(w.Parts) > 1 {
		words = braces(w)
	}
	var out []arg
	for _, w := range words {
		b := &expander{}
		for i, part := range w.Parts {
			b.part(part, i == 0)
		}
		out = append(out, b.flush()...)
	}
	return out
}

// braces makes the words that brace alternatives stand for. A sequence or too many words leave the
// word as it is.
func braces(w *syntax.Word) []*syntax.Word {
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	if !syntax.SplitBraces(split) {
		return []*syntax.Word{w}
	}
	lists := [][]syntax.WordPart{nil}
	for _, part := range split.Parts {
		lists = extend(lists, part, 0)
		if len(lists) > maxBraces {
			return []*syntax.Word{w}
		}
	}
	words := make([]*syntax.Word, len(lists))
	for i, parts := range lists {
		words[i] = &syntax.Word{Parts: parts}
	}
	return words
}

// extend appends every alternative of a part to every list.
func extend(lists [][]syntax.WordPart, part syntax.WordPart, depth int) [][]syntax.WordPart {
	choices := [][]syntax.WordPart{{part}}
	if b, ok := part.(*syntax.BraceExp); ok && !b.Sequence && depth < maxDepth {
		choices = nil
		for _, elem := range b.Elems {
			alts := [][]syntax.WordPart{nil}
			for _, p := range elem.Parts {
				if alts = extend(alts, p, depth+1); len(alts) > maxBraces {
					break
				}
			}
			choices = append(choices, alts...)
		}
	}
	var out [][]syntax.WordPart
	for _, l := range lists {
		for _, c := range choices {
			if len(out) > maxBraces {
				return out
			}
			out = append(out, append(append([]syntax.WordPart(nil), l...), c...))
		}
	}
	return out
}

// expander writes the text of a word.
type expander struct {
	out  []arg
	cur  strings.Builder
	subs []syntax.WordPart
}

func (e *expander) flush() []arg {
	if e.cur.Len() > 0 || len(e.out) == 0 {
		e.out = append(e.out, arg{text: e.cur.String(), subs: e.subs})
	}
	return e.out
}

func (e *expander) part(part syntax.WordPart, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		e.cur.WriteString(unescape(p.Value, first))
	case *syntax.SglQuoted:
		if p.Dollar {
			e.cur.WriteString(ansiC(p.Value))
		} else {
			e.cur.WriteString(p.Value)
		}
	case *syntax.DblQuoted:
		for _, q := range p.Parts {
			e.quoted(q)
		}
	case *syntax.ParamExp:
		if p.Param != nil && p.Param.Value == "IFS" {
			e.flush()
			e.cur.Reset()
			return
		}
		e.cur.WriteString(variable(p))
	default:
		e.substitution(p)
	}
}

// quoted writes a part inside double quotes.
func (e *expander) quoted(part syntax.WordPart) {
	switch p := part.(type) {
	case *syntax.Lit:
		e.cur.WriteString(unescapeQuoted(p.Value))
	case *syntax.ParamExp:
		e.cur.WriteString(variable(p))
	default:
		e.substitution(p)
	}
}

func (e *expander) substitution(part syntax.WordPart) {
	e.subs = append(e.subs, part)
	e.cur.WriteString(unknown)
}

// variable is the value of the variables whose value is known.
func variable(p *syntax.ParamExp) string {
	plain := !p.Length && !p.Width && !p.Excl && p.Slice == nil && p.Repl == nil && p.Index == nil
	if p.Param == nil || !plain {
		return unknown
	}
	if p.Exp != nil && (p.Exp.Op < syntax.DefaultUnset || p.Exp.Op > syntax.AssignUnsetOrNull) {
		return unknown // not one of the operators that only stand in for a missing value
	}
	switch p.Param.Value {
	case "HOME":
		return home
	case "PWD":
		return "."
	}
	return unknown
}

// unescape takes the backslashes off an unquoted literal and expands a ~ at its start.
func unescape(s string, first bool) string {
	prefix := ""
	if first && strings.HasPrefix(s, "~") {
		user, _, _ := strings.Cut(s[1:], "/")
		if !strings.ContainsAny(user, `\+-0123456789*?[`) {
			prefix = home
			if user != "" {
				prefix = "/home/" + user
			}
			s = s[1+len(user):]
		}
	}
	if !strings.Contains(s, `\`) {
		return prefix + s
	}
	var b strings.Builder
	b.WriteString(prefix)
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapeQuoted does so inside double quotes, where a backslash escapes few characters.
func unescapeQuoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansiC decodes $'…'. What it cannot decode stays as it is written.
func ansiC(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, multi, tail, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		if multi {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r))
		}
		s = tail
	}
	return strings.ReplaceAll(b.String(), unknown, "")
}

// heredoc is the text of a here-document.
func heredoc(w *syntax.Word) string {
	e := &expander{}
	for _, part := range w.Parts {
		e.quoted(part)
	}
	return e.cur.String()
}
