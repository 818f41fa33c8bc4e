package agent

import (
	"context"
	_ "embed"
	"errors"
	"strings"
	"sync/atomic"

	"paicli/llm"
	"paicli/session"
)

// Turn is one run of an agent on a thread: from the user's words to the end of the answer.
type Turn struct {
	Agent  *Agent
	Thread *session.Thread
	Ask    Ask
	Steps  int    // model requests made so far
	Final  bool   // the last reply called no tool; guards may add words to go on
	Batch  []Done // the calls of the last reply and how they ended

	refused bool                   // a gate ended the turn
	final   atomic.Pointer[string] // the answer that a tool gave
	specs   []llm.ToolSpec
	before  session.Totals // what the session had spent before this turn
	answer  string         // pieces of an answer that is being carried on
	carried bool           // the one carrying on was used up
	habits  habits         // what the runaway guard remembers
	mended  int            // answers that were sent back because of their form
}

// Run makes steps until a reply calls no tool, a guard stops the turn, the model fails or ctx ends.
// It appends everything to the thread but not the end of the turn. The error is only for a log that
// cannot be written; how the turn went is the Outcome.
func (a *Agent) Run(ctx context.Context, th *session.Thread, ask Ask) (Outcome, error) {
	t := &Turn{Agent: a, Thread: th, Ask: ask, specs: a.Specs(), before: th.State().Totals}
	work, done := a.Limits.deadline(ctx)
	defer done()
	for {
		if err := t.guard(work); err != nil {
			return t.stop(ctx, err)
		}
		reply, err := t.step(work)
		if err != nil {
			if carried, err := t.carryOn(work, reply, err); carried || err != nil {
				if err != nil {
					return Outcome{}, err
				}
				continue
			}
			return t.fail(ctx, work, reply, err)
		}
		seq, err := t.Thread.Append(replied(reply))
		if err != nil {
			return Outcome{}, err
		}
		if calls := reply.Message.Calls(); len(calls) > 0 {
			if err := t.batch(work, seq, calls); err != nil {
				return Outcome{}, err
			}
			if answer := t.final.Load(); answer != nil {
				return Outcome{End: session.EndDone, Text: *answer, Steps: t.Steps}, nil
			}
			continue
		}
		if out, err := t.finish(work, reply); out != nil || err != nil {
			return t.end(ctx, out, err)
		}
	}
}

// step makes one request and streams the reply to the thread.
func (t *Turn) step(ctx context.Context) (*llm.Reply, error) {
	t.Steps++
	t.Batch = nil
	return t.Call(ctx, "step", &llm.Request{
		System:   t.Agent.System,
		Messages: t.Thread.Messages(),
		Tools:    t.specs,
		Thinking: t.Agent.Thinking,
		Limits:   t.Agent.Output,
	})
}

// Call is the only way to the model: it is metered, retried and ends with the turn. What streams in
// is shown live when it is the agent's own answer (purpose step or closing).
func (t *Turn) Call(ctx context.Context, purpose string, req *llm.Request) (*llm.Reply, error) {
	req.Tag = llm.Tag{Agent: t.Thread.Agent(), Turn: t.Thread.Turn(), Purpose: purpose}
	var each func(llm.Delta)
	if purpose == "step" || purpose == "closing" {
		each = t.show
	}
	return llm.Collect(t.Agent.Model.Stream(ctx, req), each)
}

func (t *Turn) show(d llm.Delta) {
	switch d.Kind {
	case llm.DeltaText:
		t.Thread.Stream(session.Streamed{Kind: session.StreamText, Text: d.Text})
	case llm.DeltaThink:
		t.Thread.Stream(session.Streamed{Kind: session.StreamThink, Text: d.Text})
	case llm.DeltaRetry:
		n := d.Retry
		t.Thread.Stream(session.Streamed{Kind: session.StreamRetry, Retry: &session.Retrying{
			Attempt: n.Attempt, Attempts: n.Attempts, Wait: n.Wait.Milliseconds(), Failure: *Failure(n.Err),
		}})
	}
}

func replied(r *llm.Reply) *session.Replied {
	return &session.Replied{Message: r.Message, Finish: r.Finish, Model: r.Model, Usage: r.Usage, CallText: r.CallText}
}

// guard asks the guards before a request, or once more after a reply without calls.
func (t *Turn) guard(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if t.refused {
		return &Stop{Reason: ReasonRefused}
	}
	for _, g := range t.Agent.Guards {
		if err := g(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// finish ends a turn whose last reply called no tool, unless a guard added words to go on with or
// the answer is carried on.
func (t *Turn) finish(ctx context.Context, reply *llm.Reply) (*Outcome, error) {
	t.answer += reply.Message.Text()
	if reply.Finish == llm.FinishLength {
		if carried, err := t.carryOn(ctx, reply, nil); carried || err != nil {
			return nil, err
		}
	}
	t.Final = true
	err := t.guard(ctx)
	t.Final = false
	if err != nil {
		return nil, err
	}
	if ms := t.Thread.Messages(); ms[len(ms)-1].Role != llm.RoleAssistant {
		t.answer = ""
		return nil, nil
	}
	if reply.CallText {
		if _, err := t.Thread.Append(&session.Noted{Code: NoteCallText}); err != nil {
			return nil, err
		}
	}
	out := &Outcome{End: session.EndDone, Text: t.answer, Steps: t.Steps}
	if reply.Finish == llm.FinishLength {
		out.End, out.Reason = session.EndPartial, ReasonLength
	}
	return out, nil
}

// NoteCallText is the code of the note that the answer holds what looks like a tool call and that
// it was not run.
const NoteCallText = "call_text"

// carryOn asks once in a turn for the rest of a reply that was cut by the output limit, or for an
// answer where there was none. Nothing is said twice: a cut answer is continued.
func (t *Turn) carryOn(ctx context.Context, reply *llm.Reply, err error) (bool, error) {
	e := llm.AsError(err)
	if t.carried || ctx.Err() != nil || err != nil && (e == nil || e.Kind != llm.ErrEmpty) {
		return false, nil
	}
	t.carried = true
	note := noteEmpty
	if strings.TrimSpace(reply.Message.Text()) != "" {
		note = noteCut
	}
	said := []session.Body{&session.Said{By: session.ByNote, Text: note}}
	if err != nil {
		empty := replied(reply)
		empty.Broken = llm.ErrEmpty
		said = []session.Body{empty, said[0]}
	}
	_, err = t.Thread.Append(said...)
	return err == nil, err
}

// What the model is told when its reply was no answer.
const (
	noteEmpty = "[no answer] Your last reply held no answer and no tool call. Answer now, or call a tool."
	noteCut   = "[output limit] Your last reply was cut off by the output limit. Continue exactly where it stopped; repeat nothing."
)

// end turns what finish returned into the end of the run.
func (t *Turn) end(ctx context.Context, out *Outcome, err error) (Outcome, error) {
	if err != nil {
		return t.stop(ctx, err)
	}
	return *out, nil
}

//go:embed closing.md
var closing string

// stop ends the turn because a guard said so or its time is over: one more request, without tools,
// asks for a truthful partial report.
func (t *Turn) stop(ctx context.Context, err error) (Outcome, error) {
	var stop *Stop
	if ctx.Err() != nil {
		return t.interrupted(), nil
	}
	if !errors.As(err, &stop) {
		return Outcome{}, err
	}
	note := strings.TrimSpace(strings.ReplaceAll(closing, "{{why}}", stop.why()))
	if _, err := t.Thread.Append(&session.Said{By: session.ByNote, Text: note}); err != nil {
		return Outcome{}, err
	}
	reply, err := t.Call(ctx, "closing", &llm.Request{System: t.Agent.System, Messages: t.Thread.Messages(), Limits: t.Agent.Output})
	out := Outcome{End: stop.end(), Reason: stop.Reason, Steps: t.Steps}
	if err != nil {
		failed, err := t.fail(ctx, ctx, reply, err)
		if failed.End == session.EndFailed {
			failed.End, failed.Reason = out.End, out.Reason
		}
		return failed, err
	}
	reply.Message = onlyText(reply.Message)
	out.Text = reply.Message.Text()
	_, err = t.Thread.Append(replied(reply))
	return out, err
}
