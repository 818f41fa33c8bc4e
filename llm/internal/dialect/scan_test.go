package dialect

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
)

// scanned is what the scanners make of an answer.
type scanned struct {
	Text, Think, Shown string
	Calls              []string
	Unrun              bool
}

// offered are the tools that the texts call.
func offered() *Tools {
	tool := func(name, props string) llm.ToolSpec {
		return llm.ToolSpec{Name: name, Schema: json.RawMessage(`{"type":"object","properties":{` + props + `}}`)}
	}
	return NewTools([]llm.ToolSpec{
		tool("bash", `"command":{"type":"string"},"timeout":{"type":"integer"}`), tool("list_sessions", ``),
		tool("read_file", `"path":{"type":"string"}`), tool("todo_write", `"todos":{"type":"array"}`),
	})
}

// scanInto makes the scanner of an answer whose findings go to out.
func scanInto(out *scanned, model string) *Scanner {
	call := func(c llm.Call) { out.Calls = append(out.Calls, c.Name+c.Args) }
	return NewAnswer(offered(), model, Sink{
		Text:      func(s string) { out.Text += s; out.Shown += s },
		Think:     func(s string) { out.Think += s },
		Lone:      func() { out.Think += out.Text; out.Text = "" },
		Call:      call,
		ThinkCall: call,
	})
}

// scanText gives text to the scanner in the given cuts.
func scanText(text, model string, cuts ...int) scanned {
	var out scanned
	s := scanInto(&out, model)
	from := 0
	for _, cut := range append(cuts, len(text)) {
		if cut >= from && cut <= len(text) {
			s.Write(text[from:cut])
			from = cut
		}
	}
	s.End(true)
	out.Unrun = s.Unrun()
	return out
}

// Ordinary text flows at once: nothing is held but what may begin a mark.
func TestScannerHoldsOnlyMarks(t *testing.T) {
	for _, c := range []struct{ piece, flows string }{
		{"Hello wor", "Hello wor"},
		{"a < b", "a < b"},
		{"a <", "a "},
		{"x <tool", "x "},
		{"x <table", "x <table"},
		{"read", ""},
		{"reading", "reading"},
		{"I read", "I read"},
		{"list[0] x", "list[0] x"},
		{"{\"na", ""},
		{"{\"nx", "{\"nx"},
		{"{\"name\":\"Bob", "{\"name\":\"Bob"},
		{"```go\n<tool_call>{\"name", "```go\n<tool_call>{\"name"},
		{"x <tool_call> y z", "x <tool_call> y z"},
		{"x <tool_call>fly away", "x <tool_call>fly away"},
		{"x <tool_call>{\"na", "x "},
	} {
		var out scanned
		s := scanInto(&out, "m1")
		s.Write(c.piece)
		if out.Shown != c.flows {
			t.Errorf("%q: %q flows, want %q", c.piece, out.Shown, c.flows)
		}
		s.End(true)
		if out.Shown != c.piece {
			t.Errorf("%q came out as %q", c.piece, out.Shown)
		}
	}
}

func TestHunyuanAnswerTags(t *testing.T) {
	got := scanText("<answer>\nUse go vet.\n</answer>\n", "hunyuan-a13b")
	if got.Text != "Use go vet." && strings.TrimSpace(got.Text) != "Use go vet." {
		t.Errorf("got %q", got.Text)
	}
	const text = "<answer>x</answer>"
	if got := scanText(text, "m1"); got.Text != text {
		t.Errorf("another model: got %q", got.Text)
	}
}

// The time for a text grows with its length, whatever it holds.
func TestScannerIsLinear(t *testing.T) {
	for _, unit := range []string{
		"<tool_call>", "<tool_call>{\"", "<|tool_call_begin|>", "<｜DSML｜invoke name=\"bash\">", "[TOOL_CALLS]", "<|start|>", "<think>", "</think>",
		"```tool_code\n", "{\"name\":\"bash\",", "\n```", "bash:", "<function=bash>", "`", "<", "</tool_call>", "<|channel|>final<|message|>", " \n",
	} {
		t.Run(unit, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat(unit, 200_000/len(unit))
			drop, none := func(string) {}, func(llm.Call) {}
			s := NewAnswer(offered(), "m1", Sink{Text: drop, Think: drop, Call: none, ThinkCall: none, Lone: func() {}})
			for from := 0; from < len(text); from += 64 {
				s.Write(text[from:min(from+64, len(text))])
			}
			s.End(true)
		})
	}
}

// Cutting a text differently changes nothing, what is shown is what is kept, and a text without
// marks passes unchanged.
func FuzzTextCalls(f *testing.F) {
	for _, text := range caseTexts(f) {
		f.Add(text, 5, 11)
	}
	for _, s := range []string{
		`<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{"command":"ls"}<|tool_call_end|>`,
		"<tool_call>read_file\n<arg_key>path</arg_key><arg_value>a</arg_value></tool_call> x", "a\n<think>b</think>c", "<think>b</think>\n\nc</think>",
		"<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"bash\">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls> y", "bash:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
		"[TOOL_CALLS]bash[ARGS]{\"command\":\"ls\"} x", "```tool_code\nbash(command='ls')\n```", `{"name":"bash","arguments":{}}`,
		"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
		"<tool_call>{\"name\":\"bash\",\"arguments\":{}}</tool_call>\n</tool_call>\n", "x</tool_call> y", "```\n<tool_call>\n```\n`<think>`",
	} {
		f.Add(s, 5, 11)
	}
	f.Fuzz(func(t *testing.T, text string, a, b int) {
		if a > b {
			a, b = b, a
		}
		whole := scanText(text, "m1")
		for _, cuts := range [][]int{{a}, {a, b}, everyByte(len(text))} {
			if d := cmp.Diff(whole, scanText(text, "m1", cuts...)); d != "" {
				t.Fatalf("%q cut at %v (-whole +cut):\n%s", text, cuts, d)
			}
		}
		if whole.Shown != whole.Text && !strings.HasSuffix(whole.Shown, whole.Text) {
			t.Fatalf("%q: shown %q, kept %q", text, whole.Shown, whole.Text)
		}
		if !strings.ContainsAny(text, "<[]`{◁:") && whole.Text != text {
			t.Fatalf("%q came out as %q", text, whole.Text)
		}
	})
}

// caseTexts are the texts of the wire cases that hold marks.
func caseTexts(f *testing.F) []string {
	raw, err := os.ReadFile("../../../testdata/cases/wire.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	var texts []string
	for line := range bytes.Lines(raw) {
		var c struct{ Body string }
		if err := json.Unmarshal(line, &c); err != nil {
			f.Fatal(err)
		}
		var text strings.Builder
		for line := range strings.Lines(c.Body) {
			var chunk struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			data, _ := strings.CutPrefix(line, "data:")
			if json.Unmarshal([]byte(data), &chunk) == nil && len(chunk.Choices) > 0 {
				text.WriteString(chunk.Choices[0].Delta.Content)
			}
		}
		if strings.ContainsAny(text.String(), "<[{") {
			texts = append(texts, text.String())
		}
	}
	return texts
}

func everyByte(n int) []int {
	cuts := make([]int, n)
	for i := range cuts {
		cuts[i] = i
	}
	return cuts
}
