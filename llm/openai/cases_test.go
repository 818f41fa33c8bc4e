package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"paicli/llm"
	"paicli/llm/llmtest"
)

// wireCase is one line of testdata/cases/wire.jsonl.
type wireCase struct {
	ID, Title, Provider, Protocol, Kind string
	Status                              int               `json:"http_status"`
	Headers                             map[string]string `json:"headers"`
	Body                                string            `json:"body"`
	BodyBase64                          []byte            `json:"body_base64"`
	Chunks                              []int             `json:"chunks"`
	Behaviour                           string            `json:"behaviour"`
	Expand                              map[string]struct {
		Repeat string
		Count  int
	} `json:"expand"`
	Rule   string          `json:"request_rule"`
	Given  given           `json:"given"`
	Checks []check         `json:"checks"`
	Expect json.RawMessage `json:"expect"`
}

// loadCases lists the cases of the given kinds. How a server fails does not depend on its protocol;
// streams and requests are those of Chat Completions.
func loadCases(t testing.TB, kinds ...string) []wireCase {
	t.Helper()
	data, err := os.ReadFile("../../testdata/cases/wire.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var cases []wireCase
	for line := range bytes.Lines(data) {
		var c wireCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%.60s: %v", line, err)
		}
		anyProtocol := c.Kind == "error" || c.Kind == "retry"
		if slices.Contains(kinds, c.Kind) && (anyProtocol || c.Protocol == "openai-chat") {
			c.expand()
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	return cases
}

func (c *wireCase) expand() {
	for key, fill := range c.Expand {
		text := strings.Repeat(fill.Repeat, fill.Count)
		c.Body = strings.ReplaceAll(c.Body, key, text)
		c.Expect = json.RawMessage(strings.ReplaceAll(string(c.Expect), key, text))
	}
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

// answer is the case as the server plays it. idle is the client's idle limit.
func (c *wireCase) answer(t testing.TB, idle time.Duration) llmtest.Answer {
	a := llmtest.Answer{Status: c.Status, Header: http.Header{}, Body: []byte(c.Body), Cuts: c.Chunks}
	for k, v := range c.Headers {
		a.Header.Set(k, v)
	}
	if len(c.BodyBase64) > 0 {
		a.Body = c.BodyBase64
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
func (c *wireCase) run(t *testing.T) (reply *llm.Reply, shown string, took time.Duration, err error) {
	idle := 30 * time.Second
	switch {
	case c.Behaviour == "stall-after-body":
		idle = time.Second
	case strings.HasPrefix(c.Behaviour, "pace:"):
		idle = 3 * time.Second // the pace is 40 % of it; a busy machine must not make a stall of the rest
	}
	srv := llmtest.NewServer(c.answer(t, idle))
	defer srv.Close()
	n := 0
	client := New(Options{
		BaseURL: srv.URL() + "/v1",
		Model:   cmp.Or(c.Given.Model, "m1"), Info: llm.Info{Provider: "test", Window: c.Given.Window},
		IdleTimeout: idle,
		NewID:       func() string { n++; return fmt.Sprintf("local_%d", n) },
	})
	req := &llm.Request{Messages: []llm.Message{llm.Text(llm.RoleUser, "go"+strings.Repeat("word", c.Given.Tokens))}, Tools: caseTools()}
	var text strings.Builder
	start := time.Now()
	reply, err = llm.Collect(client.Stream(context.Background(), req), func(d llm.Delta) {
		if d.Kind == llm.DeltaText {
			text.WriteString(d.Text)
		}
	})
	return reply, text.String(), time.Since(start), err
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

// check runs the case through the real client over real HTTP and reports what differs.
func (c *wireCase) check(t *testing.T) error {
	want := outcome{refused: c.Kind != "stream"}
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
	return err
}
