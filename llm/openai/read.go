package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"paicli/llm"
	"paicli/llm/internal/fault"
	"paicli/llm/internal/sse"
)

const (
	// graceTime is how long a finished answer waits for its usage and [DONE], closingTime the same
	// after a usage chunk that came without a finish reason, doneTime when only [DONE] is missing.
	graceTime   = 3 * time.Second
	closingTime = 8 * time.Second
	doneTime    = 500 * time.Millisecond
)

// reading is what the reader must know about the question.
type reading struct {
	call   fault.Call     // which call it is; its window tells an overfull one
	tools  []llm.ToolSpec // offered: calls in text and names are checked against them, their schemas type values
	limits sse.Options
	newID  func() string // makes a call id that is unique in the session
}

// readReply reads the body of a 2xx answer to its end, yields deltas and returns the reply. On a
// failure the partial reply (text and reasoning so far, complete calls; never nil) comes beside an
// *llm.Error, or beside the cause of ctx when that ended. When yield returns false reading stops
// and the error is context.Canceled. The body is left to the caller to close.
func readReply(ctx context.Context, resp *http.Response, r reading, yield func(llm.Delta) bool) (*llm.Reply, error) {
	t := newTurn(r, resp.Header, yield)
	err := sse.Read(ctx, resp, r.limits, t.take)
	if err == nil {
		return t.conclude()
	}
	var broken *sse.Error
	if errors.As(err, &broken) {
		err = t.interrupted(broken)
	}
	if t.fault == nil { // whatever ended it, the reply is a part
		t.fault = t.broken(llm.ErrNetwork, true, err.Error())
	}
	reply, _ := t.conclude()
	return reply, err
}

// take gives an event to the turn and says how the stream goes on.
func (t *turn) take(ev sse.Event) (sse.Next, error) {
	before := t.events
	t.event(ev)
	next := sse.Next{Alive: t.events > before, Over: t.done, Grace: t.grace()}
	switch {
	case t.gone:
		return next, context.Canceled
	case t.fault != nil:
		return next, t.fault
	}
	return next, nil
}

// grace is how long to wait for what may follow a complete answer.
func (t *turn) grace() time.Duration {
	switch {
	case t.finish != "" && t.closing:
		return doneTime
	case t.finish != "":
		return graceTime
	case t.closing:
		return closingTime
	}
	return 0
}

// interrupted is the error of a stream that ended before the answer was complete.
func (t *turn) interrupted(e *sse.Error) *llm.Error {
	switch {
	case e.Kind == sse.Stalled:
		return t.broken(llm.ErrStall, true, "the stream stalled: "+e.Error())
	case e.Kind == sse.Unreadable:
		return t.broken(llm.ErrBadStream, false, e.Error())
	case e.Kind == sse.Lost:
		lost := t.broken(llm.ErrNetwork, true, "the connection was lost before the answer was complete: "+e.Error())
		lost.Err = e.Err
		return lost
	case t.events == 0:
		return t.broken(llm.ErrEmpty, true, "empty answer: the stream ended without any data")
	}
	return t.broken(llm.ErrNetwork, true, fmt.Sprintf("the stream ended before the answer was complete (%d events, no finish_reason, usage or %s)", t.events, sse.Done))
}
