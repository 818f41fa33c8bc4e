package openai

import (
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

// scanText gives text to the scanner in the given cuts.
func scanText(text, model string, cuts ...int) scanned {
	r := testReading()
	r.model = model
	var shown strings.Builder
	tn := newTurn(r, nil, func(d llm.Delta) bool {
		if d.Kind == llm.DeltaText {
			shown.WriteString(d.Text)
		}
		return true
	})
	from := 0
	for _, cut := range append(cuts, len(text)) {
		if cut >= from && cut <= len(text) {
			tn.answer.write(text[from:cut])
			from = cut
		}
	}
	tn.answer.end(true)
	out := scanned{Text: tn.text.String(), Think: tn.think.String(), Shown: shown.String(), Unrun: tn.answer.unrun}
	for _, c := range append(tn.textCalls, tn.musingCalls...) {
		out.Calls = append(out.Calls, c.Name+c.Args)
	}
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
		var shown strings.Builder
		tn := newTurn(testReading(), nil, func(d llm.Delta) bool { shown.WriteString(d.Text); return true })
		tn.answer.write(c.piece)
		if shown.String() != c.flows {
			t.Errorf("%q: %q flows, want %q", c.piece, shown.String(), c.flows)
		}
		tn.answer.end(true)
		if shown.String() != c.piece {
			t.Errorf("%q came out as %q", c.piece, shown.String())
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
			tn := newTurn(testReading(), nil, func(llm.Delta) bool { return true })
			for from := 0; from < len(text); from += 64 {
				tn.answer.write(text[from:min(from+64, len(text))])
			}
			tn.answer.end(true)
		})
	}
}

// Cutting a text differently changes nothing, what is shown is what is kept, and a text without
// marks passes unchanged.
func FuzzTextCalls(f *testing.F) {
	for _, c := range loadStreamCases(f) {
		if strings.Contains(c.Body, "tool_call") || strings.Contains(c.Body, "DSML") {
			if p := play(strings.NewReader(c.Body), testReading()); p.reply.Message.Text() != "" {
				f.Add(p.reply.Message.Text(), 5, 11)
			}
		}
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

// Random bodies do no harm and reading them ends.
func FuzzRead(f *testing.F) {
	for _, c := range loadStreamCases(f) {
		if len(c.Body) < 4000 {
			f.Add([]byte(c.Body))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p := play(strings.NewReader(string(body)), testReading())
		if p.reply == nil {
			t.Fatal("no reply")
		}
		if (p.err != nil) != (p.reply.Finish == llm.FinishError) {
			t.Fatalf("finish %s with error %v", p.reply.Finish, p.err)
		}
		ids := map[string]bool{}
		for _, c := range p.reply.Message.Calls() {
			if c.ID == "" || c.Name == "" || ids[c.ID] {
				t.Fatalf("call %+v", c)
			}
			ids[c.ID] = true
		}
		if text := p.reply.Message.Text(); !strings.HasSuffix(p.shown, text) {
			t.Fatalf("shown %q, kept %q", p.shown, text)
		}
	})
}
