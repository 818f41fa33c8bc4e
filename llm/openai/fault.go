package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"paicli/llm"
)

// pings are the words that keep a connection alive when a proxy sends them as data.
var pings = [...]string{"ping", "pong", "keepalive", "keep-alive", "heartbeat", "null", "{}", "[]"}

// isPing reports whether an event carries nothing but the news that the connection lives: a
// comment that was framed as data, an empty event, or one of the usual words.
func isPing(ev event) bool {
	data := bytes.TrimSpace(ev.data)
	if len(data) == 0 || data[0] == ':' {
		return true
	}
	for _, word := range pings {
		if strings.EqualFold(ev.name, word) {
			return true
		}
		if len(data) <= len(word)+2 && strings.EqualFold(strings.Trim(string(data), "[]"), strings.Trim(word, "[]")) {
			return true
		}
	}
	return false
}

// faulty reports whether a decoded event tells of an error. Servers name it in many ways; an event
// with choices is one only if it says so in a field of the known ones.
func faulty(ev event, c *chunk) bool {
	if ev.name == "error" || present(c.Error) || c.BaseResp.Code != 0 {
		return true
	}
	for i := range c.Choices {
		if present(c.Choices[i].Error) {
			return true
		}
	}
	return len(c.Choices) == 0 && !present(c.Usage) && oddObject(ev.data)
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

// statusIn finds an HTTP status among the codes of an error object.
func statusIn(data []byte) int {
	var body struct {
		Error   json.RawMessage `json:"error"`
		Code    number          `json:"code"`
		Status  number          `json:"status"`
		Status2 number          `json:"status_code"`
		Choices []struct {
			Error json.RawMessage `json:"error"`
		} `json:"choices"`
	}
	if skipMismatch(json.Unmarshal(data, &body)) != nil {
		return 0
	}
	for _, n := range [...]number{body.Code, body.Status, body.Status2} {
		if n.value >= http.StatusBadRequest && n.value < 600 {
			return n.value
		}
	}
	if present(body.Error) {
		return statusIn(body.Error)
	}
	for _, c := range body.Choices {
		if present(c.Error) {
			return statusIn(c.Error)
		}
	}
	return 0
}

// generationIn finds what the model wrote in the error of a server that could not parse it.
func generationIn(data []byte) string {
	var body struct {
		Failed loose           `json:"failed_generation"`
		Error  json.RawMessage `json:"error"`
	}
	if skipMismatch(json.Unmarshal(data, &body)) != nil {
		return ""
	}
	if body.Failed == "" && present(body.Error) {
		return generationIn(body.Error)
	}
	return string(body.Failed)
}

// recoverReply makes a reply of a generation that the server refused to parse, when it holds a
// complete call of an offered tool; else nil.
func recoverReply(body []byte, r reading) *llm.Reply {
	text := generationIn(body)
	if text == "" {
		return nil
	}
	t := newTurn(r, nil, func(llm.Delta) bool { return true })
	t.content(text)
	reply, err := t.conclude()
	if err != nil || reply.Finish != llm.FinishCalls {
		return nil
	}
	return reply
}

// broken makes the error of an answer that is not a stream at all.
func (t *turn) broken(kind llm.ErrorKind, retry bool, detail string) *llm.Error {
	return &llm.Error{
		Kind: kind, Detail: detail, Retryable: retry,
		Provider: t.r.provider, Model: t.r.model, URL: t.url,
	}
}

// refused makes the error that an event tells of.
func (t *turn) refused(body []byte) *llm.Error {
	return classify(failure{
		status: statusIn(body), header: t.header, body: body,
		provider: t.r.provider, model: t.r.model, url: t.url,
		window: t.r.window, inStream: true,
	})
}

// unframed judges an answer that is neither a stream nor JSON: a page is a sign of a wrong address
// or a login in between, anything else is the text of an error.
func (t *turn) unframed(data []byte) *llm.Error {
	if looksLikePage(data) {
		e := classify(failure{
			status: http.StatusOK, header: t.header, body: data,
			provider: t.r.provider, model: t.r.model, url: t.url, inStream: true,
		})
		return e
	}
	return t.broken(llm.ErrBadStream, false, shorten(string(data)))
}

// shorten makes one line of a server's words.
func shorten(s string) string {
	const most = 500 // runes
	words := strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if r := []rune(words); len(r) > most {
		return string(r[:most]) + "…"
	}
	return words
}
