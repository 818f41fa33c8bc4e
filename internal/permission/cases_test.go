package permission

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paicli/agent"
	"paicli/internal/secret"
	"paicli/llm"
	"paicli/llm/llmtest"
	"paicli/session"
)

// reviewCase is a line of testdata/cases/security.jsonl whose area is classifier.
type reviewCase struct {
	ID    string
	Area  string
	Input struct {
		Words    []string `json:"user_messages"`
		Results  []string `json:"tool_results"`
		Expanded map[string]string
		Prompt   string `json:"subagent_prompt"`
		Command  string
		Commands []string
		Says     string  `json:"classifier_says"`
		RawReply *string `json:"classifier_raw"`
		Sequence []string
		Attended *bool `json:"interactive"`
	}
	Expect struct {
		Verdict string
		AlsoOK  []string `json:"also_ok"`
	}
	Advisory bool
}

// TestCases runs the cases. A case speaks of the last call that it makes. Where it does not say what the
// reviewer answers, the answer is the one that is right for the case: what is judged then is what the
// reviewer was told.
func TestCases(t *testing.T) {
	f, err := os.Open("../../testdata/cases/security.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	n := 0
	for in.Scan() {
		var c reviewCase
		if err := json.Unmarshal(in.Bytes(), &c); err == nil && c.Area == "classifier" {
			n++
			t.Run(c.ID, c.run)
		}
	}
	if n == 0 {
		t.Error("there are no cases")
	}
}

// secretValue is a value that looks like a key.
var secretValue = regexp.MustCompile(`sk-[A-Za-z0-9-]{8,}`)

func (c reviewCase) run(t *testing.T) {
	d := newDesk(t, Options{Scrub: secret.Redact}, c.reviews()...)
	d.person = agent.AnswerNo
	if c.Input.Attended != nil && !*c.Input.Attended {
		d.person = ""
	}
	th := c.tell(t, d)
	var got string
	var out agent.Output
	for _, command := range c.commands() {
		asked := len(d.asked)
		out = d.from(th, "execute_command", map[string]any{"command": command})
		switch {
		case len(d.asked) > asked:
			got = "ask"
		case out.Status == session.StatusDenied:
			got = "deny"
		default:
			got = "allow"
		}
	}
	want := append([]string{c.Expect.Verdict}, c.Expect.AlsoOK...)
	if c.Expect.Verdict == "ask" && c.Input.Sequence == nil {
		want = append(want, "deny") // a reviewer's no is a refusal
	}
	if c.Expect.Verdict == "neutralised" {
		want = append(want, "allow")
	}
	if !slices.Contains(want, got) {
		t.Errorf("got %s, want %s: %s", got, want, out.Text)
	}
	c.told(t, d, out)
}

// reviews are the answers of the reviewer.
func (c reviewCase) reviews() []llmtest.Step {
	answer := func(word string) llmtest.Step {
		switch word {
		case "safe":
			return yes()
		case "error":
			return down()
		}
		return no()
	}
	var out []llmtest.Step
	for _, word := range c.Input.Sequence {
		out = append(out, answer(word))
	}
	switch {
	case out != nil:
	case c.Input.RawReply != nil:
		out = append(out, llmtest.Say(*c.Input.RawReply))
	case c.Input.Says != "":
		out = append(out, answer(c.Input.Says))
	case c.Expect.Verdict == "allow" || c.Expect.Verdict == "neutralised":
		out = append(out, yes())
	default:
		out = append(out, no())
	}
	return out
}

var repeated = regexp.MustCompile(`\{\{repeat:(.*?):(\d+)\}\}`)

func (c reviewCase) commands() []string {
	in := c.Input
	out := in.Commands
	for i := len(out); i < max(1, len(in.Sequence)); i++ {
		command := in.Command
		if command == "" {
			command = "npx tool" + strconv.Itoa(i)
		}
		out = append(out, repeated.ReplaceAllStringFunc(command, func(m string) string {
			parts := repeated.FindStringSubmatch(m)
			n, _ := strconv.Atoi(parts[2])
			return strings.Repeat(parts[1], n)
		}))
	}
	return out
}

// tell puts into the session what the case says was there before the call, and returns the thread of
// the call.
func (c reviewCase) tell(t *testing.T, d *desk) *session.Thread {
	for _, w := range c.Input.Words {
		d.say(w)
	}
	th := d.log.Thread("", d.turn)
	var bodies []session.Body
	for _, text := range c.Input.Expanded {
		bodies = append(bodies, &session.Said{By: session.ByNote, Text: text})
	}
	for _, text := range c.Input.Results {
		call := llm.Call{ID: "w", Name: "read_file", Args: `{}`}
		seq, err := th.Append(&session.Replied{Message: llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{{Kind: llm.KindCall, Call: &call}}}})
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, &session.CallEnded{Call: session.CallName(seq, 0), Name: "read_file", Status: session.StatusOK, Result: llm.Result{ID: "w", Text: text}})
	}
	if len(bodies) > 0 {
		if _, err := th.Append(bodies...); err != nil {
			t.Fatal(err)
		}
	}
	if c.Input.Prompt != "" {
		th = th.Child("task-1")
		if _, err := th.Append(&session.Said{By: session.ByAgent, Text: c.Input.Prompt}); err != nil {
			t.Fatal(err)
		}
	}
	return th
}

// told checks what the reviewer and the model were told.
func (c reviewCase) told(t *testing.T, d *desk, out agent.Output) {
	reqs := d.model.Requests()
	hidden := slices.Clone(c.Input.Results)
	for _, text := range c.Input.Expanded {
		hidden = append(hidden, strings.TrimSuffix(text, c.Input.Command))
	}
	if c.Input.Prompt != "" {
		hidden = append(hidden, c.Input.Prompt)
	}
	commands := c.commands()
	for i, req := range reqs {
		text := req.Messages[0].Text()
		for _, h := range hidden {
			if strings.Contains(text, h) {
				t.Errorf("the reviewer was told %q", h)
			}
		}
		if secretValue.MatchString(text) {
			t.Error("the reviewer was told a secret")
		}
		if c.Expect.Verdict == "neutralised" && !strings.Contains(text, "***") {
			t.Errorf("nothing stands for the secret: %s", text)
		}
		if command := secretValue.ReplaceAllString(commands[i], "***"); !strings.Contains(text, command) {
			t.Errorf("the reviewer was not told the whole command: %.200s", text)
		}
	}
	if looks := d.policy.Report("execute_command", []agent.Access{{Verb: agent.VerbRun, Target: commands[0]}}).Verdict; (looks == "allow" || looks == "deny") && len(reqs) > 0 {
		t.Errorf("what needs no review was reviewed %d times", len(reqs))
	}
	if c.Expect.Verdict == "deny" && c.Input.Sequence != nil {
		last := commands[len(commands)-1]
		if !strings.Contains(out.Text, last) || !strings.Contains(out.Text, "user") || strings.ContainsAny(strings.ReplaceAll(out.Text, last, ""), "*|") {
			t.Errorf("the refusal says %q", out.Text)
		}
	}
}
