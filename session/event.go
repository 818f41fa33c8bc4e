package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"paicli/llm"
)

// Event is one entry of a session: the envelope and its decoded body. The JSON of the envelope is
// the line in the log and, without the checksum, what headless `events` prints. Live events (Body
// is Streamed) have no number of their own: Seq is that of the last durable event before them.
type Event struct {
	Seq   int64
	Time  time.Time
	Turn  int
	Agent string // path of the thread, "" for the root
	Body  Body
}

// Body is what happened. The set is closed: the types of this file.
type Body interface{ kind() string }

// Opened is the first event of a session, and stands again where a fork begins: then From is the
// session that it was copied from.
type Opened struct {
	ID      string `json:"id"`
	Root    string `json:"root"`
	Version string `json:"version"` // of the program
	From    string `json:"from,omitempty"`
}

// Configured says with what the following requests are made. It is written at open and at each
// explicit change, and is what a resumed session uses.
type Configured struct {
	Model  string         `json:"model"`
	System string         `json:"system"`
	Tools  []llm.ToolSpec `json:"tools"`
	Why    string         `json:"why"` // open, model, tools, …
}

// Speaker says who put words into the conversation.
type Speaker string

// The speakers of Said.
const (
	ByUser  Speaker = "user"
	ByAgent Speaker = "agent"
	ByNote  Speaker = "note" // the program itself: environment, reminders
)

// Said is a message to the model. Queued is the id of the queued prompt that is said here.
type Said struct {
	By     Speaker     `json:"by"`
	Text   string      `json:"text"`
	Media  []llm.Media `json:"media,omitempty"`
	Queued string      `json:"queued,omitempty"`
}

// Queued is a prompt that came while a turn was running. It is said at the next border, or taken
// back: then Dropped is set and only ID counts.
type Queued struct {
	ID      string      `json:"id"`
	By      Speaker     `json:"by,omitempty"`
	Text    string      `json:"text,omitempty"`
	Media   []llm.Media `json:"media,omitempty"`
	Dropped bool        `json:"dropped,omitempty"`
}

// Set changes a setting of the session. Settings are kept over a resume.
type Set struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Compacted replaces what the model sees of the thread, and carries the state of the whole session,
// so that a load need not decode what stands before it.
type Compacted struct {
	Messages []llm.Message `json:"messages"`
	State    State         `json:"state"`
}

// Attached is the first item that a reader gets: where the session stands. It is never stored.
type Attached struct {
	Head  int64 `json:"head"` // number of the last event
	State State `json:"state"`
}

// Replied is what the model answered. Broken names what cut the answer off: the error, Interrupted or
// TimeOver. Then Message holds what had arrived, and none of its calls was run.
type Replied struct {
	Message  llm.Message   `json:"message"`
	Finish   llm.Finish    `json:"finish"`
	Model    string        `json:"model,omitempty"`
	Usage    llm.Usage     `json:"usage"`
	Broken   llm.ErrorKind `json:"broken,omitempty"`
	CallText bool          `json:"call_text,omitempty"`
}

// The values of Replied.Broken that are no errors of the model: a person stopped the reply, or the
// time of the turn was over.
const (
	Interrupted llm.ErrorKind = "interrupted"
	TimeOver    llm.ErrorKind = "timeout"
)

// BrokenOff reports whether an error cut the answer off while it came: neither a person nor the end of
// the turn's time did, and it was not just empty.
func (r *Replied) BrokenOff() bool {
	switch r.Broken {
	case "", Interrupted, TimeOver, llm.ErrEmpty:
		return false
	}
	return true
}

// CallStarted is written before a call has any effect. Call is `<seq of its Replied>.<index>`.
type CallStarted struct {
	Call   string          `json:"call"`
	ID     string          `json:"id"` // the id on the wire
	Name   string          `json:"name"`
	Title  string          `json:"title"`
	Args   json.RawMessage `json:"args,omitempty"`
	Judged *Judged         `json:"judged,omitempty"`
}

// Judged says who allowed or denied a call, and why. By is a code: policy, rule, mode, classifier,
// user, nobody.
type Judged struct {
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

// Access is one thing that a call would touch: the verb (read, write, delete, run, net, spawn,
// privilege, opaque) and its target.
type Access struct {
	Verb   string `json:"verb"`
	Target string `json:"target,omitempty"`
}

// Status is the outcome of a call.
type Status string

// The outcomes of a call.
const (
	StatusOK          Status = "ok"
	StatusError       Status = "error"
	StatusDenied      Status = "denied"
	StatusTimeout     Status = "timeout"
	StatusInterrupted Status = "interrupted"
	StatusUnknown     Status = "unknown" // started, result not known
)

// CallEnded carries what the model sees of a call (Result.Text, already framed) and what people see
// (Detail). Reason says in one line why a call failed or was denied, Args and Judged of a denied one
// what was denied and by whom.
type CallEnded struct {
	Call     string     `json:"call"`
	Name     string     `json:"name"`
	Title    string     `json:"title,omitempty"`
	Status   Status     `json:"status"`
	Reason   string     `json:"reason,omitempty"`
	Result   llm.Result `json:"result"`
	Detail   *Detail    `json:"detail,omitempty"`
	Millis   int64      `json:"ms"`
	Artifact string     `json:"artifact,omitempty"`
	Seen     []Seen     `json:"seen,omitempty"`
	// Of a denied call, which was not started:
	Args   json.RawMessage `json:"args,omitempty"`
	Judged *Judged         `json:"judged,omitempty"`
}

// Seen is a file as the model knows it after a call that read or wrote it: its whole path, since a
// session may go on in another folder, and the SHA-256 of its content, in hexadecimal.
type Seen struct {
	Path string `json:"path"`
	Hash string `json:"hash"`
}

// Asked is a question to a person; Answered ends it. The first answer wins. Call and what follows it
// describe the call that the question is about; Access is what it would touch, Rules are what a yes
// for good would store, word for word.
type Asked struct {
	ID      string          `json:"id"`
	Code    string          `json:"code"` // what is asked, worded by the front end
	Text    string          `json:"text,omitempty"`
	Options []string        `json:"options,omitempty"`
	Call    string          `json:"call,omitempty"`
	Name    string          `json:"name,omitempty"`
	Title   string          `json:"title,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"`
	Preview *Detail         `json:"preview,omitempty"`
	Access  []Access        `json:"access,omitempty"`
	Rules   []string        `json:"rules,omitempty"`
}

// Answered is the answer to Asked. Choice is empty when nobody answered.
type Answered struct {
	ID     string `json:"id"`
	Choice string `json:"choice,omitempty"`
	Text   string `json:"text,omitempty"`
}

// Spent is the bill of one model request.
type Spent struct {
	Purpose string        `json:"purpose"`
	Model   string        `json:"model"`
	Usage   llm.Usage     `json:"usage"`
	Cost    llm.Money     `json:"cost"`
	Millis  int64         `json:"ms"`
	Err     llm.ErrorKind `json:"err,omitempty"`
}

// Noted tells people something; the model never sees it. Code names it, Args are its parts.
type Noted struct {
	Code string            `json:"code"`
	Args map[string]string `json:"args,omitempty"`
}

// End is how a turn ended.
type End string

// The ends of a turn.
const (
	EndDone        End = "done"
	EndPartial     End = "partial" // a limit was reached
	EndFailed      End = "failed"
	EndRefused     End = "refused" // something was refused and the turn could not go on
	EndInterrupted End = "interrupted"
)

// TurnEnded closes a turn. Reason is a code (the limit, the error kind); Failure is set when the
// model could not be reached or broke off.
type TurnEnded struct {
	End     End      `json:"end"`
	Reason  string   `json:"reason,omitempty"`
	Text    string   `json:"text,omitempty"` // the final answer
	Steps   int      `json:"steps"`
	Failure *Failure `json:"failure,omitempty"`
}

// Failure is a model error as the log keeps it.
type Failure struct {
	Kind       llm.ErrorKind `json:"kind"`
	Status     int           `json:"status,omitempty"`
	Code       string        `json:"code,omitempty"`
	Detail     string        `json:"detail,omitempty"`
	Provider   string        `json:"provider,omitempty"`
	Model      string        `json:"model,omitempty"`
	URL        string        `json:"url,omitempty"`
	RetryAfter int64         `json:"retry_after_ms,omitempty"`
}

// Streamed is the one live body: it is shown while it happens and never stored. Off is the offset
// of Text in the whole (bytes), so that a reader who missed pieces sees that it did.
type Streamed struct {
	Kind  StreamKind `json:"kind"`
	Call  string     `json:"call,omitempty"` // with output
	Off   int        `json:"off"`
	Text  string     `json:"text,omitempty"`
	Retry *Retrying  `json:"retry,omitempty"`
}

// Retrying tells that attempt Attempt of Attempts failed and the next one starts after Wait.
type Retrying struct {
	Attempt  int     `json:"attempt"`
	Attempts int     `json:"attempts"`
	Wait     int64   `json:"wait_ms"`
	Failure  Failure `json:"failure"`
}

// StreamKind says what is streamed.
type StreamKind string

// The kinds of live output.
const (
	StreamText   StreamKind = "text"
	StreamThink  StreamKind = "think"
	StreamOutput StreamKind = "output"
	StreamRetry  StreamKind = "retry"
)

func (*Opened) kind() string      { return "opened" }
func (*Configured) kind() string  { return "configured" }
func (*Said) kind() string        { return "said" }
func (*Queued) kind() string      { return "queued" }
func (*Set) kind() string         { return "set" }
func (*Compacted) kind() string   { return "compacted" }
func (*Attached) kind() string    { return "attached" }
func (*Replied) kind() string     { return "replied" }
func (*CallStarted) kind() string { return "call_started" }
func (*CallEnded) kind() string   { return "call_ended" }
func (*Asked) kind() string       { return "asked" }
func (*Answered) kind() string    { return "answered" }
func (*Spent) kind() string       { return "spent" }
func (*Noted) kind() string       { return "noted" }
func (*TurnEnded) kind() string   { return "turn_ended" }
func (*Streamed) kind() string    { return "streamed" }

// errUnknownType marks an event of a later program. Readers pass over it.
var errUnknownType = errors.New("unknown event type")

// newBody makes an empty body of the named type.
func newBody(kind string) (Body, error) {
	switch kind {
	case "opened":
		return &Opened{}, nil
	case "configured":
		return &Configured{}, nil
	case "said":
		return &Said{}, nil
	case "queued":
		return &Queued{}, nil
	case "set":
		return &Set{}, nil
	case "compacted":
		return &Compacted{}, nil
	case "replied":
		return &Replied{}, nil
	case "call_started":
		return &CallStarted{}, nil
	case "call_ended":
		return &CallEnded{}, nil
	case "asked":
		return &Asked{}, nil
	case "answered":
		return &Answered{}, nil
	case "spent":
		return &Spent{}, nil
	case "noted":
		return &Noted{}, nil
	case "turn_ended":
		return &TurnEnded{}, nil
	}
	return nil, fmt.Errorf("%w %q", errUnknownType, kind)
}
