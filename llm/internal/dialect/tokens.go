package dialect

import (
	"cmp"
	"encoding/json"
	"strings"

	"paicli/llm"
	"paicli/llm/internal/jsontext"
)

// The kinds of calls between control tokens, and those that are the whole answer.
var (
	kimiCall = kind{
		ends:  []string{"<|tool_call_end|>"},
		next:  []string{"<|tool_calls_section_end|>", "<|tool_call_section_end|>", "<|tool_call_begin|>"},
		token: true, json: kimiJSON, read: readKimi,
	}
	deepSeekCall = kind{
		ends:  []string{"<｜tool▁call▁end｜>"},
		next:  []string{"<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>"},
		token: true, json: deepSeekJSON, read: readDeepSeek,
	}
	mistralCall = kind{token: true, json: mistralJSON, early: mistralHead, read: readMistral}
	bareCall    = kind{whole: true, json: leadingJSON, early: bareHead, read: readBare}
)

const (
	kimiArgs    = "<|tool_call_argument_begin|>"
	deepSeekSep = "<｜tool▁sep｜>"
)

// oneCall makes a call of a name and the text of its arguments when the tool is offered and the
// text holds an object.
func oneCall(t *Tools, name, args string) []llm.Call {
	name, args = t.Resolve(name), strings.TrimSpace(args)
	if _, err := llm.ParseArgs(args); err != nil || args == "" || !t.Has(name) {
		return nil
	}
	return []llm.Call{{Name: name, Args: args}}
}

func kimiJSON(body string) int { return after(body, kimiArgs) }

// after is the place behind the first sep, -1 when there is none.
func after(s, sep string) int {
	if i := strings.Index(s, sep); i >= 0 {
		return i + len(sep)
	}
	return -1
}

// readKimi reads functions.NAME:INDEX, the argument token and JSON.
func readKimi(t *Tools, _, body string) []llm.Call {
	name, args, ok := strings.Cut(body, kimiArgs)
	if !ok {
		return nil
	}
	return oneCall(t, name, args)
}

func deepSeekJSON(body string) int {
	from := after(body, deepSeekSep)
	if from < 0 {
		return -1
	}
	if at := strings.IndexByte(body[from:], '{'); at >= 0 {
		return from + at
	}
	return -1
}

// readDeepSeek reads NAME, a separator and JSON (V3.1), or the word function, a separator, NAME and
// JSON in a fence (V3, R1).
func readDeepSeek(t *Tools, _, body string) []llm.Call {
	name, args, ok := strings.Cut(body, deepSeekSep)
	if !ok {
		return nil
	}
	if strings.TrimSpace(name) == "function" && !t.Has("function") {
		name, args, _ = strings.Cut(args, "\n")
	}
	return oneCall(t, name, args)
}

// mistralJSON finds the list of the old form, or the object after NAME[ARGS] of the new one.
func mistralJSON(body string) int {
	if at := leadingJSON(body); at >= 0 {
		return at
	}
	return strings.IndexByte(body, '{')
}

func mistralHead(t *Tools, b *block) verdict {
	s := strings.TrimLeft(b.body.String(), space)
	if s == "" {
		return unknown
	}
	if s[0] == '[' || s[0] == '{' {
		return jsonHead(t, b)
	}
	return either(nameHead(t, s, "[{ "), foreignHead(s, "[ARGS]", "[CALL_ID]"))
}

func readMistral(t *Tools, mark, body string) []llm.Call {
	if at := leadingJSON(body); at >= 0 {
		return readHermes(t, mark, body[at:])
	}
	at := strings.IndexByte(body, '{')
	if at < 0 {
		return nil
	}
	name, _, _ := strings.Cut(body[:at], "[")
	return oneCall(t, name, body[at:])
}

// jsonCall is a call as JSON, in the spellings in use.
type jsonCall struct {
	Name       jsontext.String `json:"name"`
	Function   json.RawMessage `json:"function"`
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"`
}

// readHermes reads JSON objects with a name and arguments, in a row or in a list. All must be
// offered tools.
func readHermes(t *Tools, _, body string) []llm.Call {
	var calls []llm.Call
	dec := json.NewDecoder(strings.NewReader(body))
	for dec.More() {
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return nil
		}
		list := []json.RawMessage{raw}
		if raw[0] == '[' && json.Unmarshal(raw, &list) != nil {
			return nil
		}
		for _, each := range list {
			c, ok := readJSONCall(t, each)
			if !ok {
				return nil
			}
			calls = append(calls, c)
		}
	}
	return calls
}

func readJSONCall(t *Tools, raw json.RawMessage) (llm.Call, bool) {
	var c jsonCall
	if len(raw) == 0 || raw[0] != '{' || jsontext.Decode(raw, &c) != nil {
		return llm.Call{}, false
	}
	if c.Name == "" && len(c.Function) > 0 && c.Function[0] == '{' {
		return readJSONCall(t, c.Function)
	}
	given := c.Arguments
	if given == nil {
		given = c.Parameters
	}
	var args jsontext.Args
	_ = args.UnmarshalJSON(given) // it takes every shape
	calls := oneCall(t, string(c.Name), cmp.Or(string(args), "{}"))
	if calls == nil {
		return llm.Call{}, false
	}
	return calls[0], true
}

// bareHead follows an answer that may be one JSON call: it must begin like one, name an offered
// tool, and nothing may follow it.
func bareHead(t *Tools, b *block) verdict {
	const headSize = 200
	body := b.body.String()
	head := strings.Join(strings.Fields(body[:min(len(body), headSize)]), "")
	if !bareBegins(t, head) {
		return no
	}
	b.follow(body, 0, len(body))
	if b.shape.Complete() && strings.Trim(body[b.shape.End:], space) != "" {
		return no
	}
	return unknown
}

func bareBegins(t *Tools, head string) bool {
	for _, key := range [...]string{`{"arguments":`, `{"parameters":`, `{"type":"function"`, `{"function":{`} {
		if begins(head, key) != no {
			return true
		}
	}
	const name = `{"name":"`
	rest, named := strings.CutPrefix(head, name)
	if !named {
		return strings.HasPrefix(name, head)
	}
	got, _, closed := strings.Cut(rest, `"`)
	return closed && t.Has(t.Resolve(got)) || !closed && (t.HasPrefix(got) || begins("functions.", got) == yes || strings.HasPrefix(got, "functions."))
}

// readBare reads an answer that is exactly one call object.
func readBare(t *Tools, _, body string) []llm.Call {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &fields) != nil {
		return nil
	}
	for key := range fields {
		switch key {
		case "name", "arguments", "parameters", "type", "id", "function":
		default:
			return nil
		}
	}
	if fields["arguments"] == nil && fields["parameters"] == nil && fields["function"] == nil {
		return nil
	}
	c, ok := readJSONCall(t, json.RawMessage(body))
	if !ok {
		return nil
	}
	return []llm.Call{c}
}
