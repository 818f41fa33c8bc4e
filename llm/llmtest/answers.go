package llmtest

import (
	"bytes"
	"encoding/json"
	"net/http"

	"paicli/llm"
)

// Text is a good answer that streams the text in several deltas.
func Text(text string) Answer {
	return Stream(llm.Reply{Message: llm.Text(llm.RoleAssistant, text)})
}

// Calls is a good answer that streams tool calls.
func Calls(calls ...llm.Call) Answer {
	var m llm.Message
	for i := range calls {
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.KindCall, Call: &calls[i]})
	}
	return Stream(llm.Reply{Message: m})
}

// Stream is a good Chat Completions stream of a whole reply: reasoning, text, calls, the finish
// reason and the usage. A zero Finish follows from the message, an unknown usage is a small one.
func Stream(r llm.Reply) Answer {
	w := stream{model: r.Model}
	if w.model == "" {
		w.model = "scripted"
	}
	w.delta(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(r.Message.Think()) {
		w.delta(map[string]any{"reasoning_content": piece}, nil)
	}
	for _, piece := range pieces(r.Message.Text()) {
		w.delta(map[string]any{"content": piece}, nil)
	}
	calls := r.Message.Calls()
	for i, c := range calls {
		w.call(i, c)
	}
	finish := r.Finish
	if finish == "" {
		finish = llm.FinishStop
		if len(calls) > 0 {
			finish = llm.FinishCalls
		}
	}
	w.delta(map[string]any{}, &finish)
	w.usage(r.Usage)
	w.WriteString("data: [DONE]\n\n")
	return Answer{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: w.Bytes()}
}

// stream writes events.
type stream struct {
	bytes.Buffer
	model string
}

func (w *stream) event(fields map[string]any) {
	fields["id"], fields["object"], fields["model"] = "chatcmpl-scripted", "chat.completion.chunk", w.model
	b, err := json.Marshal(fields)
	if err != nil {
		panic(err) // only strings, numbers and maps of them are written
	}
	w.WriteString("data: ")
	w.Write(b)
	w.WriteString("\n\n")
}

func (w *stream) delta(delta map[string]any, finish *llm.Finish) {
	w.event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
}

// call writes a call as servers do: the name first, then the arguments in pieces.
func (w *stream) call(index int, c llm.Call) {
	id := c.ID
	if id == "" {
		id = "call_" + string(rune('a'+index))
	}
	w.part(map[string]any{"index": index, "id": id, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}})
	for _, piece := range pieces(c.Args) {
		w.part(map[string]any{"index": index, "function": map[string]any{"arguments": piece}})
	}
}

func (w *stream) part(call map[string]any) {
	w.delta(map[string]any{"tool_calls": []any{call}}, nil)
}

func (w *stream) usage(u llm.Usage) {
	if !u.Known && u.Input+u.Output == 0 {
		u.Input, u.Output = 10, 5
	}
	w.event(map[string]any{"choices": []any{}, "usage": map[string]any{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.Cached},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
	}})
}

// pieces cuts a text into at most four parts between characters.
func pieces(s string) []string {
	const most = 4
	runes := []rune(s)
	size := (len(runes) + most - 1) / most
	var out []string
	for len(runes) > 0 {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}
