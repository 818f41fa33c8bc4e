package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"paicli/llm"
	"paicli/llm/llmtest"
)

// expectation is what a case demands of an error.
type expectation struct {
	Error     *string `json:"error"`
	Retry     *bool   `json:"retry"`
	RetryMax  int     `json:"retry_max"`
	AfterMS   int64   `json:"retry_after_ms"`
	Class     string  `json:"error_class"`
	Recover   string  `json:"recover"`
	ToolCalls []struct {
		Name      string
		Arguments json.RawMessage
	} `json:"tool_calls"`
}

// serve answers every request as the case says, byte for byte.
func (c wireCase) serve(t *testing.T) string {
	t.Helper()
	a := llmtest.Answer{Status: c.Status, Header: http.Header{}, Body: []byte(c.Body)}
	for name, value := range c.Headers {
		a.Header.Set(name, value)
	}
	if len(c.BodyBase64) > 0 {
		a.Body = c.BodyBase64
	}
	srv, err := llmtest.Serve(func(int, llmtest.Request) llmtest.Answer { return a })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return srv.URL()
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
			req := &llm.Request{
				Messages: []llm.Message{llm.Text(llm.RoleUser, "hi"+strings.Repeat("word", c.Given.Tokens))},
				Tools:    []llm.ToolSpec{{Name: "read_file"}},
			}
			client := New(Options{BaseURL: c.serve(t) + "/v1", Model: "m", Info: llm.Info{Provider: "custom", Window: c.Given.Window}})
			reply, err := llm.Collect(client.Stream(context.Background(), req), nil)
			if c.Expect.Error == nil {
				c.judgeReply(t, reply, err)
				return
			}
			e := llm.AsError(err)
			if e == nil {
				t.Fatalf("error %v is no *llm.Error", err)
			}
			for _, problem := range c.Expect.judge(e) {
				t.Error(problem)
			}
			if want := told[c.ID]; e.Window != want.window || e.Param != want.param {
				t.Errorf("window %d, param %q, want %+v", e.Window, e.Param, want)
			}
		})
	}
}

func (x expectation) judge(e *llm.Error) (problems []string) {
	fail := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if !regexp.MustCompile(*x.Error).MatchString(e.Error()) {
		fail("text %q does not match %s", e.Error(), *x.Error)
	}
	if string(e.Kind) != x.Class {
		fail("class %s, want %s", e.Kind, x.Class)
	}
	if x.Retry != nil && e.Retryable != *x.Retry {
		fail("retry %v, want %v", e.Retryable, *x.Retry)
	}
	if x.RetryMax > 0 && (e.Attempts == 0 || e.Attempts > x.RetryMax) {
		fail("%d attempts, want at most %d", e.Attempts, x.RetryMax)
	}
	if x.AfterMS > 0 && e.RetryAfter != time.Duration(x.AfterMS)*time.Millisecond {
		fail("wait %s, want %d ms", e.RetryAfter, x.AfterMS)
	}
	if string(e.Recover) != x.Recover {
		fail("recover %q, want %q", e.Recover, x.Recover)
	}
	return problems
}

// judgeReply is for the one case whose error can be turned into the call that it holds.
func (c wireCase) judgeReply(t *testing.T, reply *llm.Reply, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	calls := reply.Message.Calls()
	if len(calls) != len(c.Expect.ToolCalls) {
		t.Fatalf("calls %+v", calls)
	}
	for i, want := range c.Expect.ToolCalls {
		var got, expected any
		if json.Unmarshal([]byte(calls[i].Args), &got) != nil || json.Unmarshal(want.Arguments, &expected) != nil {
			t.Fatalf("arguments %s", calls[i].Args)
		}
		if calls[i].Name != want.Name || !same(got, expected) || calls[i].ID == "" {
			t.Errorf("call %+v, want %+v", calls[i], want)
		}
	}
}
