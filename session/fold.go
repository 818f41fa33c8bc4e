package session

import (
	"errors"
	"fmt"
	"slices"

	"paicli/llm"
)

// fold is the state of one thread, computed event by event: what the model sees. The same events
// give the same state, live and replayed.
type fold struct {
	messages []llm.Message
	slots    []slot   // the calls of the last reply, in the order in which they were called
	open     int      // slots without a result
	words    []string // the user's words of this turn
}

// slot is a call that waits for its result.
type slot struct {
	call    string // `<seq>.<index>`
	id      string // on the wire
	name    string
	started bool
	result  *llm.Result
}

// clone makes a copy on which a batch is tried. What it adds to messages and words lies behind the
// ends of the original's and is written over when the batch does not count.
func (f *fold) clone() *fold {
	c := *f
	c.slots = slices.Clone(f.slots)
	return &c
}

// errOpenCalls refuses what may only stand at a step border.
var errOpenCalls = errors.New("a call is still open")

// check says whether the body may follow.
func (f *fold) check(b Body) error {
	switch b := b.(type) {
	case *Said, *Replied, *Compacted:
		if f.open > 0 {
			return fmt.Errorf("append %s: %w", b.kind(), errOpenCalls)
		}
	case *CallEnded:
		if f.slot(b.Call) == nil {
			return fmt.Errorf("append call_ended: no open call %s", b.Call)
		}
	}
	return nil
}

func (f *fold) slot(call string) *slot {
	for i := range f.slots {
		if f.slots[i].call == call && f.slots[i].result == nil {
			return &f.slots[i]
		}
	}
	return nil
}

// apply adds an event. Open calls at a border are those whose end stood in a record that is lost:
// Append lets nothing else come to that.
func (f *fold) apply(seq int64, b Body) {
	switch b.(type) {
	case *Said, *Replied, *TurnEnded:
		f.settle()
	}
	switch b := b.(type) {
	case *Said:
		f.say(b)
	case *Replied:
		f.reply(seq, b)
	case *CallStarted:
		if s := f.slot(b.Call); s != nil {
			s.started = true
		}
	case *CallEnded:
		f.end(b)
	case *Compacted:
		*f = fold{messages: b.Messages, words: f.words}
	case *TurnEnded:
		f.endTurn(b)
	}
}

func (f *fold) say(b *Said) {
	m := llm.Text(llm.RoleUser, b.Text)
	for i := range b.Media {
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.KindMedia, Media: &b.Media[i]})
	}
	f.messages = append(f.messages, m)
	if b.By == ByUser {
		f.words = append(f.words, b.Text)
	}
}

// reply adds the model's message. Reasoning is kept only beside calls, where providers want it
// back; a broken reply keeps its text, says that it broke off, and loses its calls.
func (f *fold) reply(seq int64, b *Replied) {
	m := b.Message
	calls := m.Calls()
	switch {
	case b.Broken != "":
		m = llm.Text(llm.RoleAssistant, m.Text()+brokenMark(b.Broken))
		calls = nil
	case len(calls) == 0:
		m = withoutReasoning(m)
	}
	if len(m.Blocks) == 0 { // nothing but reasoning: the next words must not lengthen those before it
		m = llm.Text(llm.RoleAssistant, emptyMark)
	}
	f.messages = append(f.messages, m)
	f.slots = f.slots[:0]
	for i, c := range calls {
		f.slots = append(f.slots, slot{call: CallName(seq, i), id: c.ID, name: c.Name})
	}
	f.open = len(f.slots)
}

// emptyMark stands for a reply without an answer.
const emptyMark = "[This reply held no answer and no tool call.]"

// brokenMark tells the model on the next request what became of its reply.
func brokenMark(kind llm.ErrorKind) string {
	switch kind {
	case Interrupted:
		return "\n\n[This reply was stopped here by the user. No tool call of it was run.]"
	case TimeOver:
		return "\n\n[This reply was stopped here: the time of the turn was over. No tool call of it was run.]"
	case llm.ErrEmpty:
		return emptyMark
	}
	return "\n\n[This reply was cut off here by a broken connection. No tool call of it was run.]"
}

func withoutReasoning(m llm.Message) llm.Message {
	kept := llm.Message{Role: m.Role}
	for _, b := range m.Blocks {
		if b.Kind != llm.KindThink && b.Kind != llm.KindOpaque {
			kept.Blocks = append(kept.Blocks, b)
		}
	}
	return kept
}

// end files a result; after the last one the batch becomes one message, in call order.
func (f *fold) end(b *CallEnded) {
	s := f.slot(b.Call)
	if s == nil {
		return // its call stood in a record that is lost
	}
	s.result = &b.Result
	f.open--
	if f.open == 0 {
		f.close()
	}
}

// resultLost tells the model that the end of a call cannot be read any more.
const resultLost = "[The result of this call is lost: its record in the session log is damaged.]"

// settle gives every open call a result.
func (f *fold) settle() {
	if f.open == 0 {
		return
	}
	for i := range f.slots {
		if s := &f.slots[i]; s.result == nil {
			s.result = &llm.Result{ID: s.id, Name: s.name, Text: resultLost, Error: true}
		}
	}
	f.open = 0
	f.close()
}

// close makes one message of the results of a batch.
func (f *fold) close() {
	m := llm.Message{Role: llm.RoleTool}
	for i := range f.slots {
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.KindResult, Result: f.slots[i].result})
	}
	f.messages = append(f.messages, m)
}

// endTurn leaves an assistant message behind a turn that ended without one, so that the next
// request is well-formed and begins with this one.
func (f *fold) endTurn(b *TurnEnded) {
	f.words = nil
	n := len(f.messages)
	if n == 0 || f.messages[n-1].Role == llm.RoleAssistant {
		return
	}
	f.messages = append(f.messages, llm.Text(llm.RoleAssistant, "[The turn ended here without an answer: "+string(b.End)+".]"))
}

// CallName is the name of a call in the log: the number of its Replied and its index there.
func CallName(seq int64, index int) string { return fmt.Sprintf("%d.%d", seq, index) }
