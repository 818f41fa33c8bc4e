// Package sse reads the streamed body of an answer over HTTP: it undoes compression, cuts the bytes
// into events, however the network cut them, and ends what stays silent. What an event means is up
// to the wire that takes it.
//
//	body ─► pump (goroutine, gunzip) ─► decoder (events) ─► the wire
//	              clocks ────────────────────┘  ◄── Next ─────┘
//
// Two clocks run: one for bytes, and one for events of the model, since keep-alives are bytes too.
package sse

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// quietTime is the pause after which an event without its blank line is taken as it is.
const quietTime = 2 * time.Second

// Options bound a stream.
type Options struct {
	Idle  time.Duration // longest time without a byte
	Event time.Duration // longest time without an event of the model
	Stop  func()        // releases a blocked read of the body; nil = closing the body
}

// Next is what a wire makes of the stream after an event.
type Next struct {
	Alive bool          // the event was the model's, no keep-alive
	Over  bool          // nothing more is wanted
	Grace time.Duration // the answer is complete: how long to wait for what may follow; 0 = it is not
}

// Error is a failure of the stream itself.
type Error struct {
	Kind Kind
	Err  error
}

// Kind is the class of an Error.
type Kind uint8

// The kinds of failures.
const (
	Stalled    Kind = iota // a clock rang
	Unreadable             // an event beyond all measure, a compression that was not asked for
	Ended                  // the body ended before the answer was complete
	Lost                   // the connection broke before the answer was complete
)

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns what was reported of the connection.
func (e *Error) Unwrap() error { return e.Err }

// Read reads the body of a response to the end of its answer and gives each event to take. Its error
// is that of take, the cause of ctx, or an *Error. The body is left to the caller to close.
func Read(ctx context.Context, resp *http.Response, o Options, take func(Event) (Next, error)) error {
	if o.Stop == nil {
		o.Stop = func() { resp.Body.Close() }
	}
	now := time.Now()
	r := &reader{Options: o, take: take, pump: startPump(resp), lastByte: now, lastEvent: now}
	r.timer = time.NewTimer(r.wait(now))
	defer r.timer.Stop()
	err := r.run(ctx)
	r.pump.end(o.Stop, err == nil && r.next.Over)
	return err
}

// reader drives one stream: bytes, clocks and the context.
type reader struct {
	Options
	take    func(Event) (Next, error)
	pump    *pump
	decoder decoder
	timer   *time.Timer
	next    Next

	lastByte, lastEvent time.Time
	quiet               bool // the pause after the last bytes was looked at
}

func (r *reader) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case now := <-r.timer.C:
			if over, err := r.alarm(now); over {
				return err
			}
			r.timer.Reset(r.wait(time.Now()))
		case got := <-r.pump.pieces:
			if over, err := r.piece(got); over {
				if ctx.Err() != nil && !r.complete() { // the broken read is only how the end of ctx shows
					err = context.Cause(ctx)
				}
				return err
			}
			r.timer.Reset(r.wait(r.lastByte))
		}
	}
}

// complete reports whether the answer is whole, whatever may still follow.
func (r *reader) complete() bool { return r.next.Over || r.next.Grace > 0 }

// wait is the time until the next clock rings.
func (r *reader) wait(now time.Time) time.Duration {
	next := r.lastByte.Add(r.Idle)
	if end := r.lastEvent.Add(r.limit()); end.Before(next) {
		next = end
	}
	if pause := r.lastByte.Add(quietTime); !r.quiet && pause.Before(next) {
		next = pause
	}
	return max(next.Sub(now), time.Millisecond)
}

// limit is how long the stream may go without an event of the model.
func (r *reader) limit() time.Duration {
	if r.next.Grace > 0 {
		return r.next.Grace
	}
	return r.Event
}

// alarm acts on a clock that rang: a pause, an end that nobody announced, or a stall.
func (r *reader) alarm(now time.Time) (over bool, err error) {
	switch {
	case now.Sub(r.lastEvent) >= r.limit():
		return true, r.stalled("no event for " + r.Event.String() + ", only keep-alives")
	case now.Sub(r.lastByte) >= r.Idle:
		return true, r.stalled("no data for " + r.Idle.String())
	case !r.quiet:
		r.quiet = true
		if ev, ok := r.decoder.settle(); ok {
			return r.handle(ev)
		}
	}
	return false, nil
}

func (r *reader) stalled(detail string) error {
	if r.complete() {
		return nil
	}
	return &Error{Stalled, errors.New(detail)}
}

// piece handles what one read gave.
func (r *reader) piece(got piece) (over bool, err error) {
	if len(got.data) > 0 {
		r.lastByte, r.quiet = time.Now(), false
		r.decoder.write(got.data)
	}
	if got.err != nil {
		r.pump.over = true
		r.decoder.end()
	}
	for {
		ev, ok, err := r.decoder.next()
		if err != nil {
			return true, &Error{Unreadable, err}
		}
		if !ok {
			break
		}
		if over, err := r.handle(ev); over {
			return true, err
		}
	}
	if got.err != nil {
		return true, r.atEnd(got.err)
	}
	return false, nil
}

// handle gives an event to the wire and reports whether the stream is over with it.
func (r *reader) handle(ev Event) (over bool, err error) {
	r.next, err = r.take(ev)
	if r.next.Alive {
		r.lastEvent = time.Now()
	}
	return r.next.Over || err != nil, err
}

// atEnd judges the end of the body. Before the answer is complete it is a failure.
func (r *reader) atEnd(err error) error {
	var coding *codingError
	switch {
	case r.complete():
		return nil
	case errors.As(err, &coding):
		return &Error{Unreadable, err}
	case errors.Is(err, io.EOF):
		return &Error{Ended, err}
	}
	return &Error{Lost, err}
}
