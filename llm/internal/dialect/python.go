package dialect

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"paicli/llm"
	"paicli/llm/internal/jsontext"
)

// pythonCall is an answer that is one fence of Gemma's tool_code: calls with keyword arguments.
var pythonCall = kind{
	whole: true,
	early: func(_ *Tools, b *block) verdict {
		const fence = "\n```"
		body := b.body.String()
		end := strings.Index(body[b.searched:], fence)
		if end < 0 {
			b.searched = max(len(body)-len(fence)+1, 0)
			return unknown
		}
		b.searched += end
		if strings.Trim(body[b.searched+len(fence):], space) != "" {
			return no
		}
		return unknown
	},
	read: readPython,
}

// readPython reads one call a line, such as grep(pattern="main(", path='src').
func readPython(t *Tools, _, body string) []llm.Call {
	code, fenced := strings.CutSuffix(strings.TrimSpace(body), "```")
	if !fenced {
		return nil
	}
	var calls []llm.Call
	p := python{s: strings.TrimSpace(code)}
	for p.space(); p.s != ""; p.space() {
		name, args, ok := p.call()
		if name == "print" && !t.Has("print") {
			return nil
		}
		if name = t.Resolve(name); !ok || !t.Has(name) {
			return nil
		}
		calls = append(calls, llm.Call{Name: name, Args: args})
	}
	return calls
}

// python reads the few forms of Python that a call with literal arguments needs.
type python struct {
	s     string
	depth int
}

func (p *python) space() { p.s = strings.TrimLeft(p.s, space+";") }

func (p *python) eat(sign string) bool {
	p.s = strings.TrimLeft(p.s, space)
	rest, ok := strings.CutPrefix(p.s, sign)
	if ok {
		p.s = rest
	}
	return ok
}

func (p *python) word() string {
	p.s = strings.TrimLeft(p.s, space)
	n := 0
	for n < len(p.s) && (p.s[n] == '_' || p.s[n] == '.' || p.s[n] == '-' || isAlnum(p.s[n])) {
		n++
	}
	word := p.s[:n]
	p.s = p.s[n:]
	return word
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// call reads NAME(key=value, …), alone or inside print(…).
func (p *python) call() (name, args string, ok bool) {
	name = strings.TrimPrefix(p.word(), "default_api.")
	if name == "" || !p.eat("(") {
		return "", "", false
	}
	if name == "print" {
		name, args, ok = p.call()
		return name, args, ok && p.eat(")")
	}
	var obj object
	for !p.eat(")") {
		key := p.word()
		if key == "" || !p.eat("=") {
			return "", "", false
		}
		value, ok := p.value()
		if !ok {
			return "", "", false
		}
		obj.set(key, value)
		if !p.eat(",") {
			return name, obj.String(), p.eat(")")
		}
	}
	return name, obj.String(), true
}

// value reads a literal and returns it as JSON.
func (p *python) value() (json.RawMessage, bool) {
	const deepest = 20
	p.s = strings.TrimLeft(p.s, space)
	if p.s == "" || p.depth > deepest {
		return nil, false
	}
	p.depth++
	defer func() { p.depth-- }()
	switch c := p.s[0]; c {
	case '"', '\'':
		return p.str()
	case '[':
		return p.list()
	case '{':
		return p.dict()
	}
	switch w := p.word(); w {
	case "True":
		return json.RawMessage("true"), true
	case "False":
		return json.RawMessage("false"), true
	case "None":
		return json.RawMessage("null"), true
	default:
		return json.RawMessage(w), jsontext.Valid(w)
	}
}

func (p *python) list() (json.RawMessage, bool) {
	p.eat("[")
	out := []byte{'['}
	for !p.eat("]") {
		v, ok := p.value()
		if !ok {
			return nil, false
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, v...)
		if !p.eat(",") {
			return append(out, ']'), p.eat("]")
		}
	}
	return append(out, ']'), true
}

func (p *python) dict() (json.RawMessage, bool) {
	p.eat("{")
	var obj object
	for !p.eat("}") {
		key, ok := p.value()
		var name string
		if !ok || json.Unmarshal(key, &name) != nil || !p.eat(":") {
			return nil, false
		}
		v, ok := p.value()
		if !ok {
			return nil, false
		}
		obj.set(name, v)
		if !p.eat(",") {
			return json.RawMessage(obj.String()), p.eat("}")
		}
	}
	return json.RawMessage(obj.String()), true
}

// str reads a string literal with one or three quotes.
func (p *python) str() (json.RawMessage, bool) {
	q := p.s[:1]
	if strings.HasPrefix(p.s, q+q+q) {
		q = q + q + q
	}
	var out strings.Builder
	s := p.s[len(q):]
	for s != "" {
		if rest, ok := strings.CutPrefix(s, q); ok {
			p.s = rest
			return jsontext.Quote(out.String()), true
		}
		_, n := utf8.DecodeRuneInString(s)
		if s[0] == '\\' && len(s) > 1 && s[1] < utf8.RuneSelf {
			out.WriteString(unescape(s[1]))
			n = 2
		} else {
			out.WriteString(s[:n])
		}
		s = s[n:]
	}
	return nil, false
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '\\', '\'', '"':
		return string(c)
	case '\n':
		return ""
	}
	return `\` + string(rune(c))
}
