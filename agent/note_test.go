package agent

import (
	"strings"
	"testing"

	"paicli/llm/llmtest"
	"paicli/session"
)

// TestNote: news waits for the next border or the next words, and starts no turn.
func TestNote(t *testing.T) {
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := &Agent{Model: llmtest.NewScript(llmtest.Say("one"), llmtest.Say("two"))}
	conv := NewConv(log, func(session.State) (*Agent, error) { return a, nil }, ConvOptions{})
	if err := conv.Note("the server is up"); err != nil {
		t.Fatal(err)
	}
	if n := log.State().Turn; n != 0 {
		t.Errorf("a turn was started: %d", n)
	}
	if err := conv.Submit(Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	for e, err := range conv.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if _, over := e.Body.(*session.TurnEnded); over {
			break
		}
	}
	messages := log.Thread("", 1).Messages()
	if !strings.HasPrefix(messages[0].Text(), "the server is up") {
		t.Errorf("messages %+v", messages)
	}
	if err := conv.Note("late"); err != nil {
		t.Fatal(err)
	}
	if s := log.State(); s.Turn != 1 || len(s.Queue) != 1 || s.Queue[0].By != session.ByNote {
		t.Errorf("state %+v", s)
	}
	if err := conv.Close(); err != nil {
		t.Fatal(err)
	}
	if err := conv.Note("too late"); err != ErrClosed {
		t.Errorf("got %v", err)
	}
}
