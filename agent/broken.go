package agent

import (
	"context"
	"strings"
	"time"

	"paicli/llm"
	"paicli/session"
)

// fail ends the turn after a model error. What was already visible stays in the history, marked;
// calls of a broken reply are not run. When the turn's time is over, the closing request follows; its
// note must not lengthen the words before it, so that the reply leaves its mark also without a text.
func (t *Turn) fail(ctx, work context.Context, partial *llm.Reply, err error) (Outcome, error) {
	out := Outcome{End: session.EndFailed, Steps: t.Steps, Failure: Failure(err)}
	out.Reason = string(out.Failure.Kind)
	broken := out.Failure.Kind
	over := ctx.Err() == nil && work.Err() != nil
	switch {
	case over:
		broken = session.TimeOver
	case ctx.Err() != nil:
		out = t.interrupted()
		broken = session.Interrupted
	}
	text := partial.Message.Text()
	if over || strings.TrimSpace(text) != "" {
		r := replied(partial)
		r.Finish, r.Broken = llm.FinishError, broken
		if _, err := t.Thread.Append(r); err != nil {
			return Outcome{}, err
		}
		out.Text = t.answer + text
	}
	if over {
		return t.stop(ctx, context.Cause(work))
	}
	return out, nil
}

func (t *Turn) interrupted() Outcome {
	return Outcome{End: session.EndInterrupted, Reason: "interrupted", Text: t.answer, Steps: t.Steps}
}

// onlyText drops calls that a model made although it was offered no tool.
func onlyText(m llm.Message) llm.Message {
	kept := llm.Message{Role: m.Role}
	for _, b := range m.Blocks {
		if b.Kind == llm.KindText {
			kept.Blocks = append(kept.Blocks, b)
		}
	}
	return kept
}

// deadline is the context of a turn's work. Its end by time has a *Stop as cause.
func (l Limits) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Time <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, l.Time, &Stop{Reason: ReasonTime})
}

// readTimeout is how long a call that only reads may take.
func (l Limits) readTimeout() time.Duration {
	if l.ReadTimeout > 0 {
		return l.ReadTimeout
	}
	return 90 * time.Second
}
