package agent

import (
	"context"
	"strings"
	"testing"

	"paicli/llm/llmtest"
	"paicli/session"
)

func TestCrashEndsTheTurnAndNotTheProgram(t *testing.T) {
	m := llmtest.NewScript(llmtest.CallTool("read", `{"path":"a"}`), llmtest.Say("fine again"))
	a := scripted(m, echo("read", VerbRead))
	crash := true
	a.Gates = []Gate{func(context.Context, *Call) (Verdict, error) {
		if crash {
			panic("planted")
		}
		return Verdict{Kind: Allow}, nil
	}}
	conv := newConv(t, a)
	if err := conv.Submit(Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	waitEnds(t, conv, 1)
	crash = false
	if err := conv.Submit(Prompt{Text: "again"}); err != nil {
		t.Fatal(err)
	}
	waitEnds(t, conv, 2)
	events := untilEnd(t, conv) // of the first turn
	e := end(events)
	if e.End != session.EndFailed || e.Failure == nil || !strings.Contains(e.Failure.Detail, "planted") {
		t.Fatalf("ended %+v", e)
	}
	if ended := pick[*session.CallEnded](events); len(ended) != 1 || ended[0].Status != session.StatusInterrupted {
		t.Errorf("the call has %+v", ended)
	}
	if got := m.Requests(); len(got) != 2 {
		t.Errorf("%d requests", len(got))
	}
}
