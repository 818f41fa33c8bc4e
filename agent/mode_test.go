package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
	"paicli/llm/llmtest"
	"paicli/session"
)

// TestModeNote: the model is told about the permission mode when it is not the usual one or has
// changed since it was told, and only then; also over a resume.
func TestModeNote(t *testing.T) {
	opts := session.Options{Dir: t.TempDir()}
	log, err := session.Create(opts)
	if err != nil {
		t.Fatal(err)
	}
	mode := func(s session.State) (string, bool) {
		m := s.Settings["mode"]
		return "[mode] " + m + "\nwords", m == ""
	}
	talk := func(log *session.Log) *Conv {
		var steps []llmtest.Step
		for range 9 {
			steps = append(steps, llmtest.Say("ok"))
		}
		a := &Agent{Model: llmtest.NewScript(steps...)}
		return NewConv(log, func(session.State) (*Agent, error) { return a, nil }, ConvOptions{
			Intro: func() string { return "today" }, Mode: mode,
		})
	}
	conv := talk(log)
	turns := 0
	say := func(set, words string) {
		t.Helper()
		if set != "-" {
			if err := conv.Submit(Set{Key: "mode", Value: set}); err != nil {
				t.Fatal(err)
			}
		}
		if err := conv.Submit(Prompt{Text: words}); err != nil {
			t.Fatal(err)
		}
		turns++
		waitEnds(t, conv, turns)
	}
	say("-", "one")
	say("plan", "two")
	say("-", "three")
	say("ask", "four")
	say("", "five")
	if err := conv.Close(); err != nil {
		t.Fatal(err)
	}
	if log, _, err = session.Open(log.ID(), opts); err != nil {
		t.Fatal(err)
	}
	conv = talk(log)
	say("-", "six")
	say("plan", "seven")
	var got []string
	for _, m := range log.Thread("", 1).Messages() {
		if m.Role == llm.RoleUser {
			got = append(got, strings.Fields(m.Text())...)
		}
	}
	want := strings.Fields("today one [mode] plan words two three [mode] ask words four [mode] words five six [mode] plan words seven")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	conv.Close()
}
