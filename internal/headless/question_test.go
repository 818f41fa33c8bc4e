package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paicli/agent"
	"paicli/llm/llmtest"
	"paicli/session"
)

// answering makes a conversation with one tool that puts a question, or whose call a gate asks about,
// and keeps the answer.
func answering(t *testing.T, q agent.Question, rules []string, got *agent.Answer) *agent.Conv {
	t.Helper()
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tool := agent.New(agent.Typed[path]{
		Name: "touch",
		Intent: func(_ context.Context, in path) (agent.Intent, error) {
			return agent.Intent{Title: in.Path, Access: []agent.Access{{Verb: agent.VerbWrite, Target: in.Path}}}, nil
		},
		Run: func(ctx context.Context, c *agent.Call, in path) (agent.Output, error) {
			if q.Code != "" {
				ans, err := c.Ask(ctx, q)
				*got = ans
				return agent.Output{Text: "done"}, err
			}
			*got = agent.Answer{Choice: agent.AnswerYes, Args: c.Args}
			return agent.Output{Text: "done"}, nil
		},
	})
	gate := func(context.Context, *agent.Call) (agent.Verdict, error) {
		if q.Code != "" {
			return agent.Verdict{Kind: agent.Allow}, nil
		}
		return agent.Verdict{Kind: agent.AskUser, Reason: "writes", Ask: agent.Approval{Rules: rules, Keep: func() error { return nil }}}, nil
	}
	ag := &agent.Agent{Model: llmtest.NewScript(llmtest.CallTool("touch", `{"path":"a.txt"}`), llmtest.Say("end")), Tools: []agent.Tool{tool}, Gates: []agent.Gate{gate}}
	conv := agent.NewConv(log, func(session.State) (*agent.Agent, error) { return ag, nil }, agent.ConvOptions{Attended: true})
	t.Cleanup(func() { conv.Close() })
	return conv
}

// drive answers the one question of a turn and returns it.
func drive(t *testing.T, conv *agent.Conv, answer string) (question map[string]any, d *driver) {
	t.Helper()
	in, w := io.Pipe()
	d = &driver{}
	d.see = func(o map[string]any) {
		if o["type"] == "control_request" {
			question = o["request"].(map[string]any)
			go func() {
				fmt.Fprintf(w, `{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":%s}}`+"\n", o["request_id"], answer)
				w.Close()
			}()
		}
	}
	go fmt.Fprintln(w, `{"type":"user","message":{"role":"user","content":"go"}}`)
	if code, err := RunInput(t.Context(), conv, in, options(d)); err != nil || code != ExitDone {
		t.Fatalf("code %d, %v", code, err)
	}
	return question, d
}

func TestApprovalByDriver(t *testing.T) {
	rules := []string{"touch(a.txt)"}
	for name, c := range map[string]struct {
		answer string
		rules  []string
		ran    string // with these arguments
		reason string // why the call was allowed
		mode   string
	}{
		"once":                 {`{"behavior":"allow","updatedInput":{ "path": "a.txt" }}`, rules, `{"path":"a.txt"}`, "", ""},
		"always":               {`{"behavior":"allow","x_always":true}`, rules, `{"path":"a.txt"}`, "always", ""},
		"always, by rules":     {`{"behavior":"allow","updatedInput":{"path":"a.txt"},"updatedPermissions":[{"type":"addRules","behavior":"allow","rules":[{"toolName":"x"}]}]}`, rules, `{"path":"a.txt"}`, "always", ""},
		"always, not offered":  {`{"behavior":"allow","x_always":true}`, nil, `{"path":"a.txt"}`, "", ""},
		"always, other input":  {`{"behavior":"allow","x_always":true,"updatedInput":{"path":"b.txt"}}`, rules, `{"path":"b.txt"}`, "", ""},
		"with another mode":    {`{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"acceptEdits"}]}`, rules, `{"path":"a.txt"}`, "", "auto"},
		"with an unknown mode": {`{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"bypassPermissions"}]}`, rules, `{"path":"a.txt"}`, "", ""},
	} {
		var got agent.Answer
		conv := answering(t, agent.Question{}, c.rules, &got)
		q, d := drive(t, conv, c.answer)
		if reason := judgedReason(conv); string(got.Args) != c.ran || reason != c.reason {
			t.Errorf("%s: ran with %s, because %q", name, got.Args, reason)
		}
		if q["x_code"] != "approve" || q["x_effect"] != "writes a.txt" || fmt.Sprint(q["x_access"]) != "[map[target:a.txt verb:write]]" || len(q["x_rules"].([]any)) != len(c.rules) {
			t.Errorf("%s: the question %v", name, q)
		}
		mode := ""
		for _, o := range d.of("system") {
			if o["subtype"] == "status" {
				mode = o["permissionMode"].(string)
			}
		}
		if mode != c.mode {
			t.Errorf("%s: mode %q", name, mode)
		}
	}
}

// judgedReason is why the only call ran.
func judgedReason(conv *agent.Conv) string {
	for e := range conv.Events(context.Background(), 0) {
		if b, ok := e.Body.(*session.CallStarted); ok {
			return b.Judged.Reason
		}
	}
	return ""
}

func TestQuestionsByDriver(t *testing.T) {
	ask := agent.Question{Code: agent.QuestionAsk, Text: "Which?", Options: []string{"red", "blue"}}
	plan := agent.Question{Code: agent.QuestionPlan, Text: "# Plan", Options: []string{"auto", "ask", "keep"}}
	for name, c := range map[string]struct {
		q      agent.Question
		answer string
		want   agent.Answer
	}{
		"option":            {ask, `{"behavior":"allow","x_choice":"blue"}`, agent.Answer{Choice: "blue"}},
		"own words":         {ask, `{"behavior":"allow","x_text":"pink"}`, agent.Answer{Choice: "text", Text: "pink"}},
		"message":           {ask, `{"behavior":"allow","message":"pink"}`, agent.Answer{Choice: "text", Text: "pink"}},
		"no answer":         {ask, `{"behavior":"deny","message":"no"}`, agent.Answer{}},
		"nothing":           {ask, `{"behavior":"allow"}`, agent.Answer{}},
		"plan":              {plan, `{"behavior":"allow","updatedInput":{}}`, agent.Answer{Choice: "auto"}},
		"plan, ask":         {plan, `{"behavior":"allow","x_choice":"ask","x_text":"slowly"}`, agent.Answer{Choice: "ask", Text: "slowly"}},
		"plan, set mode":    {plan, `{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"default"}]}`, agent.Answer{Choice: "ask"}},
		"plan, not yet":     {plan, `{"behavior":"deny","message":"smaller"}`, agent.Answer{Choice: "keep", Text: "smaller"}},
		"plan, no response": {plan, `null`, agent.Answer{Choice: "keep"}},
	} {
		var got agent.Answer
		q, _ := drive(t, answering(t, c.q, nil, &got), c.answer)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if q["x_code"] != c.q.Code || q["x_reason"] != c.q.Text || len(q["x_options"].([]any)) != len(c.q.Options) {
			t.Errorf("%s: the question %v", name, q)
		}
	}
}

// TestDeniedIsTold: what was not allowed stands on stderr, also when nothing else does.
func TestDeniedIsTold(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		conv, _, _ := asking(t, false, llmtest.CallTool("touch", `{"path":"a.txt"}`), llmtest.Say("could not"))
		var out, errs strings.Builder
		opts := options(&out)
		opts.Format, opts.Err, opts.Quiet = FormatText, &errs, quiet
		if _, err := Run(t.Context(), conv, agent.Prompt{Text: "go"}, opts); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(errs.String(), "touch denied: "); n != 1 || !strings.Contains(errs.String(), "writes a file") {
			t.Errorf("quiet %v: %s", quiet, errs.String())
		}
	}
}

// TestNobodyAnswersAnyMore: the end of the input answers the questions that are open, and those that
// come.
func TestNobodyAnswersAnyMore(t *testing.T) {
	for name, early := range map[string]bool{"before": true, "while it is open": false} {
		conv, _, ran := asking(t, true, llmtest.CallTool("touch", `{"path":"a.txt"}`), llmtest.CallTool("touch", `{"path":"b.txt"}`), llmtest.Say("could not"))
		in, w := io.Pipe()
		d := &driver{see: func(o map[string]any) {
			if o["type"] == "control_request" {
				go w.Close()
			}
		}}
		go func() {
			fmt.Fprintln(w, `{"type":"user","message":{"role":"user","content":"go"}}`)
			if early {
				w.Close()
			}
		}()
		code, err := RunInput(t.Context(), conv, in, options(d))
		if err != nil || code != ExitDone || len(*ran) != 0 {
			t.Errorf("%s: code %d, %v, ran %v", name, code, err, *ran)
		}
		if r := d.of("result"); len(r) != 1 || len(r[0]["permission_denials"].([]any)) != 2 {
			t.Errorf("%s: %v", name, r)
		}
	}
}

func TestTodoText(t *testing.T) {
	d := &session.Detail{Shape: session.ShapeTodo, Todo: []session.Todo{{Content: "a", Status: "completed"}, {Content: "b", Status: "in_progress"}, {Content: "c", Status: "pending"}}}
	if got := detailText(d); got != "[x] a\n[>] b\n[ ] c" {
		t.Errorf("%q", got)
	}
}

func FuzzDriverAnswer(f *testing.F) {
	f.Add(`{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"plan"}]}`)
	f.Fuzz(func(t *testing.T, raw string) {
		var r driverAnswer
		if json.Unmarshal([]byte(raw), &r) != nil {
			return
		}
		q := &session.Asked{Rules: []string{"r"}, Args: []byte(`{}`)}
		if a := approval(q, r); a.Choice != agent.AnswerYes && a.Choice != agent.AnswerAlways {
			t.Errorf("%+v", a)
		}
		if a := planAnswer(r, true); a.Choice == "" {
			t.Errorf("%+v", a)
		}
		wordsAnswer(r)
	})
}
