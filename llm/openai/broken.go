package openai

import (
	"encoding/json"
	"net/http"
	"strings"

	"paicli/llm"
	"paicli/llm/internal/fault"
	"paicli/llm/internal/sse"
)

// errorIn is what of a decoded event tells of an error, nil when nothing does. Servers name it in many
// ways; an event with choices is one only if it says so in a field of the known ones.
func errorIn(ev sse.Event, c *chunk) []byte {
	if ev.Name == "error" || present(c.Error) || c.BaseResp.Code != 0 {
		return ev.Data
	}
	for i := range c.Choices {
		if present(c.Choices[i].Error) {
			return c.Choices[i].Error
		}
	}
	if len(c.Choices) == 0 && !present(c.Usage) && oddObject(ev.Data) {
		return ev.Data
	}
	return nil
}

// present reports whether a field holds more than a way to say nothing.
func present(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", "false", `""`, "{}", "[]", "0":
		return false
	}
	return true
}

// oddObject judges an object that is no chunk by its keys.
func oddObject(data []byte) bool {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		return len(list) > 0 && oddObject(list[0])
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(data, &keys) != nil {
		return false
	}
	for key, value := range keys {
		switch k := strings.ToLower(key); {
		case !present(value):
		case strings.HasPrefix(k, "error"), k == "detail", k == "message", k == "msg", k == "response":
			return true
		case k == "success" || k == "ok":
			return string(value) == "false"
		case (k == "type" || k == "object") && string(value) == `"error"`:
			return true
		}
	}
	return false
}

// reread makes a reply of what a model wrote and its server refused to parse, when that holds a
// complete call of an offered tool; else nil.
func reread(generation string, r reading) *llm.Reply {
	t := newTurn(r, nil, func(llm.Delta) bool { return true })
	t.content(generation)
	reply, err := t.conclude()
	if err != nil || reply.Finish != llm.FinishCalls {
		return nil
	}
	return reply
}

// broken makes an error of the answer.
func (t *turn) broken(kind llm.ErrorKind, retry bool, detail string) *llm.Error {
	return t.r.call.Error(kind, retry, detail)
}

// refused makes the error that an event tells of.
func (t *turn) refused(body []byte) *llm.Error {
	return t.r.call.Classify(fault.Answer{Header: t.header, Body: body, InStream: true})
}

// unframed judges an answer that is neither a stream nor JSON: a page is a sign of a wrong address
// or a login in between, anything else is the text of an error.
func (t *turn) unframed(ev sse.Event) *llm.Error {
	if ev.Page() {
		return t.r.call.Classify(fault.Answer{Status: http.StatusOK, Header: t.header, Body: ev.Data, InStream: true})
	}
	return t.broken(llm.ErrBadStream, false, fault.Line(string(ev.Data)))
}
