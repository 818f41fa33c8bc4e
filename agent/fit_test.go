package agent

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"paicli/llm/llmtest"
	"paicli/session"
)

func TestEnds(t *testing.T) {
	lines := strings.Repeat("123456789\n", 100)
	for _, tt := range []struct {
		text        string
		head, tail  int
		first, last string
	}{
		{"", 5, 5, "", ""},
		{"short", 9, 9, "short", ""},
		{"中文字符串", 2, 1, "中文", "串"},
		{"abcdef", 4, 4, "abcd", "ef"},
		{lines, 22, 12, "123456789\n123456789\n", "123456789\n"},
		{lines, 16, 16, "123456789\n123456", "56789\n123456789\n"},
		{strings.Repeat("x", 100), 10, 5, "xxxxxxxxxx", "xxxxx"},
		{"a\xffb\xffc", 2, 2, "a\xff", "\xffc"},
	} {
		if first, last := Ends(tt.text, tt.head, tt.tail); first != tt.first || last != tt.last {
			t.Errorf("%.20q %d %d: %q and %q, want %q and %q", tt.text, tt.head, tt.tail, first, last, tt.first, tt.last)
		}
	}
}

func FuzzEnds(f *testing.F) {
	f.Add("one\ntwo\nthree\n", 4, 6)
	f.Add("中\n\xff", 1, 1)
	f.Fuzz(func(t *testing.T, text string, head, tail int) {
		head, tail = head&0xfff, tail&0xfff
		first, last := Ends(text, head, tail)
		if !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) || len(first)+len(last) > len(text) {
			t.Fatalf("%q and %q are no ends of %q", first, last, text)
		}
		if utf8.RuneCountInString(first) > head || utf8.RuneCountInString(last) > tail {
			t.Fatalf("%q and %q are longer than %d and %d", first, last, head, tail)
		}
	})
}

// TestOutputIsHeldToItsLimit: with no wrap at all, what a tool limits is cut before the model sees it.
func TestOutputIsHeldToItsLimit(t *testing.T) {
	const lead = "exit code: 3\n"
	for _, tt := range []struct {
		name string
		out  Output
		want string // "" = cut
	}{
		{"exact", Output{Text: lead + strings.Repeat("a", 1000), Lead: len(lead), Limit: 1000}, lead + strings.Repeat("a", 1000)},
		{"over", Output{Text: lead + strings.Repeat("中", 1001), Lead: len(lead), Limit: 1000}, ""},
		{"whole", Output{Text: strings.Repeat("a", 2000), Limit: 1000, Whole: true}, strings.Repeat("a", 2000)},
		{"no limit of its own", Output{Text: strings.Repeat("a", 50_000)}, strings.Repeat("a", 50_000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := llmtest.NewScript(llmtest.CallTool("read", `{"path":"a"}`), llmtest.Say("done"))
			tool := fake("read", VerbRead, func(context.Context, args) (Output, error) { return tt.out, nil })
			end := pick[*session.CallEnded](talk(t, scripted(m, tool), "go"))[0]
			if tt.want != "" {
				if end.Result.Text != Frame("read", tt.want) {
					t.Errorf("changed: %.300s", end.Result.Text)
				}
				return
			}
			body := strings.TrimSuffix(strings.TrimPrefix(end.Result.Text, strings.TrimSuffix(Frame("read", ""), "\n</tool_result>")), "\n</tool_result>")
			if n := utf8.RuneCountInString(body); n > 1000 || !strings.HasPrefix(body, lead+"中") || !strings.Contains(body, "truncated") || !strings.HasSuffix(body, "中") {
				t.Errorf("%d characters: %s", n, body)
			}
		})
	}
}
