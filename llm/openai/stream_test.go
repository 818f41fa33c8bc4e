package openai

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
	"paicli/llm/internal/fault"
	"paicli/llm/internal/jsontext"
	"paicli/llm/internal/sse"
)

// played is what a test sees of one answer.
type played struct {
	reply *llm.Reply
	err   error
	shown string // text deltas
}

func testReading() reading {
	n := 0
	return reading{
		call: fault.Call{Provider: "test", Model: "m1"}, tools: caseTools(),
		limits: sse.Options{Idle: 5 * time.Second, Event: eventTimeout},
		newID:  func() string { n++; return fmt.Sprintf("local_%d", n) },
	}
}

// play reads a body.
func play(body io.Reader, r reading) played {
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(body)}
	var shown strings.Builder
	reply, err := readReply(context.Background(), resp, r, func(d llm.Delta) bool {
		if d.Kind == llm.DeltaText {
			shown.WriteString(d.Text)
		}
		return true
	})
	return played{reply, err, shown.String()}
}

// events makes a stream of chunks, each given by the fields of its choice.
func events(choices ...string) string {
	var b strings.Builder
	for _, c := range choices {
		fmt.Fprintf(&b, "data: {\"model\":\"m1\",\"choices\":[{\"index\":0,%s}]}\n\n", c)
	}
	return b.String()
}

const (
	stopEvent   = `"delta":{},"finish_reason":"stop"`
	callsEvent  = `"delta":{},"finish_reason":"tool_calls"`
	lengthEvent = `"delta":{},"finish_reason":"length"`
	doneEvent   = "data: [DONE]\n\n"
)

// texts makes a good stream whose content comes in the given pieces.
func texts(pieces ...string) string { return textsUntil(stopEvent, pieces...) }

func textsUntil(last string, pieces ...string) string {
	var choices []string
	for _, p := range pieces {
		choices = append(choices, fmt.Sprintf(`"delta":{"content":%s}`, jsontext.Quote(p)))
	}
	return events(append(choices, last)...) + doneEvent
}

// calls makes a good stream of the given tool_calls lists.
func calls(lists ...string) string {
	var choices []string
	for _, l := range lists {
		choices = append(choices, `"delta":{"tool_calls":[`+l+`]}`)
	}
	return events(append(choices, callsEvent)...) + doneEvent
}

// brief writes a reply in one line: text, reasoning, calls, finish and the class of the error.
func (p played) brief() string {
	var parts []string
	if s := strings.TrimSpace(p.reply.Message.Text()); s != "" {
		parts = append(parts, "text="+s)
	}
	if s := strings.TrimSpace(p.reply.Message.Think()); s != "" {
		parts = append(parts, "think="+s)
	}
	for _, c := range p.reply.Message.Calls() {
		args, err := llm.ParseArgs(c.Args)
		if err != nil {
			args = []byte("?")
		}
		parts = append(parts, c.Name+string(args))
	}
	parts = append(parts, string(p.reply.Finish))
	if e := llm.AsError(p.err); e != nil {
		parts = append(parts, fmt.Sprintf("!%s retry=%v", e.Kind, e.Retryable))
	} else if p.err != nil {
		parts = append(parts, "!"+p.err.Error())
	}
	return strings.Join(parts, " | ")
}

type family struct{ name, body, want string }

func checkFamilies(t *testing.T, families []family) {
	t.Helper()
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			got := play(strings.NewReader(f.body), testReading())
			if d := cmp.Diff(f.want, got.brief()); d != "" {
				t.Errorf("%s (-want +got):\n%s\nerror: %v", f.name, d, got.err)
			}
			if s := got.reply.Message.Text(); got.shown != s && !strings.Contains(f.name, "lone") {
				t.Errorf("shown %q, kept %q", got.shown, s)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	checkFamilies(t, []family{
		{"arguments before the name, no index", calls(
			`{"id":"a","function":{"arguments":"{\"path\":"}}`, `{"function":{"arguments":"\"x\"}"}}`, `{"function":{"name":"read_file"}}`),
			`read_file{"path":"x"} | tool_calls`},
		{"pieces by place in the list", calls(
			`{"function":{"name":"bash","arguments":""}},{"function":{"name":"grep","arguments":""}}`,
			`{"function":{"arguments":"{\"command\":"}},{"function":{"arguments":"{\"pattern\":"}}`,
			`{"function":{"arguments":"\"ls\"}"}},{"function":{"arguments":"\"x\"}"}}`),
			`bash{"command":"ls"} | grep{"pattern":"x"} | tool_calls`},
		{"whole calls without index and id, one a chunk", calls(
			`{"function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}`, `{"function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}`),
			`bash{"command":"ls"} | bash{"command":"ls"} | tool_calls`},
		{"no index, calls without arguments", calls(
			`{"id":"a","function":{"name":"list_sessions","arguments":""}}`, `{"id":"b","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}`),
			`list_sessions{} | bash{"command":"ls"} | tool_calls`},
		{"index 0 for all, no id, other names", calls(
			`{"index":0,"function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}`, `{"index":0,"function":{"name":"grep","arguments":"{\"pattern\":\"x\"}"}}`),
			`bash{"command":"ls"} | grep{"pattern":"x"} | tool_calls`},
		{"two objects in one text", calls(
			`{"index":0,"id":"a","function":{"name":"grep","arguments":"{\"pattern\":\"a\"}{\"pattern\":\"b\"}"}}`),
			`grep{"pattern":"a"} | grep{"pattern":"b"} | tool_calls`},
		{"second object in pieces", calls(
			`{"index":0,"id":"a","function":{"name":"grep","arguments":"{\"pattern\":\"a\"}"}}`,
			`{"index":0,"id":"a","function":{"arguments":"{\"pat"}}`, `{"index":0,"id":"a","function":{"arguments":"tern\":\"b\"}"}}`),
			`grep{"pattern":"a"} | grep{"pattern":"b"} | tool_calls`},
		{"name and arguments under different indexes", calls(
			`{"index":0,"id":"a","function":{"name":"bash"}}`, `{"index":1,"function":{"arguments":"{\"command\":"}}`, `{"index":1,"function":{"arguments":"\"ls\"}"}}`),
			`bash{"command":"ls"} | tool_calls`},
		{"index from 1", calls(
			`{"index":1,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}`),
			`bash{"command":"ls"} | tool_calls`},
		{"a new id on every piece", calls(
			`{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"com"}}`, `{"index":0,"id":"b","function":{"arguments":"mand\":"}}`, `{"index":0,"id":"c","function":{"arguments":"\"ls\"}"}}`),
			`bash{"command":"ls"} | tool_calls`},
		{"an empty object before the arguments", calls(
			`{"index":0,"id":"a","function":{"name":"bash","arguments":"{}"}}`, `{"index":0,"function":{"arguments":"{\"command\":"}}`, `{"index":0,"function":{"arguments":"\"ls\"}"}}`),
			`bash{"command":"ls"} | tool_calls`},
		{"cumulative arguments", calls(
			`{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"com"}}`, `{"index":0,"function":{"arguments":"{\"command\":\"l"}}`, `{"index":0,"function":{"arguments":"{\"command\":\"ls\"}"}}`),
			`bash{"command":"ls"} | tool_calls`},
		{"name in three pieces, then again", calls(
			`{"index":0,"id":"a","function":{"name":"re"}}`, `{"index":0,"function":{"name":"ad_"}}`, `{"index":0,"function":{"name":"file"}}`, `{"index":0,"function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}`),
			`read_file{"path":"x"} | tool_calls`},
		{"a slot without a name", calls(
			`{"index":0,"id":"a"}`, `{"index":1,"id":"b","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}`),
			`bash{"command":"ls"} | tool_calls`},
		{"invented parallel wrapper", calls(
			`{"index":0,"id":"a","function":{"name":"multi_tool_use.parallel","arguments":"{\"tool_uses\":[{\"recipient_name\":\"functions.bash\",\"parameters\":{\"command\":\"ls\"}},{\"recipient_name\":\"functions.grep\",\"parameters\":{\"pattern\":\"x\"}}]}"}}`),
			`bash{"command":"ls"} | grep{"pattern":"x"} | tool_calls`},
		{"a single call without a list", events(`"delta":{"tool_calls":{"id":"a","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}}`, stopEvent),
			`bash{"command":"ls"} | tool_calls`},
		{"empty array for no arguments", calls(`{"index":0,"id":"a","function":{"name":"list_sessions","arguments":[]}}`),
			`list_sessions{} | tool_calls`},
		{"unescaped quotes are not repaired", calls(`{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"echo \"hi\" now\"}"}}`),
			`bash? | tool_calls`},
		{"length before any argument", events(`"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"list_sessions","arguments":""}}]}`, lengthEvent) + doneEvent,
			`length`},
		{"closed inside a call", events(`"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"comm"}}]}`),
			`error | !network retry=true`},
		{"closed after a whole call", events(`"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]}`),
			`bash{"command":"ls"} | error | !network retry=true`},
		{"half a call, then an error", events(`"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"comm"}}]}`) +
			`data: {"error":{"code":502,"message":"upstream gone"}}` + "\n\n" + doneEvent,
			`error | !server retry=true`},
		{"calls after the finish reason", events(stopEvent, `"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]}`) + doneEvent,
			`bash{"command":"ls"} | tool_calls`},
		{"calls of two choices", `data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"},{"index":1,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n" + doneEvent,
			`text=Hi | bash{"command":"ls"} | tool_calls`},
	})
}

func TestTextCalls(t *testing.T) {
	checkFamilies(t, []family{
		{"kimi, prose after", texts(`<|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{"command":"echo <|tool_call_end|>"}<|tool_call_end|><|tool_calls_section_end|>`),
			`bash{"command":"echo <|tool_call_end|>"} | tool_calls`},
		{"kimi without its last tokens", texts(`On it. <|tool_calls_section_begin|><|tool_call_begin|>functions.bash:3<|tool_call_argument_begin|>{"command":"ls"}`),
			`text=On it. | bash{"command":"ls"} | tool_calls`},
		{"kimi cut by the limit", textsUntil(lengthEvent, `<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:3<|tool_call_argument_begin|>{"command":"l`),
			`length`},
		{"kimi broken, nothing else", texts(`<|tool_call_begin|>functions.bash:3<|tool_call_argument_begin|>{"command":"l`),
			`error | !bad_stream retry=true`},
		{"kimi, unknown tool", texts(`<|tool_call_begin|>functions.fly:0<|tool_call_argument_begin|>{}<|tool_call_end|>`),
			`text=<|tool_call_begin|>functions.fly:0<|tool_call_argument_begin|>{}<|tool_call_end|> | stop`},
		{"eaten opener in pieces", texts("Sure.\nba", "sh", ":", "0<|tool_call_arg", `ument_begin|>{"command":"ls"}`, `<|tool_call_end|>`),
			`text=Sure. | bash{"command":"ls"} | tool_calls`},
		{"a tool's name as a word", texts("bash", " is a shell\n", "grep", ": a tool"),
			"text=bash is a shell\ngrep: a tool | stop"},
		{"old deepseek tokens", texts("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n```json\n{\"command\":\"ls\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
			`bash{"command":"ls"} | tool_calls`},
		{"deepseek 3.1 tokens", texts(`<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>bash<｜tool▁sep｜>{"command":"ls"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`),
			`bash{"command":"ls"} | tool_calls`},
		{"dsml with ASCII bars", texts("<|DSML|tool_calls>\n<|DSML|invoke name=\"bash\">\n<|DSML|parameter name=\"command\" string=\"true\">a < b && c</|DSML|parameter>\n</|DSML|invoke>\n</|DSML|tool_calls>"),
			`bash{"command":"a < b && c"} | tool_calls`},
		{"dsml with doubled ASCII bars, calls", texts("x <||DSML||calls><||DSML||invoke name=\"list_sessions\"></||DSML||invoke></||DSML||calls>"),
			`text=x | list_sessions{} | tool_calls`},
		{"dsml in a fence", texts("Like this:\n```\n<｜DSML｜invoke name=\"bash\">\n</｜DSML｜invoke>\n```\nend"),
			"text=Like this:\n```\n<｜DSML｜invoke name=\"bash\">\n</｜DSML｜invoke>\n```\nend | stop"},
		{"glm without arguments", texts("<tool_call>list_sessions</tool_call>"),
			`list_sessions{} | tool_calls`},
		{"glm without its opener", texts("read_file<arg_key>path</arg_key>\n<arg_value>a.go</arg_value>\n</tool_call>"),
			`read_file{"path":"a.go"} | tool_calls`},
		{"glm, a string that looks like a number", texts("<tool_call>bash<arg_key>command</arg_key><arg_value>42</arg_value><arg_key>timeout</arg_key><arg_value>7</arg_value></tool_call>"),
			`bash{"command":"42","timeout":7} | tool_calls`},
		{"glm with a list", texts(`<tool_call>todo_write<arg_key>todos</arg_key><arg_value>[{"content":"a"}]</arg_value><arg_key>note</arg_key><arg_value>[1]</arg_value></tool_call>`),
			`todo_write{"todos":[{"content":"a"}],"note":"[1]"} | tool_calls`},
		{"qwen with its outer tag", texts("I look.\n<tool_call>\n<function=bash>\n<parameter=command>\nls -l\necho \"</tool_cal>\"\n</parameter>\n<parameter=timeout>\n5\n</parameter>\n</function>\n</tool_call>"),
			`text=I look. | bash{"command":"ls -l\necho \"</tool_cal>\"","timeout":5} | tool_calls`},
		{"function with JSON", texts(`<function=read_file>{"path": "sample.txt"}</function>`),
			`read_file{"path": "sample.txt"} | tool_calls`},
		{"hermes, a closing tag inside a string", texts(`<tool_call>{"name":"bash","arguments":{"command":"echo '</tool_call>'"}}</tool_call>`),
			`bash{"command":"echo '</tool_call>'"} | tool_calls`},
		{"hermes, unknown tool", texts(`<tool_call>{"name":"fly","arguments":{}}</tool_call>`),
			`text=<tool_call>{"name":"fly","arguments":{}}</tool_call> | stop`},
		{"unfinished tag", texts(`Say <tool_call>{"name":"bash","arguments":{"comm`),
			`text=Say <tool_call>{"name":"bash","arguments":{"comm | stop`},
		{"tag in prose", texts("The <tool_call> tag opens and </tool_call> closes."),
			"text=The <tool_call> tag opens and </tool_call> closes. | stop"},
		{"stray closing tag", texts("All done.\n</tool_call>"), "text=All done. | stop"},
		{"minimax M2", texts("Look.\n<minimax:tool_call>\n<invoke name=\"grep\">\n<parameter name=\"pattern\">a(</parameter>\n<parameter name=\"path\">src</parameter>\n</invoke>\n<invoke name=\"list_sessions\">\n</invoke>\n</minimax:tool_call>"),
			`text=Look. | grep{"pattern":"a(","path":"src"} | list_sessions{} | tool_calls`},
		{"list of invokes", texts("<function_calls>\n<invoke name=\"bash\">\n<parameter name=\"command\">ls</parameter>\n</invoke>\n</function_calls>"),
			`bash{"command":"ls"} | tool_calls`},
		{"mistral list", texts(`[TOOL_CA`, `LLS][{"name":"bash","arguments":{"command":"ls"}},{"name":"list_sessions","arguments":{}}]`),
			`bash{"command":"ls"} | list_sessions{} | tool_calls`},
		{"mistral new form", texts(`[TOOL_CALLS]bash[ARGS]{"command":"ls"}[TOOL_CALLS]grep[CALL_ID]abc[ARGS]{"pattern":"[x"}`),
			`bash{"command":"ls"} | grep{"pattern":"[x"} | tool_calls`},
		{"mistral marker in prose", texts(`The [TOOL_CALLS] token`), `text=The [TOOL_CALLS] token | stop`},
		{"bare JSON with another key", texts(`{"name":"bash","arguments":{},"why":"x"}`), `text={"name":"bash","arguments":{},"why":"x"} | stop`},
		{"bare JSON, unknown tool", texts(`{"name":"Bob","age":4}`), `text={"name":"Bob","age":4} | stop`},
		{"bare JSON with text after", texts(`{"name":"list_sessions","arguments":{}}`, ` is it`), `text={"name":"list_sessions","arguments":{}} is it | stop`},
		{"bare JSON, parameters", texts("\n", `{"type":"function","name":"bash","parameters":{"command":"ls"}}`), `bash{"command":"ls"} | tool_calls`},
		{"python in a fence with text after", texts("```tool_code\nbash(command='ls')\n```\nThat was it."), "text=```tool_code\nbash(command='ls')\n```\nThat was it. | stop"},
		{"python with print and values", texts("```tool_code\nprint(default_api.todo_write(todos=[{'content': \"a\", 'n': 1}], note=None))\n```"),
			`todo_write{"todos":[{"content":"a","n":1}],"note":null} | tool_calls`},
		{"harmony call", texts("<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{\"command\":\"ls\"}<|call|>"),
			`think=Look. | bash{"command":"ls"} | tool_calls`},
		{"harmony call, recipient first, last token eaten", texts("<|start|>assistant to=functions.bash<|channel|>commentary json<|mess", "age|>{\"command\":\"ls\"}"),
			`bash{"command":"ls"} | tool_calls`},
		{"harmony preamble and final", texts("<|channel|>commentary<|message|>I will look.<|end|><|start|>assistant<|channel|>final<|message|>Done `a`.<|return|>"),
			"text=I will look.Done `a`. | stop"},
		{"structured call wins", events(`"delta":{"content":"Hi <tool_call>{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}</tool_call>"}`,
			`"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"grep","arguments":"{\"pattern\":\"x\"}"}}]}`, callsEvent) + doneEvent,
			`text=Hi | grep{"pattern":"x"} | tool_calls`},
		{"call inside reasoning, no answer", events(`"delta":{"reasoning_content":"I look. <|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{\"command\":\"ls\"}<|tool_call_end|><|tool_calls_section_end|>"}`, stopEvent) + doneEvent,
			`think=I look. | bash{"command":"ls"} | tool_calls`},
		{"call inside reasoning beside an answer", events(`"delta":{"reasoning_content":"Hm <tool_call>list_sessions</tool_call>"}`, `"delta":{"content":"No."}`, stopEvent) + doneEvent,
			`text=No. | think=Hm | stop`},
		{"call inside unclosed think tags", texts("<think>I look.\n<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>"),
			`think=I look. | bash{"command":"ls"} | tool_calls`},
	})
}

func TestReasoning(t *testing.T) {
	checkFamilies(t, []family{
		{"tags and field mirrored", events(`"delta":{"reasoning_content":"Let me ","content":"<think>Let me "}`, `"delta":{"reasoning_content":"see","content":"see"}`, `"delta":{"content":"</think>Yes"}`, stopEvent),
			`text=Yes | think=Let me see | stop`},
		{"tags beside another field", events(`"delta":{"reasoning_content":"Plan. "}`, `"delta":{"content":"<think>Other</think>Yes"}`, stopEvent),
			`text=Yes | think=Plan. Other | stop`},
		{"details doubled by the field", events(`"delta":{"reasoning":"a ","reasoning_details":[{"type":"reasoning.text","text":"a ","index":0}]}`, `"delta":{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0}]}`, `"delta":{"content":"Yes"}`, stopEvent),
			`text=Yes | think=a b | stop`},
		{"alias, then details", events(`"delta":{"reasoning":"a "}`, `"delta":{"reasoning_details":[{"type":"reasoning.text","text":"b"},{"type":"reasoning.summary","summary":" c"}]}`, `"delta":{"content":"Yes"}`, stopEvent),
			`text=Yes | think=a b c | stop`},
		{"tags in prose", texts("Wrap it in <think> and </think>."), "text=Wrap it in <think> and </think>. | stop"},
		{"closing tag in back ticks", texts("Use `</think>` to close."), "text=Use `</think>` to close. | stop"},
		{"closing tag left by the server", events(`"delta":{"reasoning_content":"hm"}`, `"delta":{"content":"</think>\n\nYes"}`, stopEvent), `text=Yes | think=hm | stop`},
		{"bracket tags", texts("[THINK]hm[/THI", "NK]Yes"), `text=Yes | think=hm | stop`},
		{"tag never closed", texts("<think>hm"), `think=hm | error | !empty retry=true`},
		{"cumulative text", texts("Hel", "Hello", "Hello wor", "Hello world"), `text=Hello world | stop`},
		{"cumulative text, long at once", texts("The first piece is long enough", "The first piece is long enough. End"), `text=The first piece is long enough. End | stop`},
		{"whole answer again at the end", texts("The answer ", "is a little ", "longer than that", ".", "The answer is a little longer than that."), `text=The answer is a little longer than that. | stop`},
		{"real repetition", texts("no ", "no no", " never"), `text=no no no never | stop`},
		{"snapshot of calls", events(`"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]}`, `"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]},"finish_reason":"tool_calls"`),
			`bash{"command":"ls"} | tool_calls`},
	})
}

func TestEnds(t *testing.T) {
	usage := `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\n"
	checkFamilies(t, []family{
		{"no [DONE], usage in the middle", events(`"delta":{"content":"a"}`) + usage + events(`"delta":{"content":"b"}`), `text=ab | stop`},
		{"[DONE] alone", doneEvent, `error | !empty retry=true`},
		{"nothing", "", `error | !empty retry=true`},
		{"only comments", ": hi\n\n: hi\n\n", `error | !empty retry=true`},
		{"pings of all kinds", "event: ping\ndata: {\"type\":\"ping\"}\n\ndata: ping\n\ndata: [PING]\n\ndata: {}\n\ndata: null\n\n: x\n\n" + texts("a"), `text=a | stop`},
		{"the window is exceeded", events(`"delta":{"content":"a"}`, `"delta":{},"finish_reason":"model_context_window_exceeded"`) + doneEvent, `text=a | error | !context_overflow retry=false`},
		{"sensitive", events(`"delta":{"content":"a"}`, `"delta":{},"finish_reason":"sensitive"`) + doneEvent, `text=a | error | !content_filter retry=false`},
		{"refusal is text", events(`"delta":{"refusal":"I can't "}`, `"delta":{"refusal":"do this."}`, stopEvent), `text=I can't do this. | stop`},
		{"unknown finish word", events(`"delta":{"content":"a"}`, `"delta":{},"finish_reason":"eos"`), `text=a | stop`},
		{"whole JSON", `{"choices":[{"message":{"role":"assistant","content":"a","reasoning_content":"b"},"finish_reason":"stop"}]}`, `text=a | think=b | stop`},
		{"whole JSON, indented", "{\n  \"choices\": [\n\n{\"message\": {\"content\": \"a\"},\n \"finish_reason\": \"stop\"}]}\n", `text=a | stop`},
		{"chunks as JSON lines", `{"choices":[{"delta":{"content":"a"}}]}` + "\n" + `{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}` + "\n", `text=ab | stop`},
		{"events on neighbouring lines", strings.ReplaceAll(texts("a", "b"), "\n\n", "\n"), `text=ab | stop`},
		{"page", "<!DOCTYPE html>\n<html>\n\n<head><title>Sign in</title></head></html>", `error | !config retry=false`},
		{"page inside the stream", events(`"delta":{"content":"a"}`) + "<html><title>502 Bad Gateway</title></html>\n", `text=a | error | !network retry=true`},
		{"text", "upstream connect error", `error | !bad_stream retry=false`},
		{"broken JSON", "data: {\"choices\":[{\"delta\":{]}\n\n" + texts("a"), `error | !bad_stream retry=true`},
		{"JSON cut by the end", events(`"delta":{"content":"a"}`) + `data: {"choices":[{"delta":{"con`, `text=a | error | !network retry=true`},
		{"error of a router in the choice", events(`"delta":{"content":"a"}`, `"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"Provider returned error"}`), `text=a | error | !server retry=true`},
		{"error array", `[{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}]`, `error | !rate_limit retry=true`},
		{"raw error line in the stream", events(`"delta":{"content":"a"}`) + `{"error":{"code":500,"message":"engine crashed"}}`, `text=a | error | !server retry=true`},
		{"vllm error object", `data: {"object":"error","message":"The engine is dead","type":"InternalServerError","code":500}` + "\n\n", `error | !server retry=true`},
		{"generation in the error", `data: {"error":{"message":"Failed to call a function","code":"tool_use_failed","failed_generation":"<function=read_file>{\"path\":\"a\"}</function>"}}` + "\n\n", `read_file{"path":"a"} | tool_calls`},
		{"carriage returns split", strings.ReplaceAll(texts("a", "b"), "\n", "\r\n"), `text=ab | stop`},
		{"missing choices", `data: {"id":"x","model":"m1"}` + "\n\n" + texts("a"), `text=a | stop`},
		{"ping as an object", `data: {"type":"ping"}` + "\n\n" + texts("a"), `text=a | stop`},
		{"null delta", events(`"delta":null`, `"delta":{"content":"a"}`, `"delta":null,"finish_reason":"stop"`), `text=a | stop`},
		{"finish on every chunk", events(`"delta":{"content":"a"},"finish_reason":"stop"`, `"delta":{"content":"b"},"finish_reason":"stop"`) + doneEvent, `text=ab | stop`},
		{"calls without a finish reason", events(`"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{}"}}]}`) + doneEvent, `bash{} | tool_calls`},
		{"legacy text field", events(`"text":"a"`, `"text":"b","finish_reason":"stop"`), `text=ab | stop`},
		{"Azure filter in the last chunk", events(`"delta":{"content":"a"}`, `"delta":{},"finish_reason":"stop","content_filter_results":{"hate":{"filtered":false}}`) + doneEvent, `text=a | stop`},
		{"trailing garbage after finish", events(`"delta":{"content":"a"}`, stopEvent) + "garbage\n", `text=a | stop`},
	})
}
