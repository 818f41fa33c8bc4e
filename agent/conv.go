package agent

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"paicli/llm"
	"paicli/session"
)

// Conv is a conversation: the operations that front ends have, and one slot in which a turn runs.
// It may be used by several goroutines.
type Conv struct {
	log   *session.Log
	setup func() (*Agent, error)
	opts  ConvOptions

	mu     sync.Mutex
	turn   int
	last   *session.Configured
	cancel context.CancelCauseFunc // of the running turn; nil when none runs
	wg     sync.WaitGroup
}

// ConvOptions tune a conversation.
type ConvOptions struct {
	// Intro makes the note that the model gets before the first words of the user: date, place.
	Intro func() string
	Ask   Ask
}

// NewConv makes a conversation on a log. setup makes the agent at the start of each turn, so that a
// change of settings takes effect there.
func NewConv(log *session.Log, setup func() (*Agent, error), opts ConvOptions) *Conv {
	return &Conv{log: log, setup: setup, opts: opts}
}

// Op is something that a front end asks of a conversation: Prompt or Interrupt.
type Op interface{ op() }

// Prompt starts a turn with the user's words.
type Prompt struct {
	Text  string
	Media []llm.Media
}

// Interrupt ends the running turn. Without one it does nothing.
type Interrupt struct{}

func (Prompt) op()    {}
func (Interrupt) op() {}

// ErrBusy refuses a prompt while a turn runs.
var ErrBusy = errors.New("a turn is running")

// Submit carries out an operation. It does not wait for a turn to end; what comes of it is seen
// through Events.
func (c *Conv) Submit(op Op) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch op := op.(type) {
	case Prompt:
		return c.start(op)
	case Interrupt:
		if c.cancel != nil {
			c.cancel(ErrInterrupted)
		}
	}
	return nil
}

// Events are the events after a number and everything that follows; see session.Log.Events.
func (c *Conv) Events(ctx context.Context, after int64) iter.Seq2[session.Event, error] {
	return c.log.Events(ctx, after)
}

// Close interrupts a running turn, waits for its end and closes the log.
func (c *Conv) Close() error {
	c.Submit(Interrupt{})
	c.wg.Wait()
	return c.log.Close()
}

// start writes the user's words and runs the turn in the background. The lock is held.
func (c *Conv) start(p Prompt) error {
	if c.cancel != nil {
		return ErrBusy
	}
	a, err := c.setup()
	if err != nil {
		return err
	}
	th := c.log.Thread("", c.turn+1)
	if _, err := th.Append(c.opening(a, p)...); err != nil {
		return err
	}
	c.turn++
	ctx, cancel := context.WithCancelCause(context.Background())
	c.cancel = cancel
	c.wg.Go(func() { c.run(ctx, a, th) })
	return nil
}

// opening is what stands before the first request of a turn.
func (c *Conv) opening(a *Agent, p Prompt) []session.Body {
	var bodies []session.Body
	conf := &session.Configured{Model: a.Model.Info().Name(), System: a.System, Tools: a.Specs(), Why: "open"}
	if c.last == nil || !sameConfig(c.last, conf) {
		if c.last != nil {
			conf.Why = "changed"
		}
		bodies = append(bodies, conf)
		c.last = conf
	}
	if c.turn == 0 && c.opts.Intro != nil {
		bodies = append(bodies, &session.Said{By: session.ByNote, Text: c.opts.Intro()})
	}
	return append(bodies, &session.Said{By: session.ByUser, Text: p.Text, Media: p.Media})
}

func sameConfig(a, b *session.Configured) bool {
	return a.Model == b.Model && a.System == b.System && slices.EqualFunc(a.Tools, b.Tools, func(x, y llm.ToolSpec) bool {
		return x.Name == y.Name && x.Description == y.Description && string(x.Schema) == string(y.Schema)
	})
}

// run is the turn. Its end is written whatever happened, after the slot is free again: who sees the
// end may start the next turn.
func (c *Conv) run(ctx context.Context, a *Agent, th *session.Thread) {
	out, err := a.Run(ctx, th, c.opts.Ask)
	if err != nil {
		out = Outcome{End: session.EndFailed, Reason: "internal", Failure: &session.Failure{Kind: "internal", Detail: err.Error()}}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel(nil)
	c.cancel = nil
	th.Append(&session.TurnEnded{End: out.End, Reason: out.Reason, Text: out.Text, Steps: out.Steps, Failure: out.Failure})
}

// Meter makes the sink that writes every model request to the log as Spent.
func Meter(log *session.Log) func(llm.Spent) {
	return func(s llm.Spent) {
		log.Thread(s.Tag.Agent, s.Tag.Turn).Append(&session.Spent{
			Purpose: s.Tag.Purpose, Model: s.Model, Usage: s.Usage, Cost: s.Cost,
			Millis: int64(s.Duration / time.Millisecond), Err: s.Err,
		})
	}
}
