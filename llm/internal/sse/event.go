package sse

import (
	"bytes"
	"strings"
)

// Event is one message of a stream. Data is valid until the next one.
type Event struct {
	Name string
	Data []byte
	Raw  bool // the body did not frame it: JSON, HTML or text without "data:"
	Cut  bool // it was the last thing before the end, without the blank line that closes an event
}

// Done is the data of the event with which most servers end a stream.
const Done = "[DONE]"

// Done reports whether the event is the server's mark of the end.
func (e Event) Done() bool { return string(bytes.TrimSpace(e.Data)) == Done }

// JSON reports whether the data begins like an object or a list.
func (e Event) JSON() bool { return looksLikeJSON(e.Data) }

// Page reports whether the data begins like a web page.
func (e Event) Page() bool { return looksLikePage(e.Data) }

// pings are the words that keep a connection alive when a proxy sends them as data.
var pings = [...]string{"ping", "pong", "keepalive", "keep-alive", "heartbeat", "null", "{}", "[]"}

// Ping reports whether an event carries nothing but the news that the connection lives: a comment
// that was framed as data, an empty event, or one of the usual words.
func (e Event) Ping() bool {
	data := bytes.TrimSpace(e.Data)
	if len(data) == 0 || data[0] == ':' {
		return true
	}
	for _, word := range pings {
		if strings.EqualFold(e.Name, word) {
			return true
		}
		if len(data) <= len(word)+2 && strings.EqualFold(strings.Trim(string(data), "[]"), strings.Trim(word, "[]")) {
			return true
		}
	}
	return false
}

func looksLikeJSON(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && (b[0] == '{' || b[0] == '[')
}

func looksLikePage(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == '<'
}
