package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"paicli/llm"
	"paicli/session"
)

// Conv is a conversation: the operations that front ends have, and one slot in which a turn runs.
//
//	Submit(Prompt) ─► slot free: turn ─► Said ─► Agent.Run ─► TurnEnded ─► queue not empty: next turn
//	              └─► slot taken: Queued ─► said at the next border of the running turn
//	Submit(Interrupt) ─► ends the turn's context      Submit(Answer) ─► wakes who asked
//
// It may be used by several goroutines.
type Conv struct {
	log   *session.Log
	setup func(session.State) (*Agent, error)
	opts  ConvOptions

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the running turn; nil when none runs
	asks   map[string]chan Answer  // open questions by id
	asked  int                     // questions so far, for their ids
	queued int                     // prompts queued so far, for their ids
	closed bool
	wg     sync.WaitGroup
}

// ConvOptions tune a conversation.
type ConvOptions struct {
	// Intro makes the note that stands before the first words of this process: date, place. It
	// is not said again when a session goes on and the note is the same.
	Intro func() string
	// Mode makes the note about the permission mode. It begins with a mark in brackets, by which
	// notes of its kind are known, and is said at the start of a turn when it is another than the
	// last one. usual says that it goes without saying as long as no other was said.
	Mode func(session.State) (note string, usual bool)
	// Attended says that somebody is there to answer questions. Without it every question is
	// at once answered by nobody.
	Attended bool
}

// NewConv makes a conversation on a log, new or resumed. setup makes the agent at the start of each
// turn from the state of the session, so that a change of settings takes effect there.
func NewConv(log *session.Log, setup func(session.State) (*Agent, error), opts ConvOptions) *Conv {
	return &Conv{log: log, setup: setup, opts: opts, asks: make(map[string]chan Answer)}
}

// Op is something that a front end asks of a conversation: Prompt, Interrupt, AnswerOp, Set or
// Unqueue.
type Op interface{ op() }

// Prompt is the user's words. It starts a turn, or waits in the queue of the running one.
type Prompt struct {
	Text  string
	Media []llm.Media
}

// Interrupt ends the running turn. Without one it does nothing.
type Interrupt struct{}

// AnswerOp answers an open question. The first answer wins.
type AnswerOp struct {
	ID     string
	Answer Answer
}

// Set changes a setting of the session; it counts from the next turn on.
type Set struct{ Key, Value string }

// Unqueue takes a waiting prompt back.
type Unqueue struct{ ID string }

func (Prompt) op()    {}
func (Interrupt) op() {}
func (AnswerOp) op()  {}
func (Set) op()       {}
func (Unqueue) op()   {}

// ErrNotOpen refuses an answer to a question that is not open, or the taking back of a prompt that
// does not wait.
var ErrNotOpen = errors.New("not open")

// ErrClosed refuses operations on a conversation that was closed.
var ErrClosed = errors.New("conversation closed")

// Submit carries out an operation. It does not wait for a turn to end; what comes of it is seen
// through Events. When it returns without an error, a prompt is in the log and is not lost any more.
func (c *Conv) Submit(op Op) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	switch op := op.(type) {
	case Prompt:
		if c.cancel != nil {
			return c.enqueue(op)
		}
		return c.start(&session.Said{By: session.ByUser, Text: op.Text, Media: op.Media})
	case Interrupt:
		if c.cancel != nil {
			c.cancel(ErrInterrupted)
		}
	case AnswerOp:
		return c.answer(op)
	case Set:
		_, err := c.thread().Append(&session.Set{Key: op.Key, Value: op.Value})
		return err
	case Unqueue:
		return c.unqueue(op.ID)
	}
	return nil
}

// Events are the events after a number and everything that follows; see session.Log.Events.
func (c *Conv) Events(ctx context.Context, after int64) iter.Seq2[session.Event, error] {
	return c.log.Events(ctx, after)
}

// Close interrupts a running turn, waits for its end and closes the log.
func (c *Conv) Close() error {
	c.mu.Lock()
	c.closed = true
	if c.cancel != nil {
		c.cancel(ErrInterrupted)
	}
	c.mu.Unlock()
	c.wg.Wait()
	return c.log.Close()
}

// thread is the root thread in the current turn.
func (c *Conv) thread() *session.Thread { return c.log.Thread("", c.log.State().Turn) }

func (c *Conv) enqueue(p Prompt) error {
	c.queued++
	id := fmt.Sprintf("q%d-%d", time.Now().UnixMilli(), c.queued)
	_, err := c.thread().Append(&session.Queued{ID: id, By: session.ByUser, Text: p.Text, Media: p.Media})
	return err
}

func (c *Conv) unqueue(id string) error {
	if !slices.ContainsFunc(c.log.State().Queue, func(q session.Queued) bool { return q.ID == id }) {
		return fmt.Errorf("take back prompt %s: %w", id, ErrNotOpen)
	}
	_, err := c.thread().Append(&session.Queued{ID: id, Dropped: true})
	return err
}

// start writes the words and runs the turn in the background. The lock is held.
func (c *Conv) start(said ...session.Body) error {
	state := c.log.State()
	a, err := c.setup(state)
	if err != nil {
		return err
	}
	th := c.log.Thread("", state.Turn+1)
	if _, err := th.Append(c.opening(state, a, said)...); err != nil {
		return err
	}
	with := *a
	with.Guards = append([]Guard{c.inbox}, a.Guards...)
	ctx, cancel := context.WithCancelCause(context.Background())
	c.cancel = cancel
	c.wg.Go(func() { c.run(ctx, &with, th) })
	return nil
}

// opening is what stands before the first request of a turn.
func (c *Conv) opening(state session.State, a *Agent, said []session.Body) []session.Body {
	var bodies []session.Body
	conf := &session.Configured{Model: a.Model.Info().Name(), System: a.System, Tools: a.Specs(), Why: "open"}
	if last := state.Configured; last == nil || !sameConfig(last, conf) {
		if last != nil {
			conf.Why = "changed"
		}
		bodies = append(bodies, conf)
	}
	if c.opts.Intro != nil {
		intro := c.opts.Intro()
		if !c.introduced(intro) {
			bodies = append(bodies, &session.Said{By: session.ByNote, Text: intro})
		}
	}
	if note := c.modeNote(state); note != "" {
		bodies = append(bodies, &session.Said{By: session.ByNote, Text: note})
	}
	for _, q := range state.Queue {
		bodies = append(bodies, sayQueued(q))
	}
	return append(bodies, said...)
}

// modeNote is what the model is to be told about the permission mode, "" when it knows.
func (c *Conv) modeNote(state session.State) string {
	if c.opts.Mode == nil {
		return ""
	}
	note, usual := c.opts.Mode(state)
	mark, _, _ := strings.Cut(note, "]")
	last := ""
	for _, m := range c.thread().Messages() {
		if text := m.Text(); m.Role == llm.RoleUser && strings.HasPrefix(text, mark+"]") {
			last = text
		}
	}
	if last == note || last == "" && usual {
		return ""
	}
	return note
}

// introduced reports whether the note was said before in this session.
func (c *Conv) introduced(intro string) bool {
	return slices.ContainsFunc(c.thread().Messages(), func(m llm.Message) bool {
		return m.Role == llm.RoleUser && m.Text() == intro
	})
}

func sameConfig(a, b *session.Configured) bool {
	return a.Model == b.Model && a.System == b.System && slices.EqualFunc(a.Tools, b.Tools, func(x, y llm.ToolSpec) bool {
		return x.Name == y.Name && x.Description == y.Description && string(x.Schema) == string(y.Schema)
	})
}

// run is the turn. Its end is written when the slot is free again: who sees the end may start the
// next turn. Prompts that came too late for a border of this turn begin the next one.
func (c *Conv) run(ctx context.Context, a *Agent, th *session.Thread) {
	out, err := c.guarded(ctx, a, th)
	if err != nil {
		out = Outcome{End: session.EndFailed, Reason: "internal", Failure: &session.Failure{Kind: "internal", Detail: err.Error()}}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel(nil)
	c.cancel = nil
	_, err = th.Append(&session.TurnEnded{End: out.End, Reason: out.Reason, Text: out.Text, Steps: out.Steps, Failure: out.Failure})
	if err == nil && !c.closed && out.End != session.EndFailed && prompted(c.log.State().Queue) {
		// An error here is that of setup; the prompts stay in the queue for the next turn.
		_ = c.start()
	}
}

// guarded runs the turn so that a fault of the program ends the turn and not the program, which would
// leave a terminal as it is. The error holds the stack.
func (c *Conv) guarded(ctx context.Context, a *Agent, th *session.Thread) (out Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.Join(fmt.Errorf("the turn crashed: %v\n%s", r, debug.Stack()), th.Abandon(Frame))
		}
	}()
	return a.Run(ctx, th, c.ask)
}

// inbox says at a border what was queued since the last one. Under the lock, so that nothing of it is
// taken back meanwhile.
func (c *Conv) inbox(_ context.Context, t *Turn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := t.Thread.State().Queue
	if len(queue) == 0 || t.Thread.Agent() != "" {
		return nil
	}
	bodies := make([]session.Body, len(queue))
	for i, q := range queue {
		bodies[i] = sayQueued(q)
	}
	_, err := t.Thread.Append(bodies...)
	return err
}

func sayQueued(q session.Queued) *session.Said {
	return &session.Said{By: q.By, Text: q.Text, Media: q.Media, Queued: q.ID}
}

// ask puts a question into the log and waits for its answer. When the turn ends first, the answer is
// no.
func (c *Conv) ask(ctx context.Context, th *session.Thread, q Question) (Answer, error) {
	if !c.opts.Attended {
		return Answer{}, nil
	}
	id, reply := c.openAsk()
	asked := &session.Asked{ID: id, Code: q.Code, Text: q.Text, Options: q.Options, Access: q.Access, Rules: q.Rules}
	if q.Call != nil {
		asked.Call, asked.Name, asked.Title = q.Call.ID, q.Call.Name, q.Call.Intent.Title
		asked.Args, asked.Preview = q.Call.Args, q.Call.Intent.Preview
	}
	if _, err := th.Append(asked); err != nil {
		c.closeAsk(id)
		return Answer{}, err
	}
	var ans Answer
	select {
	case ans = <-reply:
	case <-ctx.Done():
	}
	c.closeAsk(id)
	select { // an answer that was taken counts, also when the turn ended in the same moment
	case ans = <-reply:
	default:
	}
	_, err := th.Append(&session.Answered{ID: id, Choice: ans.Choice, Text: ans.Text})
	return ans, err
}

func (c *Conv) openAsk() (string, chan Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	id := fmt.Sprintf("a%d-%d", time.Now().UnixMilli(), c.asked)
	reply := make(chan Answer, 1)
	c.asks[id] = reply
	return id, reply
}

func (c *Conv) closeAsk(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.asks, id)
}

// answer hands an answer to who waits for it. The lock is held.
func (c *Conv) answer(op AnswerOp) error {
	reply := c.asks[op.ID]
	if reply == nil {
		return fmt.Errorf("answer question %s: %w", op.ID, ErrNotOpen)
	}
	if op.Answer.Args != nil && !json.Valid(op.Answer.Args) {
		return fmt.Errorf("answer question %s: the new arguments are no JSON", op.ID)
	}
	delete(c.asks, op.ID)
	reply <- op.Answer
	return nil
}

// Meter makes the sink that writes every model request to the log as Spent.
func Meter(log *session.Log) func(llm.Spent) {
	return func(s llm.Spent) {
		// A log that cannot be written ends the turn at its next append.
		_, _ = log.Thread(s.Tag.Agent, s.Tag.Turn).Append(&session.Spent{
			Purpose: s.Tag.Purpose, Model: s.Model, Usage: s.Usage, Cost: s.Cost,
			Millis: int64(s.Duration / time.Millisecond), Err: s.Err,
		})
	}
}
