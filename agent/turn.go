package agent

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"paicli/llm"
	"paicli/session"
)

// Turn is one run of an agent on a thread: from the user's words to the end of the answer.
type Turn struct {
	Agent  *Agent
	Thread *session.Thread
	Ask    Ask
	Steps  int  // model requests made so far
	Final  bool // the last reply called no tool; guards may add words to go on

	specs []llm.ToolSpec
}

// Run makes steps until a reply calls no tool, a guard stops the turn, the model fails or ctx ends.
// It appends everything to the thread but not the end of the turn. The error is only for a log that
// cannot be written; how the turn went is the Outcome.
func (a *Agent) Run(ctx context.Context, th *session.Thread, ask Ask) (Outcome, error) {
	t := &Turn{Agent: a, Thread: th, Ask: ask, specs: a.Specs()}
	for {
		if err := t.guard(ctx); err != nil {
			return t.stop(ctx, err)
		}
		reply, err := t.step(ctx)
		if err != nil {
			return t.fail(ctx, reply, err)
		}
		seq, err := t.Thread.Append(replied(reply))
		if err != nil {
			return Outcome{}, err
		}
		if calls := reply.Message.Calls(); len(calls) > 0 {
			if err := t.batch(ctx, seq, calls); err != nil {
				return Outcome{}, err
			}
			if ctx.Err() != nil {
				return t.interrupted(), nil
			}
			continue
		}
		if done, out, err := t.finish(ctx, reply); done || err != nil {
			return out, err
		}
	}
}

// step makes one request and streams the reply to the thread.
func (t *Turn) step(ctx context.Context) (*llm.Reply, error) {
	t.Steps++
	return t.Call(ctx, "step", &llm.Request{
		System:   t.Agent.System,
		Messages: t.Thread.Messages(),
		Tools:    t.specs,
		Thinking: t.Agent.Thinking,
		Limits:   t.Agent.Limits,
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
		t.Thread.Stream(session.Streamed{Kind: session.StreamRetry, Retry: d.Retry})
	}
}

func replied(r *llm.Reply) *session.Replied {
	return &session.Replied{Message: r.Message, Finish: r.Finish, Model: r.Model, Usage: r.Usage, CallText: r.CallText}
}

// guard asks the guards before a request, or once more after a reply without calls.
func (t *Turn) guard(ctx context.Context) error {
	for _, g := range t.Agent.Guards {
		if err := g(ctx, t); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// finish ends a turn whose last reply called no tool, unless a guard added words to go on with.
func (t *Turn) finish(ctx context.Context, reply *llm.Reply) (bool, Outcome, error) {
	t.Final = true
	err := t.guard(ctx)
	t.Final = false
	if err != nil {
		out, err := t.stop(ctx, err)
		return true, out, err
	}
	if ms := t.Thread.Messages(); ms[len(ms)-1].Role != llm.RoleAssistant {
		return false, Outcome{}, nil
	}
	if reply.CallText {
		if _, err := t.Thread.Append(&session.Noted{Code: NoteCallText}); err != nil {
			return true, Outcome{}, err
		}
	}
	out := Outcome{End: session.EndDone, Text: reply.Message.Text(), Steps: t.Steps}
	if reply.Finish == llm.FinishLength {
		out.End, out.Reason = session.EndPartial, ReasonLength
	}
	return true, out, nil
}

// NoteCallText is the code of the note that the answer holds what looks like a tool call and that
// it was not run.
const NoteCallText = "call_text"

//go:embed closing.md
var closing string

// stop ends the turn because a guard said so: one more request, without tools, asks for a truthful
// partial report.
func (t *Turn) stop(ctx context.Context, err error) (Outcome, error) {
	var stop *Stop
	if ctx.Err() != nil {
		return t.interrupted(), nil
	}
	if !errors.As(err, &stop) {
		return Outcome{}, err
	}
	note := strings.TrimSpace(strings.ReplaceAll(closing, "{{reason}}", stop.Reason))
	if _, err := t.Thread.Append(&session.Said{By: session.ByNote, Text: note}); err != nil {
		return Outcome{}, err
	}
	out := Outcome{End: session.EndPartial, Reason: stop.Reason, Steps: t.Steps}
	reply, err := t.Call(ctx, "closing", &llm.Request{System: t.Agent.System, Messages: t.Thread.Messages(), Limits: t.Agent.Limits})
	if err != nil {
		failed, err := t.fail(ctx, reply, err)
		failed.Reason = stop.Reason
		if failed.End != session.EndInterrupted {
			failed.End = session.EndPartial
		}
		return failed, err
	}
	reply.Message = withoutCalls(reply.Message)
	if _, err := t.Thread.Append(replied(reply)); err != nil {
		return Outcome{}, err
	}
	out.Text = reply.Message.Text()
	return out, nil
}

// withoutCalls drops calls that a model made although it was offered no tool.
func withoutCalls(m llm.Message) llm.Message {
	kept := llm.Message{Role: m.Role}
	for _, b := range m.Blocks {
		if b.Kind == llm.KindText {
			kept.Blocks = append(kept.Blocks, b)
		}
	}
	return kept
}

// fail ends the turn after a model error. What was already visible stays in the history, marked;
// calls of a broken reply are not run.
func (t *Turn) fail(ctx context.Context, partial *llm.Reply, err error) (Outcome, error) {
	out := Outcome{End: session.EndFailed, Steps: t.Steps, Failure: Failure(err)}
	out.Reason = string(out.Failure.Kind)
	broken := out.Failure.Kind
	if ctx.Err() != nil {
		out = t.interrupted()
		broken = session.Interrupted
	}
	if text := partial.Message.Text(); strings.TrimSpace(text) != "" {
		r := replied(partial)
		r.Finish, r.Broken = llm.FinishError, broken
		if _, err := t.Thread.Append(r); err != nil {
			return Outcome{}, err
		}
		out.Text = text
	}
	return out, nil
}

func (t *Turn) interrupted() Outcome {
	return Outcome{End: session.EndInterrupted, Reason: "interrupted", Steps: t.Steps}
}
