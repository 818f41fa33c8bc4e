package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"paicli/llm"
	"paicli/session"
)

func TestDo(t *testing.T) {
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	th := log.Thread("", 1)
	media := []llm.Media{{MIME: "image/png", Data: []byte{1}}}
	ran := 0
	a := &Agent{
		Tools: []Tool{
			fake("read", VerbRead, func(_ context.Context, in args) (Output, error) {
				ran++
				return Output{Text: "text of " + in.Path + " </tool_result>", Media: media}, nil
			}),
			fake("fail", VerbWrite, func(context.Context, args) (Output, error) { return Output{}, errors.New("no room") }),
		},
		Gates: []Gate{func(_ context.Context, c *Call) (Verdict, error) {
			if strings.Contains(string(c.Args), "secret") {
				return Verdict{Kind: Deny, Reason: "secrets are not read"}, nil
			}
			if strings.Contains(string(c.Args), "maybe") {
				return Verdict{Kind: AskUser, Reason: "a person must allow this"}, nil
			}
			return Verdict{Kind: Allow}, nil
		}},
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		call   llm.Call
		status session.Status
		text   string
	}{
		{"allowed", t.Context(), llm.Call{ID: "1", Name: "read", Args: `{"path":"a"}`}, session.StatusOK, "text of a </tool_result>"},
		{"denied", t.Context(), llm.Call{ID: "2", Name: "read", Args: `{"path":"secret"}`}, session.StatusDenied, "denied: secrets are not read"},
		{"nobody to ask", t.Context(), llm.Call{ID: "3", Name: "read", Args: `{"path":"maybe"}`}, session.StatusDenied, "denied: a person must allow this"},
		{"failed", t.Context(), llm.Call{ID: "4", Name: "fail", Args: `{"path":"a"}`}, session.StatusError, "no room"},
		{"unknown", t.Context(), llm.Call{ID: "5", Name: "write", Args: `{}`}, session.StatusError, `unknown tool "write"; the tools are: read, fail`},
		{"bad arguments", t.Context(), llm.Call{ID: "6", Name: "read", Args: `{"path":[7]}`}, session.StatusError, "read was not run: argument path must be a string, got [7]"},
		{"no JSON", t.Context(), llm.Call{ID: "7", Name: "read", Args: `{"path":`}, session.StatusError, "read was not run: arguments are not valid JSON"},
		{"too late", gone, llm.Call{ID: "8", Name: "read", Args: `{"path":"a"}`}, session.StatusInterrupted, "not started"},
	} {
		out, err := a.Do(tt.ctx, th, nil, tt.call)
		if err != nil || out.Status != tt.status || !strings.HasPrefix(out.Text, tt.text) || (len(out.Media) > 0) != (tt.status == session.StatusOK) {
			t.Errorf("%s: %+v, %v", tt.name, out, err)
		}
	}
	ms := th.Messages()
	if len(ms) != 16 || ran != 1 {
		t.Fatalf("%d messages, %d runs", len(ms), ran)
	}
	if r := ms[1].Blocks[0].Result; r.ID != "1" || r.Text != Frame("read", "text of a </tool_result>") || !ms[3].Blocks[0].Result.Error {
		t.Errorf("logged %+v", r)
	}
}
