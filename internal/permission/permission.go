// Package permission holds the gates that judge tool calls by what they would touch. It never runs
// or reads anything, and what a tool would touch it takes from the call's intent.
package permission

import (
	"context"
	"fmt"

	"paicli/agent"
	"paicli/internal/effect"
)

// Floor is the first gate of every chain: it denies command lines that no mode and no rule may
// permit, and has no opinion on anything else.
func Floor() agent.Gate {
	return func(_ context.Context, call *agent.Call) (agent.Verdict, error) {
		for _, a := range call.Intent.Access {
			if a.Verb != agent.VerbRun {
				continue
			}
			if found, denied := effect.Check(a.Target); denied {
				return agent.Verdict{Kind: agent.Deny, Reason: reason(found)}, nil
			}
		}
		return agent.Verdict{}, nil
	}
}

// reason tells the model why a command was refused.
func reason(f effect.Finding) string {
	return fmt.Sprintf("Refused by policy (%s): %s Do not try to reach the same effect in another way.", f.Code, f.Sentence())
}

// AllowAll is a last gate that permits whatever the gates before it did not judge.
func AllowAll() agent.Gate {
	return func(context.Context, *agent.Call) (agent.Verdict, error) {
		return agent.Verdict{Kind: agent.Allow}, nil
	}
}
