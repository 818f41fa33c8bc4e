// Package headless is the front end without a terminal: one turn, its result on stdout, everything
// else on stderr. It reads the events of the conversation and draws them in the format asked for;
// it knows no tool by name and asks nobody anything.
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

// The formats of contracts: only the answer; one result object; one object a line.
const (
	FormatText       Format = "text"
	FormatJSON       Format = "json"
	FormatStreamJSON Format = "stream-json"
)

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
	// Explain words a failed model call: what happened, and what to do next. visible says that
	// a part of the answer had been received.
	Explain func(f *session.Failure, visible bool) (what, hint string)
	Now     func() time.Time
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
	if opts.Now == nil {
		opts.Now = time.Now
	}
	p := newPainter(opts)
	if err := p.begin(); err != nil {
		return ExitFailed, err
	}
	r := newResult(opts)
	if err := conv.Submit(prompt); err != nil {
		return ExitInternal, fmt.Errorf("start turn: %w", err)
	}
	reading, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	release := context.AfterFunc(ctx, func() {
		conv.Submit(agent.Interrupt{})
		time.AfterFunc(endWait, stop)
	})
	defer release()
	if err := draw(reading, conv, p, r); err != nil {
		return ExitFailed, err
	}
	r.close(opts)
	if opts.Answer != nil {
		fmt.Fprintln(opts.Answer, strings.TrimRight(r.Result, "\n"))
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
	}
	return newTextPainter(opts)
}

// draw passes events on until the turn has ended. A reader that goes away (a closed pipe) ends the
// run.
func draw(ctx context.Context, conv Conversation, p painter, r *result) error {
	for e, err := range conv.Events(ctx, 0) {
		if err != nil {
			r.logFailed(err)
			continue
		}
		r.add(e)
		if err := p.event(e); err != nil {
			conv.Submit(agent.Interrupt{})
			return err
		}
		if _, ok := e.Body.(*session.TurnEnded); ok {
			return nil
		}
	}
	return nil
}

// ExitCause is a cause of an ended context that says with which code the program exits: a signal.
type ExitCause struct {
	Code int
	Name string
}

func (c *ExitCause) Error() string { return c.Name }
