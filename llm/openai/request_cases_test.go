package openai

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"paicli/llm"
	"paicli/llm/catalog"
)

type given struct {
	System     string          `json:"system"`
	Messages   []givenMessage  `json:"messages"`
	Tools      []string        `json:"tools"`
	ToolDefs   []givenTool     `json:"tool_defs"`
	Model      string          `json:"model"`
	BaseURL    string          `json:"base_url"`
	Thinking   *bool           `json:"thinking"`
	Effort     string          `json:"effort"`
	MaxOutput  int             `json:"max_output"`
	ToolChoice string          `json:"tool_choice"`
	Window     int             `json:"context_window"`
	Tokens     int             `json:"request_tokens"`
	Stream     json.RawMessage `json:"stream"`
}

type givenTool struct {
	Name, Description string
	Parameters        json.RawMessage
}

type givenMessage struct {
	Role, ID, Text, Reasoning string
	Parts                     []struct{ Type, Text string }
	ReasoningParts            []string        `json:"reasoning_parts"`
	ReasoningDetails          json.RawMessage `json:"reasoning_details"`
	Calls                     []struct {
		ID, Name  string
		Arguments json.RawMessage `json:"arguments"`
		Raw       string          `json:"arguments_raw"`
		Extra     json.RawMessage `json:"extra_content"`
	} `json:"tool_calls"`
	Images []json.RawMessage
}

type check struct {
	Path, Op string
	Value    any
}

// request builds the neutral request that a case describes. vendor made what is opaque in it.
func (g given) request(t *testing.T, vendor string) *llm.Request {
	req := &llm.Request{System: g.System, ToolChoice: llm.ToolChoice(g.ToolChoice), Limits: llm.Limits{MaxOutput: g.MaxOutput}}
	if g.Thinking != nil {
		req.Thinking.Mode = map[bool]llm.ThinkingMode{true: llm.ThinkingOn, false: llm.ThinkingOff}[*g.Thinking]
	}
	req.Thinking.Effort = g.Effort
	for _, m := range g.Messages {
		req.Messages = append(req.Messages, m.message(t, vendor))
	}
	for _, name := range g.Tools {
		req.Tools = append(req.Tools, llm.ToolSpec{Name: name, Description: "d", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)})
	}
	for _, d := range g.ToolDefs {
		req.Tools = append(req.Tools, llm.ToolSpec{Name: d.Name, Description: d.Description, Schema: d.Parameters})
	}
	return req
}

func (m givenMessage) message(t *testing.T, vendor string) llm.Message {
	out := llm.Message{Role: llm.Role(m.Role)}
	text := m.Text
	for _, p := range m.Parts {
		text += p.Text + "\n"
	}
	if m.Role == "tool" {
		out.Blocks = []llm.Block{{Kind: llm.KindResult, Result: &llm.Result{ID: m.ID, Text: text}}}
		return out
	}
	add := func(b llm.Block) { out.Blocks = append(out.Blocks, b) }
	for _, think := range append(m.ReasoningParts, m.Reasoning) {
		if think != "" && (len(m.ReasoningParts) == 0 || think != m.Reasoning) {
			add(llm.Block{Kind: llm.KindThink, Text: think})
		}
	}
	if len(m.ReasoningDetails) > 0 {
		add(llm.Block{Kind: llm.KindOpaque, Opaque: &llm.Opaque{Vendor: vendor, Type: opaqueDetails, Data: m.ReasoningDetails}})
	}
	add(llm.Block{Kind: llm.KindText, Text: text})
	for _, image := range m.Images {
		add(llm.Block{Kind: llm.KindMedia, Media: imageOf(t, image)})
	}
	for _, c := range m.Calls {
		args := c.Raw
		if args == "" {
			args = string(c.Arguments)
		}
		add(llm.Block{Kind: llm.KindCall, Call: &llm.Call{ID: c.ID, Name: c.Name, Args: args}})
		if len(c.Extra) > 0 {
			add(llm.Block{Kind: llm.KindOpaque, Opaque: &llm.Opaque{Vendor: vendor, Type: opaqueExtra, Data: c.Extra}})
		}
	}
	return out
}

func imageOf(t *testing.T, raw json.RawMessage) *llm.Media {
	var file struct {
		Hex string `json:"bytes_hex"`
	}
	if json.Unmarshal(raw, &file) == nil && file.Hex != "" {
		data, err := hex.DecodeString(file.Hex)
		if err != nil {
			t.Fatal(err)
		}
		return &llm.Media{MIME: "image/png", Data: data}
	}
	return &llm.Media{MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n0000")}
}

// sent is what reached the server.
type sent struct {
	url    string
	header http.Header
	raw    []byte
	body   any
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

const doneStream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

func reply(r *http.Request, status int, typ, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {typ}}, Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}
}

// capture sends a request through a real client and returns what went out.
func capture(t *testing.T, e catalog.Entry, req *llm.Request) sent {
	t.Helper()
	var got sent
	c := New(Options{BaseURL: e.BaseURL, Key: "key", Info: e.Info, Quirks: e.Quirks, HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		got.url, got.header = r.URL.String(), r.Header
		got.raw, _ = io.ReadAll(r.Body)
		return reply(r, 200, "text/event-stream", doneStream), nil
	})}})
	if _, err := llm.Collect(c.Stream(context.Background(), req), nil); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got.raw, &got.body); err != nil {
		t.Fatalf("body is no JSON: %v\n%s", err, got.raw)
	}
	return got
}

// entries lists where a case's request goes: to a server that the catalogue does not know, and to
// the vendor itself.
func (c wireCase) entries(t *testing.T) map[string]catalog.Entry {
	t.Helper()
	out := map[string]catalog.Entry{}
	add := func(name, provider, base string) {
		e, err := catalog.Resolve(provider, c.Given.Model, base)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = e
	}
	if c.Given.BaseURL != "" {
		add("as given", "", c.Given.BaseURL)
		return out
	}
	add("behind a proxy", "", "https://llm.example.test/v1")
	if e, err := catalog.Resolve("", c.Given.Model, ""); err == nil && e.Provider != nil {
		out["at the vendor"] = e
	}
	for _, host := range []string{"groq", "cerebras", "openrouter"} {
		if strings.Contains(strings.ToLower(c.Provider), host) {
			add("at "+host, host, "")
		}
	}
	return out
}

// ours are the checks of cases that have a rule in words only, and of one whose check belongs to
// the half of its rule that a client which always streams never meets.
var ours = map[string][]check{
	"wire-187": {
		{"reasoning_split", "equals", true},
		{"messages[role=assistant][0].reasoning_details[0].text", "equals", "I should run ls"},
	},
	"wire-194": {{"messages[role=tool][0].content", "equals", "bad \\ud83d tail and byte 0xff"}},
	"wire-199": {
		{"messages[after assistant][0].role", "equals", "tool"},
		{"messages[after assistant][0].tool_call_id", "equals", "call_1"},
		{"messages[-1].role", "equals", "user"},
		{"messages[-1].content", "contains", "reminder"},
	},
	"wire-209": {
		{"messages[role=assistant][0].tool_calls[0].id", "matches", "^.+$"},
		{"messages[role=tool]", "count", 1.0},
		{"messages[role=tool][0].content", "equals", "a.go"},
	},
	"wire-222": {{"stream", "equals", true}},
}

func TestRequestCases(t *testing.T) {
	for _, c := range loadCases(t, "request") {
		t.Run(c.ID, func(t *testing.T) {
			checks := c.Checks
			if own, ok := ours[c.ID]; ok {
				checks = own
			}
			for name, e := range c.entries(t) {
				got := capture(t, e, c.Given.request(t, e.Info.Provider))
				if problem := always(got); problem != "" {
					t.Errorf("%s: %s\n%s", name, problem, got.raw)
				}
				if c.ID == "wire-186" {
					if problem := oneThinkingPart(got); problem != "" {
						t.Errorf("%s: %s\n%s", name, problem, got.raw)
					}
				} else if len(checks) == 0 {
					t.Errorf("%s has no checks: %s", c.ID, c.Rule)
				}
				for _, k := range checks {
					if problem := k.run(got); problem != "" {
						t.Errorf("%s: %s %s %v: %s\n%s", name, k.Path, k.Op, k.Value, problem, got.raw)
					}
				}
			}
		})
	}
}

// always are the rules of every request to every server.
func always(got sent) string {
	for _, k := range []check{
		{"stream", "equals", true}, {"messages[role=user]", "present", nil}, {"messages[role=developer]", "absent", nil},
		{"messages[*].name", "absent", nil}, {"messages[role=assistant]", "nonempty_or_tool_calls", nil},
		{"messages[-1].role", "in", []any{"user", "tool"}}, {"parallel_tool_calls", "absent", nil},
		{"tools[*].function.strict", "absent", nil}, {"$header.Accept", "equals", "text/event-stream"},
		{"$header.Authorization", "equals", "Bearer key"}, {"$header.Content-Type", "equals", "application/json"},
	} {
		if problem := k.run(got); problem != "" {
			return fmt.Sprintf("%s %s: %s", k.Path, k.Op, problem)
		}
	}
	if bytes.Contains(got.raw, []byte(`"tools":[]`)) || bytes.Contains(got.raw, []byte(`"tool_calls":[]`)) {
		return "an empty list was sent"
	}
	return pairs(got)
}

// pairs checks that results follow their calls, one each, in order, and nothing stands between.
func pairs(got sent) string {
	messages, _ := got.body.(map[string]any)["messages"].([]any)
	var open []string
	for _, m := range messages {
		msg := m.(map[string]any)
		if msg["role"] == "tool" {
			if len(open) == 0 || open[0] != msg["tool_call_id"] {
				return fmt.Sprintf("result of %v while %q wait", msg["tool_call_id"], open)
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			return fmt.Sprintf("no result for %q", open)
		}
		calls, _ := msg["tool_calls"].([]any)
		for _, c := range calls {
			id := c.(map[string]any)["id"].(string)
			if id == "" || slices.Contains(open, id) {
				return fmt.Sprintf("bad id %q", id)
			}
			open = append(open, id)
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("no result for %q", open)
	}
	return ""
}

func oneThinkingPart(got sent) string {
	parts, ok := find(got.body, "messages[role=assistant][0].content").([]any)
	if !ok || len(parts) == 0 {
		return "content is no list"
	}
	for i, p := range parts {
		if (p.(map[string]any)["type"] == "thinking") != (i == 0) {
			return "thinking is not the first part alone"
		}
	}
	if text := find(parts[0], "thinking[0].text"); text != "onetwo" {
		return fmt.Sprintf("text %v", text)
	}
	return ""
}
