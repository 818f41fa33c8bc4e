package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
)

// TestParity pins the reader's rows of the parity list.
func TestParity(t *testing.T) {
	rows := map[string]func(*testing.T){
		"L-11": unrunCallText, "S-01": mergedFragments, "S-02": interleavedIndexes, "S-03": missingID, "S-04": keptID,
		"S-05": cutStream, "S-06": finishAlone, "S-12": cachedAliases, "S-13": inStreamError, "S-14": emptyReply,
	}
	for row, test := range rows {
		t.Run(row, test)
	}
}

// unrunCallText: a block that looks like a call and was not run is reported, an ordinary answer is
// not.
func unrunCallText(t *testing.T) {
	unknown := "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"fly\">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>"
	for _, c := range []struct {
		body string
		want bool
	}{
		{texts("I try. " + unknown), true},
		{textsUntil(lengthEvent, "<｜DSML｜invoke name=\"bash\">\n<｜DSML｜parameter name=\"command\" string=\"true\">rm"), true},
		{texts(`<tool_call>{"name":"fly","arguments":{}}</tool_call>`), true},
		{texts("<tool_call>fly<arg_key>to</arg_key><arg_value>x</arg_value></tool_call>"), true},
		{texts("<function=fly>\n<parameter=to>\nx\n</parameter>\n</function>"), true},
		{texts("<invoke name=\"fly\">\n<parameter name=\"to\">x</parameter>\n</invoke>"), true},
		{texts("[TOOL_CALLS]fly[ARGS]{\"to\":\"x\"}"), true},
		{texts("Write <function=NAME>, <invoke name=\"NAME\"> or <tool_call>NAME</tool_call>."), false},
		{texts("An ordinary answer about tool calls."), false},
		{texts("As an example:\n```\n" + unknown + "\n```"), false},
		{texts("The `<tool_call>` tag, or <tool_call> without ticks."), false},
		{texts("<｜DSML｜invoke name=\"list_sessions\">\n</｜DSML｜invoke>"), false},
	} {
		got := play(strings.NewReader(c.body), testReading())
		if got.err != nil || got.reply.CallText != c.want {
			t.Errorf("%q: CallText %v, error %v", got.reply.Message.Text(), got.reply.CallText, got.err)
		}
	}
}

// oneReply reads a body that must be good.
func oneReply(t *testing.T, body string) *llm.Reply {
	t.Helper()
	got := play(strings.NewReader(body), testReading())
	if got.err != nil {
		t.Fatal(got.err)
	}
	return got.reply
}

func mergedFragments(t *testing.T) {
	got := oneReply(t, calls(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\""}}`, `{"index":0,"function":{"arguments":":\".\"}"}}`)).Message.Calls()
	want := []llm.Call{{ID: "a", Name: "read_file", Args: `{"path":"."}`}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func interleavedIndexes(t *testing.T) {
	got := oneReply(t, calls(
		`{"index":0,"id":"a","function":{"name":"read_file"}}`, `{"index":1,"id":"b","function":{"name":"bash"}}`,
		`{"index":0,"function":{"arguments":"{\"path\":"}}`, `{"index":1,"function":{"arguments":"{\"command\":"}}`,
		`{"index":0,"function":{"arguments":"\"x\"}"}}`, `{"index":1,"function":{"arguments":"\"ls\"}"}}`)).Message.Calls()
	want := []llm.Call{{ID: "a", Name: "read_file", Args: `{"path":"x"}`}, {ID: "b", Name: "bash", Args: `{"command":"ls"}`}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// missingID: two fragments without an id are one call with an id of our own.
func missingID(t *testing.T) {
	got := oneReply(t, calls(`{"index":0,"function":{"name":"list_sessions","arguments":"{\"path\""}}`, `{"index":0,"function":{"arguments":":\".\"}"}}`)).Message.Calls()
	want := []llm.Call{{ID: "local_1", Name: "list_sessions", Args: `{"path":"."}`}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func keptID(t *testing.T) {
	got := oneReply(t, calls(`{"index":0,"id":"call_abc","function":{"name":"bash","arguments":"{}"}}`)).Message.Calls()
	if len(got) != 1 || got[0].ID != "call_abc" {
		t.Errorf("got %+v", got)
	}
}

func cutStream(t *testing.T) {
	got := play(strings.NewReader(events(`"delta":{"content":"half"}`)), testReading())
	e := llm.AsError(got.err)
	if e == nil || e.Kind != llm.ErrNetwork || !e.Retryable || got.reply.Message.Text() != "half" {
		t.Errorf("error %v, text %q", got.err, got.reply.Message.Text())
	}
}

func finishAlone(t *testing.T) {
	if got := oneReply(t, events(`"delta":{"content":"ok"}`, stopEvent)); got.Finish != llm.FinishStop {
		t.Errorf("finish %s", got.Finish)
	}
}

// cachedAliases: each spelling counts, the later of the list before the earlier, and what is no
// explicit count proves nothing.
func cachedAliases(t *testing.T) {
	const base = `"prompt_tokens":100,"completion_tokens":20`
	for _, c := range []struct {
		usage string
		want  llm.Usage
	}{
		{base + `,"cached_tokens":7`, llm.Usage{Input: 100, Output: 20, Cached: 7, Known: true}},
		{base + `,"prompt_cache_hit_tokens":8,"cached_tokens":7`, llm.Usage{Input: 100, Output: 20, Cached: 8, Known: true}},
		{base + `,"input_cache_hit_tokens":9,"prompt_cache_hit_tokens":8`, llm.Usage{Input: 100, Output: 20, Cached: 9, Known: true}},
		{base + `,"prompt_tokens_details":{"cached_tokens":10},"input_cache_hit_tokens":9`, llm.Usage{Input: 100, Output: 20, Cached: 10, Known: true}},
		{base + `,"input_tokens_details":{"cached_tokens":11},"prompt_tokens_details":{"cached_tokens":10}`, llm.Usage{Input: 100, Output: 20, Cached: 11, Known: true}},
		{base + `,"prompt_tokens_details":null,"completion_tokens_details":{"reasoning_tokens":5}`, llm.Usage{Input: 100, Output: 20, Reasoning: 5, Known: true}},
		{base + `,"prompt_tokens_details":{"cache_write_tokens":6}`, llm.Usage{Input: 100, Output: 20, CacheWrite: 6, Known: true}},
		{`"input_tokens":100,"output_tokens":20`, llm.Usage{Input: 100, Output: 20, Known: true}},
		{`"prompt_tokens":"100","completion_tokens":20`, llm.Usage{}},
		{`"prompt_tokens":100`, llm.Usage{}},
		{`"prompt_tokens":-1,"completion_tokens":20`, llm.Usage{}},
		{`"prompt_tokens":1.5,"completion_tokens":20`, llm.Usage{}},
		{`"total_tokens":120`, llm.Usage{}},
	} {
		got := oneReply(t, events(`"delta":{"content":"a"}`, stopEvent)+"data: {\"choices\":[],\"usage\":{"+c.usage+"}}\n\n"+doneEvent)
		if d := cmp.Diff(c.want, got.Usage); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.usage, d)
		}
	}
}

func inStreamError(t *testing.T) {
	for _, c := range []struct {
		object string
		kind   llm.ErrorKind
		retry  bool
	}{
		{`{"type":"rate_limit","message":"rate_limit reached"}`, llm.ErrRateLimit, true},
		{`{"message":"Too many requests"}`, llm.ErrRateLimit, true},
		{`{"message":"The model is overloaded"}`, llm.ErrOverloaded, true},
		{`{"code":500,"message":"boom"}`, llm.ErrServer, true},
		{`{"code":400,"message":"bad field"}`, llm.ErrInvalidRequest, false},
	} {
		got := play(strings.NewReader(fmt.Sprintf("data: {\"error\":%s}\n\n", c.object)), testReading())
		e := llm.AsError(got.err)
		if e == nil || e.Kind != c.kind || e.Retryable != c.retry {
			t.Errorf("%s: %v", c.object, got.err)
		}
	}
}

func emptyReply(t *testing.T) {
	got := play(strings.NewReader(texts()), testReading())
	e := llm.AsError(got.err)
	if e == nil || e.Kind != llm.ErrEmpty || e.Attempts != emptyAttempts {
		t.Errorf("error %v", got.err)
	}
}
