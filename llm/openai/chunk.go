package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// chunk is one event of a Chat Completions stream, or a whole answer. Its fields take every shape
// that servers were seen to send; what has another shape is left out instead of failing the chunk.
type chunk struct {
	Model    loose           `json:"model"`
	Choices  []choice        `json:"choices"`
	Usage    json.RawMessage `json:"usage"`
	Groq     groq            `json:"x_groq"`
	Error    json.RawMessage `json:"error"`
	BaseResp baseResp        `json:"base_resp"`
}

type groq struct {
	Usage json.RawMessage `json:"usage"`
}

// baseResp is MiniMax's report of an error inside a good answer.
type baseResp struct {
	Code    int    `json:"status_code"`
	Message string `json:"status_msg"`
}

type choice struct {
	Index   number          `json:"index"`
	Delta   *delta          `json:"delta"`
	Message *delta          `json:"message"`
	Text    loose           `json:"text"`
	Finish  loose           `json:"finish_reason"`
	Native  loose           `json:"native_finish_reason"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type delta struct {
	Content          words           `json:"content"`
	Refusal          loose           `json:"refusal"`
	ReasoningContent words           `json:"reasoning_content"`
	Reasoning        words           `json:"reasoning"`
	ReasoningText    words           `json:"reasoning_text"`
	Thinking         words           `json:"thinking"`
	Details          details         `json:"reasoning_details"`
	Opaque           json.RawMessage `json:"reasoning_opaque"`
	Calls            callPieces      `json:"tool_calls"`
	Function         *function       `json:"function_call"`
}

// callPiece is a part of a tool call.
type callPiece struct {
	Index    number          `json:"index"`
	ID       loose           `json:"id"`
	Function function        `json:"function"`
	Name     loose           `json:"name"` // flat form of some servers
	Args     arguments       `json:"arguments"`
	Extra    json.RawMessage `json:"extra_content"`
}

type function struct {
	Name loose     `json:"name"`
	Args arguments `json:"arguments"`
}

// decodeChunk reads one event. Fields of an unexpected type are skipped.
func decodeChunk(data []byte, c *chunk) error {
	err := json.Unmarshal(data, c)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return nil
	}
	return err
}

// loose is a string that may come as a number or null.
type loose string

func (l *loose) UnmarshalJSON(raw []byte) error {
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case raw[0] == '"':
		*l = loose(unquote(raw))
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		*l = loose(raw)
	}
	return nil
}

// number is an integer that may be missing, null, or a string.
type number struct {
	value int
	known bool
}

func (n *number) UnmarshalJSON(raw []byte) error {
	v, err := strconv.Atoi(strings.Trim(string(raw), `"`))
	if err == nil {
		n.value, n.known = v, true
	}
	return nil
}

// arguments is the text of a call's arguments. A server may send the object itself instead of its
// text, and an empty array for an empty object.
type arguments string

func (a *arguments) UnmarshalJSON(raw []byte) error {
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case raw[0] == '"':
		*a = arguments(unquote(raw))
	default:
		var b bytes.Buffer
		if json.Compact(&b, raw) != nil {
			return nil
		}
		if b.String() == "[]" {
			b.Reset()
			b.WriteString("{}")
		}
		*a = arguments(b.String())
	}
	return nil
}

// callPieces is a list of calls; a single one may stand without the list.
type callPieces []callPiece

func (l *callPieces) UnmarshalJSON(raw []byte) error {
	switch {
	case len(raw) > 0 && raw[0] == '[':
		return skipMismatch(json.Unmarshal(raw, (*[]callPiece)(l)))
	case len(raw) > 0 && raw[0] == '{':
		var one callPiece
		if err := skipMismatch(json.Unmarshal(raw, &one)); err != nil {
			return err
		}
		*l = callPieces{one}
	}
	return nil
}

func skipMismatch(err error) error {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return nil
	}
	return err
}

// words is text that may come as a string, as a list of parts or as an object. Parts of the type
// thinking are kept apart.
type words struct {
	text, think string
}

func (w *words) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 {
		return nil
	}
	switch raw[0] {
	case '"':
		w.text = unquote(raw)
	case '[':
		var parts []json.RawMessage
		if err := json.Unmarshal(raw, &parts); err != nil {
			return err
		}
		for _, part := range parts {
			var each words
			if err := each.UnmarshalJSON(part); err != nil {
				return err
			}
			w.text += each.text
			w.think += each.think
		}
	case '{':
		return w.part(raw)
	}
	return nil
}

// part reads an object of a content list. Only the fields that hold text count: references,
// images and the like are passed over.
func (w *words) part(raw []byte) error {
	var p struct {
		Type     loose `json:"type"`
		Text     words `json:"text"`
		Content  words `json:"content"`
		Thinking words `json:"thinking"`
		Refusal  loose `json:"refusal"`
	}
	if err := skipMismatch(json.Unmarshal(raw, &p)); err != nil {
		return err
	}
	body := p.Text.text + p.Content.text + string(p.Refusal)
	think := p.Thinking.text + p.Thinking.think + p.Text.think + p.Content.think
	switch p.Type {
	case "thinking", "reasoning", "reasoning_content", "think":
		w.think = think + body
	default:
		w.text, w.think = body, think
	}
	return nil
}

// all is the text of a field that can only hold reasoning.
func (w words) all() string { return w.think + w.text }

// unquote reads a JSON string literal. The usual piece has no escape and needs no second parser.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return strings.ToValidUTF8(string(raw[1:len(raw)-1]), "\ufffd")
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
