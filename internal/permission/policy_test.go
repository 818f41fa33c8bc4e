package permission

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"paicli/agent"
	"paicli/internal/effect"
	"paicli/llm"
	"paicli/llm/llmtest"
	"paicli/session"
)

// desk is a policy with tools that only note that they ran, a reviewer that plays answers and a person
// who gives the same answer to every question.
type desk struct {
	t      *testing.T
	policy *Policy
	log    *session.Log
	turn   int
	model  *llmtest.Script // the reviewer; nil = none
	person string          // the answer; "" = nobody is there
	ran    []string
	asked  []agent.Question
	kept   []string
	mode   Mode
}

func newDesk(t *testing.T, o Options, reviews ...llmtest.Step) *desk {
	t.Helper()
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	d := &desk{t: t, log: log, model: llmtest.NewScript(reviews...), mode: Auto}
	if o.Mode == nil {
		o.Mode = func() Mode { return d.mode }
	}
	if o.Place.Dir == "" {
		o.Place = effect.Place{Dir: "/home/ada/project", Home: "/home/ada"}
	}
	if o.Keep == nil {
		o.Keep = func(rules []string) error { d.kept = append(d.kept, rules...); return nil }
	}
	d.policy = New(o)
	d.say("do the job")
	return d
}

// say begins a turn.
func (d *desk) say(words string) {
	d.t.Helper()
	if d.turn > 0 {
		if _, err := d.log.Thread("", d.turn).Append(&session.TurnEnded{End: session.EndDone}); err != nil {
			d.t.Fatal(err)
		}
	}
	d.turn++
	if _, err := d.log.Thread("", d.turn).Append(&session.Said{By: session.ByUser, Text: words}); err != nil {
		d.t.Fatal(err)
	}
}

// call has a call judged and run.
func (d *desk) call(tool string, args map[string]any) agent.Output {
	d.t.Helper()
	return d.from(d.log.Thread("", d.turn), tool, args)
}

func (d *desk) from(th *session.Thread, tool string, args map[string]any) agent.Output {
	d.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		d.t.Fatal(err)
	}
	var reviewer llm.Model
	if d.model != nil {
		reviewer = d.model
	}
	a := &agent.Agent{Gates: d.policy.Gates(reviewer)}
	for _, name := range []string{"execute_command", "read_file", "write_file", "edit_file", "create_project", "mcp__docs__find", "revert_turn", "todo_write", "odd"} {
		a.Tools = append(a.Tools, noting{d: d, name: name})
	}
	out, err := a.Do(d.t.Context(), th, d.ask, llm.Call{ID: "c", Name: tool, Args: string(raw)})
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// run has a command judged and run.
func (d *desk) run(command string) agent.Output {
	d.t.Helper()
	return d.call("execute_command", map[string]any{"command": command})
}

func (d *desk) ask(_ context.Context, _ *session.Thread, q agent.Question) (agent.Answer, error) {
	if d.person == "" {
		return agent.Answer{}, nil
	}
	d.asked = append(d.asked, q)
	return agent.Answer{Choice: d.person}, nil
}

// noting is a tool that does nothing.
type noting struct {
	d    *desk
	name string
}

func (n noting) Spec() llm.ToolSpec { return llm.ToolSpec{Name: n.name} }

func (n noting) Intent(_ context.Context, raw json.RawMessage) (agent.Intent, error) {
	var in struct{ Command, Path string }
	json.Unmarshal(raw, &in)
	verb := map[string]agent.Verb{
		"execute_command": agent.VerbRun, "read_file": agent.VerbRead, "write_file": agent.VerbWrite, "edit_file": agent.VerbWrite,
		"create_project": agent.VerbWrite, "revert_turn": agent.VerbWrite, "todo_write": agent.VerbTalk, "mcp__docs__find": agent.VerbRead,
	}[n.name]
	if verb == "" {
		return agent.Intent{}, nil
	}
	return agent.Intent{Title: n.name, Access: []agent.Access{{Verb: verb, Target: in.Command + in.Path}}}, nil
}

func (n noting) Run(_ context.Context, c *agent.Call) (agent.Output, error) {
	n.d.ran = append(n.d.ran, c.Name)
	return agent.Output{Text: "ran"}, nil
}

// Answers of a reviewer.
func yes() llmtest.Step { return llmtest.Say(`{"decision":"allow","reason":"a build"}`) }
func no() llmtest.Step  { return llmtest.Say(`{"decision":"ask","reason":"not asked for"}`) }
func down() llmtest.Step {
	return llmtest.Step{Err: &llm.Error{Kind: llm.ErrOverloaded, Detail: "busy"}}
}

func TestModes(t *testing.T) {
	path := func(p string) map[string]any { return map[string]any{"path": p} }
	command := func(c string) map[string]any { return map[string]any{"command": c} }
	for _, tt := range []struct {
		tool            string
		args            map[string]any
		auto, plan, ask string // runs, asks, reviews or denies
	}{
		{"read_file", path("a.go"), "runs", "runs", "runs"},
		{"todo_write", nil, "runs", "runs", "runs"},
		{"write_file", path("a.go"), "runs", "denies", "asks"},
		{"edit_file", path("a.go"), "runs", "denies", "asks"},
		{"create_project", path("demo/go.mod"), "runs", "denies", "asks"},
		{"execute_command", command("git status"), "runs", "runs", "runs"},
		{"execute_command", command("npx x"), "reviews", "denies", "asks"},
		{"execute_command", command("sudo ls"), "denies", "denies", "denies"},
		{"execute_command", command("cat .env"), "asks", "denies", "asks"},
		{"mcp__docs__find", path("x"), "reviews", "denies", "asks"},
		{"revert_turn", nil, "reviews", "denies", "asks"},
		{"odd", nil, "reviews", "denies", "asks"},
	} {
		for mode, want := range map[Mode]string{Auto: tt.auto, Plan: tt.plan, Asks: tt.ask} {
			d := newDesk(t, Options{}, yes())
			d.mode, d.person = mode, agent.AnswerYes
			out := d.call(tt.tool, tt.args)
			got := "runs"
			switch {
			case len(d.ran) == 0:
				got = "denies"
			case len(d.asked) > 0:
				got = "asks"
			case len(d.model.Requests()) > 0:
				got = "reviews"
			}
			if got != want {
				t.Errorf("%s %v in %s mode: %s, want %s: %s", tt.tool, tt.args, mode, got, want, out.Text)
			}
		}
	}
}

func TestPlanSaysSo(t *testing.T) {
	d := newDesk(t, Options{})
	d.mode = Plan
	for _, out := range []agent.Output{d.call("write_file", map[string]any{"path": "a"}), d.run("touch a")} {
		if out.Status != session.StatusDenied || !strings.Contains(strings.ToLower(out.Text), "plan mode") {
			t.Errorf("%+v", out)
		}
	}
	d.mode = Auto // a change counts at once
	if out := d.call("write_file", map[string]any{"path": "a"}); out.Status != session.StatusOK {
		t.Errorf("%+v", out)
	}
}

func TestRulesDecide(t *testing.T) {
	for _, tt := range []struct {
		name              string
		allow, ask, deny  []string
		mode              Mode
		tool, object, got string
	}{
		{"an allow rule", []string{"Bash(npx *)"}, nil, nil, Auto, "execute_command", "npx x", "runs"},
		{"in ask mode too", []string{"Bash(npx *)"}, nil, nil, Asks, "execute_command", "npx x", "runs"},
		{"not in plan mode", []string{"Bash(npx *)"}, nil, nil, Plan, "execute_command", "npx x", "denied"},
		{"every command of the line", []string{"Bash(touch *)"}, nil, nil, Asks, "execute_command", "touch a.txt && rm -rf keep", "asks"},
		{"what only looks needs none", []string{"Bash(touch *)"}, nil, nil, Asks, "execute_command", "git status && touch a.txt", "runs"},
		{"two rules", []string{"Bash(touch *)", "Bash(rm -rf keep)"}, nil, nil, Asks, "execute_command", "touch a.txt && rm -rf keep", "runs"},
		{"a substitution", []string{"Bash(touch *)"}, nil, nil, Asks, "execute_command", "touch $(rm -rf keep)", "asks"},
		{"a command that is started", []string{"Bash(timeout *)"}, nil, nil, Asks, "execute_command", "timeout 5 rm -rf keep", "asks"},
		{"a shell", []string{"Bash(bash *)"}, nil, nil, Asks, "execute_command", "bash -c 'rm -rf keep'", "asks"},
		{"output into the project", []string{"Bash(npx *)"}, nil, nil, Asks, "execute_command", "npx x > out.txt", "asks"},
		{"output to a file of a rule", []string{"Bash(npx *)", "Edit(out.txt)"}, nil, nil, Asks, "execute_command", "npx x > out.txt", "runs"},
		{"output to nowhere", []string{"Bash(npx *)"}, nil, nil, Asks, "execute_command", "npx x > /dev/null 2>&1", "runs"},
		{"an option that writes", []string{"Bash(git log:*)"}, nil, nil, Asks, "execute_command", "git log --output=x", "asks"},
		{"an option that writes, in full", []string{"Bash(git log --output=x)"}, nil, nil, Asks, "execute_command", "git log --output=x", "runs"},
		{"output elsewhere", []string{"Bash(npx *)"}, nil, nil, Asks, "execute_command", "npx x > /tmp/out", "asks"},
		{"output into git", []string{"Bash(npx *)"}, nil, nil, Asks, "execute_command", "npx x > .git/hooks/pre-commit", "asks"},
		{"a variable in front", []string{"Bash(npx *)"}, nil, nil, Asks, "execute_command", "LD_PRELOAD=x npx y", "asks"},
		{"a variable of the rule", []string{"Bash(CI=* npx *)"}, nil, nil, Asks, "execute_command", "CI=1 npx y", "runs"},
		{"unknown words", []string{"Bash(npx *)"}, nil, nil, Asks, "execute_command", "npx $X", "runs"},
		{"an unknown name", []string{"Bash(npx *)"}, nil, nil, Asks, "execute_command", "$X npx", "asks"},
		{"everything", []string{"Bash"}, nil, nil, Asks, "execute_command", "$X npx; Y=1 make > /tmp/x", "runs"},
		{"not the floor", []string{"Bash", "Bash(sudo ls)"}, nil, nil, Asks, "execute_command", "sudo ls", "denied"},
		{"not credentials", []string{"Bash", "Bash(cat *)"}, nil, nil, Asks, "execute_command", "cat .env", "asks"},
		{"but when they are named", []string{"Bash(cat .env)"}, nil, nil, Asks, "execute_command", "cat .env", "runs"},
		{"deny over allow", []string{"Bash(npx *)"}, nil, []string{"Bash(npx *)"}, Auto, "execute_command", "npx x", "denied"},
		{"deny over what looks", nil, nil, []string{"Bash(git *)"}, Auto, "execute_command", "ls; git status", "denied"},
		{"deny in a shell", nil, nil, []string{"Bash(npx *)"}, Auto, "execute_command", "sh -c 'npx x'", "denied"},
		{"deny behind xargs", nil, nil, []string{"Bash(npx *)"}, Auto, "execute_command", "ls | xargs npx", "denied"},
		{"deny by a path of the program", nil, nil, []string{"Bash(npx *)"}, Auto, "execute_command", "/usr/bin/npx x", "denied"},
		{"deny all", []string{"Bash(ls)"}, nil, []string{"Bash"}, Auto, "execute_command", "ls", "denied"},
		{"ask over allow", []string{"Bash"}, []string{"Bash(git push *)"}, nil, Auto, "execute_command", "git push", "asks"},
		{"ask over what looks", nil, []string{"Bash(git log *)"}, nil, Auto, "execute_command", "git log", "asks"},
		{"deny over ask", nil, []string{"Bash"}, []string{"Bash(npx *)"}, Auto, "execute_command", "npx x", "denied"},
		{"a path", []string{"Edit(src/**)"}, nil, nil, Asks, "edit_file", "src/a.go", "runs"},
		{"another path", []string{"Edit(src/**)"}, nil, nil, Asks, "edit_file", "lib/a.go", "asks"},
		{"no path in plan mode", []string{"Edit(src/**)"}, nil, nil, Plan, "edit_file", "src/a.go", "denied"},
		{"a denied path", nil, nil, []string{"Edit(src/**)"}, Auto, "write_file", "src/a.go", "denied"},
		{"in other letters", nil, nil, []string{"Read(secret/**)"}, Auto, "read_file", "SECRET/a", "denied"},
		{"a denied path in a command", nil, nil, []string{"Read(notes/**)"}, Auto, "execute_command", "cat notes/a", "denied"},
		{"a denied path written by a command", nil, nil, []string{"Edit(notes/**)"}, Auto, "execute_command", "npx x > notes/a", "denied"},
		{"an asked path", nil, []string{"Read(notes/**)"}, nil, Auto, "read_file", "notes/a", "asks"},
		{"a server", []string{"mcp__docs__*"}, nil, nil, Asks, "mcp__docs__find", "x", "runs"},
		{"a server in plan mode", []string{"mcp__docs__*"}, nil, nil, Plan, "mcp__docs__find", "x", "runs"},
		{"a denied tool", nil, nil, []string{"mcp__docs__find"}, Auto, "mcp__docs__find", "x", "denied"},
		{"a denied tool that talks", nil, nil, []string{"TodoWrite"}, Auto, "todo_write", "", "denied"},
	} {
		d := newDesk(t, Options{Rules: Rules{Allow: rules(t, tt.allow...), Ask: rules(t, tt.ask...), Deny: rules(t, tt.deny...)}}, yes())
		d.mode, d.person = tt.mode, agent.AnswerYes
		key := "path"
		if tt.tool == "execute_command" {
			key = "command"
		}
		out := d.call(tt.tool, map[string]any{key: tt.object})
		got := "runs"
		switch {
		case out.Status == session.StatusDenied:
			got = "denied"
		case len(d.asked) > 0:
			got = "asks"
		case len(d.model.Requests()) > 0:
			got = "reviewed"
		}
		if got != tt.got {
			t.Errorf("%s: %s %s: %s, want %s: %s", tt.name, tt.tool, tt.object, got, tt.got, out.Text)
		}
	}
}

func TestAlways(t *testing.T) {
	for _, tt := range []struct {
		tool, object string
		offered      []string
	}{
		{"execute_command", "rm -f x.tmp", []string{"execute_command(rm -f x.tmp)"}},
		{"execute_command", "git status && rm -f x.tmp; rm -f x.tmp && npx 'a b'", []string{"execute_command(rm -f x.tmp)", "execute_command(npx 'a b')"}},
		{"execute_command", "touch covered && npx x", []string{"execute_command(npx x)"}},
		{"execute_command", "npx $X", nil},
		{"execute_command", "A=1 npx x", nil},
		{"execute_command", "cat .env", nil},
		{"execute_command", "npx x > /tmp/out", nil},
		{"execute_command", "npx '" + strings.Repeat("a", maxOfferedText) + "'", nil},
		{"execute_command", "a1; a2; a3; a4; a5; a6", nil},
		{"edit_file", "src/x.go", []string{"edit_file(src/x.go)"}},
		{"edit_file", "x.go", []string{"edit_file(/x.go)"}},
		{"edit_file", "a*.go", nil},
		{"mcp__docs__find", "x", []string{"mcp__docs__*"}},
		{"odd", "", nil},
		{"revert_turn", "", []string{"revert_turn"}},
	} {
		d := newDesk(t, Options{Rules: Rules{Allow: rules(t, "Bash(touch *)")}})
		d.mode, d.person = Asks, agent.AnswerAlways
		key := "path"
		if tt.tool == "execute_command" {
			key = "command"
		}
		out := d.call(tt.tool, map[string]any{key: tt.object})
		if len(d.asked) != 1 || strings.Join(d.asked[0].Rules, "|") != strings.Join(tt.offered, "|") {
			t.Errorf("%s %s: asked %+v, %s", tt.tool, tt.object, d.asked, out.Text)
			continue
		}
		if strings.Join(d.kept, "|") != strings.Join(tt.offered, "|") {
			t.Errorf("%s %s: kept %q", tt.tool, tt.object, d.kept)
		}
		if tt.offered == nil {
			continue
		}
		if d.call(tt.tool, map[string]any{key: tt.object}); len(d.asked) != 1 || len(d.ran) != 2 {
			t.Errorf("%s %s: it was asked again", tt.tool, tt.object)
		}
	}
}

// TestRuleIsNotStretched: whatever joins another command to one that a rule covers, the other one is not
// covered.
func TestRuleIsNotStretched(t *testing.T) {
	for _, line := range []string{
		"touch a; rm -rf keep", "touch a && rm -rf keep", "touch a || rm -rf keep", "touch a | rm -rf keep", "touch a & rm -rf keep", "touch a\nrm -rf keep",
		"touch a\r\nrm -rf keep", "touch $(rm -rf keep)", "touch `rm -rf keep`", "touch \"$(rm -rf keep)\"", "touch <(rm -rf keep)", "touch a >(rm -rf keep)",
		"touch a; { rm -rf keep; }", "touch a; (rm -rf keep)", "touch ${x:-$(rm -rf keep)}", "touch $((`rm -rf keep`))", "if touch a; then rm -rf keep; fi",
		"for x in $(rm -rf keep); do touch a; done", "touch a <<EOF\n$(rm -rf keep)\nEOF", "touch a <<< $(rm -rf keep)", "x=$(rm -rf keep) touch a",
		"touch() { rm -rf keep; }; touch a", "alias touch='rm -rf keep'; touch a", "eval touch a", "touch a # \\\nrm -rf keep", "t\\ouch a; \\rm -rf keep",
		"env touch a; env rm -rf keep", "xargs touch < list; xargs rm -rf keep", "touch a >| /etc/x", "touch a &> /tmp/x", "touch a > ~/x", "touch a > ../x",
		"PATH=. touch a", "./touch a", "/tmp/touch a", "touch a; $x", "function touch { rm -rf keep; }; touch a", "coproc rm -rf keep; touch a",
		"touch a 'open", "exec rm -rf keep", "trap 'rm -rf keep' EXIT; touch a", "source touch", ". ./touch", "time touch a; time rm -rf keep", "! rm -rf keep",
	} {
		d := newDesk(t, Options{Rules: Rules{Allow: rules(t, "Bash(touch:*)", "Bash(touch *)")}})
		d.mode = Asks
		if out := d.run(line); out.Status != session.StatusDenied {
			t.Errorf("%q ran: %+v", line, out)
		}
	}
}

// A command whose reading fails is nobody's to allow but a person's.
func TestUnreadableCommandIsAsked(t *testing.T) {
	for _, mode := range []Mode{Auto, Asks} {
		p := New(Options{
			Mode:  func() Mode { return mode },
			Place: effect.Place{Dir: "/p", Where: func(string) effect.Where { panic("planted") }},
		})
		call := &agent.Call{Name: runTool, Intent: agent.Intent{Access: []agent.Access{{Verb: agent.VerbRun, Target: "cat a"}}}}
		for i, gate := range p.Gates(nil) {
			v, err := gate(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			if last := i == len(p.Gates(nil))-1; v.Kind == agent.AskUser != last || v.Kind == agent.Allow {
				t.Errorf("%s: gate %d says %+v", mode, i, v)
			}
		}
	}
}
