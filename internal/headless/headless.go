// Package headless is the front end without a terminal: one turn, or one for each message on stdin,
// the result on stdout, everything else on stderr. It reads the events of the conversation and draws
// them in the format asked for; it knows no tool by name.
package headless

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"paicli/agent"
	"paicli/internal/i18n"
	"paicli/session"
)

// Conversation is what a front end needs: operations in, events out. agent.Conv is one.
type Conversation interface {
	Submit(op agent.Op) error
	Events(ctx context.Context, after int64) iter.Seq2[session.Event, error]
}

// Format is how the result is printed.
type Format string

// The formats of contracts: only the answer; one result object; one object a line in the shape that
// drivers of Claude Code parse; the session's own events.
const (
	FormatText       Format = "text"
	FormatJSON       Format = "json"
	FormatStreamJSON Format = "stream-json"
	FormatEvents     Format = "events"
)

// IsJSON reports whether stdout carries JSON only.
func (f Format) IsJSON() bool { return f != FormatText && f != "" }

// Options of a run.
type Options struct {
	Format  Format
	Partial bool // stream-json: also pieces of messages as they arrive
	Out     io.Writer
	Err     io.Writer
	Lang    i18n.Lang
	Quiet   bool      // no progress
	Verbose bool      // diffs and outputs too
	ASCII   bool      // no characters beyond ASCII of our own
	Answer  io.Writer // gets the final answer too, if not nil
	Session Session
	// Structured says that the answer is JSON that fits a schema: the result holds it as a value too.
	Structured bool
	After      int64 // number of the last event before this run
	// Explain words a failed model call: what happened, and what to do next. visible says that
	// a part of the answer had been received.
	Explain func(f *session.Failure, visible bool) (what, hint string)
}

// Session describes the session in the first line of stream-json.
type Session struct {
	ID      string
	Root    string
	Model   string
	Tools   []string
	Mode    string
	Version string
}

// Exit codes, as contracts lists them.
const (
	ExitDone     = 0
	ExitFailed   = 1
	ExitUsage    = 2
	ExitLimit    = 3
	ExitRefused  = 4
	ExitInternal = 70
)

// painter draws one format.
type painter interface {
	begin() error
	event(e session.Event) error
	end(r *result) error
}

// endWait is how long an interrupted turn may take to end before the result is printed without it.
const endWait = 3 * time.Second

// Run submits the prompt, draws the turn and returns the exit code. When ctx ends the turn is
// interrupted and its result still printed; an *ExitCause as ctx's cause gives the exit code.
func Run(ctx context.Context, conv Conversation, prompt agent.Prompt, opts Options) (int, error) {
	p := newPainter(opts)
	if err := p.begin(); err != nil {
		return ExitFailed, err
	}
	r := newResult(opts)
	if err := conv.Submit(prompt); err != nil {
		return ExitInternal, fmt.Errorf("start turn: %w", err)
	}
	reading, release := untilInterrupted(ctx, conv, opts)
	defer release()
	if err := draw(reading, conv, p, r); err != nil {
		return ExitFailed, err
	}
	return r.show(ctx, p)
}

// untilInterrupted makes the context in which events are read: it outlives ctx, whose end interrupts
// the turn, by a little. The person is told at once.
func untilInterrupted(ctx context.Context, conv Conversation, opts Options) (context.Context, func()) {
	reading, stop := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, func() {
		fmt.Fprintf(opts.Err, "paicli: %s\n", opts.Lang.Say(i18n.NoteInterrupted))
		conv.Submit(agent.Interrupt{})
		time.AfterFunc(endWait, stop)
	})
	return reading, func() {
		release()
		stop()
	}
}

// show prints the result and returns the exit code.
func (r *result) show(ctx context.Context, p painter) (int, error) {
	r.close()
	if r.opts.Answer != nil {
		fmt.Fprintln(r.opts.Answer, strings.TrimRight(r.Result, "\n"))
	}
	if err := p.end(r); err != nil {
		return ExitFailed, err
	}
	return r.exit(ctx), nil
}

func newPainter(opts Options) painter {
	switch opts.Format {
	case FormatJSON:
		return &resultPainter{out: opts.Out}
	case FormatStreamJSON:
		return newStreamPainter(opts)
	case FormatEvents:
		return &eventPainter{out: opts.Out}
	}
	return newTextPainter(opts)
}

// draw passes events on until the turn has ended. A reader that goes away (a closed pipe) ends the
// run.
func draw(ctx context.Context, conv Conversation, p painter, r *result) error {
	for e, err := range conv.Events(ctx, r.opts.After) {
		if err != nil {
			r.logErr = err
			continue
		}
		ended, err := r.see(p, e)
		if err != nil {
			conv.Submit(agent.Interrupt{})
			return err
		}
		if ended {
			return nil
		}
	}
	return nil
}

// see takes an event in and draws it. ended is true at the end of the turn.
func (r *result) see(p painter, e session.Event) (ended bool, err error) {
	r.add(e)
	if err := p.event(e); err != nil {
		return false, err
	}
	_, ended = e.Body.(*session.TurnEnded)
	return ended && e.Agent == "", nil
}

// ExitCause is a cause of an ended context that says with which code the program exits: a signal.
type ExitCause struct {
	Code int
	Name string
}

func (c *ExitCause) Error() string { return c.Name }
