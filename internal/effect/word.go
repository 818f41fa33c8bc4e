package effect

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unknown stands in an argument for what only the shell would know: the value of a variable, the
// output of a command. No text that is parsed contains it.
const unknown = "\x00"

// arg is one argument as the command would see it.
type arg struct {
	text   string
	subs   []syntax.WordPart // its substitutions
	glob   bool              // it holds a pattern that the shell expands to names of files
	public bool              // what is unknown of it is no secret: a number, what a judged command prints
	source string            // as written, where something is unknown
	found  string            // with fed: what is meant below it, a name or any word, "" = everything
	fed    bool              // it stands for what a wrapper adds to the words of its command
	guess  bool              // its text is what it most likely will be: a default, what an echo prints
	remote bool              // it holds a variable whose value was fetched
}

// output reports whether an argument is the output of commands as a file: <(…).
func (a arg) output() bool {
	if a.text != unknown || len(a.subs) != 1 {
		return false
	}
	sub, ok := a.subs[0].(*syntax.ProcSubst)
	return ok && sub.Op == syntax.CmdIn
}

func (a arg) known() bool { return !a.guess && !strings.Contains(a.text, unknown) }

func allKnown(argv []arg) bool {
	for _, a := range argv {
		if !a.known() {
			return false
		}
	}
	return true
}

// part names what is unknown in an argument.
func (a arg) part() string {
	if a.source != "" {
		return shorten(a.source)
	}
	return shorten(a.text)
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

// fetched reports whether a substitution in an argument fetches something.
func (w *walker) fetched(a arg) bool {
	for _, part := range a.subs {
		if w.downloads(part) {
			return true
		}
	}
	return a.remote && strings.TrimSpace(a.text) == unknown
}

// arguments expands the words of a command.
func (w *walker) arguments(words []*syntax.Word) []arg {
	var argv []arg
	for _, word := range words {
		argv = append(argv, w.fields(word)...)
	}
	if len(argv) == 0 {
		argv = []arg{{}}
	}
	return argv
}

// fields expands one word: braces, quotes, escapes, the home directory, known variables and ${IFS}.
func (w *walker) fields(word *syntax.Word) []arg {
	if word == nil {
		return nil
	}
	words := []*syntax.Word{word}
	if strings.Contains(word.Lit(), "{") || len(word.Parts) > 1 {
		words = braces(word)
	}
	var out []arg
	for _, word := range words {
		e := &expander{walker: w}
		for i, part := range word.Parts {
			// A quoted or expanded part in front of the slash makes ~ an ordinary character.
			lit, ok := part.(*syntax.Lit)
			e.part(part, i == 0 && ok && (len(word.Parts) == 1 || strings.Contains(lit.Value, "/")))
		}
		made := e.flush()
		for i := range made {
			if !made[i].known() {
				made[i].source = w.source(word)
			}
		}
		if len(words) == 1 || made[0].text != "" || !bare(word) {
			out = append(out, made...)
		}
	}
	return out
}

// bare reports whether nothing in a word is quoted, so that the shell drops it when it is empty.
func bare(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if _, ok := part.(*syntax.Lit); !ok {
			return false
		}
	}
	return true
}

// expander writes the text of a word.
type expander struct {
	*walker
	out  []arg
	cur  strings.Builder
	next arg // the argument that cur becomes
	more int // unknown parts that may be secret
}

func (e *expander) flush() []arg {
	if e.cur.Len() > 0 || len(e.out) == 0 {
		e.next.text = e.cur.String()
		e.next.public = e.next.public && e.more == 0
		e.out = append(e.out, e.next)
	}
	e.next, e.more = arg{}, 0
	e.cur.Reset()
	return e.out
}

func (e *expander) part(part syntax.WordPart, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		e.next.glob = e.next.glob || hasGlob(p.Value)
		value, open := cutOpenEscape(p.Value)
		e.next.guess = e.next.guess || open || first && len(value) > 1 && value[0] == '~' && value[1] != '/' // ~name
		e.cur.WriteString(e.unescape(value, first))
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
			return
		}
		if e.parameters(p, false) {
			return
		}
		value := e.value(p)
		if value.text != unknown && (value.text == "" || value.glob) {
			// Nothing is left of it, or the shell makes names of files of it and splits them.
			e.next.public = true
			e.cur.WriteString(unknown)
			return
		}
		e.variable(p, value, false)
	default:
		e.substitution(p, false)
	}
}

// quoted writes a part inside double quotes.
func (e *expander) quoted(part syntax.WordPart) {
	switch p := part.(type) {
	case *syntax.Lit:
		e.cur.WriteString(unescapeAmong(p.Value, escapedQuoted))
	case *syntax.ParamExp:
		if e.parameters(p, true) {
			return
		}
		value := e.value(p)
		e.next.glob = e.next.glob || value.glob
		e.variable(p, value, true)
	default:
		e.substitution(p, true)
	}
}

// hasGlob reports an unquoted pattern in a literal.
func hasGlob(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

// unescape takes the backslashes off an unquoted literal and expands a ~ at its start.
func (sc *scan) unescape(s string, first bool) string {
	prefix := ""
	if first && len(s) > 1 && s[0] == '~' && strings.IndexByte("+-0123456789", s[1]) >= 0 {
		prefix = unknown // a directory where the shell has been
	}
	if first && strings.HasPrefix(s, "~") {
		user, _, _ := strings.Cut(s[1:], "/")
		if isUser(user) {
			prefix = sc.home
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

// cutOpenEscape takes off a backslash with which a text ends: some shells keep it, others drop it.
func cutOpenEscape(s string) (string, bool) {
	if (len(s)-len(strings.TrimRight(s, `\`)))%2 == 0 {
		return s, false
	}
	return s[:len(s)-1], true
}

// isUser reports whether what stands between ~ and / can be a user's name; nothing is the own one's.
// Anything else is no home directory but a text.
func isUser(name string) bool {
	for i, r := range name {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', r == '_':
		case i > 0 && ('0' <= r && r <= '9' || r == '-' || r == '.'):
		default:
			return false
		}
	}
	return true
}

// What a backslash escapes inside double quotes and in a here-document.
const (
	escapedQuoted = "$`\"\\\n"
	escapedHere   = "$`\\\n"
)

// unescapeAmong takes the backslash off some characters.
func unescapeAmong(s, chars string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(chars, s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// heredoc is the text of a here-document. When a part of its delimiter is quoted, nothing is expanded.
func (w *walker) heredoc(r *syntax.Redirect) arg {
	if delimiter := r.Word.Lit(); delimiter == "" || strings.Contains(delimiter, `\`) {
		return arg{text: r.Hdoc.Lit()}
	}
	e := &expander{walker: w}
	for _, part := range r.Hdoc.Parts {
		if p, ok := part.(*syntax.Lit); ok {
			e.cur.WriteString(unescapeAmong(p.Value, escapedHere))
			continue
		}
		e.quoted(part)
	}
	return e.flush()[0]
}
