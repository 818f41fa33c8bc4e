package openai

import (
	"encoding/json"
	"net/http"
	"strings"

	"paicli/llm"
	"paicli/llm/internal/dialect"
	"paicli/llm/internal/fault"
	"paicli/llm/internal/jsontext"
	"paicli/llm/internal/sse"
)

// turn is the reply under construction.
//
//	event ─► chunk ─┬─ reasoning ─► growth ─► scanner (loose) ─┬─► think deltas
//	                ├─ content ───► growth ─► scanner ─────────┴─► text deltas, text calls
//	                ├─ calls ─────► assembler ───────────────────► call deltas
//	                └─ usage, model, finish, error
//	end ─► conclude: calls, finish rules, blocks ─► reply
type turn struct {
	r      reading
	header http.Header
	yield  func(llm.Delta) bool
	gone   bool // the consumer went away
	quick  quick

	said        growth // content
	mused       growth // reasoning
	answer      *dialect.Scanner
	musing      *dialect.Scanner
	calls       *assembler
	textCalls   []madeCall
	musingCalls []madeCall

	text, think strings.Builder
	fieldThink  strings.Builder // reasoning from its own field, to know it again between tags
	mirrored    int             // how much of fieldThink came again between tags
	details     detailList
	opaque      json.RawMessage

	usage   llm.Usage
	model   string
	models  bool   // events named different models
	finish  string // the server's word, "" while it is not finished
	native  string // the word of the server behind a router
	done    bool   // [DONE] was seen
	closing bool   // a chunk with nothing but usage was seen after output
	events  int    // model events so far
	fault   *llm.Error
}

func newTurn(r reading, header http.Header, yield func(llm.Delta) bool) *turn {
	t := &turn{r: r, header: header, yield: yield}
	tools := dialect.NewTools(r.tools)
	t.calls = newAssembler(tools)
	think := func(s string) { t.send(llm.DeltaThink, s) }
	musing := func(c llm.Call) { t.musingCalls = append(t.musingCalls, madeCall{Call: c}) }
	t.musing = dialect.NewReasoning(tools, think, musing)
	t.answer = dialect.NewAnswer(tools, r.call.Model, dialect.Sink{
		Text:      func(s string) { t.send(llm.DeltaText, s) },
		Call:      func(c llm.Call) { t.textCalls = append(t.textCalls, madeCall{Call: c}) },
		Think:     t.tagThink,
		ThinkCall: musing,
		Lone:      t.wasReasoning,
	})
	return t
}

// send passes a piece of text or reasoning on and keeps it.
func (t *turn) send(kind llm.DeltaKind, s string) {
	if kind == llm.DeltaText {
		t.text.WriteString(s)
	} else {
		t.think.WriteString(s)
	}
	t.pass(llm.Delta{Kind: kind, Text: s})
}

func (t *turn) pass(d llm.Delta) {
	if !t.gone && !t.yield(d) {
		t.gone = true
	}
}

const space = " \t\r\n"

// tagThink takes reasoning from between tags. Servers that mirror it in a field of its own are
// heard once.
func (t *turn) tagThink(s string) {
	known := t.fieldThink.String()
	if t.mirrored < 0 || known == "" {
		t.send(llm.DeltaThink, s)
		return
	}
	rest := strings.TrimLeft(known[t.mirrored:], space)
	piece := strings.TrimLeft(s, space)
	if strings.HasPrefix(rest, piece) {
		t.mirrored = len(known) - len(rest) + len(piece)
		return
	}
	if strings.HasPrefix(piece, rest) && strings.TrimSpace(piece[len(rest):]) == "" {
		t.mirrored = len(known)
		return
	}
	again := known[:t.mirrored]
	t.mirrored = -1
	t.send(llm.DeltaThink, again+s)
}

// wasReasoning learns that all text so far was reasoning: its end came without a beginning.
func (t *turn) wasReasoning() {
	t.think.WriteString(t.text.String())
	t.text.Reset()
}

// event takes one event of the stream. It sets fault when the answer failed.
func (t *turn) event(ev sse.Event) {
	switch {
	case ev.Ping():
		return
	case ev.Done():
		t.done = true
		return
	case !ev.JSON():
		t.bareText(ev)
		return
	}
	c := t.quick.read(ev.Data)
	if c == nil {
		c = new(chunk)
		if err := jsontext.Decode(ev.Data, c); err != nil {
			if !ev.Cut { // what the end cut off is judged by how the stream ended
				t.fault = t.broken(llm.ErrBadStream, true, "an event of the stream is not valid JSON: "+err.Error())
			}
			return
		}
	}
	t.events++
	t.chunk(c)
	if said := errorIn(ev, c); said != nil {
		t.failed(said)
	}
}

// bareText judges an event that is no JSON. After an answer has begun, a line that nobody framed is
// noise.
func (t *turn) bareText(ev sse.Event) {
	if t.events > 0 && (ev.Raw && !ev.Page() || ev.Cut) {
		return
	}
	if ev.Name == "error" {
		t.fault = t.refused(ev.Data)
		return
	}
	t.fault = t.unframed(ev)
}

// failed ends the reply with an error, unless the error holds the model's own call.
func (t *turn) failed(data []byte) {
	if wrote := fault.Generation(data); wrote != "" && t.text.Len() == 0 && len(t.calls.calls) == 0 {
		if reply := reread(wrote, t.r); reply != nil {
			for _, c := range reply.Message.Calls() {
				t.textCalls = append(t.textCalls, madeCall{Call: c})
			}
			t.done = true
			return
		}
	}
	t.fault = t.refused(data)
}

func (t *turn) chunk(c *chunk) {
	t.named(string(c.Model))
	for i := range c.Choices {
		t.choice(&c.Choices[i])
	}
	counted := t.count(c.Usage) || t.count(c.Groq.Usage)
	if counted && len(c.Choices) == 0 && t.begun() {
		t.closing = true
	}
}

// begun reports whether anything of an answer came.
func (t *turn) begun() bool {
	return t.said.deltas > 0 || t.mused.deltas > 0 || len(t.calls.calls) > 0
}

func (t *turn) choice(c *choice) {
	if d := c.Delta; d != nil {
		t.delta(c.Index.Value, d)
	}
	if d := c.Message; d != nil {
		t.message(c.Index.Value, d)
	}
	if c.Text != "" {
		t.content(string(c.Text))
	}
	if c.Finish != "" {
		t.finish = better(t.finish, string(c.Finish))
	}
	if c.Native != "" {
		t.native = string(c.Native)
	}
	t.count(c.Usage)
}

// better keeps the more telling of the finish reasons of several choices.
func better(old, new string) string {
	if old != "" && plainStop(new) {
		return old
	}
	return new
}

func (t *turn) delta(choice int, d *delta) {
	t.reason(d.reasoning())
	t.details.add(d.Details)
	t.keepOpaque(d.Opaque)
	t.reason(d.Content.think)
	t.content(d.Content.text + string(d.Refusal))
	t.addCalls(choice, d.pieces())
}

// reasoning picks one of the fields: several of them repeat each other.
func (d *delta) reasoning() string {
	for _, w := range [...]words{d.ReasoningContent, d.Reasoning, d.ReasoningText, d.Thinking} {
		if s := w.all(); s != "" {
			return s
		}
	}
	return d.Details.text()
}

func (d *delta) pieces() []callPiece {
	if d.Function != nil && len(d.Calls) == 0 && (d.Function.Name != "" || d.Function.Args != "") {
		return []callPiece{{Function: *d.Function}}
	}
	return d.Calls
}

// message takes a whole message. Beside deltas it is a snapshot of what was streamed.
func (t *turn) message(choice int, d *delta) {
	if s := d.reasoning(); s != "" {
		t.musingText(t.mused.snapshot(s))
	}
	if len(t.details.entries) == 0 {
		t.details.add(d.Details)
	}
	t.keepOpaque(d.Opaque)
	t.musingText(t.mused.next(d.Content.think))
	if text := d.Content.text + string(d.Refusal); text != "" {
		t.answer.Write(t.said.snapshot(text))
	}
	if len(t.calls.calls) == 0 {
		t.addCalls(choice, d.pieces())
	}
}

func (t *turn) keepOpaque(raw json.RawMessage) {
	if present(raw) {
		t.opaque = raw
	}
}

func (t *turn) reason(s string) { t.musingText(t.mused.next(s)) }

func (t *turn) musingText(s string) {
	if s == "" {
		return
	}
	t.answer.Reasoned()
	t.fieldThink.WriteString(s)
	t.musing.Write(s)
}

func (t *turn) content(s string) {
	if s != "" {
		t.answer.Write(t.said.next(s))
	}
}

func (t *turn) addCalls(choice int, pieces []callPiece) {
	if len(pieces) == 0 {
		return
	}
	t.calls.add(choice, pieces, func(d llm.CallDelta) {
		t.pass(llm.Delta{Kind: llm.DeltaCall, Call: &d})
	})
}

// count takes a usage. A later one replaces an earlier one, but zeros do not erase numbers.
func (t *turn) count(raw json.RawMessage) bool {
	u, ok := readUsage(raw)
	if !ok {
		return false
	}
	if u.Input+u.Output > 0 || !t.usage.Known {
		t.usage = u
	}
	return true
}

// named takes the model's name from an event. It counts only when all events agree.
func (t *turn) named(name string) {
	const longest = 256 // parity 3.3
	name = strings.TrimSpace(name)
	if r := []rune(name); len(r) > longest {
		name = string(r[:longest])
	}
	switch {
	case name == "" || name == t.model:
	case t.model == "":
		t.model = name
	default:
		t.models = true
	}
}
