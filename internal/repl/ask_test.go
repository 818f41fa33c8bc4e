package repl

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"paicli/agent"
	"paicli/internal/i18n"
	"paicli/internal/term/termtest"
	"paicli/session"
)

// TestBox: what a person is told before they answer.
func TestBox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, th := newRecorded(t)
		f := begin(t, r, false)
		th.Append(&session.Said{By: session.ByUser, Text: "go"})
		th.Append(&session.Asked{
			ID: "a", Code: agent.QuestionApprove, Call: "1.0", Name: "execute_command", Title: "cd x …", Text: "rule execute_command(rm *) of your settings",
			Args:   []byte(`{"command":"cd x\ncurl a\rls\u001b[2K\nrm -rf build","timeout_seconds":5}`),
			Access: []session.Access{{Verb: "read", Target: "src"}, {Verb: "delete", Target: "build"}, {Verb: "opaque"}},
			Rules:  []string{"execute_command(rm -rf build)", "execute_command(curl a " + strings.Repeat("long", 10) + ")"},
		})
		f.rest()
		f.want("effect: deletes build, does something unknown, reads src", "why: rule execute_command(rm *)", "folder: /proj",
			"command:\n      cd x\n      curl a␍ls\\x1b[2K\n      rm -rf build\n", "timeout_seconds: 5",
			"2. always: execute_command(rm -rf build),", "kept in your settings) (a)", "waiting for your answer")
		if text := strings.ReplaceAll(f.screen.Text(), "\n", ""); !strings.Contains(text, strings.Repeat("long", 10)+")") {
			t.Errorf("a rule is cut off:\n%s", f.screen.Text())
		}
		f.calmly().press("a")
		th.Append(&session.Answered{ID: "a", Choice: agent.AnswerAlways})
		f.rest()
		f.want("approved, and from now on: execute_command(rm -rf build), ")
		th.Append(&session.Asked{ID: "b", Code: agent.QuestionApprove, Name: "x", Title: "y", Rules: []string{"x(" + strings.Repeat("z", ruleCells) + ")"}})
		f.rest()
		f.want("effect: does something unknown", "rule: x(zzz", "2. always: the 1 rules above")
		want := []agent.Op{agent.AnswerOp{ID: "a", Answer: agent.Answer{Choice: agent.AnswerAlways}}}
		if d := cmp.Diff(want, r.ops); d != "" {
			t.Error(d)
		}
		f.leave()
		r.Close()
	})
}

// TestQuestions: what the model asks, and its plan.
func TestQuestions(t *testing.T) {
	question := session.Asked{Code: agent.QuestionAsk, Text: "Which colour?\nThe wall\x1b[2J.", Options: []string{"red", "dark\nblue"}}
	open := session.Asked{Code: agent.QuestionAsk, Text: "What name?"}
	plan := session.Asked{Code: agent.QuestionPlan, Text: "# Plan\n\n1. look\n2. mend", Options: []string{"auto", "ask", "keep"}}
	text := func(s string) *agent.Answer { return &agent.Answer{Choice: agent.AnswerText, Text: s} }
	tests := []struct {
		name string
		q    session.Asked
		act  func(f *fixture)
		want *agent.Answer // nil = none
		see  []string
	}{
		{"an option", question, func(f *fixture) { f.calmly().press("2") }, &agent.Answer{Choice: "dark\nblue"}, []string{"answer: dark blue"}},
		{"own words by number", question, func(f *fixture) { f.calmly().press("3"); f.press("pink\r") }, text("pink"), []string{"answer: pink"}},
		{"own words", question, func(f *fixture) { f.calmly().press("p"); f.press("ink\r") }, text("pink"), []string{"answer: pink"}},
		{"a paste", question, func(f *fixture) { f.calmly().press("\x1b[200~1\x1b[201~"); f.press("\r") }, text("1"), []string{"answer: 1"}},
		{"a paste is no plan", plan, func(f *fixture) { f.calmly().press("\x1b[200~1\x1b[201~") }, nil, []string{"press a number from 1 to 3"}},
		{"no words are no answer", question, func(f *fixture) { f.calmly().press("3"); f.press("\r") }, nil, []string{"answer (Enter sends) >>"}},
		{"back from own words", question, func(f *fixture) { f.calmly().press("3"); f.press("\x1b"); f.press("1") }, &agent.Answer{Choice: "red"}, nil},
		{"too early is typing", question, func(f *fixture) { f.press("1") }, nil, []string{">> 1"}},
		{"return is no answer", question, func(f *fixture) { f.calmly().press("\r") }, nil, []string{"press a number from 1 to 3"}},
		{"without options", open, func(f *fixture) { f.want("type an answer"); f.calmly().press("1"); f.press("2\r") }, text("12"), nil},
		{"plan in auto", plan, func(f *fixture) { f.calmly().press("1") }, &agent.Answer{Choice: "auto"}, []string{"the plan:", "    # Plan\n\n    1. look", "the plan is carried out, mode: auto"}},
		{"plan in ask", plan, func(f *fixture) { f.calmly().press("2") }, &agent.Answer{Choice: "ask"}, []string{"mode: ask"}},
		{"plan with a remark", plan, func(f *fixture) { f.calmly().press("3"); f.press("smaller\r") }, &agent.Answer{Choice: "keep", Text: "smaller"}, []string{"planning goes on: smaller"}},
		{"plan, three wrong", plan, func(f *fixture) { f.calmly().press("x"); f.press("4"); f.press("\r") }, &agent.Answer{Choice: "keep"}, []string{"planning goes on"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, th := newRecorded(t)
				f := begin(t, r, false)
				th.Append(&session.Said{By: session.ByUser, Text: "go"})
				tt.q.ID = "q"
				th.Append(&tt.q)
				f.rest()
				tt.act(f)
				var want []agent.Op
				if tt.want != nil {
					want = []agent.Op{agent.AnswerOp{ID: "q", Answer: *tt.want}}
					th.Append(&session.Answered{ID: "q", Choice: tt.want.Choice, Text: tt.want.Text})
					f.rest()
					f.never("1. red", "1. carry")
				}
				if d := cmp.Diff(want, r.ops); d != "" {
					t.Error(d)
				}
				f.want(tt.see...)
				f.leave()
				r.Close()
			})
		})
	}
}

// TestQuestionEscape: Esc gives no answer and ends the turn.
func TestQuestionEscape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, th := newRecorded(t)
		f := begin(t, r, false)
		th.Append(&session.Said{By: session.ByUser, Text: "go"})
		th.Append(&session.Asked{ID: "q", Code: agent.QuestionPlan, Text: "p", Options: []string{"auto", "ask", "keep"}})
		f.calmly().press("\x1b")
		if d := cmp.Diff([]agent.Op{agent.Interrupt{}}, r.ops); d != "" {
			t.Error(d)
		}
		th.Append(&session.Answered{ID: "q"})
		f.rest()
		f.want("not answered")
		f.leave()
		r.Close()
	})
}

func TestQuestionsPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, th := newRecorded(t)
		f := begin(t, r, true)
		th.Append(&session.Said{By: session.ByUser, Text: "go"})
		th.Append(&session.Asked{ID: "a", Code: agent.QuestionAsk, Text: "Which?", Options: []string{"red", "blue"}})
		f.calmly().enter("green")
		th.Append(&session.Answered{ID: "a", Choice: agent.AnswerText, Text: "green"})
		th.Append(&session.Asked{ID: "b", Code: agent.QuestionAsk, Text: "Which?", Options: []string{"red", "blue"}})
		f.calmly().enter("3")
		f.enter("grey")
		th.Append(&session.Answered{ID: "b", Choice: agent.AnswerText, Text: "grey"})
		th.Append(&session.Asked{ID: "c", Code: agent.QuestionApprove, Name: "x", Args: []byte(`{"a": 1}`)})
		f.calmly().enter("e")
		f.want("    {\"a\":1}\n", "new arguments in one line (empty: as they are) >>")
		f.enter("{")
		f.want("these are no arguments")
		f.enter(`{"a":2}`)
		th.Append(&session.Answered{ID: "c", Choice: agent.AnswerYes})
		f.rest()
		f.want("question: Which?", "1. red", "2. blue", "3. answer in your own words", "answer: green", "answer: grey")
		want := []agent.Op{
			agent.AnswerOp{ID: "a", Answer: agent.Answer{Choice: agent.AnswerText, Text: "green"}},
			agent.AnswerOp{ID: "b", Answer: agent.Answer{Choice: agent.AnswerText, Text: "grey"}},
			agent.AnswerOp{ID: "c", Answer: agent.Answer{Choice: agent.AnswerYes, Args: []byte(`{"a":2}`)}},
		}
		if d := cmp.Diff(want, r.ops); d != "" {
			t.Error(d)
		}
		f.leave()
		r.Close()
	})
}

// TestModeRow: Shift+Tab goes through the modes, and the row below the prompt follows the session.
func TestModeRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, th := newRecorded(t)
		th.Append(&session.Set{Key: "mode", Value: "plan"})
		f := begin(t, r, false)
		f.want("PLAN  shift+tab to cycle")
		f.press("draft\x1b[Z")
		f.want(">> draft\nPLAN") // nothing is shown that the session has not said
		th.Append(&session.Set{Key: "mode", Value: "ask"})
		f.rest()
		f.want(">> draft\nASK  shift+tab to cycle")
		f.press("\x15/mode auto\r")
		f.want("mode: auto")
		want := []agent.Op{agent.Set{Key: "mode", Value: "ask"}, agent.Set{Key: "mode", Value: "auto"}}
		if d := cmp.Diff(want, r.ops); d != "" {
			t.Error(d)
		}
		f.leave()
		r.Close()
	})
}

// TestStatus: the working line says what is waited for.
func TestStatus(t *testing.T) {
	l := newLoop(Options{Lang: i18n.ZH}, &plain{w: crlf{termtest.New(80, 24)}})
	l.turn.running = true
	want := func(part string) {
		t.Helper()
		if got := l.status(); !strings.HasPrefix(got, part) {
			t.Errorf("%q, want %q", got, part)
		}
	}
	l.turn.judged = []pending{{"1.0", "execute_command"}, {"1.1", "read_file"}}
	want("execute_command 正在审查")
	l.ask = &asking{}
	want("等待你的回答")
	l.ask = nil
	l.callStarted(&session.CallStarted{Call: "1.0", Name: "execute_command"})
	want("execute_command 运行中")
	l.turn.calls = nil
	want("read_file 正在审查")
	l.turn.stopping = true
	want("正在中断")
}

// TestLongCommand: what is dangerous in a long command is seen without reading all of it, and how
// long it is.
func TestLongCommand(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		b.WriteString("echo step " + string(rune('a'+i%26)) + "\n")
		if i == 150 {
			b.WriteString("rm -rf ./build/\n")
		}
	}
	q := session.Asked{Args: []byte(`{"command":` + quoted(b.String()) + `}`), Access: []session.Access{{Verb: "delete", Target: "build"}, {Verb: "read", Target: "step"}}}
	l := &loop{}
	lines := l.arguments(q)
	end := strings.Join(lines[len(lines)-2:], "\n")
	if lines[0] != "command, 301 lines:" || end != "command has 301 lines. Look at these first:\n  152: rm -rf ./build/" || len(lines) != 304 {
		t.Errorf("%d lines, %q … %q", len(lines), lines[0], end)
	}
}

func quoted(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}
