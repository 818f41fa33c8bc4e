package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"paicli/llm"
	"paicli/llm/llmtest"
	"paicli/session"
)

func TestAnswerSchema(t *testing.T) {
	const schema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	tests := []struct {
		name   string
		says   []string
		end    session.End
		reason string
		text   string
		asked  int
	}{
		{"at once", []string{`{"n":7}`}, session.EndDone, "", `{"n":7}`, 1},
		{"in a fence", []string{"```json\n{\"n\":7}\n```"}, session.EndDone, "", "```json\n{\"n\":7}\n```", 1},
		{"mended", []string{"seven", `{"n":"x"}`, `{"n":7}`}, session.EndDone, "", `{"n":7}`, 3},
		{"never", []string{"a", "b", "c", "it is seven"}, session.EndPartial, ReasonSchema, "it is seven", 4},
	}
	for _, tt := range tests {
		guard, err := AnswerSchema(json.RawMessage(schema))
		if err != nil {
			t.Fatal(err)
		}
		var steps []llmtest.Step
		for _, s := range tt.says {
			steps = append(steps, llmtest.Say(s))
		}
		script := llmtest.NewScript(steps...)
		log, err := session.Create(session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		th := log.Thread("", 1)
		th.Append(&session.Said{By: session.ByUser, Text: "go"})
		out, err := (&Agent{Model: script, Guards: []Guard{guard}}).Run(t.Context(), th, nil)
		if err != nil || out.End != tt.end || out.Reason != tt.reason || out.Text != tt.text || len(script.Requests()) != tt.asked {
			t.Errorf("%s: %+v after %d requests, %v", tt.name, out, len(script.Requests()), err)
		}
		if tt.asked > 1 {
			ms := script.Requests()[1].Messages
			if last := ms[len(ms)-1]; last.Role != llm.RoleUser || !strings.Contains(last.Text(), "it is not JSON") {
				t.Errorf("%s: told %q", tt.name, last.Text())
			}
		}
		log.Close()
	}
	for _, bad := range []string{"{", `[1]`, `{"$ref":"#/nowhere"}`} {
		if _, err := AnswerSchema(json.RawMessage(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func FuzzAnswerJSON(f *testing.F) {
	f.Add("```json\n{}\n```")
	f.Add("```")
	f.Add("``````")
	f.Fuzz(func(t *testing.T, text string) {
		if raw, ok := AnswerJSON(text); ok && !json.Valid(raw) {
			t.Errorf("%q", raw)
		}
	})
}
