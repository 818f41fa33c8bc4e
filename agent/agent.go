// Package agent is the loop: ask the model, run the tools that it calls, ask again, until a reply
// calls none. It knows no provider, no front end and no policy; what differs between products comes
// in through the fields of Agent.
//
//	         ┌────────────── guards: may the next step be made? ◄─────────────┐
//	Run ─► step: Model.Stream ─► Replied ─► no calls ─► done                  │
//	                                └─► batch: gates ─► wraps ─► Tool.Run ─► CallEnded
//
// turn.go is the loop, batch.go one batch of calls, conv.go the operations of a conversation.
package agent

import (
	"context"
	"errors"
	"time"

	"paicli/llm"
	"paicli/session"
)

// Agent is what a turn runs with. It is configuration: it may be shared and is not changed by a run.
type Agent struct {
	Model    llm.Model
	System   string
	Tools    []Tool // sorted by name: the list is part of the cached prefix
	Gates    []Gate
	Wraps    []Wrap // outermost first
	Guards   []Guard
	Thinking llm.Thinking
	Output   llm.Limits // of each reply
	Limits   Limits
}

// Limits bound a turn. Zero means no limit, for ReadTimeout 90 s.
type Limits struct {
	Time        time.Duration // for the whole turn; a running request or call is ended
	ReadTimeout time.Duration // for a single call that only reads (the original PaiCLI's number)
}

// Guard looks at the turn before each request, and once more when a reply has no calls (t.Final).
// It may append to the thread; a *Stop ends the turn with a closing request.
type Guard func(ctx context.Context, t *Turn) error

// Stop is returned by a guard to end the turn. Reason is a code.
type Stop struct{ Reason string }

func (s *Stop) Error() string { return "stop: " + s.Reason }

// why says it to the model.
func (s *Stop) why() string {
	if s.Reason == ReasonRefused {
		return "stopped: an action that the task needs was refused and nobody is there to ask"
	}
	return "limit reached: " + s.Reason
}

func (s *Stop) end() session.End {
	if s.Reason == ReasonRefused {
		return session.EndRefused
	}
	return session.EndPartial
}

// The reasons for which a turn ends before the model was done.
const (
	ReasonSteps   = "max_steps" // the limit of model requests was reached
	ReasonTokens  = "token_budget"
	ReasonCost    = "max_cost"
	ReasonTime    = "timeout"
	ReasonRunaway = "runaway"       // the same actions over and over
	ReasonLength  = "length"        // the model's output limit cut the answer off
	ReasonSchema  = "output_schema" // the answer has not the form that was asked for
	ReasonRefused = "refused"       // what was refused could not be done without
)

// Outcome is how a run ended.
type Outcome struct {
	End     session.End
	Reason  string // code: the limit, the error's kind
	Text    string // the answer, as far as there is one
	Steps   int
	Failure *session.Failure
}

// ErrInterrupted is the cause of a context that a person ended.
var ErrInterrupted = errors.New("interrupted")

// Specs lists what the model is told about the tools.
func (a *Agent) Specs() []llm.ToolSpec {
	specs := make([]llm.ToolSpec, len(a.Tools))
	for i, t := range a.Tools {
		specs[i] = t.Spec()
	}
	return specs
}

func (a *Agent) tool(name string) Tool {
	for _, t := range a.Tools {
		if t.Spec().Name == name {
			return t
		}
	}
	return nil
}

// Failure keeps of a model error what front ends need to word it.
func Failure(err error) *session.Failure {
	e := llm.AsError(err)
	if e == nil {
		return &session.Failure{Kind: "internal", Detail: err.Error()}
	}
	return &session.Failure{
		Kind: e.Kind, Status: e.Status, Code: e.Code, Detail: e.Detail,
		Provider: e.Provider, Model: e.Model, URL: e.URL, RetryAfter: e.RetryAfter.Milliseconds(),
	}
}
