package headless

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"paicli/agent"
	"paicli/llm"
	"paicli/session"
)

// result is the result object of contracts, filled from the events of a turn.
type result struct {
	Type         string     `json:"type"`
	Subtype      string     `json:"subtype"`
	IsError      bool       `json:"is_error"`
	Result       string     `json:"result"`
	SessionID    string     `json:"session_id"`
	NumTurns     int        `json:"num_turns"`
	DurationMS   int64      `json:"duration_ms"`
	DurationAPI  int64      `json:"duration_api_ms"`
	TotalCostUSD float64    `json:"total_cost_usd"`
	Usage        usage      `json:"usage"`
	Denials      []denial   `json:"permission_denials"`
	Status       string     `json:"status"`
	Model        string     `json:"model"`
	Reasoning    int        `json:"reasoning_tokens"`
	Cost         llm.Money  `json:"cost"`
	Calls        []callInfo `json:"calls"`
	Error        *errorInfo `json:"error,omitempty"`
	// Structured is the answer as JSON, where a schema was given and the answer fits it.
	Structured json.RawMessage `json:"structured_output,omitempty"`

	opts     Options
	start    time.Time
	ended    *session.TurnEnded
	logErr   error
	asked    map[string]llm.Call // by name of the call in the log
	tokens   llm.Usage
	requests int
	failure  string // words for people
	hint     string
}

// usage has the names that drivers of Claude Code parse: input without the cached part.
type usage struct {
	Input       int `json:"input_tokens"`
	Output      int `json:"output_tokens"`
	CacheRead   int `json:"cache_read_input_tokens"`
	CacheCreate int `json:"cache_creation_input_tokens"`
}

func usageOf(u llm.Usage) usage {
	return usage{
		Input: max(u.Input-u.Cached-u.CacheWrite, 0), Output: u.Output,
		CacheRead: u.Cached, CacheCreate: u.CacheWrite,
	}
}

type denial struct {
	Tool   string          `json:"tool_name"`
	Input  json.RawMessage `json:"tool_input"`
	Reason string          `json:"reason"`
}

type callInfo struct {
	ID     string         `json:"id"`
	Tool   string         `json:"tool"`
	Status session.Status `json:"status"`
	Millis int64          `json:"duration_ms"`
}

type errorInfo struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

func newResult(opts Options) *result {
	return &result{
		Type: "result", SessionID: opts.Session.ID, Model: opts.Session.Model, opts: opts, start: time.Now(),
		Denials: []denial{}, Calls: []callInfo{}, asked: make(map[string]llm.Call),
	}
}

// add takes from an event what the result tells.
func (r *result) add(e session.Event) {
	switch b := e.Body.(type) {
	case *session.Replied:
		for i, c := range b.Message.Calls() {
			r.asked[session.CallName(e.Seq, i)] = c
		}
	case *session.CallEnded:
		r.Calls = append(r.Calls, callInfo{ID: b.Result.ID, Tool: b.Name, Status: b.Status, Millis: b.Millis})
		if b.Status == session.StatusDenied {
			r.Denials = append(r.Denials, denial{Tool: b.Name, Input: input(r.asked[b.Call].Args), Reason: b.Reason})
		}
	case *session.Spent:
		r.spend(b)
	case *session.TurnEnded:
		if e.Agent == "" {
			r.ended = b
		}
	}
}

func (r *result) spend(b *session.Spent) {
	r.requests++
	r.DurationAPI += b.Millis
	r.tokens = r.tokens.Add(b.Usage)
	if b.Cost.Currency != "" {
		r.Cost.Amount += b.Cost.Amount
		r.Cost.Currency = b.Cost.Currency
	}
}

// input is the arguments of a call as a JSON object; what is none becomes an empty one.
func input(args string) json.RawMessage {
	raw, err := llm.ParseArgs(args)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// close computes what follows from the whole.
func (r *result) close() {
	if r.ended == nil {
		r.ended = &session.TurnEnded{End: session.EndInterrupted}
		if r.logErr != nil {
			r.ended = &session.TurnEnded{End: session.EndFailed, Failure: &session.Failure{Kind: "internal", Detail: r.logErr.Error()}}
		}
	}
	r.DurationMS = time.Since(r.start).Milliseconds()
	r.Usage, r.Reasoning = usageOf(r.tokens), r.tokens.Reasoning
	if r.Cost.Currency == "USD" {
		r.TotalCostUSD = r.Cost.Amount
	}
	r.NumTurns, r.Result, r.Status = r.ended.Steps, r.ended.Text, string(r.ended.End)
	if raw, ok := agent.AnswerJSON(r.Result); ok && r.opts.Structured && r.ended.End == session.EndDone {
		r.Structured = raw
	}
	r.Subtype = subtype(r.ended)
	r.IsError = r.Subtype != "success"
	if f := r.ended.Failure; f != nil {
		r.failure, r.hint = r.opts.Explain(f, r.ended.Text != "")
		r.Error = &errorInfo{Kind: string(f.Kind), Message: r.failure, Hint: r.hint}
	}
}

func subtype(e *session.TurnEnded) string {
	switch e.End {
	case session.EndDone:
		return "success"
	case session.EndPartial:
		switch e.Reason {
		case agent.ReasonSteps:
			return "error_max_turns"
		case agent.ReasonCost, agent.ReasonTokens:
			return "error_max_budget_usd"
		case agent.ReasonSchema:
			return "error_max_structured_output_retries"
		}
	case session.EndRefused:
		return "error_permission"
	case session.EndInterrupted:
		return "interrupted"
	}
	return "error_during_execution"
}

// exit is the exit code of the turn.
func (r *result) exit(ctx context.Context) int {
	var cause *ExitCause
	switch r.ended.End {
	case session.EndDone:
		return ExitDone
	case session.EndPartial:
		return ExitLimit
	case session.EndRefused:
		return ExitRefused
	case session.EndInterrupted:
		if errors.As(context.Cause(ctx), &cause) {
			return cause.Code
		}
		return 130
	}
	if r.ended.Failure != nil && r.ended.Failure.Kind == "internal" {
		return ExitInternal
	}
	return ExitFailed
}

// Refuse prints the result object of a run that could not begin.
func Refuse(out io.Writer, kind, message, hint string) error {
	return WriteLine(out, &result{
		Type: "result", Subtype: "error_during_execution", IsError: true, Status: string(session.EndFailed),
		Denials: []denial{}, Calls: []callInfo{}, Error: &errorInfo{Kind: kind, Message: message, Hint: hint},
	})
}

// resultPainter prints the result object and nothing else.
type resultPainter struct{ out io.Writer }

func (p *resultPainter) begin() error              { return nil }
func (p *resultPainter) event(session.Event) error { return nil }
func (p *resultPainter) end(r *result) error       { return WriteLine(p.out, r) }

// WriteLine prints one JSON object in one write.
func WriteLine(w io.Writer, v any) error {
	var b jsonBuffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b)
	return err
}

type jsonBuffer []byte

func (b *jsonBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}
