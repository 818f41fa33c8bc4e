// Package llmtest has what a program around language models is tested with: Script, a model that
// plays prepared replies inside the process, and Server, which sends prepared bytes over real HTTP
// on loopback, well-behaved or not.
package llmtest

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"paicli/llm"
)

// Step is one prepared answer of a Script. Err ends the stream after the deltas of the message.
type Step struct {
	Message llm.Message
	Finish  llm.Finish // zero: tool_calls when the message has calls, else stop
	Usage   llm.Usage
	Err     error
	// Wait, when set, is called after the text was streamed and before the reply; a test can
	// hold the stream there. It should return when ctx ends.
	Wait func(ctx context.Context)
}

// Say is a step that answers with text.
func Say(text string) Step {
	return Step{Message: llm.Text(llm.RoleAssistant, text)}
}

// CallTool is a step that calls tools: pairs of name and arguments.
func CallTool(pairs ...string) Step {
	var m llm.Message
	m.Role = llm.RoleAssistant
	for i := 0; i+1 < len(pairs); i += 2 {
		id := fmt.Sprintf("call_%d", i/2)
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.KindCall, Call: &llm.Call{ID: id, Name: pairs[i], Args: pairs[i+1]}})
	}
	return Step{Message: m}
}

// Script is a Model that plays its steps in order and records the requests. After the last step it
// fails. It may be used by several goroutines.
type Script struct {
	About llm.Info
	mu    sync.Mutex
	steps []Step
	asked []llm.Request
}

// NewScript makes a model that plays the steps.
func NewScript(steps ...Step) *Script {
	return &Script{About: llm.Info{Provider: "script", Model: "scripted"}, steps: steps}
}

// Info describes the scripted model.
func (s *Script) Info() llm.Info { return s.About }

// Requests returns what was asked so far.
func (s *Script) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]llm.Request(nil), s.asked...)
}

func (s *Script) next(req *llm.Request) (Step, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := *req
	kept.Messages = append([]llm.Message(nil), req.Messages...)
	s.asked = append(s.asked, kept)
	if len(s.steps) == 0 {
		return Step{}, false
	}
	step := s.steps[0]
	s.steps = s.steps[1:]
	return step, true
}

// Stream plays the next step.
func (s *Script) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		step, ok := s.next(req)
		if !ok {
			step.Err = &llm.Error{Kind: llm.ErrInvalidRequest, Detail: "the script has no further step"}
		}
		reply := &llm.Reply{Message: step.Message, Finish: step.Finish, Usage: step.Usage, Model: s.About.Model}
		if reply.Finish == "" {
			reply.Finish = llm.FinishStop
			if len(step.Message.Calls()) > 0 {
				reply.Finish = llm.FinishCalls
			}
		}
		for _, b := range step.Message.Blocks {
			kind, known := map[llm.Kind]llm.DeltaKind{llm.KindText: llm.DeltaText, llm.KindThink: llm.DeltaThink}[b.Kind]
			if known && !yield(llm.Delta{Kind: kind, Text: b.Text}, nil) {
				return
			}
		}
		if step.Wait != nil {
			step.Wait(ctx)
		}
		err := step.Err
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			reply.Finish = llm.FinishError
		}
		yield(llm.Delta{Kind: llm.DeltaReply, Reply: reply}, err)
	}
}
