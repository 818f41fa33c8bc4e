package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"paicli/llm"
	"paicli/session"
)

// maxParallel is how many read-only calls of a batch run at a time (the original PaiCLI's number).
const maxParallel = 4

// prepared is a call that went through the gates. When end is set, it does not run and end is its
// result; after a run it is what became of the call.
type prepared struct {
	call   *Call
	judged *session.Judged // who allowed it
	end    *session.CallEnded
	done   Done
}

// Done is a call of the last batch as guards see it. Args are nil when they could not be read; Text
// is the result without its frame.
type Done struct {
	Name   string
	Args   json.RawMessage
	Status session.Status
	Text   string
}

// batch runs the calls of one reply. Every call gets a result, in any case. Neighbouring read-only
// calls run up to maxParallel at a time, any other alone, judged after what stands before it has
// ended; the thread orders the results as called.
func (t *Turn) batch(ctx context.Context, seq int64, calls []llm.Call) error {
	var group []*prepared
	for i, c := range calls {
		p := t.read(ctx, session.CallName(seq, i), c)
		if p.end == nil && !p.call.Intent.readOnly() {
			if err := t.run(ctx, group...); err != nil {
				return err
			}
			group = nil
		}
		t.judge(ctx, p)
		group = append(group, p)
		if p.call.Intent.readOnly() {
			continue
		}
		if err := t.run(ctx, group...); err != nil {
			return err
		}
		group = nil
	}
	return t.run(ctx, group...)
}

// read finds the tool of a call and reads its arguments.
func (t *Turn) read(ctx context.Context, id string, c llm.Call) *prepared {
	p := &prepared{call: &Call{ID: id, WireID: c.ID, Name: c.Name, Tool: t.Agent.tool(c.Name), Thread: t.Thread}}
	if t.Ask != nil {
		p.call.Ask = func(ctx context.Context, q Question) (Answer, error) {
			q.Call = p.call
			return t.Ask(ctx, t.Thread, q)
		}
	}
	if p.call.Tool == nil {
		p.refuse(session.StatusError, fmt.Sprintf("unknown tool %q; the tools are: %s", c.Name, t.names()))
		return p
	}
	args, err := llm.ParseArgs(c.Args)
	if err != nil {
		p.refuse(session.StatusError, fmt.Sprintf("%s was not run: %v. Send the call again with a complete JSON object.", c.Name, err))
		return p
	}
	if err := p.call.intend(ctx, args); err != nil {
		p.refuse(session.StatusError, err.Error())
	}
	return p
}

// judge asks the gates about a call that could be read.
func (t *Turn) judge(ctx context.Context, p *prepared) {
	if p.end != nil || ctx.Err() != nil {
		return
	}
	v, err := t.Agent.judge(ctx, t.Thread, t.Ask, p.call)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		p.deny(Verdict{By: ByPolicy, Reason: "the call could not be judged: " + err.Error()})
	case v.Kind != Allow:
		p.deny(v)
		t.refused = t.refused || v.EndTurn
	case v.By != "":
		p.judged = &session.Judged{By: v.By, Reason: v.Reason}
	}
}

// deny gives the call a result that says why it must not run.
func (p *prepared) deny(v Verdict) {
	p.refuse(session.StatusDenied, v.Reason)
	p.end.Args = p.call.Args
	if v.By != "" {
		p.end.Judged = &session.Judged{By: v.By, Reason: v.Reason}
	}
}

// refuse gives the call a result without running it.
func (p *prepared) refuse(status session.Status, reason string) {
	text := reason
	if status == session.StatusDenied {
		text = "denied: " + reason
	}
	p.end = &session.CallEnded{Status: status, Reason: reason, Result: llm.Result{Text: text}}
}

// run executes prepared calls side by side and appends their ends.
func (t *Turn) run(ctx context.Context, group ...*prepared) error {
	var wg sync.WaitGroup
	errs := make([]error, len(group))
	slots := make(chan struct{}, maxParallel)
	for i, p := range group {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = t.one(ctx, p)
		})
	}
	wg.Wait()
	for i, p := range group {
		if errs[i] != nil {
			return errs[i]
		}
		t.Batch = append(t.Batch, p.done)
	}
	return nil
}

// one runs a call and appends its end, whatever happens to it.
func (t *Turn) one(ctx context.Context, p *prepared) error {
	start := time.Now()
	if p.end == nil && ctx.Err() != nil {
		p.refuse(session.StatusInterrupted, "not started: the turn was interrupted")
	}
	end := p.end
	if end == nil {
		c := p.call
		if _, err := t.Thread.Append(&session.CallStarted{
			Call: c.ID, ID: c.WireID, Name: c.Name, Title: c.Intent.Title, Args: c.Args, Judged: p.judged,
		}); err != nil {
			return err
		}
		end = t.execute(ctx, c)
	}
	text := end.Result.Text
	end.Call, end.Name, end.Title = p.call.ID, p.call.Name, p.call.Intent.Title
	end.Millis = time.Since(start).Milliseconds()
	end.Result.ID, end.Result.Name = p.call.WireID, p.call.Name
	end.Result.Text = Frame(p.call.Name, text)
	end.Result.Error = end.Status != session.StatusOK
	if end.Result.Error && end.Reason == "" {
		end.Reason = firstLine(text)
	}
	p.end, p.done = end, Done{Name: p.call.Name, Args: p.call.Args, Status: end.Status, Text: text}
	_, err := t.Thread.Append(end)
	return err
}

// firstLine is what people see of why a call failed.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if short := cut(line, maxReason); short != line {
		return short + "…"
	}
	return line
}

// maxReason bounds a reason for people, in characters.
const maxReason = 200

// abandonAfter is how long a call may go on after its context ended. A tool ends its own work much
// faster; this is for a system call that hangs.
const abandonAfter = 2 * time.Second

// execute runs an allowed call through the wraps. A call that only reads has a time limit of its
// own. A call that does not end with its context is left behind: its result is not known.
func (t *Turn) execute(ctx context.Context, c *Call) *session.CallEnded {
	c.Progress = func(text string) {
		t.Thread.Stream(session.Streamed{Kind: session.StreamOutput, Call: c.ID, Text: text})
	}
	if c.Intent.readOnly() {
		limit := t.Agent.Limits.readTimeout()
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w after %v", errSlow, limit))
		defer cancel()
	}
	done := make(chan *session.CallEnded, 1)
	go func() { done <- t.call(ctx, c) }()
	select {
	case end := <-done:
		return end
	case <-ctx.Done():
	}
	timer := time.NewTimer(abandonAfter)
	defer timer.Stop()
	select {
	case end := <-done:
		return end
	case <-timer.C:
		return ended(ctx, Output{Status: session.StatusUnknown, Text: "the call did not end and was left behind; its result is not known"}, nil)
	}
}

// errSlow is the cause of the end of a call that only reads and took too long.
var errSlow = errors.New("timed out")

// call runs the tool. Its error, and even its panic, is a result for the model.
func (t *Turn) call(ctx context.Context, c *Call) (end *session.CallEnded) {
	defer func() {
		if r := recover(); r != nil {
			text := fmt.Sprintf("%s crashed: %v", c.Name, r)
			end = &session.CallEnded{
				Status: session.StatusError,
				Result: llm.Result{Text: text},
				Detail: &session.Detail{Shape: session.ShapeText, Text: text + "\n" + string(debug.Stack())},
			}
		}
	}()
	exec := func(ctx context.Context, c *Call) (Output, error) { return c.Tool.Run(ctx, c) }
	for i := len(t.Agent.Wraps) - 1; i >= 0; i-- {
		exec = t.Agent.Wraps[i](exec)
	}
	out, err := exec(ctx, c)
	if out.Answer != "" && err == nil {
		t.final.Store(&out.Answer)
	}
	return ended(ctx, out.fit(), err)
}

func ended(ctx context.Context, out Output, err error) *session.CallEnded {
	end := &session.CallEnded{
		Status: out.Status, Detail: out.Detail, Artifact: out.Artifact,
		Result: llm.Result{Text: out.Text, Media: out.Media},
	}
	slow := errors.Is(context.Cause(ctx), errSlow)
	switch {
	case slow && (err != nil || end.Status != ""):
		end.Status = session.StatusTimeout
		end.Result.Text = context.Cause(ctx).Error()
	case ctx.Err() != nil && (err != nil || out.Status == session.StatusInterrupted):
		end.Status = session.StatusInterrupted
	case err != nil:
		end.Status = session.StatusError
	case end.Status == "":
		end.Status = session.StatusOK
	}
	if end.Status == session.StatusOK {
		end.Seen = out.Seen
	}
	if err != nil && end.Result.Text == "" {
		end.Result.Text = err.Error()
	}
	if end.Status == session.StatusInterrupted && out.Text == "" {
		end.Result.Text = "interrupted: the turn was ended while the call ran"
	}
	return end
}

func (t *Turn) names() string {
	var names []byte
	for i, s := range t.specs {
		if i > 0 {
			names = append(names, ", "...)
		}
		names = append(names, s.Name...)
	}
	return string(names)
}
