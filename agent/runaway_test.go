package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"paicli/llm/llmtest"
	"paicli/session"
)

// guarded runs steps of calls (pairs of tool and arguments) under the runaway guard and returns the
// step numbers before which a reminder was said, and the end of the turn.
func guarded(t *testing.T, steps [][]string, tools ...Tool) ([]int, *session.TurnEnded, *llmtest.Script) {
	t.Helper()
	var script []llmtest.Step
	for _, s := range steps {
		script = append(script, llmtest.CallTool(s...))
	}
	m := llmtest.NewScript(append(script, llmtest.Say("done"))...)
	a := scripted(m, tools...)
	a.Guards = []Guard{Runaway}
	events := talk(t, a, "go")
	var reminded []int
	replies := 0
	for _, e := range events {
		switch b := e.Body.(type) {
		case *session.Replied:
			replies++
		case *session.Said:
			if strings.HasPrefix(b.Text, "[runaway guard]") {
				reminded = append(reminded, replies)
			}
		}
	}
	return reminded, end(events), m
}

func same(n int, call ...string) [][]string {
	var steps [][]string
	for range n {
		steps = append(steps, call)
	}
	return steps
}

func isInts(got []int, want ...int) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if got[i] != want[i] {
			return false
		}
	}
	return true
}

func TestParityGuards(t *testing.T) {
	read := func() Tool { return echo("read", VerbRead) }
	a, b, c := []string{"read", `{"path":"a"}`}, []string{"read", `{"path":"b"}`}, []string{"read", `{"path":"c"}`}
	failing := func(texts ...string) Tool {
		return fake("run", VerbRun, func(context.Context, args) (Output, error) {
			text := texts[0]
			texts = texts[1:]
			return Output{}, errors.New(text)
		})
	}
	t.Run("G-01", func(t *testing.T) {
		got, e, _ := guarded(t, same(4, a...), read())
		if !isInts(got, 3) || e.End != session.EndDone {
			t.Errorf("reminders before replies %v, %+v", got, e)
		}
		// after progress the reminder comes again
		got, _, _ = guarded(t, append(append(same(3, a...), b), same(3, a...)...), read())
		if !isInts(got, 3, 7) {
			t.Errorf("after progress: %v", got)
		}
		// several in one step add up
		if got, _, _ := guarded(t, [][]string{append(append(append([]string{}, a...), a...), a...)}, read()); !isInts(got, 1) {
			t.Errorf("three in one step: %v", got)
		}
	})
	t.Run("G-02", func(t *testing.T) {
		x := Done{Name: "t", Args: json.RawMessage(`{"a":1,"b":{"c":2,"d":3}}`)}
		y := Done{Name: "t", Args: json.RawMessage(`{ "b":{"d":3,"c":2}, "a":1 }`)}
		z := Done{Name: "t", Args: json.RawMessage(`{"a":1,"b":{"c":2,"d":4}}`)}
		if x.action() != y.action() || x.action() == z.action() {
			t.Errorf("%s / %s / %s", x.action(), y.action(), z.action())
		}
	})
	t.Run("G-03", func(t *testing.T) {
		steps := [][]string{{"run", `{"path":"1"}`}, {"run", `{"path":"2"}`}, {"run", `{"path":"3"}`}}
		got, _, m := guarded(t, steps, failing("连接超时", "read timed out", "请求超时"))
		if !isInts(got, 3) {
			t.Errorf("got %v", got)
		}
		last := m.Requests()[3].Messages
		if text := last[len(last)-1].Text(); !strings.Contains(text, "category:timeout") {
			t.Errorf("the reminder does not name the error: %s", text)
		}
		for text, want := range map[string]string{
			"File not found: x": "category:not_found", "  BOOM \n x ": "text:boom x", " \n": "", "command failed\nexit code: 2": "category:process_exit",
		} {
			if got := errorFamily(text); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	})
	t.Run("G-04", func(t *testing.T) {
		if got, _, _ := guarded(t, [][]string{a, b, a, a}, read()); len(got) != 0 {
			t.Errorf("got %v", got)
		}
	})
	t.Run("G-05", func(t *testing.T) {
		m := llmtest.NewScript(llmtest.CallTool(a...), llmtest.CallTool(a...), llmtest.CallTool(a...), llmtest.CallTool(a...), llmtest.CallTool(a...), llmtest.Say("done"))
		ag := scripted(m, read())
		ag.Gates, ag.Guards = nil, []Guard{Runaway}
		events := talk(t, ag, "go")
		for _, s := range pick[*session.Said](events) {
			if strings.HasPrefix(s.Text, "[runaway guard]") {
				t.Error("refused calls were counted")
			}
		}
		if e := end(events); e.End != session.EndDone {
			t.Errorf("got %+v", e)
		}
	})
	t.Run("G-06", func(t *testing.T) {
		_, _, m := guarded(t, same(3, a...), read())
		ms := m.Requests()[3].Messages
		last := ms[len(ms)-1]
		if last.Role != "user" || ms[len(ms)-2].Role != "tool" || !strings.Contains(last.Text(), "temporary: never store it") {
			t.Errorf("got %+v", last)
		}
	})
	t.Run("G-07", func(t *testing.T) {
		_, e, m := guarded(t, same(4, a...), read())
		ms := m.Requests()[4].Messages
		if r := ms[len(ms)-1].Blocks[0].Result; e.End != session.EndDone || !strings.Contains(r.Text, "read a") {
			t.Errorf("the fourth call was not run: %+v", r)
		}
	})
	t.Run("G-08", func(t *testing.T) {
		_, e, m := guarded(t, same(5, a...), read()) // the sixth reply is the report
		reqs := m.Requests()
		if e.End != session.EndPartial || e.Reason != ReasonRunaway || len(reqs) != 6 || len(reqs[5].Tools) != 0 || e.Text != "done" {
			t.Errorf("%d requests, %+v", len(reqs), e)
		}
	})
	t.Run("G-09", func(t *testing.T) {
		_, _, m := guarded(t, same(5, a...), read())
		ms := m.Requests()[5].Messages
		text := ms[len(ms)-1].Text()
		for _, word := range []string{"done", "verified", "unfinished or blocked", "next step", "Do not claim", ReasonRunaway} {
			if !strings.Contains(text, word) {
				t.Errorf("the closing request does not say %q: %s", word, text)
			}
		}
	})
	t.Run("G-10", func(t *testing.T) {
		if stopAt <= remindAt {
			t.Error("the end comes before the reminder")
		}
	})
	t.Run("cycles", func(t *testing.T) {
		got, e, _ := guarded(t, [][]string{a, b, a, b, a, b, a}, read())
		if !isInts(got, 6) || e.End != session.EndDone {
			t.Errorf("a cycle of two: %v, %+v", got, e)
		}
		if got, _, _ := guarded(t, [][]string{a, b, c, a, b, c, a, b, c}, read()); !isInts(got, 9) {
			t.Errorf("a cycle of three: %v", got)
		}
		var ten [][]string
		for range 5 {
			ten = append(ten, a, b)
		}
		if _, e, _ := guarded(t, ten, read()); e.Reason != ReasonRunaway {
			t.Errorf("five periods: %+v", e)
		}
		if got, _, _ := guarded(t, [][]string{a, b, a, c, a, b, a, c}, read()); len(got) != 0 {
			t.Errorf("two periods of four: %v", got)
		}
	})
}
