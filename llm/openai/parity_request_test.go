package openai

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"paicli/llm"
	"paicli/llm/catalog"
	"paicli/llm/llmtest"
)

// TestParityRequest pins the rows of the original's acceptance list that concern requests.
func TestParityRequest(t *testing.T) {
	t.Run("L-07", func(t *testing.T) {
		req := &llm.Request{Messages: []llm.Message{
			llm.Text(llm.RoleUser, "a"), says(llm.RoleAssistant, think("because"), asks("call_7", "bash", "{}")), result("call_7", "x"),
		}}
		for model, want := range map[string]any{
			"deepseek-flash": "because", "deepseek-v4-pro": "because", "glm-5.3": "because", "hy4-preview": "because", "kimi-k2.6": "because",
			"gpt-6.1-sol": nil, "qwen3.8-max": nil, "step-3.5-flash": nil,
		} {
			got := capture(t, entryOf(t, "", model, ""), req)
			if v := find(got.body, "messages[role=assistant][0].reasoning_content"); v != want {
				t.Errorf("%s: reasoning %v, want %v", model, v, want)
			}
			if id := find(got.body, "messages[role=tool][0].tool_call_id"); id != "call_7" {
				t.Errorf("%s: id %v", model, id)
			}
		}
		got := capture(t, entryOf(t, "", "foo", "https://llm.example.test/v1"), req)
		if find(got.body, "messages[role=assistant][0].reasoning_content") != nil {
			t.Errorf("a server that declares nothing got %s", got.raw)
		}
	})
	t.Run("S-08", func(t *testing.T) {
		s := &server{answer: func(*http.Request, string) (int, string, string) {
			return 400, "application/json", `{"error":{"message":"bad"}}`
		}}
		m := llm.Retry(llm.RetryOptions{Sleep: func(context.Context, time.Duration) error { return nil }})(s.client("https://h.test/v1", catalog.Quirks{}))
		if _, err := llm.Collect(m.Stream(context.Background(), hello()), nil); err == nil || len(s.bodies) != 1 {
			t.Errorf("%v after %d requests", err, len(s.bodies))
		}
	})
	t.Run("S-10", func(t *testing.T) {
		// A wait of up to a minute is kept in full; a longer one is not slept away but told.
		for after, attempts := range map[int]int{1: 3, 60: 3, 9999: 1} {
			slow := llmtest.Answer{Status: 429, Header: http.Header{"Retry-After": {fmt.Sprint(after)}}, Body: []byte("slow down")}
			srv := llmtest.NewServer(slow, slow, slow)
			defer srv.Close()
			var waits []time.Duration
			retry := llm.Retry(llm.RetryOptions{Sleep: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }})
			_, err := llm.Collect(retry(New(Options{BaseURL: srv.URL() + "/v1", Model: "m"})).Stream(context.Background(), hello()), nil)
			e := llm.AsError(err)
			if e == nil || e.RetryAfter != time.Duration(after)*time.Second || len(waits) != attempts-1 {
				t.Fatalf("Retry-After %d: %v, waits %v", after, err, waits)
			}
			for _, d := range waits {
				if d < e.RetryAfter {
					t.Errorf("waited %s instead of %s", d, e.RetryAfter)
				}
			}
		}
	})
	t.Run("extras", func(t *testing.T) {
		for model, want := range map[string]string{
			"deepseek-v4-pro":     `"reasoning_effort":"max" "temperature":1 "top_p":0.95`,
			"glm-5.3":             `"clear_thinking":false "tool_stream":true "include_usage":true "reasoning_effort":"max"`,
			"hy4-preview":         `"reasoning_effort":"high" "include_usage":true`,
			"step-3.5-flash-2603": `"reasoning_format":"deepseek-style" "reasoning_effort":"high"`,
		} {
			req := hello()
			req.Tools = []llm.ToolSpec{{Name: "bash"}}
			body := strings.ReplaceAll(string(capture(t, entryOf(t, "", model, ""), req).raw), ": ", ":")
			for part := range strings.FieldsSeq(want) {
				if !strings.Contains(body, part) {
					t.Errorf("%s: no %s in %s", model, part, body)
				}
			}
		}
	})
}
