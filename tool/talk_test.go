package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paicli/agent"
	"paicli/session"
)

// talk runs a call in a mode with a person who gives an answer; nil = nobody is there.
func talk(t *testing.T, mode string, name string, in args, ans *agent.Answer) (out agent.Output, asked []agent.Question, set string, err error) {
	t.Helper()
	o := Options{Mode: func() string { return mode }, SetMode: func(m string) error { set = m; return nil }}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range All(o) {
		if tool.Spec().Name != name {
			continue
		}
		call := &agent.Call{Name: name, Args: raw, Tool: tool}
		if call.Intent, err = tool.Intent(t.Context(), raw); err != nil {
			return out, nil, set, err
		}
		if want := []agent.Access{{Verb: agent.VerbTalk}}; cmp.Diff(want, call.Intent.Access) != "" {
			t.Errorf("%s touches %v", name, call.Intent.Access)
		}
		if ans != nil {
			call.Ask = func(_ context.Context, q agent.Question) (agent.Answer, error) {
				asked = append(asked, q)
				return *ans, nil
			}
		}
		out, err = tool.Run(t.Context(), call)
		return out, asked, set, err
	}
	t.Fatalf("no tool %s", name)
	return
}

func TestTodoWrite(t *testing.T) {
	item := func(content, status string) args { return args{"content": content, "status": status} }
	out, _, _, err := talk(t, "auto", "todo_write", args{"todos": []args{item("look", "completed"), item(" mend\n", "in_progress"), item("test", "pending")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	has(t, out.Text, "1 completed, 1 in progress, 1 pending")
	want := &session.Detail{Shape: session.ShapeTodo, Todo: []session.Todo{{Content: "look", Status: "completed"}, {Content: "mend", Status: "in_progress"}, {Content: "test", Status: "pending"}}}
	if d := cmp.Diff(want, out.Detail); d != "" {
		t.Error(d)
	}
	out, _, _, err = talk(t, "plan", "todo_write", args{"todos": []args{item("a", "in_progress"), item("b", "in_progress")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	has(t, out.Text, "2 items are in_progress")
	if _, _, _, err = talk(t, "auto", "todo_write", args{"todos": []args{}}, nil); err != nil {
		t.Error(err)
	}
	var many []args
	for i := range maxTodos + 1 {
		many = append(many, item(fmt.Sprint(i), "pending"))
	}
	for name, in := range map[string]args{
		"too many": {"todos": many}, "status must be": {"todos": []args{item("a", "doing")}}, "no content": {"todos": []args{item(" ", "pending")}},
	} {
		if _, _, _, err := talk(t, "auto", "todo_write", in, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAskUser(t *testing.T) {
	in := args{"question": "Which one?\n", "options": []string{"red", "no"}}
	for name, c := range map[string]struct {
		ans  *agent.Answer
		want string
	}{
		"an option":        {&agent.Answer{Choice: "no"}, "the user chose: no"},
		"own words":        {&agent.Answer{Choice: agent.AnswerText, Text: "neither "}, "the user answers: neither"},
		"option and words": {&agent.Answer{Choice: "red", Text: "but dark"}, "the user chose: red\nand says: but dark"},
		"no words":         {&agent.Answer{Choice: agent.AnswerText}, "nobody answered: decide yourself"},
		"no answer":        {&agent.Answer{}, "nobody answered: decide yourself"},
		"nobody":           {nil, "nobody answered: decide yourself"},
	} {
		out, asked, _, err := talk(t, "auto", "ask_user", in, c.ans)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.Text, c.want) {
			t.Errorf("%s: %q", name, out.Text)
		}
		if c.ans != nil && (len(asked) != 1 || asked[0].Code != agent.QuestionAsk || asked[0].Text != "Which one?" || len(asked[0].Options) != 2) {
			t.Errorf("%s: asked %+v", name, asked)
		}
	}
	for name, in := range map[string]args{
		"question is empty": {"question": " "}, "too many": {"question": "q", "options": []string{"1", "2", "3", "4", "5"}}, "option 2 is empty": {"question": "q", "options": []string{"1", " "}},
	} {
		if _, _, _, err := talk(t, "auto", "ask_user", in, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAskUserInterrupted: a turn that ends while the question stands is no answer of nobody's.
func TestAskUserInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	call := &agent.Call{Ask: func(context.Context, agent.Question) (agent.Answer, error) {
		cancel(agent.ErrInterrupted)
		return agent.Answer{}, nil
	}}
	if _, err := put(ctx, call, agent.Question{}); !errors.Is(err, agent.ErrInterrupted) {
		t.Error(err)
	}
}

func TestExitPlan(t *testing.T) {
	in := args{"plan": "# Plan\n1. look\n"}
	for name, c := range map[string]struct {
		ans                 *agent.Answer
		text, answer, setTo string
	}{
		"in auto":       {&agent.Answer{Choice: "auto"}, "the user approved the plan; the mode is auto now. Carry it out.", "", "auto"},
		"in ask":        {&agent.Answer{Choice: "ask", Text: "slowly"}, "the mode is ask now. Carry it out.\nThey say: slowly", "", "ask"},
		"keep planning": {&agent.Answer{Choice: "keep", Text: "too big"}, "go on planning: change nothing yet, and hand in the plan again\nThey say: too big", "", ""},
		"no":            {&agent.Answer{Choice: agent.AnswerNo}, "go on planning", "", ""},
		"nobody":        {nil, "nobody is there", "# Plan\n1. look", ""},
	} {
		out, asked, set, err := talk(t, "plan", "exit_plan", in, c.ans)
		if err != nil {
			t.Fatal(err)
		}
		has(t, out.Text, c.text)
		if out.Answer != c.answer || set != c.setTo {
			t.Errorf("%s: answer %q, mode set to %q", name, out.Answer, set)
		}
		if c.ans != nil && (asked[0].Code != agent.QuestionPlan || asked[0].Text != "# Plan\n1. look" || cmp.Diff([]string{"auto", "ask", "keep"}, asked[0].Options) != "") {
			t.Errorf("%s: asked %+v", name, asked)
		}
	}
	for mode, words := range map[string]string{"auto": "the mode is not plan", "ask": "the mode is not plan"} {
		if out, asked, _, err := talk(t, mode, "exit_plan", in, &agent.Answer{Choice: "auto"}); err == nil || !strings.Contains(err.Error(), words) || asked != nil {
			t.Errorf("in %s: %q, asked %v, %v", mode, out.Text, asked, err)
		}
	}
	if _, _, _, err := talk(t, "plan", "exit_plan", args{"plan": " "}, nil); err == nil {
		t.Error("an empty plan was taken")
	}
}
