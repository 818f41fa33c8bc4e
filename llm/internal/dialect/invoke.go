package dialect

import (
	"strings"

	"paicli/llm"
	"paicli/llm/internal/jsontext"
)

// tag is one opening or closing tag.
type tag struct {
	name    string
	attrs   string
	closing bool
}

// cutTag cuts the tag at the beginning of s off. A DSML prefix counts as part of the bracket.
func cutTag(s string) (t tag, rest string, ok bool) {
	if s == "" || s[0] != '<' {
		return tag{}, s, false
	}
	head, rest, ok := strings.Cut(s, ">")
	if !ok {
		return tag{}, s, false
	}
	if n, _ := dsmlPrefix(head); n > 0 {
		t.closing = head[1] == '/'
		head = strings.TrimLeft(head[n:], " ｜|")
	} else {
		head, t.closing = strings.CutPrefix(head[1:], "/")
	}
	t.name, t.attrs, _ = strings.Cut(strings.TrimSpace(head), " ")
	return t, rest, t.name != ""
}

// attr is the value of an attribute, quoted or not.
func (t tag) attr(name string) (string, bool) {
	_, value, ok := strings.Cut(" "+t.attrs, " "+name+"=")
	if !ok || value == "" {
		return "", false
	}
	if q := value[0]; q == '"' || q == '\'' {
		value, _, ok = strings.Cut(value[1:], value[:1])
		return value, ok
	}
	value, _, _ = strings.Cut(value, " ")
	return value, true
}

func readInvokeBody(t *Tools, _, body string) []llm.Call {
	return readInvokes(t, strings.ReplaceAll(body, minimaxToken, ""))
}

// readInvokes reads <invoke name="NAME"> elements. A parameter is an element named parameter with
// a name attribute, or one that has the parameter's name itself. Nothing but white space may stand
// between them.
func readInvokes(t *Tools, s string) []llm.Call {
	var calls []llm.Call
	for s = strings.TrimSpace(strings.ReplaceAll(s, minimaxToken, "")); s != ""; s = strings.TrimSpace(s) {
		open, rest, ok := cutTag(s)
		name, named := open.attr("name")
		name = t.Resolve(name)
		if !ok || open.closing || open.name != "invoke" || !named || !t.Has(name) {
			return nil
		}
		args, rest, ok := invokeArgs(t, name, rest)
		if !ok {
			return nil
		}
		calls = append(calls, llm.Call{Name: name, Args: args})
		s = rest
	}
	return calls
}

func invokeArgs(t *Tools, tool, s string) (args, rest string, ok bool) {
	var obj object
	for {
		open, body, ok := cutTag(strings.TrimLeft(s, space))
		switch {
		case !ok:
			return "", "", false
		case open.closing:
			return obj.String(), body, open.name == "invoke"
		}
		key := open.name
		if key == "parameter" {
			key, _ = open.attr("name")
		}
		value, rest, ok := untilClosed(body, open.name)
		if !ok || key == "" {
			return "", "", false
		}
		obj.set(key, invokeValue(t, tool, key, open, value))
		s = rest
	}
}

// invokeValue types a value: DSML says whether it is a literal string, elsewhere the schema does.
func invokeValue(t *Tools, tool, key string, open tag, value string) []byte {
	switch literal, _ := open.attr("string"); literal {
	case "true":
		return jsontext.Quote(value)
	case "false":
		if v := strings.TrimSpace(value); jsontext.Valid(v) {
			return []byte(v)
		}
	}
	return t.argument(tool, key, unwrapLines(value))
}

// untilClosed cuts at the closing tag of the given name.
func untilClosed(s, name string) (value, rest string, ok bool) {
	for at := 0; ; at++ {
		next := strings.Index(s[at:], "</")
		if next < 0 {
			return "", "", false
		}
		at += next
		if t, rest, ok := cutTag(s[at:]); ok && t.closing && t.name == name {
			return s[:at], rest, true
		}
	}
}
