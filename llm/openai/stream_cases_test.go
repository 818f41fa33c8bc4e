package openai

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
	"paicli/llm/llmtest"
)

func TestStreamCases(t *testing.T) {
	for _, c := range loadCases(t, "stream") {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}

// told are windows and parameters that an error text tells, which the cases do not list.
var told = map[string]struct {
	window int
	param  string
}{
	"wire-127": {window: 200000}, "wire-129": {window: 262144}, "wire-130": {window: 131072},
	"wire-133": {window: 262144}, "wire-135": {window: 1048575}, "wire-137": {window: 131040},
	"wire-138": {window: 262144}, "wire-139": {window: 131072}, "wire-141": {window: 131072},
	"wire-277": {param: "parallel_tool_calls"},
}

func TestErrorCases(t *testing.T) {
	for _, c := range loadCases(t, "error", "retry") {
		t.Run(c.ID, func(t *testing.T) {
			e := llm.AsError(c.check(t))
			if want := told[c.ID]; e != nil && (e.Window != want.window || e.Param != want.param) {
				t.Errorf("window %d, param %q, want %+v", e.Window, e.Param, want)
			}
		})
	}
}

// TestBuilders reads the good answers of llmtest back.
func TestBuilders(t *testing.T) {
	message := llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{
		{Kind: llm.KindThink, Text: "思考"}, {Kind: llm.KindText, Text: "Hello, 世界!"},
		{Kind: llm.KindCall, Call: &llm.Call{ID: "a", Name: "bash", Args: `{"command":"ls <dir>"}`}},
	}}
	usage := llm.Usage{Input: 100, Output: 20, Cached: 60, Reasoning: 5, Known: true}
	srv := llmtest.NewServer(
		llmtest.Text("Hi"), llmtest.Calls(llm.Call{Name: "list_sessions"}, llm.Call{ID: "b", Name: "bash", Args: "{}"}),
		llmtest.Stream(llm.Reply{Message: message, Usage: usage}))
	defer srv.Close()
	client := New(Options{BaseURL: srv.URL() + "/v1", Model: "scripted"})
	ask := func() *llm.Reply {
		reply, err := llm.Collect(client.Stream(t.Context(), &llm.Request{Messages: []llm.Message{llm.Text(llm.RoleUser, "x")}, Tools: caseTools()}), nil)
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	if got := ask(); got.Message.Text() != "Hi" || got.Finish != llm.FinishStop {
		t.Errorf("text: %+v", got)
	}
	if got := ask().Message.Calls(); len(got) != 2 || got[1].ID != "b" || got[0].Name != "list_sessions" {
		t.Errorf("calls: %+v", got)
	}
	want := &llm.Reply{Message: message, Finish: llm.FinishCalls, Usage: usage, Model: "scripted"}
	if d := cmp.Diff(want, ask()); d != "" {
		t.Errorf("stream (-want +got):\n%s", d)
	}
	if _, err := llm.Collect(client.Stream(t.Context(), &llm.Request{}), nil); err == nil {
		t.Error("an answer after the last one")
	}
	if n := len(srv.Requests()); n != 4 {
		t.Errorf("%d requests", n)
	}
}

// TestBreaksOverHTTP ends answers from either side of a real connection.
func TestBreaksOverHTTP(t *testing.T) {
	begun := events(`"delta":{"content":"Hi"}`)
	n := len(begun)
	srv := llmtest.NewServer(
		llmtest.Answer{Body: []byte(begun + begun), Reset: &n},
		llmtest.Answer{Body: []byte(begun), Open: true},
		llmtest.Answer{Body: []byte(begun), Open: true})
	defer srv.Close()
	client := New(Options{BaseURL: srv.URL() + "/v1", Model: "m1"})
	req := &llm.Request{Messages: []llm.Message{llm.Text(llm.RoleUser, "x")}}

	reply, err := llm.Collect(client.Stream(t.Context(), req), nil)
	if e := llm.AsError(err); e == nil || e.Kind != llm.ErrNetwork || !e.Retryable || reply.Message.Text() != "Hi" {
		t.Errorf("reset: %v, %q", err, reply.Message.Text())
	}

	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	reply, err = llm.Collect(client.Stream(ctx, req), func(llm.Delta) { cancel(why) })
	if !errors.Is(err, why) || reply.Message.Text() != "Hi" {
		t.Errorf("cancelled: %v, %q", err, reply.Message.Text())
	}

	for range client.Stream(t.Context(), req) {
		break // must close the connection and leave nothing behind
	}
}
