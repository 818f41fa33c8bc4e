package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paicli/agent"
	"paicli/internal/app"
	"paicli/internal/config"
	"paicli/llm"
	"paicli/llm/llmtest"
	"paicli/session"
)

// asking is a product in ask mode whose person gives the same answer to every question.
type asking struct {
	app    *app.App
	config string
	asked  []*session.Asked
}

func startAsking(t *testing.T, home, root string, answers ...llmtest.Answer) *asking {
	t.Helper()
	server := llmtest.NewServer(answers...)
	t.Cleanup(server.Close)
	cfg, err := config.Load(config.Options{
		Root: root, UserHome: home, Environ: []string{"PAICLI_HOME=" + home, "PATH=" + os.Getenv("PATH")},
		Flags: config.Flags{BaseURL: server.URL() + "/v1", Model: "scripted", Mode: "ask"},
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(app.Options{Config: cfg, Root: root, Environ: os.Environ(), Attended: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return &asking{app: a, config: cfg.File}
}

// turn runs a turn to its end; before, when set, is called at each question.
func (a *asking) turn(t *testing.T, choice string, before func()) (end *session.TurnEnded) {
	t.Helper()
	after := a.app.Log.Head()
	if err := a.app.Conv.Submit(agent.Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	for e, err := range a.app.Conv.Events(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		switch b := e.Body.(type) {
		case *session.Asked:
			a.asked = append(a.asked, b)
			if before != nil {
				before()
			}
			if err := a.app.Conv.Submit(agent.AnswerOp{ID: b.ID, Answer: agent.Answer{Choice: choice}}); err != nil {
				t.Fatal(err)
			}
		case *session.TurnEnded:
			return b
		}
	}
	return nil
}

func command(text string) llmtest.Answer {
	return llmtest.Calls(llm.Call{ID: "c", Name: "execute_command", Args: `{"command":"` + text + `"}`})
}

// TestAlwaysIsKept: what a person allows for good is stored word for word in their settings, for this
// project, and is not asked again, now and in another session.
func TestAlwaysIsKept(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "config.json"), []byte("{\n  // mine\n  \"ui\": {\"lang\": \"en\"}\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := startAsking(t, home, root, command("ls && touch a.txt"), command("touch a.txt; ls"), llmtest.Text("done"))
	a.turn(t, agent.AnswerAlways, nil)
	want := []string{"execute_command(touch a.txt)"}
	if len(a.asked) != 1 || !slices.Equal(a.asked[0].Rules, want) || len(a.asked[0].Access) == 0 {
		t.Fatalf("asked %+v", a.asked)
	}
	kept, err := os.ReadFile(a.config)
	if err != nil || !strings.Contains(string(kept), `"execute_command(touch a.txt)"`) || !strings.Contains(string(kept), "// mine") || !strings.Contains(string(kept), root) {
		t.Errorf("%s, %v", kept, err)
	}
	again := startAsking(t, home, root, command("touch a.txt"), command("touch b.txt"), llmtest.Text("done"))
	if again.turn(t, agent.AnswerNo, nil); len(again.asked) != 1 {
		t.Errorf("asked %d times, want once for the other file", len(again.asked))
	}
	elsewhere := startAsking(t, home, t.TempDir(), command("touch a.txt"), llmtest.Text("done"))
	if elsewhere.turn(t, agent.AnswerNo, nil); len(elsewhere.asked) != 1 {
		t.Error("the rule counts in another project")
	}
}

// TestModeCountsAtOnce: a change of the mode during a turn holds for its next call.
func TestModeCountsAtOnce(t *testing.T) {
	root := t.TempDir()
	a := startAsking(t, t.TempDir(), root, command("touch a.txt"), command("touch b.txt"), llmtest.Text("done"))
	a.turn(t, agent.AnswerYes, func() {
		if err := a.app.Conv.Submit(agent.Set{Key: "mode", Value: "plan"}); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := os.Stat(filepath.Join(root, "a.txt")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(root, "b.txt")); err == nil || len(a.asked) != 1 {
		t.Errorf("asked %d times; plan mode did not count at once", len(a.asked))
	}
}
