// Package llm is the one vocabulary in which PaiCLI talks about language models: messages and
// their blocks, streamed deltas, usage, prices and errors, and the two-method Model interface that
// every wire client implements. It knows no provider, no tool and no file, and imports the standard
// library only.
//
// A model call is one stream:
//
//	Request ─► Model.Stream ─► text, think, call, retry, model … ─► reply
//
// Everything that cuts across models is a func(Model) Model (Retry, Meter).
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
)

// Role says who speaks in a message.
type Role string

// The roles of a conversation. A system text is a field of Request, not a message.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Kind says which field of a Block is set.
type Kind string

// The kinds of blocks.
const (
	KindText   Kind = "text"   // Text: words for the reader
	KindThink  Kind = "think"  // Text: reasoning, shown apart from the answer
	KindCall   Kind = "call"   // Call: the model asks for a tool
	KindResult Kind = "result" // Result: what a tool gave back
	KindMedia  Kind = "media"  // Media: an image
	KindOpaque Kind = "opaque" // Opaque: vendor data that goes back unread
)

// Message is one entry of a conversation.
type Message struct {
	Role   Role    `json:"role"`
	Blocks []Block `json:"blocks"`
}

// Block is one part of a message. Exactly the field that Kind names is set.
type Block struct {
	Kind   Kind    `json:"kind"`
	Text   string  `json:"text,omitempty"`
	Call   *Call   `json:"call,omitempty"`
	Result *Result `json:"result,omitempty"`
	Media  *Media  `json:"media,omitempty"`
	Opaque *Opaque `json:"opaque,omitempty"`
}

// Call is a tool call as the model wrote it. Args is the model's text byte for byte, valid JSON or
// not, so that a replayed conversation equals the live one; ParseArgs reads it. ID is never empty
// and is unique in the session.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// Result answers the call with the same ID. Text is what the model sees.
type Result struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Text  string  `json:"text"`
	Error bool    `json:"error,omitempty"`
	Media []Media `json:"media,omitempty"`
}

// Media is an image. MIME is image/png, image/jpeg, image/gif or image/webp.
type Media struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// Opaque is data of a vendor that must come back as it was sent: signed or encrypted reasoning,
// call signatures. It goes back only to the vendor that made it. An opaque block directly after a
// call block belongs to that call.
type Opaque struct {
	Vendor string          `json:"vendor"`
	Type   string          `json:"type"`
	Data   json.RawMessage `json:"data"`
}

// Text makes a message of one text block.
func Text(role Role, text string) Message {
	return Message{Role: role, Blocks: []Block{{Kind: KindText, Text: text}}}
}

// Text joins the text blocks of the message.
func (m Message) Text() string { return m.join(KindText) }

// Think joins the reasoning blocks of the message.
func (m Message) Think() string { return m.join(KindThink) }

func (m Message) join(kind Kind) string {
	var b strings.Builder
	for i := range m.Blocks {
		if m.Blocks[i].Kind == kind {
			b.WriteString(m.Blocks[i].Text)
		}
	}
	return b.String()
}

// Calls lists the tool calls of the message in order.
func (m Message) Calls() []Call {
	var calls []Call
	for i := range m.Blocks {
		if m.Blocks[i].Kind == KindCall {
			calls = append(calls, *m.Blocks[i].Call)
		}
	}
	return calls
}

// ToolSpec is what a model is told about a tool. Schema is a JSON Schema object.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// ToolChoice says whether the model may, must or must not call a tool.
type ToolChoice string

// The tool choices. The zero value leaves the choice to the server's default, which is auto.
const (
	ChoiceAuto     ToolChoice = "auto"
	ChoiceNone     ToolChoice = "none"
	ChoiceRequired ToolChoice = "required"
)

// Thinking asks for or against reasoning. The zero value sends what the model's catalogue entry
// says. Wires translate it to what the provider accepts.
type Thinking struct {
	Mode   ThinkingMode `json:"mode,omitempty"`
	Effort string       `json:"effort,omitempty"` // low, medium, high, max; empty = the model's default
}

// ThinkingMode switches reasoning.
type ThinkingMode string

// The thinking modes.
const (
	ThinkingDefault ThinkingMode = ""
	ThinkingOn      ThinkingMode = "on"
	ThinkingOff     ThinkingMode = "off"
)

// Limits bound one reply. Zero means the server's own limit.
type Limits struct {
	MaxOutput int // tokens
}

// Tag says whom a request is billed to. It is never sent.
type Tag struct {
	Agent   string // path of the agent in the session, "" for the root
	Turn    int
	Purpose string // "step", "closing", "classifier", …
}

// Request is one question to a model. A Model must not change it.
type Request struct {
	System     string
	Messages   []Message
	Tools      []ToolSpec // sorted by name by the caller: the list is part of the cached prefix
	ToolChoice ToolChoice
	Thinking   Thinking
	Limits     Limits
	Tag        Tag
}

// Finish says why a reply ended, in one vocabulary for all servers.
type Finish string

// The reasons for an end.
const (
	FinishStop   Finish = "stop"
	FinishCalls  Finish = "tool_calls"
	FinishLength Finish = "length"
	FinishError  Finish = "error"
)

// Reply is a folded stream. Together with an error it holds what had arrived before the break.
type Reply struct {
	Message Message `json:"message"`
	Finish  Finish  `json:"finish"`
	Usage   Usage   `json:"usage"`
	Model   string  `json:"model,omitempty"` // the model that the server says it used
	// Overfull reports that the prompt filled the window although the server answered: compact
	// before the next request.
	Overfull bool `json:"overfull,omitempty"`
	// CallText reports that the text holds what looks like a tool call of some dialect and was
	// not taken as one: it was not run.
	CallText bool `json:"call_text,omitempty"`
}

// DeltaKind says which field of a Delta is set.
type DeltaKind string

// The kinds of deltas.
const (
	DeltaText  DeltaKind = "text"  // Text: the next piece of the answer
	DeltaThink DeltaKind = "think" // Text: the next piece of reasoning
	DeltaCall  DeltaKind = "call"  // Call: a tool call begins or grows; for progress only
	DeltaRetry DeltaKind = "retry" // Retry: an attempt failed, another follows
	DeltaModel DeltaKind = "model" // Text: another model than asked for answers
	DeltaReply DeltaKind = "reply" // Reply: the end
)

// Delta is one item of a stream. The last item is of kind reply; when the stream fails it carries
// the partial reply (never nil) beside the error.
type Delta struct {
	Kind  DeltaKind
	Text  string
	Call  *CallDelta
	Retry *RetryNotice
	Reply *Reply
}

// CallDelta tells of a tool call that is still being written.
type CallDelta struct {
	Index int
	Name  string
	Args  string // the new piece
}

// Model is one model on one server. It may be used by several goroutines at a time.
type Model interface {
	Info() Info
	// Stream asks and yields deltas until the reply or an error. Breaking out of the loop or
	// ending ctx closes the connection. Errors are *Error or the cause of ctx.
	Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error]
}

// Info describes a model. Window and MaxOutput are in tokens, 0 = not known.
type Info struct {
	Provider  string
	Model     string
	Window    int
	MaxOutput int
	Images    bool
	Prices    *Prices
}

// Name is the model's full name, provider/model.
func (i Info) Name() string {
	if i.Provider == "" {
		return i.Model
	}
	return i.Provider + "/" + i.Model
}

// Collect runs a stream to its end, calls each (if not nil) for every delta before the reply and
// returns the reply. On an error it returns the partial reply beside it.
func Collect(stream iter.Seq2[Delta, error], each func(Delta)) (*Reply, error) {
	reply := &Reply{Finish: FinishError}
	for d, err := range stream {
		if d.Reply != nil {
			reply = d.Reply
		}
		if err != nil {
			return reply, err
		}
		if d.Kind == DeltaReply {
			return reply, nil
		}
		if each != nil {
			each(d)
		}
	}
	return reply, errNoReply
}

var errNoReply = errors.New("stream ended without a reply")
