package repl

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"paicli/agent"
	"paicli/internal/term"
	"paicli/llm/llmtest"
	"paicli/session"
)

func TestParity(t *testing.T) {
	// Shift+Tab, in every encoding and however it is cut, changes the mode and is never Esc.
	t.Run("A-02", func(t *testing.T) {
		for _, in := range []string{"\x1b[Z", "\x1b[9;2u", "\x1b[27;2;9~"} {
			for cut := range len(in) {
				var d term.Decoder
				keys := append(d.Feed([]byte(in[:cut])), d.Feed([]byte(in[cut:]))...)
				if len(keys) != 1 || keys[0].Code != term.BackTab {
					t.Errorf("%q cut at %d: %v", in, cut, keys)
				}
			}
		}
		synctest.Test(t, func(t *testing.T) {
			r, th := newRecorded(t)
			f := begin(t, r, false)
			th.Append(&session.Said{By: session.ByUser, Text: "go"})
			th.Append(&session.Asked{ID: "a", Code: agent.QuestionApprove, Name: "x", Title: "y"})
			f.calmly().press("\x1b[Z")
			if d := cmp.Diff([]agent.Op{agent.Set{Key: "mode", Value: "auto"}}, r.ops); d != "" {
				t.Error(d)
			}
			f.want("1. yes, once")
			f.leave()
			r.Close()
		})
	})
	// yes, always, no with a reason or without, and other arguments.
	t.Run("A-15", func(t *testing.T) {
		rules := []string{"x(y)"}
		for name, c := range map[string]struct {
			keys []string
			want agent.Answer
		}{
			"y":              {[]string{"y"}, agent.Answer{Choice: "yes"}},
			"1":              {[]string{"1"}, agent.Answer{Choice: "yes"}},
			"a":              {[]string{"a"}, agent.Answer{Choice: "always"}},
			"2":              {[]string{"2"}, agent.Answer{Choice: "always"}},
			"n":              {[]string{"n", "because", "\r"}, agent.Answer{Choice: "no", Text: "because"}},
			"3, no reason":   {[]string{"3", "\r"}, agent.Answer{Choice: "no"}},
			"e, not changed": {[]string{"e", "\r"}, agent.Answer{Choice: "yes"}},
			"e":              {[]string{"e", "\x15\x7f\x15\x7f\x15\x7f", `{"b":2}`, "\r"}, agent.Answer{Choice: "yes", Args: []byte(`{"b":2}`)}},
			"e, nothing":     {[]string{"e", "\x15\x7f\x15\x7f\x15\x7f", "\r"}, agent.Answer{Choice: "yes"}},
		} {
			synctest.Test(t, func(t *testing.T) {
				r, th := newRecorded(t)
				f := begin(t, r, false)
				th.Append(&session.Said{By: session.ByUser, Text: "go"})
				th.Append(&session.Asked{ID: "a", Code: agent.QuestionApprove, Name: "x", Title: "y", Args: []byte(`{"a":1}`), Rules: rules})
				f.calmly()
				for _, k := range c.keys {
					f.press(k)
				}
				if d := cmp.Diff([]agent.Op{agent.AnswerOp{ID: "a", Answer: c.want}}, r.ops); d != "" {
					t.Errorf("%s: %s", name, d)
				}
				f.leave()
				r.Close()
			})
		}
	})
	// what is no answer is asked again, three times; then, and at the end of the input, it is no.
	t.Run("A-16", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f, conv := guarded(t, false, touch("a.txt"), touch("b.txt"), llmtest.Say("ok-end"))
			f.press("go\r")
			f.calmly()
			for range maxWrong - 1 {
				f.press("?")
				f.want("press 1, 3 or e", "1. yes, once")
			}
			f.press("?")
			f.want("* not approved\n", "approve? touch: b.txt")
			f.leave()
			if len(f.ran) != 0 {
				t.Errorf("ran %v", f.ran)
			}
			conv.Close()
		})
	})
}
