package tool

import (
	"context"
	"encoding/json"
	"testing"

	"paicli/agent"
	"paicli/llm/llmtest"
	"paicli/session"
)

// TestParityBatch: four edits of one file in one reply, through the real loop.
func TestParityBatch(t *testing.T) {
	t.Run("P-03", func(t *testing.T) {
		b := newBench(t, "a.txt", "one\ntwo\nthree\nfour\n")
		var edits []string
		for _, word := range []string{"one", "two", "three", "four"} {
			raw, err := json.Marshal(args{"path": "a.txt", "old_text": word, "new_text": word + "!"})
			if err != nil {
				t.Fatal(err)
			}
			edits = append(edits, "edit_file", string(raw))
		}
		ended := b.turn(llmtest.CallTool("read_file", `{"path":"a.txt"}`), llmtest.CallTool(edits...), llmtest.Say("done"))
		for i, e := range ended {
			if e.Status != session.StatusOK {
				t.Errorf("call %d: %s: %s", i, e.Status, e.Result.Text)
			}
		}
		if got := b.content("a.txt"); len(ended) != 5 || got != "one!\ntwo!\nthree!\nfour!\n" {
			t.Errorf("%d calls, the file holds %q", len(ended), got)
		}
	})
}

// turn runs a turn of the loop with the tools of the bench, all calls allowed, and returns how its
// calls ended.
func (b *bench) turn(steps ...llmtest.Step) []*session.CallEnded {
	b.t.Helper()
	log, err := session.Create(session.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	a := &agent.Agent{Model: llmtest.NewScript(steps...), Gates: []agent.Gate{allowAll}}
	for _, t := range b.tools {
		a.Tools = append(a.Tools, t)
	}
	conv := agent.NewConv(log, func(session.State) (*agent.Agent, error) { return a, nil }, agent.ConvOptions{})
	defer conv.Close()
	if err := conv.Submit(agent.Prompt{Text: "go"}); err != nil {
		b.t.Fatal(err)
	}
	var ended []*session.CallEnded
	for e, err := range conv.Events(b.t.Context(), 0) {
		if err != nil {
			b.t.Fatal(err)
		}
		switch body := e.Body.(type) {
		case *session.CallEnded:
			ended = append(ended, body)
		case *session.TurnEnded:
			return ended
		}
	}
	b.t.Fatal("the turn did not end")
	return nil
}

func allowAll(context.Context, *agent.Call) (agent.Verdict, error) {
	return agent.Verdict{Kind: agent.Allow}, nil
}
