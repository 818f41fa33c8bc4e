package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"paicli/llm"
)

const (
	// graceTime is how long a finished answer waits for its usage and [DONE], closingTime the same
	// after a usage chunk that came without a finish reason, doneTime when only [DONE] is missing.
	graceTime   = 3 * time.Second
	closingTime = 8 * time.Second
	doneTime    = 500 * time.Millisecond
	// quietTime is the pause after which an event without its blank line is taken as it is.
	quietTime = 2 * time.Second
)

// reading is what the reader must know about the question.
type reading struct {
	tools       []llm.ToolSpec // offered: calls in text and names are checked against them, their schemas type values
	provider    string
	model       string        // as asked for
	window      int           // context window in tokens, 0 = unknown
	idle, event time.Duration // longest time without a byte and without a model event, 0 = idleTimeout and eventTimeout
	newID       func() string // makes a call id that is unique in the session
	stop        func()        // releases a blocked read of the body; nil = closing the body
}

// readReply reads the body of a 2xx answer to its end, yields deltas and returns the reply. On a
// failure the partial reply (text and reasoning so far, complete calls; never nil) comes beside an
// *llm.Error, or beside the cause of ctx when that ended. When yield returns false reading stops
// and the error is context.Canceled. The body is left to the caller to close.
//
//	body ─► pump (goroutine, gunzip) ─► decoder (events) ─► turn (chunks) ─► reply
//	              clocks ────────────────────┘
func readReply(ctx context.Context, resp *http.Response, r reading, yield func(llm.Delta) bool) (*llm.Reply, error) {
	if r.stop == nil {
		r.stop = func() { resp.Body.Close() }
	}
	rd := &reader{turn: newTurn(r, resp, yield), pump: startPump(resp)}
	rd.started(r)
	err := rd.run(ctx)
	rd.pump.end(r.stop, rd.done)
	rd.timer.Stop()
	if err == nil {
		return rd.turn.conclude()
	}
	var e *llm.Error
	if !errors.As(err, &e) {
		e = rd.turn.broken(llm.ErrNetwork, true, err.Error())
	}
	if rd.turn.fault == nil {
		rd.turn.fault = e
	}
	reply, _ := rd.turn.conclude()
	return reply, err
}

// reader drives one turn: bytes, clocks and the context.
type reader struct {
	*turn
	pump    *pump
	decoder decoder
	timer   *time.Timer

	idle, limit         time.Duration
	lastByte, lastEvent time.Time
	quiet               bool // the pause after the last bytes was looked at
}

func (rd *reader) started(r reading) {
	rd.idle, rd.limit = r.idle, r.event
	if rd.idle == 0 {
		rd.idle = idleTimeout
	}
	if rd.limit == 0 {
		rd.limit = eventTimeout
	}
	now := time.Now()
	rd.lastByte, rd.lastEvent = now, now
	rd.timer = time.NewTimer(rd.wait(now))
}

// run reads until the answer is over. Its error is an *llm.Error or the cause of ctx.
func (rd *reader) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case now := <-rd.timer.C:
			if over, err := rd.alarm(now); over {
				return err
			}
			rd.timer.Reset(rd.wait(time.Now()))
		case got := <-rd.pump.pieces:
			if over, err := rd.take(got); over {
				if ctx.Err() != nil && !rd.ended() { // the broken read is only how the end of ctx shows
					err = context.Cause(ctx)
				}
				return err
			}
			rd.timer.Reset(rd.wait(rd.lastByte))
		}
	}
}

// wait is the time until the next clock rings.
func (rd *reader) wait(now time.Time) time.Duration {
	next := rd.lastByte.Add(rd.idle)
	if end := rd.lastEvent.Add(rd.grace()); end.Before(next) {
		next = end
	}
	if pause := rd.lastByte.Add(quietTime); !rd.quiet && pause.Before(next) {
		next = pause
	}
	return max(next.Sub(now), time.Millisecond)
}

// grace is how long the stream may go without a model event.
func (rd *reader) grace() time.Duration {
	switch {
	case rd.finish != "" && rd.closing:
		return doneTime
	case rd.finish != "":
		return graceTime
	case rd.closing:
		return closingTime
	}
	return rd.limit
}

// alarm acts on a clock that rang: a pause, an end without [DONE], or a stall.
func (rd *reader) alarm(now time.Time) (over bool, err error) {
	switch {
	case now.Sub(rd.lastEvent) >= rd.grace():
		if rd.ended() {
			return true, nil
		}
		return true, rd.stalled("no event for " + rd.limit.String() + ", only keep-alives")
	case now.Sub(rd.lastByte) >= rd.idle:
		if rd.ended() {
			return true, nil
		}
		return true, rd.stalled("no data for " + rd.idle.String())
	case !rd.quiet:
		rd.quiet = true
		if ev, ok := rd.decoder.settle(); ok {
			return rd.handle(ev)
		}
	}
	return false, nil
}

func (rd *reader) stalled(detail string) *llm.Error {
	return rd.broken(llm.ErrStall, true, "the stream stalled: "+detail)
}

// take handles what one read gave.
func (rd *reader) take(got piece) (over bool, err error) {
	if len(got.data) > 0 {
		rd.lastByte, rd.quiet = time.Now(), false
		rd.decoder.write(got.data)
	}
	if got.err != nil {
		rd.pump.over = true
		rd.decoder.end()
	}
	for {
		ev, ok, err := rd.decoder.next()
		if err != nil {
			return true, rd.broken(llm.ErrBadStream, false, err.Error())
		}
		if !ok {
			break
		}
		if over, err := rd.handle(ev); over {
			return true, err
		}
	}
	if got.err != nil {
		return true, rd.atEnd(got.err)
	}
	return false, nil
}

// handle gives an event to the turn and reports whether the answer is over with it.
func (rd *reader) handle(ev event) (over bool, err error) {
	before := rd.events
	rd.turn.event(ev)
	if rd.events > before {
		rd.lastEvent = time.Now()
	}
	switch {
	case rd.gone:
		return true, context.Canceled
	case rd.fault != nil:
		return true, rd.fault
	}
	return rd.done, nil
}

// atEnd judges the end of the body. Without a sign that the answer was over it is a failure.
func (rd *reader) atEnd(err error) error {
	var coding *codingError
	switch {
	case errors.As(err, &coding):
		return rd.broken(llm.ErrBadStream, false, err.Error())
	case rd.ended():
		return nil
	case !errors.Is(err, io.EOF):
		e := rd.broken(llm.ErrNetwork, true, "the connection was lost before the answer was complete: "+err.Error())
		e.Err = err
		return e
	case rd.events == 0:
		return rd.broken(llm.ErrEmpty, true, "empty answer: the stream ended without any data")
	}
	return rd.broken(llm.ErrNetwork, true, fmt.Sprintf("the stream ended before the answer was complete (%d events, no finish_reason, usage or %s)", rd.events, doneMark))
}
