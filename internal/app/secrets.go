package app

import (
	"context"
	"errors"
	"iter"

	"paicli/agent"
	"paicli/internal/secret"
	"paicli/llm"
)

// scrubber takes secrets out of a line of the log.
func scrubber(secrets []string) func([]byte) []byte { return secret.New(secrets).Bytes }

// discreet is the wrap that takes secrets out of what a call shows and gives, before anything cuts it:
// of a value that is cut in two neither part would be known any more.
func discreet(known *secret.Scrubber) agent.Wrap {
	return func(next agent.Exec) agent.Exec {
		return func(ctx context.Context, call *agent.Call) (agent.Output, error) {
			with := *call
			if call.Progress != nil {
				shown := known.Stream(call.Progress)
				with.Progress = shown.Write
				defer shown.Close()
			}
			out, err := next(ctx, &with)
			lead := known.Text(out.Text[:out.Lead])
			out.Text, out.Lead = lead+known.Text(out.Text[out.Lead:]), len(lead)
			return out, scrubbed(known, err)
		}
	}
}

// scrubbed is an error whose text holds no secret.
func scrubbed(known *secret.Scrubber, err error) error {
	if err == nil {
		return nil
	}
	if text := known.Text(err.Error()); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// tactful is a model of whose answers secrets are taken out while they come. The reply itself is
// scrubbed by the log.
type tactful struct {
	llm.Model
	known *secret.Scrubber
}

func (m tactful) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		var kind llm.DeltaKind // of the text that is held back
		more := true
		pass := func(d llm.Delta, err error) { more = more && yield(d, err) }
		text := m.known.Stream(func(text string) { pass(llm.Delta{Kind: kind, Text: text}, nil) })
		for d, err := range m.Model.Stream(ctx, req) {
			words := err == nil && (d.Kind == llm.DeltaText || d.Kind == llm.DeltaThink)
			if !words || d.Kind != kind {
				text.Close()
			}
			if words {
				kind = d.Kind
				text.Write(d.Text)
			} else {
				pass(d, err)
			}
			if !more {
				return
			}
		}
	}
}
