package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
	"paicli/llm/internal/jsontext"
	"paicli/llm/llmtest"
)

// streamCase is one line of testdata/cases/wire.jsonl.
type streamCase struct {
	ID        string            `json:"id"`
	Title     string            `json:"title"`
	Kind      string            `json:"kind"`
	Protocol  string            `json:"protocol"`
	Status    int               `json:"http_status"`
	Headers   map[string]string `json:"headers"`
	Body      string            `json:"body"`
	Base64    string            `json:"body_base64"`
	Chunks    []int             `json:"chunks"`
	Behaviour string            `json:"behaviour"`
	Given     struct {
		Window int    `json:"context_window"`
		Model  string `json:"model"`
	} `json:"given"`
	Expand map[string]struct {
		Repeat string `json:"repeat"`
		Count  int    `json:"count"`
	} `json:"expand"`
	Expect json.RawMessage `json:"expect"`
}

// outcome is what a case expects, or allows besides.
type outcome struct {
	Content   *string         `json:"content"`
	Reasoning *string         `json:"reasoning"`
	Calls     []expectedCall  `json:"tool_calls"`
	UniqueIDs bool            `json:"unique_ids"`
	Finish    string          `json:"finish"`
	Error     *string         `json:"error"`
	Class     string          `json:"error_class"`
	Retry     *bool           `json:"retry"`
	RetryMax  int             `json:"retry_max"`
	Recover   string          `json:"recover"`
	Usage     map[string]int  `json:"usage"`
	MaxWait   int             `json:"max_wait_ms"`
	Trim      *bool           `json:"trim"`
	Opaque    *string         `json:"reasoning_opaque"`
	Details   json.RawMessage `json:"reasoning_details"`
	Compact   bool            `json:"needs_compaction"`
	Alt       json.RawMessage `json:"alt"`
}

type expectedCall struct {
	ID        *string         `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	ArgsError bool            `json:"arguments_error"`
}

// caseTools are the tools that all cases offer.
func caseTools() []llm.ToolSpec {
	tool := func(name, props string) llm.ToolSpec {
		return llm.ToolSpec{Name: name, Description: name, Schema: json.RawMessage(`{"type":"object","properties":{` + props + `}}`)}
	}
	return []llm.ToolSpec{
		tool("bash", `"command":{"type":"string"},"timeout":{"type":"integer"}`),
		tool("grep", `"pattern":{"type":"string"},"path":{"type":"string"}`),
		tool("list_sessions", ``),
		tool("read_file", `"path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"}`),
		tool("todo_write", `"todos":{"type":"array","items":{"type":"object"}},"note":{"type":"string"}`),
		tool("write_file", `"path":{"type":"string"},"content":{"type":"string"}`),
	}
}

func loadStreamCases(t testing.TB) []streamCase {
	t.Helper()
	f, err := os.Open("../../testdata/cases/wire.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []streamCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var c streamCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		failedGeneration := strings.Contains(c.Body, "failed_generation")
		if c.Protocol == "openai-chat" && (c.Kind == "stream" || failedGeneration) {
			c.expand()
			cases = append(cases, c)
		}
	}
	if len(cases) < 100 {
		t.Fatalf("only %d stream cases", len(cases))
	}
	return cases
}

func (c *streamCase) expand() {
	for key, fill := range c.Expand {
		text := strings.Repeat(fill.Repeat, fill.Count)
		c.Body = strings.ReplaceAll(c.Body, key, text)
		c.Expect = json.RawMessage(strings.ReplaceAll(string(c.Expect), key, text))
	}
}

// answer is the case as the server plays it. idle is the client's idle limit.
func (c *streamCase) answer(t testing.TB, idle time.Duration) llmtest.Answer {
	a := llmtest.Answer{Status: c.Status, Header: http.Header{}, Body: []byte(c.Body), Cuts: c.Chunks}
	for k, v := range c.Headers {
		a.Header.Set(k, v)
	}
	if c.Base64 != "" {
		raw, err := base64.StdEncoding.DecodeString(c.Base64)
		if err != nil {
			t.Fatal(err)
		}
		a.Body = raw
	}
	switch b := c.Behaviour; {
	case b == "keep-open", b == "stall-after-body":
		a.Open = true
	case strings.HasPrefix(b, "reset@"):
		n, err := strconv.Atoi(b[len("reset@"):])
		if err != nil {
			t.Fatal(err)
		}
		a.Reset = &n
	case strings.HasPrefix(b, "pace:"):
		a.Pace = idle * 40 / 100
	case b != "":
		t.Fatalf("behaviour %q is not known", b)
	}
	return a
}

// run plays the case and returns what the client made of it.
func (c *streamCase) run(t *testing.T) (reply *llm.Reply, shown string, took time.Duration, err error) {
	idle := 30 * time.Second
	if c.Behaviour == "stall-after-body" || strings.HasPrefix(c.Behaviour, "pace:") {
		idle = time.Second
	}
	srv := llmtest.NewServer(c.answer(t, idle))
	defer srv.Close()
	n := 0
	client := New(Options{
		BaseURL: srv.URL() + "/v1",
		Model:   orElse(c.Given.Model, "m1"), Info: llm.Info{Provider: "test", Window: c.Given.Window},
		IdleTimeout: idle,
		NewID:       func() string { n++; return fmt.Sprintf("local_%d", n) },
	})
	req := &llm.Request{Messages: []llm.Message{llm.Text(llm.RoleUser, "go")}, Tools: caseTools()}
	var text strings.Builder
	start := time.Now()
	reply, err = llm.Collect(client.Stream(context.Background(), req), func(d llm.Delta) {
		if d.Kind == llm.DeltaText {
			text.WriteString(d.Text)
		}
	})
	return reply, text.String(), time.Since(start), err
}

func orElse(s, or string) string {
	if s == "" {
		return or
	}
	return s
}

// slack is the factor for the deadlines of cases: PAICLI_CASE_SLACK, 5 unless set, since tests run
// beside others and under the race detector.
func slack(t *testing.T) time.Duration {
	text := os.Getenv("PAICLI_CASE_SLACK")
	if text == "" {
		return 5
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("PAICLI_CASE_SLACK is %q, want a whole number from 1", text)
	}
	return time.Duration(n)
}

// TestStreamCases runs every stream case over real HTTP through the real client.
func TestStreamCases(t *testing.T) {
	for _, c := range loadStreamCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			var want outcome
			if err := json.Unmarshal(c.Expect, &want); err != nil {
				t.Fatal(err)
			}
			reply, shown, took, err := c.run(t)
			bad := want.compare(reply, err)
			if len(bad) > 0 && want.Alt != nil {
				alt := want
				if err := json.Unmarshal(want.Alt, &alt); err != nil {
					t.Fatal(err)
				}
				if len(alt.compare(reply, err)) == 0 {
					bad = nil
				}
			}
			if limit := slack(t) * time.Duration(want.MaxWait) * time.Millisecond; limit > 0 && took > limit {
				bad = append(bad, fmt.Sprintf("took %s", took))
			}
			if text := reply.Message.Text(); shown != text && text != "" && !strings.HasSuffix(shown, text) {
				bad = append(bad, fmt.Sprintf("shown %q, kept %q", shown, text))
			}
			if strings.Contains(shown, "<|") || strings.Contains(shown, "<｜") {
				bad = append(bad, fmt.Sprintf("markup was shown: %q", shown))
			}
			for _, b := range bad {
				t.Errorf("%s: %s", c.Title, b)
			}
		})
	}
}

// compare lists what differs from the expectation.
func (o outcome) compare(r *llm.Reply, err error) []string {
	var bad []string
	differ := func(what string, got, want any) {
		if d := cmp.Diff(want, got); d != "" {
			if len(d) > 2000 {
				d = d[:2000]
			}
			bad = append(bad, what+" (-want +got):\n"+d)
		}
	}
	trim := strings.TrimSpace
	if o.Trim != nil && !*o.Trim {
		trim = func(s string) string { return s }
	}
	if o.Content != nil {
		differ("content", trim(r.Message.Text()), trim(*o.Content))
	}
	if o.Reasoning != nil {
		differ("reasoning", trim(r.Message.Think()), trim(*o.Reasoning))
	}
	differ("finish", string(r.Finish), o.Finish)
	differ("overfull", r.Overfull, o.Compact)
	bad = append(bad, o.compareCalls(r.Message.Calls())...)
	bad = append(bad, o.compareError(err)...)
	for key, want := range o.Usage {
		got := map[string]int{
			"input": r.Usage.Input, "output": r.Usage.Output, "cached": r.Usage.Cached,
			"cache_write": r.Usage.CacheWrite, "reasoning": r.Usage.Reasoning,
		}
		differ("usage "+key, got[key], want)
	}
	if o.Opaque != nil {
		differ("reasoning_opaque", string(opaqueOf(r, opaqueReasoning)), string(jsontext.Quote(*o.Opaque)))
	}
	if o.Details != nil {
		differ("reasoning_details", anyJSON(opaqueOf(r, opaqueDetails)), anyJSON(o.Details))
	}
	return bad
}

func (o outcome) compareCalls(calls []llm.Call) []string {
	if len(calls) != len(o.Calls) {
		return []string{fmt.Sprintf("calls: got %+v, want %d", calls, len(o.Calls))}
	}
	var bad []string
	seen := map[string]bool{}
	for i, want := range o.Calls {
		got := calls[i]
		if got.Name != want.Name || want.ID != nil && got.ID != *want.ID || got.ID == "" {
			bad = append(bad, fmt.Sprintf("call %d: got %s %q, want %s", i, got.ID, got.Name, want.Name))
		}
		if seen[got.ID] {
			bad = append(bad, fmt.Sprintf("call %d: id %s twice", i, got.ID))
		}
		seen[got.ID] = true
		args, err := llm.ParseArgs(got.Args)
		switch {
		case want.ArgsError && err == nil:
			bad = append(bad, fmt.Sprintf("call %d: arguments %q parse", i, got.Args))
		case !want.ArgsError && err != nil:
			bad = append(bad, fmt.Sprintf("call %d: %v", i, err))
		case !want.ArgsError && !cmp.Equal(anyJSON(args), anyJSON(want.Arguments)):
			bad = append(bad, fmt.Sprintf("call %d: arguments %.300s, want %.300s", i, args, want.Arguments))
		}
	}
	return bad
}

func (o outcome) compareError(err error) []string {
	if o.Finish != "error" {
		if err != nil {
			return []string{"error: " + err.Error()}
		}
		return nil
	}
	e := llm.AsError(err)
	if e == nil {
		return []string{fmt.Sprintf("error is %v, want an *llm.Error", err)}
	}
	var bad []string
	if o.Error != nil && !regexp.MustCompile(*o.Error).MatchString(e.Error()) {
		bad = append(bad, fmt.Sprintf("error %q does not match %q", e, *o.Error))
	}
	if o.Class != "" && string(e.Kind) != o.Class {
		bad = append(bad, fmt.Sprintf("class %s, want %s (%v)", e.Kind, o.Class, e))
	}
	if o.Retry != nil && e.Retryable != *o.Retry {
		bad = append(bad, fmt.Sprintf("retryable %v, want %v (%v)", e.Retryable, *o.Retry, e))
	}
	if o.RetryMax > 0 && (e.Attempts == 0 || e.Attempts > o.RetryMax) {
		bad = append(bad, fmt.Sprintf("attempts %d, want at most %d", e.Attempts, o.RetryMax))
	}
	if o.Recover != "" && string(e.Recover) != o.Recover {
		bad = append(bad, fmt.Sprintf("recover %q, want %q", e.Recover, o.Recover))
	}
	return bad
}

func opaqueOf(r *llm.Reply, kind string) json.RawMessage {
	for _, b := range r.Message.Blocks {
		if b.Kind == llm.KindOpaque && b.Opaque.Type == kind {
			return b.Opaque.Data
		}
	}
	return nil
}

func anyJSON(raw []byte) any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return fmt.Sprintf("invalid JSON %q", raw)
	}
	return v
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
