package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"paicli/llm/llmtest"
	"paicli/session"
)

// answering runs a turn with one call whose gate says v and whose person gives ans, and returns the
// events and the number of times the tool ran.
func answering(t *testing.T, v Verdict, ans Answer) (events []session.Event, ran int) {
	t.Helper()
	tool := fake("touch", VerbWrite, func(context.Context, args) (Output, error) {
		ran++
		return Output{Text: "touched"}, nil
	})
	m := llmtest.NewScript(llmtest.CallTool("touch", `{"path":"a"}`), llmtest.Say("done"))
	a := scripted(m, tool)
	a.Gates = []Gate{func(context.Context, *Call) (Verdict, error) { return v, nil }}
	return withPerson(t, a, ans), ran
}

// withPerson runs a turn in which a person gives every question the same answer; without a choice
// nobody is there.
func withPerson(t *testing.T, a *Agent, ans Answer) (events []session.Event) {
	t.Helper()
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	conv := NewConv(log, func(session.State) (*Agent, error) { return a, nil }, ConvOptions{Attended: ans.Choice != ""})
	if err := conv.Submit(Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	for e, err := range conv.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
		if q, ok := e.Body.(*session.Asked); ok {
			if err := conv.Submit(AnswerOp{ID: q.ID, Answer: ans}); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := e.Body.(*session.TurnEnded); ok {
			return events
		}
	}
	t.Fatal("the events ended early")
	return nil
}

func TestAlwaysStoresTheRuleThatWasShown(t *testing.T) {
	kept := 0
	v := Verdict{Kind: AskUser, Reason: "asked", Ask: Approval{
		Access: []session.Access{{Verb: "write", Target: "a"}},
		Rules:  []string{"touch(a)"},
		Keep:   func() error { kept++; return nil },
	}}
	events, ran := answering(t, v, Answer{Choice: AnswerAlways})
	asked := pick[*session.Asked](events)[0]
	if !slices.Equal(asked.Rules, v.Ask.Rules) || !slices.Equal(asked.Access, v.Ask.Access) || kept != 1 || ran != 1 {
		t.Errorf("asked %+v, kept %d times, ran %d times", asked, kept, ran)
	}
	if j := pick[*session.CallStarted](events)[0].Judged; j == nil || j.By != ByUser {
		t.Errorf("judged %+v", j)
	}
	v.Ask.Rules = nil
	if _, ran := answering(t, v, Answer{Choice: AnswerAlways}); ran != 0 || kept != 1 {
		t.Errorf("always was taken though it was not offered: ran %d, kept %d", ran, kept)
	}
}

func TestNobodyToAsk(t *testing.T) {
	v := Verdict{Kind: AskUser, Reason: "a person must decide"}
	events, ran := answering(t, v, Answer{})
	ended := pick[*session.CallEnded](events)[0]
	if ran != 0 || ended.Status != session.StatusDenied || ended.Judged.By != ByNobody || string(ended.Args) != `{"path":"a"}` {
		t.Errorf("ran %d times, ended %+v", ran, ended)
	}
	if e := end(events); e.End != session.EndDone || e.Text != "done" {
		t.Errorf("the turn ended with %+v", e)
	}
	v.EndTurn = true
	events, _ = answering(t, v, Answer{})
	if e := end(events); e.End != session.EndRefused || e.Reason != ReasonRefused || e.Text != "done" {
		t.Errorf("the turn ended with %+v", e)
	}
	said := pick[*session.Said](events)
	if last := said[len(said)-1]; last.By != session.ByNote || !strings.HasPrefix(last.Text, "[stopped: ") {
		t.Errorf("the model was told %q", last.Text)
	}
	if events, ran := answering(t, v, Answer{Choice: AnswerYes}); ran != 1 || end(events).End != session.EndDone {
		t.Errorf("a yes did not go on: ran %d, %+v", ran, end(events))
	}
}

func TestToolGivesTheAnswer(t *testing.T) {
	plan := fake("plan", VerbTalk, func(context.Context, args) (Output, error) {
		return Output{Text: "shown", Answer: "1. look\n2. change"}, nil
	})
	m := llmtest.NewScript(llmtest.CallTool("plan", `{"path":"a"}`), llmtest.Say("never"))
	events := talk(t, scripted(m, plan), "go")
	if e := end(events); e.End != session.EndDone || e.Text != "1. look\n2. change" || len(m.Requests()) != 1 {
		t.Errorf("%+v after %d requests", e, len(m.Requests()))
	}
}

func TestToolAsks(t *testing.T) {
	var got Answer
	tool := New(Typed[args]{Name: "ask", Intent: func(context.Context, args) (Intent, error) {
		return Intent{Access: []Access{{Verb: VerbTalk}}}, nil
	}, Run: func(ctx context.Context, call *Call, _ args) (out Output, err error) {
		got, err = call.Ask(ctx, Question{Code: "which", Options: []string{"x", "y"}})
		return Output{Text: got.Choice}, err
	}})
	for _, want := range []string{"", "y"} {
		a := scripted(llmtest.NewScript(llmtest.CallTool("ask", `{"path":"a"}`), llmtest.Say("done")), tool)
		events := withPerson(t, a, Answer{Choice: want})
		if end(events).End != session.EndDone || got.Choice != want {
			t.Errorf("answered %q, got %+v", want, got)
		}
	}
}
