package agent

import (
	"context"

	"paicli/llm"
	"paicli/session"
)

// Do runs one call outside of the loop, for a caller that is no model: through the same gates, wraps
// and limits, and logged like any other. What the call gave comes back as the caller should see it,
// without the frame that marks it for a model. Calls of one thread come one at a time. The error is
// only for a log that cannot be written; a refused or failed call is told by the Status.
func (a *Agent) Do(ctx context.Context, th *session.Thread, ask Ask, c llm.Call) (Output, error) {
	t := &Turn{Agent: a, Thread: th, Ask: ask, specs: a.Specs()}
	called := llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{{Kind: llm.KindCall, Call: &c}}}
	seq, err := th.Append(&session.Replied{Message: called, Finish: llm.FinishCalls})
	if err != nil {
		return Output{}, err
	}
	p := t.read(ctx, session.CallName(seq, 0), c)
	t.judge(ctx, p)
	if err := t.one(ctx, p); err != nil {
		return Output{}, err
	}
	return Output{
		Text: p.done.Text, Status: p.done.Status, Media: p.end.Result.Media, Detail: p.end.Detail, Artifact: p.end.Artifact,
	}, nil
}
