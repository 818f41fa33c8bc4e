package openai

import (
	"encoding/json"

	"paicli/llm/internal/jsontext"
)

// chunk is one event of a Chat Completions stream, or a whole answer. Its fields take every shape
// that servers were seen to send; what has another shape is left out instead of failing the chunk.
type chunk struct {
	Model    jsontext.String `json:"model"`
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
	Index   jsontext.Number `json:"index"`
	Delta   *delta          `json:"delta"`
	Message *delta          `json:"message"`
	Text    jsontext.String `json:"text"`
	Finish  jsontext.String `json:"finish_reason"`
	Native  jsontext.String `json:"native_finish_reason"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type delta struct {
	Content          words           `json:"content"`
	Refusal          jsontext.String `json:"refusal"`
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
	Index    jsontext.Number `json:"index"`
	ID       jsontext.String `json:"id"`
	Function function        `json:"function"`
	Name     jsontext.String `json:"name"` // flat form of some servers
	Args     jsontext.Args   `json:"arguments"`
	Extra    json.RawMessage `json:"extra_content"`
}

type function struct {
	Name jsontext.String `json:"name"`
	Args jsontext.Args   `json:"arguments"`
}

// callPieces is a list of calls; a single one may stand without the list.
type callPieces []callPiece

func (l *callPieces) UnmarshalJSON(raw []byte) error {
	switch {
	case len(raw) > 0 && raw[0] == '[':
		return jsontext.Decode(raw, (*[]callPiece)(l))
	case len(raw) > 0 && raw[0] == '{':
		var one callPiece
		if err := jsontext.Decode(raw, &one); err != nil {
			return err
		}
		*l = callPieces{one}
	}
	return nil
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
		w.text = jsontext.Unquote(raw)
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
		Type     jsontext.String `json:"type"`
		Text     words           `json:"text"`
		Content  words           `json:"content"`
		Thinking words           `json:"thinking"`
		Refusal  jsontext.String `json:"refusal"`
	}
	if err := jsontext.Decode(raw, &p); err != nil {
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
