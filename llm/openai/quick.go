package openai

import (
	"bytes"
	"encoding/json"

	"paicli/llm/internal/jsontext"
)

// quick reads the chunks of which nearly every stream is made: one choice, strings, null and small
// numbers under the usual keys. It gives up on anything else, which the decoder of chunk then reads;
// a chunk that quick takes is one that the decoder takes, with the same result. The chunk is valid
// until the next one, so that a long answer needs no memory but for its text.
type quick struct {
	in []byte
	at int

	named []byte          // the literal of the last chunk's model, which hardly ever changes
	model jsontext.String // what it says

	chunk  chunk
	choice [1]choice
	delta  delta
}

// read returns nil when it gives up.
func (q *quick) read(data []byte) *chunk {
	q.in, q.at = data, 0
	q.chunk, q.choice[0] = chunk{}, choice{}
	q.delta = delta{Calls: q.delta.Calls[:0]}
	if !q.object(q.topField) || len(bytes.TrimLeft(q.in[q.at:], space)) > 0 {
		return nil
	}
	return &q.chunk
}

func (q *quick) topField(key []byte) bool {
	switch c := &q.chunk; string(key) {
	case "model":
		return q.modelName()
	case "choices":
		return len(c.Choices) == 0 && q.list(q.oneChoice)
	case "usage", "x_groq", "error", "base_resp":
		return q.null()
	}
	return q.other(key)
}

func (q *quick) oneChoice() bool {
	if len(q.chunk.Choices) > 0 {
		return false
	}
	q.chunk.Choices = q.choice[:]
	return q.object(q.choiceField)
}

func (q *quick) choiceField(key []byte) bool {
	switch c := &q.choice[0]; string(key) {
	case "index":
		return q.number(&c.Index)
	case "delta":
		if q.null() {
			return c.Delta == nil
		}
		c.Delta = &q.delta
		return q.object(q.deltaField)
	case "text":
		return q.text((*string)(&c.Text))
	case "finish_reason":
		return q.text((*string)(&c.Finish))
	case "native_finish_reason":
		return q.text((*string)(&c.Native))
	case "message", "usage", "error":
		return q.null()
	}
	return q.other(key)
}

func (q *quick) deltaField(key []byte) bool {
	switch d := &q.delta; string(key) {
	case "content":
		return q.text(&d.Content.text)
	case "refusal":
		return q.text((*string)(&d.Refusal))
	case "reasoning_content":
		return q.text(&d.ReasoningContent.text)
	case "reasoning":
		return q.text(&d.Reasoning.text)
	case "tool_calls":
		return q.null() || len(d.Calls) == 0 && q.list(q.oneCall)
	case "reasoning_text", "thinking", "reasoning_details", "reasoning_opaque", "function_call":
		return q.null()
	}
	return q.other(key)
}

func (q *quick) oneCall() bool {
	q.delta.Calls = append(q.delta.Calls, callPiece{})
	return q.object(q.callField)
}

func (q *quick) callField(key []byte) bool {
	switch p := &q.delta.Calls[len(q.delta.Calls)-1]; string(key) {
	case "index":
		return q.number(&p.Index)
	case "id":
		return q.text((*string)(&p.ID))
	case "function":
		return q.object(q.functionField)
	case "name", "arguments", "extra_content":
		return q.null()
	}
	return q.other(key)
}

func (q *quick) functionField(key []byte) bool {
	switch f := &q.delta.Calls[len(q.delta.Calls)-1].Function; string(key) {
	case "name":
		return q.text((*string)(&f.Name))
	case "arguments":
		return q.text((*string)(&f.Args))
	}
	return q.other(key)
}

// other passes over a field without meaning. Keys in other letters could still mean a known field:
// encoding/json is lenient there.
func (q *quick) other(key []byte) bool {
	for _, c := range key {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	var n jsontext.Number
	return q.literal() != nil || q.word("true") || q.word("false") || q.number(&n)
}

// object reads the members of an object; field reads the value of each.
func (q *quick) object(field func(key []byte) bool) bool {
	if !q.eat('{') {
		return false
	}
	for first := true; !q.eat('}'); first = false {
		if !first && !q.eat(',') {
			return false
		}
		key := q.literal()
		if key == nil || !q.eat(':') || !field(key[1:len(key)-1]) {
			return false
		}
	}
	return true
}

// list reads a list; item reads each item.
func (q *quick) list(item func() bool) bool {
	if !q.eat('[') {
		return false
	}
	for first := true; !q.eat(']'); first = false {
		if !first && !q.eat(',') || !item() {
			return false
		}
	}
	return true
}

// eat passes white space and the sign, if that comes next.
func (q *quick) eat(sign byte) bool {
	q.skipSpace()
	if q.at == len(q.in) || q.in[q.at] != sign {
		return false
	}
	q.at++
	return true
}

func (q *quick) skipSpace() {
	for q.at < len(q.in) && (q.in[q.at] == ' ' || q.in[q.at] == '\n' || q.in[q.at] == '\t' || q.in[q.at] == '\r') {
		q.at++
	}
}

// literal reads a string with its quotes, nil when there is none; then nothing is passed.
func (q *quick) literal() []byte {
	q.skipSpace()
	if q.at == len(q.in) || q.in[q.at] != '"' {
		return nil
	}
	escaped := false
	for i := q.at + 1; i < len(q.in); i++ {
		switch c := q.in[i]; {
		case c == '"':
			lit := q.in[q.at : i+1]
			if escaped && !json.Valid(lit) {
				return nil
			}
			q.at = i + 1
			return lit
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			return nil
		}
	}
	return nil
}

// text reads a string; null leaves it as it is.
func (q *quick) text(into *string) bool {
	if lit := q.literal(); lit != nil {
		*into = jsontext.Unquote(lit)
		return true
	}
	return q.null()
}

func (q *quick) modelName() bool {
	lit := q.literal()
	if lit == nil {
		return q.null()
	}
	if !bytes.Equal(lit, q.named) {
		q.named = append(q.named[:0], lit...)
		q.model = jsontext.String(jsontext.Unquote(lit))
	}
	q.chunk.Model = q.model
	return true
}

// number reads a whole number that is not negative and not longer than any count; null leaves it
// unknown.
func (q *quick) number(into *jsontext.Number) bool {
	if q.null() {
		return true
	}
	n, from := 0, q.at
	for ; q.at < len(q.in) && q.in[q.at] >= '0' && q.in[q.at] <= '9'; q.at++ {
		n = n*10 + int(q.in[q.at]-'0')
	}
	digits := q.at - from
	if digits == 0 || digits > 18 || digits > 1 && q.in[from] == '0' || !q.endsAt(q.at) {
		return false
	}
	*into = jsontext.Number{Value: n, Known: true}
	return true
}

func (q *quick) null() bool { return q.word("null") }

func (q *quick) word(w string) bool {
	q.skipSpace()
	if !bytes.HasPrefix(q.in[q.at:], []byte(w)) || !q.endsAt(q.at+len(w)) {
		return false
	}
	q.at += len(w)
	return true
}

// endsAt reports whether a value ends here, inside of an object or list.
func (q *quick) endsAt(at int) bool {
	return at < len(q.in) && bytes.IndexByte([]byte(",}] \t\r\n"), q.in[at]) >= 0
}
