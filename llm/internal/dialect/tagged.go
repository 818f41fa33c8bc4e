package dialect

import (
	"strings"

	"paicli/llm"
)

// The kinds of calls between XML-like tags.
var (
	// taggedCall is <tool_call> … </tool_call>, which GLM, Hermes, Qwen and MiniMax fill differently.
	taggedCall = kind{ends: []string{"</tool_call>"}, json: leadingJSON, early: taggedHead, read: readTagged}
	// glmCall is the same without its opening tag.
	glmCall = kind{ends: []string{"</tool_call>"}, read: readTagged}
	// functionCall is <function_call> with JSON inside.
	functionCall = kind{ends: []string{"</function_call>"}, json: leadingJSON, early: jsonHead, read: readHermes}
	// qwenCall is <function=NAME> … </function>.
	qwenCall = kind{
		ends: []string{"</function>"}, json: functionJSON, early: functionHead,
		read: func(t *Tools, mark, body string) []llm.Call {
			return readFunctions(t, mark+body+"</function>")
		},
	}
	// invokeList and invokeCalls are lists of <invoke name="NAME">; invokeCall is one without a list.
	invokeList  = kind{ends: []string{"</tool_calls>"}, early: invokeHead, read: readInvokeBody}
	invokeCalls = kind{ends: []string{"</function_calls>"}, early: invokeHead, read: readInvokeBody}
	invokeCall  = kind{
		ends: []string{"</invoke>"}, early: quotedHead,
		read: func(t *Tools, mark, body string) []llm.Call {
			return readInvokes(t, mark+body+"</invoke>")
		},
	}
)

const space = " \t\r\n"

// leadingJSON says where a body that is JSON begins.
func leadingJSON(body string) int {
	lead := len(body) - len(strings.TrimLeft(body, space))
	if lead < len(body) && (body[lead] == '{' || body[lead] == '[') {
		return lead
	}
	return -1
}

// functionJSON is leadingJSON for what follows the name in <function=NAME>.
func functionJSON(body string) int {
	name := strings.IndexByte(body, '>')
	if name < 0 {
		return -1
	}
	if at := leadingJSON(body[name+1:]); at >= 0 {
		return name + 1 + at
	}
	return -1
}

// begins compares the beginning of s with a text: yes when s begins with it, unknown when s is
// too short to tell.
func begins(s, with string) verdict {
	switch {
	case strings.HasPrefix(s, with):
		return yes
	case strings.HasPrefix(with, s):
		return unknown
	}
	return no
}

func either(a, b verdict) verdict {
	switch {
	case a == yes || b == yes:
		return yes
	case a == unknown || b == unknown:
		return unknown
	}
	return no
}

// taggedHead accepts JSON, another tag, or an offered name.
func taggedHead(t *Tools, b *block) verdict {
	s := strings.TrimLeft(strings.ReplaceAll(b.body.String(), minimaxToken, ""), space)
	if s == "" {
		return unknown
	}
	switch s[0] {
	case '{', '[':
		return jsonHead(t, b)
	case '<':
		return either(begins(s, "<function="), begins(s, "<invoke"))
	case minimaxToken[0]:
		return begins(s, minimaxToken)
	}
	return either(nameHead(t, s, "<\n "), foreignHead(s, "<arg_key>"))
}

// jsonHead accepts an object with a name, or a list of objects.
func jsonHead(_ *Tools, b *block) verdict {
	s := strings.Join(strings.Fields(b.body.String()), "")
	s = strings.TrimPrefix(s, "[")
	return begins(s, `{"`)
}

// nameHead accepts an offered name that ends with one of the signs.
func nameHead(t *Tools, s, ends string) verdict {
	s = strings.TrimPrefix(s, "functions.")
	n := strings.IndexAny(s, ends)
	switch {
	case n >= 0 && t.Has(strings.TrimSpace(s[:n])):
		return yes
	case n < 0 && (t.HasPrefix(s) || strings.HasPrefix("functions.", s)):
		return unknown
	}
	return no
}

// foreignHead accepts any name when a sign of a call follows: the call cannot run, but it is one.
func foreignHead(s string, signs ...string) verdict {
	const longest = 64 // characters of a tool's name
	n := strings.IndexFunc(s, func(r rune) bool { return !isAlnum(byte(min(r, 127))) && r != '_' && r != '-' && r != '.' })
	if n < 0 && len(s) <= longest {
		return unknown
	}
	if n <= 0 || n > longest || s[n] == ' ' {
		return no
	}
	v, rest := no, strings.Join(strings.Fields(s[n:min(len(s), n+2*longest)]), "")
	for _, sign := range signs {
		v = either(v, begins(rest, sign))
	}
	return v
}

func functionHead(t *Tools, b *block) verdict {
	s := b.body.String()
	return either(nameHead(t, s, ">"), foreignHead(s, "><parameter=", ">{"))
}

func quotedHead(t *Tools, b *block) verdict {
	s := b.body.String()
	if s == "" {
		return unknown
	}
	if s[0] != '"' && s[0] != '\'' {
		return no
	}
	return either(nameHead(t, s[1:], s[:1]), foreignHead(s[1:], s[:1]+"><parametername="))
}

func invokeHead(_ *Tools, b *block) verdict {
	s := strings.TrimLeft(strings.ReplaceAll(b.body.String(), minimaxToken, ""), space)
	return begins(s, "<invoke")
}

// readTagged reads the body of a <tool_call> in whichever form it has.
func readTagged(t *Tools, mark, body string) []llm.Call {
	body = strings.TrimSpace(strings.ReplaceAll(body, minimaxToken, ""))
	switch {
	case body == "":
		return nil
	case body[0] == '{' || body[0] == '[':
		return readHermes(t, mark, body)
	case strings.HasPrefix(body, "<function="):
		return readFunctions(t, body)
	case body[0] == '<':
		return readInvokes(t, body)
	}
	return readGLM(t, body)
}

// readGLM reads NAME and pairs of <arg_key> and <arg_value>.
func readGLM(t *Tools, body string) []llm.Call {
	at := strings.IndexByte(body, '<')
	if at < 0 {
		at = len(body)
	}
	name := t.Resolve(body[:at])
	if !t.Has(name) {
		return nil
	}
	args, ok := t.Pairs(name, body[at:])
	if !ok {
		return nil
	}
	return []llm.Call{{Name: name, Args: args}}
}

// Pairs reads GLM's argument markup, pairs of <arg_key> and <arg_value>, and returns the arguments of
// the tool as JSON. The opening tag of a value may be missing.
func (b *Tools) Pairs(tool, s string) (args string, ok bool) {
	var obj object
	for {
		s = strings.TrimLeft(s, space)
		if s == "" {
			return obj.String(), true
		}
		rest, ok := strings.CutPrefix(s, "<arg_key>")
		if !ok {
			return "", false
		}
		key, rest, ok := strings.Cut(rest, "</arg_key>")
		if !ok {
			return "", false
		}
		if opened, ok := strings.CutPrefix(strings.TrimLeft(rest, space), "<arg_value>"); ok {
			rest = opened
		}
		value, rest, ok := strings.Cut(rest, "</arg_value>")
		if !ok {
			return "", false
		}
		key = strings.TrimSpace(key)
		obj.set(key, b.argument(tool, key, value))
		s = rest
	}
}

// readFunctions reads <function=NAME> elements with <parameter=KEY> inside, or with JSON.
func readFunctions(t *Tools, s string) []llm.Call {
	var calls []llm.Call
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		rest, ok := strings.CutPrefix(s, "<function=")
		if !ok {
			return nil
		}
		name, rest, ok := strings.Cut(rest, ">")
		name = t.Resolve(strings.Trim(name, `"' `))
		if !ok || !t.Has(name) {
			return nil
		}
		args, rest, ok := functionArgs(t, name, rest)
		if !ok {
			return nil
		}
		calls = append(calls, llm.Call{Name: name, Args: args})
		s = rest
	}
	return calls
}

func functionArgs(t *Tools, tool, s string) (args, rest string, ok bool) {
	if body := strings.TrimLeft(s, space); strings.HasPrefix(body, "{") {
		body, rest, ok := cutLast(body, "</function>")
		_, err := llm.ParseArgs(body)
		return strings.TrimSpace(body), rest, ok && err == nil
	}
	var obj object
	for {
		s = strings.TrimLeft(s, space)
		if rest, ok := strings.CutPrefix(s, "</function>"); ok {
			return obj.String(), rest, true
		}
		body, ok := strings.CutPrefix(s, "<parameter=")
		if !ok {
			return "", "", false
		}
		key, body, ok := strings.Cut(body, ">")
		if !ok {
			return "", "", false
		}
		value, rest, ok := strings.Cut(body, "</parameter>")
		if !ok {
			return "", "", false
		}
		key = strings.Trim(key, `"' `)
		obj.set(key, t.argument(tool, key, unwrapLines(value)))
		s = rest
	}
}

// cutLast cuts around the last occurrence of sep: the text before may hold it in a string.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// unwrapLines takes off the line ends that the form puts around a value.
func unwrapLines(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n")
	return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
}
