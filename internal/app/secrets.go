package app

import (
	"context"

	"paicli/agent"
	"paicli/internal/secret"
)

// scrubber takes secrets out of a line of the log.
func scrubber(secrets []string) func([]byte) []byte { return secret.New(secrets).Bytes }

// discreet is the wrap that takes secrets out of what is shown while a call runs. What is kept of a
// call is scrubbed by the log.
func discreet(known *secret.Scrubber) agent.Wrap {
	return func(next agent.Exec) agent.Exec {
		return func(ctx context.Context, call *agent.Call) (agent.Output, error) {
			if call.Progress == nil {
				return next(ctx, call)
			}
			shown := known.Stream(call.Progress)
			with := *call
			with.Progress = shown.Write
			out, err := next(ctx, &with)
			shown.Close()
			return out, err
		}
	}
}
