package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"paicli/llm"
	"paicli/llm/catalog"
)

func asks(id, name, args string) llm.Block {
	return llm.Block{Kind: llm.KindCall, Call: &llm.Call{ID: id, Name: name, Args: args}}
}

func result(id, text string) llm.Message {
	return llm.Message{Role: llm.RoleTool, Blocks: []llm.Block{{Kind: llm.KindResult, Result: &llm.Result{ID: id, Name: "bash", Text: text}}}}
}

func says(role llm.Role, blocks ...llm.Block) llm.Message {
	return llm.Message{Role: role, Blocks: blocks}
}

func text(s string) llm.Block  { return llm.Block{Kind: llm.KindText, Text: s} }
func think(s string) llm.Block { return llm.Block{Kind: llm.KindThink, Text: s} }

func png() *llm.Media { return &llm.Media{MIME: "image/jpeg", Data: []byte("\x89PNG\r\n\x1a\n0000")} }

// outline is a request's messages in short: role, calls, results and text.
func outline(t *testing.T, e catalog.Entry, req *llm.Request) string {
	t.Helper()
	got := capture(t, e, req)
	if problem := always(got); problem != "" {
		t.Errorf("%s\n%s", problem, got.raw)
	}
	messages, _ := find(got.body, "messages").([]any)
	var out []string
	for _, m := range messages {
		line := fmt.Sprint(find(m, "role"))
		if id := find(m, "tool_call_id"); id != nil {
			line += fmt.Sprintf("(%v)", id)
		}
		if c := find(m, "content"); c != nil && c != "" {
			line += fmt.Sprintf(" %v", c)
		}
		if calls, ok := find(m, "tool_calls").([]any); ok {
			for _, c := range calls {
				line += fmt.Sprintf(" +%v", find(c, "id"))
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func entryOf(t testing.TB, provider, model, base string) catalog.Entry {
	t.Helper()
	e, err := catalog.Resolve(provider, model, base)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestOrderOfMessages(t *testing.T) {
	for _, c := range []struct {
		name     string
		messages []llm.Message
		want     string
	}{
		{"nothing", nil, "user Continue."},
		{"answer first and last", []llm.Message{llm.Text(llm.RoleAssistant, "hello")}, "user Continue.\nassistant hello\nuser Continue."},
		{"neighbours", []llm.Message{
			llm.Text(llm.RoleUser, "a"), llm.Text(llm.RoleUser, "b"), llm.Text(llm.RoleAssistant, "c"), llm.Text(llm.RoleAssistant, "d"), llm.Text(llm.RoleUser, "e"),
		}, "user a\n\nb\nassistant c\n\nd\nuser e"},
		{"empty messages", []llm.Message{
			llm.Text(llm.RoleUser, "a"), says(llm.RoleAssistant, think("hm")), llm.Text(llm.RoleUser, " \n"), llm.Text(llm.RoleUser, "b"),
		}, "user a\n\nb"},
		{"results out of order and late", []llm.Message{
			llm.Text(llm.RoleUser, "a"), says(llm.RoleAssistant, asks("1", "bash", "{}"), asks("2", "bash", "{}")),
			result("2", "two"), llm.Text(llm.RoleUser, "note"), result("1", "one"),
		}, "user a\nassistant +1 +2\ntool(1) one\ntool(2) two\nuser note"},
		{"no result, then other talk", []llm.Message{
			llm.Text(llm.RoleUser, "a"), says(llm.RoleAssistant, text("t"), asks("1", "bash", "{}")), llm.Text(llm.RoleUser, "stop"),
		}, "user a\nassistant t +1\ntool(1) " + fillResult + "\nuser stop"},
		{"no result at the end", []llm.Message{
			llm.Text(llm.RoleUser, "a"), says(llm.RoleAssistant, asks("1", "bash", "{}")),
		}, "user a\nassistant +1\ntool(1) " + fillResult},
		{"orphans and doubles", []llm.Message{
			result("9", "old"), llm.Text(llm.RoleUser, "a"), says(llm.RoleAssistant, asks("1", "bash", "{}")), result("1", "one"), result("1", "again"), result("7", "x"),
		}, "user a\nassistant +1\ntool(1) one"},
		{"empty output", []llm.Message{
			llm.Text(llm.RoleUser, "a"), says(llm.RoleAssistant, asks("1", "bash", "{}")), result("1", ""),
		}, "user a\nassistant +1\ntool(1) " + fillOutput},
		{"text before calls", []llm.Message{
			llm.Text(llm.RoleUser, "a"), llm.Text(llm.RoleAssistant, "wait"), says(llm.RoleAssistant, asks("1", "bash", "{}")), result("1", "one"),
		}, "user a\nassistant wait +1\ntool(1) one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := entryOf(t, "", "foo", "https://llm.example.test/v1")
			if got := outline(t, e, &llm.Request{Messages: c.messages}); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestIDsThatRepeatStayApart(t *testing.T) {
	round := func(id string) []llm.Message {
		return []llm.Message{says(llm.RoleAssistant, asks(id, "bash", "{}"), asks(id, "bash", "{}")), result(id, "one"), result(id, "two")}
	}
	for provider, first := range map[string]string{"kimi": "functions.bash:0", "openai": "call_"} {
		var messages []llm.Message
		messages = append(messages, llm.Text(llm.RoleUser, "a"))
		messages = append(append(messages, round("functions.bash:0")...), round("functions.bash:0")...)
		messages = append(messages, round("")...)
		got := capture(t, entryOf(t, provider, "", ""), &llm.Request{Messages: messages})
		if problem := pairs(got); problem != "" {
			t.Error(problem)
		}
		ids, _ := find(got.body, "messages[role=tool].tool_call_id").([]any)
		seen := map[any]bool{}
		for i, id := range ids {
			if seen[id] || provider == "openai" && !strings.HasPrefix(id.(string), "call_") || provider == "kimi" && !kimiShape(id.(string)) {
				t.Errorf("%s: id %d is %v", provider, i, id)
			}
			seen[id] = true
		}
		if len(ids) != 6 || !strings.HasPrefix(ids[0].(string), first) || find(got.body, "messages[role=tool][1].content") != "two" {
			t.Errorf("%s: %v", provider, ids)
		}
	}
}

func TestImages(t *testing.T) {
	shown := says(llm.RoleUser, text("look"), llm.Block{Kind: llm.KindMedia, Media: png()}, text("here"))
	got := capture(t, entryOf(t, "openai", "", ""), &llm.Request{Messages: []llm.Message{shown}})
	if url := find(got.body, "messages[0].content[1].image_url.url"); url != "data:image/png;base64,iVBORw0KGgowMDAw" {
		t.Errorf("the type is not read from the bytes: %v", url)
	}
	if find(got.body, "messages[0].content[2].text") != "here" {
		t.Errorf("parts lost: %s", got.raw)
	}
	got = capture(t, entryOf(t, "glm", "glm-5v-turbo", ""), &llm.Request{Messages: []llm.Message{shown}})
	if url := find(got.body, "messages[0].content[1].image_url.url"); url != "iVBORw0KGgowMDAw" {
		t.Errorf("raw image: %v", url)
	}
	got = capture(t, entryOf(t, "deepseek", "deepseek-v4-pro", ""), &llm.Request{Messages: []llm.Message{shown}})
	if s, _ := find(got.body, "messages[0].content").(string); !strings.Contains(s, "look") || !strings.Contains(s, "no images") {
		t.Errorf("content %q", s)
	}
}

func TestImagesOfResultsFollowAsUserContent(t *testing.T) {
	r := result("1", "done")
	r.Blocks[0].Result.Media = []llm.Media{*png()}
	got := capture(t, entryOf(t, "openai", "", ""), &llm.Request{Messages: []llm.Message{
		llm.Text(llm.RoleUser, "a"), says(llm.RoleAssistant, asks("1", "bash", "{}"), asks("2", "bash", "{}")), r, result("2", "x"), llm.Text(llm.RoleUser, "note"),
	}})
	if problem := pairs(got); problem != "" {
		t.Error(problem)
	}
	if find(got.body, "messages[-1].content[1].type") != "image_url" || find(got.body, "messages[-1].content[2].text") != "note" {
		t.Errorf("%s", got.raw)
	}
}

func TestArgumentsGoBackAsObjects(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": 1}`: `{"a": 1}`, "": "{}", `{"a":"x`: "{}", `"{\"a\":1}"`: `{"a":1}`, `[1]`: "{}",
		`{"a":"\ud83d tail"}`: `{"a":"\ufffd tail"}`, `{"a":"\uD83D\uDE00 \\ud83d"}`: `{"a":"\uD83D\uDE00 \\ud83d"}`,
		"{\"a\":\"\xff\"}": "{\"a\":\"\ufffd\"}", `{"a":"\ude00"}`: `{"a":"\ufffd"}`,
	} {
		got := capture(t, entryOf(t, "deepseek", "", ""), &llm.Request{Messages: []llm.Message{says(llm.RoleAssistant, asks("1", "bash", in)), result("1", "x")}})
		if s := find(got.body, "messages[role=assistant][0].tool_calls[0].function.arguments"); s != want {
			t.Errorf("%q went out as %v", in, s)
		}
	}
}

func TestTextIsValidUTF8(t *testing.T) {
	got := capture(t, entryOf(t, "deepseek", "", ""), &llm.Request{Messages: []llm.Message{llm.Text(llm.RoleUser, "a\xed\xa0\xbd\xff<&>\x00\u2028 中文")}})
	if s := find(got.body, "messages[0].content"); s != "a\ufffd\ufffd\ufffd\ufffd<&>\x00\u2028 中文" || !utf8.Valid(got.raw) {
		t.Errorf("got %q", s)
	}
	if !bytes.Contains(got.raw, []byte("<&>")) {
		t.Errorf("needless escapes: %s", got.raw)
	}
}

func TestThinkingIsTranslated(t *testing.T) {
	on, off := llm.Thinking{Mode: llm.ThinkingOn}, llm.Thinking{Mode: llm.ThinkingOff}
	effort := func(e string) llm.Thinking { return llm.Thinking{Effort: e} }
	for _, c := range []struct {
		model string
		wish  llm.Thinking
		path  string
		want  any
	}{
		{"deepseek-flash", llm.Thinking{}, "thinking.type", "enabled"},
		{"deepseek-flash", llm.Thinking{}, "reasoning_effort", "max"},
		{"deepseek-flash", llm.Thinking{}, "top_p", 0.95},
		{"deepseek-flash", off, "thinking.type", "disabled"},
		{"deepseek-flash", off, "reasoning_effort", nil},
		{"deepseek-flash", effort("medium"), "reasoning_effort", "high"},
		{"glm-5.3", llm.Thinking{}, "thinking.clear_thinking", false},
		{"glm-5.3", off, "reasoning_effort", "low"},
		{"glm-5.1", off, "thinking.type", "disabled"},
		{"glm-5.1", llm.Thinking{}, "thinking", nil},
		{"kimi-k2.6", off, "thinking.type", "disabled"},
		{"kimi-k3", on, "thinking", nil},
		{"kimi-k3", effort("max"), "reasoning_effort", "max"},
		{"hy4-preview", llm.Thinking{}, "reasoning_effort", "high"},
		{"hy3", llm.Thinking{}, "thinking", nil},
		{"hy3", off, "thinking.type", "disabled"},
		{"qwen3-32b", off, "enable_thinking", false},
		{"qwen3-32b", effort("low"), "thinking_budget", 4096.0},
		{"qwen3.8-max", off, "reasoning_effort", "none"},
		{"MiniMax-M3", off, "thinking.type", "disabled"},
		{"MiniMax-M2.7", off, "thinking", nil},
		{"gpt-5.1", off, "reasoning_effort", "none"},
		{"gpt-5.1", effort("max"), "reasoning_effort", "high"},
		{"gpt-4.1", effort("high"), "reasoning_effort", nil},
		{"gemini-3.8-flash", off, "reasoning_effort", "low"},
		{"step-3.5-flash", effort("high"), "reasoning_effort", nil},
		{"step-3.5-flash-2603", llm.Thinking{}, "reasoning_effort", "high"},
		{"step-3.5-flash", llm.Thinking{}, "reasoning_format", "deepseek-style"},
	} {
		got := capture(t, entryOf(t, "", c.model, ""), &llm.Request{Thinking: c.wish})
		if v := find(got.body, c.path); v != c.want {
			t.Errorf("%s %+v: %s is %v, want %v", c.model, c.wish, c.path, v, c.want)
		}
	}
	got := capture(t, entryOf(t, "openrouter", "", ""), &llm.Request{Thinking: effort("low")})
	if find(got.body, "reasoning.effort") != "low" || find(got.body, "reasoning.enabled") != nil {
		t.Errorf("%s", got.raw)
	}
}

func TestToolChoice(t *testing.T) {
	tools := []llm.ToolSpec{{Name: "bash"}}
	for _, c := range []struct {
		model  string
		choice llm.ToolChoice
		want   any
		tools  bool
	}{
		{"foo", llm.ChoiceNone, "none", true}, {"foo", llm.ChoiceRequired, "required", true}, {"foo", "", nil, true},
		{"glm-5.3", llm.ChoiceNone, nil, false}, {"glm-5.3", llm.ChoiceAuto, "auto", true}, {"glm-5.3", llm.ChoiceRequired, nil, true},
		{"MiniMax-M3", llm.ChoiceAuto, nil, true}, {"MiniMax-M3", llm.ChoiceNone, nil, false},
		{"kimi-k2.6", llm.ChoiceNone, "none", true}, {"kimi-k2.6", llm.ChoiceRequired, nil, true},
	} {
		got := capture(t, entryOf(t, "", c.model, "https://llm.example.test/v1"), &llm.Request{Tools: tools, ToolChoice: c.choice})
		if find(got.body, "tool_choice") != c.want || (find(got.body, "tools") != nil) != c.tools {
			t.Errorf("%s %s: %s", c.model, c.choice, got.raw)
		}
		if (find(got.body, "tool_stream") != nil) != (c.tools && strings.HasPrefix(c.model, "glm")) {
			t.Errorf("%s: tool_stream in %s", c.model, got.raw)
		}
	}
}

func TestOpaqueGoesBackToItsVendorOnly(t *testing.T) {
	raw := json.RawMessage(`[{"type":"reasoning.encrypted","data":"x<y"}, {"n":1.50}]`)
	m := says(llm.RoleAssistant, think("t"),
		llm.Block{Kind: llm.KindOpaque, Opaque: &llm.Opaque{Vendor: "openrouter", Type: opaqueDetails, Data: raw}}, asks("1", "bash", "{}"),
		llm.Block{Kind: llm.KindOpaque, Opaque: &llm.Opaque{Vendor: "gemini", Type: opaqueExtra, Data: json.RawMessage(`{"google":{"thought_signature":"s"}}`)}})
	req := &llm.Request{Messages: []llm.Message{m, result("1", "x")}}
	if got := capture(t, entryOf(t, "openrouter", "", ""), req); !bytes.Contains(got.raw, raw) || bytes.Contains(got.raw, []byte("extra_content")) {
		t.Errorf("%s", got.raw)
	}
	if got := capture(t, entryOf(t, "gemini", "", ""), req); !bytes.Contains(got.raw, []byte(`"thought_signature":"s"`)) || bytes.Contains(got.raw, []byte("encrypted")) {
		t.Errorf("%s", got.raw)
	}
	if got := capture(t, entryOf(t, "deepseek", "", ""), req); bytes.Contains(got.raw, []byte("encrypted")) || bytes.Contains(got.raw, []byte("signature")) {
		t.Errorf("%s", got.raw)
	}
	m.Blocks = m.Blocks[:3]
	req.Messages[0] = m
	if got := capture(t, entryOf(t, "gemini", "", ""), req); !bytes.Contains(got.raw, []byte("skip_thought_signature_validator")) {
		t.Errorf("no stand-in for the signature: %s", got.raw)
	}
}

// conversation grows by whole exchanges, as sessions do: an answer, its results, what the user says.
type conversation struct {
	rnd      *rand.Rand
	messages []llm.Message
	calls    int
}

func (c *conversation) word() string {
	words := []string{"list", "文件", "a\"b", "x\xff", "<tag>", "line\nline", "  "}
	return words[c.rnd.IntN(len(words))] + fmt.Sprint(c.rnd.IntN(100))
}

func (c *conversation) user() {
	m := says(llm.RoleUser, text(c.word()))
	if c.rnd.IntN(4) == 0 {
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.KindMedia, Media: png()})
	}
	c.messages = append(c.messages, m)
}

func (c *conversation) grow() {
	m := says(llm.RoleAssistant)
	if c.rnd.IntN(2) == 0 {
		m.Blocks = append(m.Blocks, think(c.word()))
	}
	calls := c.rnd.IntN(4)
	if calls == 0 || c.rnd.IntN(2) == 0 {
		m.Blocks = append(m.Blocks, text(c.word()))
	}
	var results []llm.Message
	for range calls {
		ids := []string{fmt.Sprintf("call_%d", c.calls), fmt.Sprintf("functions.bash:%d", c.calls%3), "", strings.Repeat("x", 60)}
		id := ids[c.rnd.IntN(len(ids))]
		c.calls++
		m.Blocks = append(m.Blocks, asks(id, "mcp.bash", `{"a":"`+c.word()+`"}`))
		r := result(id, c.word())
		if c.rnd.IntN(5) == 0 {
			r.Blocks[0].Result.Media = []llm.Media{*png()}
		}
		if c.rnd.IntN(6) > 0 {
			results = append(results, r)
		}
	}
	c.messages = append(append(c.messages, m), results...)
	if calls == 0 || c.rnd.IntN(3) == 0 {
		c.user()
	}
}

// upToMessages is a body up to the end of its messages, before the closing bracket.
func upToMessages(t *testing.T, body []byte) []byte {
	t.Helper()
	at := bytes.Index(body, []byte(`,"messages":[`)) + len(`,"messages":`)
	d := json.NewDecoder(bytes.NewReader(body[at:]))
	var list json.RawMessage
	if err := d.Decode(&list); err != nil {
		t.Fatal(err)
	}
	return body[:at+len(list)-1]
}

func TestPrefixLaw(t *testing.T) {
	tools := []llm.ToolSpec{{Name: "mcp.bash", Schema: json.RawMessage(`{"properties":{"z":{},"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"const":1}}}`)}}
	choices := []llm.ToolChoice{"", llm.ChoiceAuto, llm.ChoiceRequired}
	for name, e := range everyEntry(t) {
		for seed := range uint64(6) {
			c := &conversation{rnd: rand.New(rand.NewPCG(seed, 1))}
			c.user()
			var before []byte
			var kept past
			for step := range 12 {
				req := &llm.Request{
					System: "You are a coding agent.", Messages: c.messages, Tools: tools, ToolChoice: choices[step%3],
					Limits: llm.Limits{MaxOutput: step * 1000}, Thinking: llm.Thinking{Effort: []string{"", "low", "high"}[step%3]},
				}
				body := written(&kept, e, req)
				if !json.Valid(body) || !utf8.Valid(body) {
					t.Fatalf("%s: bad JSON %s", name, body)
				}
				now := upToMessages(t, body)
				if !bytes.HasPrefix(now, before) {
					t.Fatalf("%s, seed %d, step %d: request does not continue the one before\n%s\n%s", name, seed, step, before, now)
				}
				before = now
				c.grow()
			}
		}
	}
}
