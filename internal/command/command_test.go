package command_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paicli/agent"
	"paicli/internal/command"
	"paicli/internal/i18n"
	"paicli/llm"
	"paicli/session"
)

func TestParity(t *testing.T) {
	t.Run("K-01", func(t *testing.T) {
		tests := []struct {
			line, name, payload string // name "" = words for the model, "?" = unknown
		}{
			{"/exit", "exit", ""},
			{"/QUIT", "exit", ""},
			{"exit", "exit", ""},
			{" Quit ", "exit", ""},
			{"exit now", "", ""},
			{"/exit now", "?", "/exit now"},
			{"/clear", "clear", ""},
			{"clear", "clear", ""},
			{"clear the screen please", "", ""},
			{"/cancel", "cancel", ""},
			{"cancel", "cancel", ""},
			{"help", "", ""},
			{"/model", "model", ""},
			{"/model   deepseek-flash  ", "model", "deepseek-flash"},
			{"/MODEL deepseek/deepseek-flash", "model", "deepseek/deepseek-flash"},
			{"/models", "?", "/models"},
			{"/mode nope", "mode", "nope"},
			{"/context", "context", ""},
			{"/ctx", "context", ""},
			{"/sessions", "sessions", ""},
			{"/unknown", "?", "/unknown"},
			{"/mode plan", "mode", "plan"},
			{"/hitl on", "hitl", "on"},
			{"/hitl Default", "hitl", "Default"},
			{"/hitl off", "?", "/hitl off"},
			{"/hitl", "?", "/hitl"},
			{"/usr/bin/env prints what?", "", ""},
			{"/ what is this", "", ""},
			{"// a comment", "", ""},
			{"帮我读取 pom.xml", "", ""},
			{"", "", ""},
		}
		for _, tt := range tests {
			l, ok := command.Parse(tt.line)
			got := ""
			switch {
			case ok && l.Command == nil:
				got = "?"
			case ok:
				got = l.Command.Name
			}
			if got != tt.name || ok && l.Payload != tt.payload {
				t.Errorf("%q is %q with %q, want %q with %q", tt.line, got, l.Payload, tt.name, tt.payload)
			}
		}
	})
}

// A-20: /hitl is two of the modes, and never none.
func TestParityHitl(t *testing.T) {
	t.Run("A-20", func(t *testing.T) {
		run := func(line string) command.Result {
			l, ok := command.Parse(line)
			if !ok {
				t.Fatalf("%q is no command", line)
			}
			return command.Run(l, command.Place{Mode: "plan"}, desk{})
		}
		for line, mode := range map[string]string{"/hitl on": "ask", "/hitl default": "auto", "/HITL ON": "ask"} {
			if r := run(line); r.Op != (agent.Set{Key: "mode", Value: mode}) || r.Text != "mode: "+mode {
				t.Errorf("%s: %v %q", line, r.Op, r.Text)
			}
		}
		for _, line := range []string{"/hitl off", "/hitl", "/hitl on off"} {
			r := run(line)
			if r.Op != nil || !strings.Contains(r.Text, "unknown command "+line) || !strings.Contains(r.Text, "/hitl on|default") {
				t.Errorf("%s: %v %q", line, r.Op, r.Text)
			}
		}
	})
}

func TestModes(t *testing.T) {
	for name, want := range map[string]string{
		"auto": "auto", "acceptEdits": "auto", "plan": "plan", "Ask": "ask", "default": "ask", "dontAsk": "ask",
		"bypassPermissions": "", "": "", "yolo": "", "off": "",
	} {
		if got, ok := command.ParseMode(name); got != want || ok != (want != "") {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	for mode, want := range map[string]string{"auto": "plan", "plan": "ask", "ask": "auto", "": "auto"} {
		if got := command.NextMode(mode); got != want {
			t.Errorf("after %q comes %q, want %q", mode, got, want)
		}
	}
}

// desk is a Desk for tests.
type desk struct {
	infos []session.Info
	err   error
}

func (desk) Models() []string {
	return []string{"deepseek/deepseek-flash", "deepseek/deepseek-pro", "glm/glm-5.1"}
}

func (desk) Choose(name string) (command.Model, string) {
	if name == "nope" {
		return command.Model{}, "no such model"
	}
	return command.Model{Name: "glm/" + name, Window: 1000}, ""
}

func (d desk) Sessions() ([]session.Info, error) { return d.infos, d.err }

func (desk) Audit(n int) string { return fmt.Sprint("the last ", n) }

func (desk) Policy(mode string) string { return "in " + mode }

func TestRun(t *testing.T) {
	at := command.Place{
		Mode:  "auto",
		Model: command.Model{Name: "glm/glm-5.1", Window: 200_000},
		Last:  llm.Usage{Input: 19_000, Output: 1000, Cached: 10_000},
		Totals: session.Totals{
			Requests: 3, Usage: llm.Usage{Input: 1_500_000, Output: 2500, Cached: 900},
			Costs: map[string]float64{"CNY": 0.0123, "USD": 2.5},
		},
	}
	busy := at
	busy.Running = true
	chinese := at
	chinese.Lang = i18n.ZH
	day := time.Date(2026, 11, 30, 9, 0, 0, 0, time.Local)
	d := desk{infos: []session.Info{{ID: "20261130-1", Title: "first words", Modified: day}}}
	tests := []struct {
		name, line string
		at         command.Place
		desk       desk
		want       []string
		do         command.Action
		op         agent.Op
	}{
		{"help", "/help", at, d, []string{"/model [name]", "/exit", "Ctrl+C"}, command.Nothing, nil},
		{"model", "/model", at, d, []string{"model: glm/glm-5.1\n", "others: deepseek/deepseek-flash, deepseek/deepseek-pro"}, command.Nothing, nil},
		{"another model", "/model glm-6", at, d, []string{"glm/glm-6"}, command.Nothing, agent.Set{Key: "model", Value: "glm/glm-6"}},
		{"a model that is not there", "/model nope", at, d, []string{"no such model"}, command.Nothing, nil},
		{"mode", "/mode", at, d, []string{"mode: auto"}, command.Nothing, nil},
		{"another mode", "/mode PLAN", at, d, []string{"mode: plan"}, command.Nothing, agent.Set{Key: "mode", Value: "plan"}},
		{"a command that takes nothing", "/exit now", at, d, []string{"unknown command /exit now", "/exit"}, command.Nothing, nil},
		{"unknown mode", "/mode yolo", at, d, []string{"unknown mode yolo", "stays auto"}, command.Nothing, nil},
		{"unknown mode in Chinese", "/mode yolo", chinese, d, []string{"未知模式 yolo"}, command.Nothing, nil},
		{"context", "/context", at, d, []string{"20.0k of 200.0k tokens (10 %)", "3 requests", "1.5M", "2.5k out", "$2.50 + ¥0.0123"}, command.Nothing, nil},
		{"context without a window", "/context", command.Place{}, d, []string{"0 tokens", "not known", "price not known"}, command.Nothing, nil},
		{"sessions", "/sessions", at, d, []string{"20261130-1  2026-11-30 09:00  first words", "--resume"}, command.Nothing, nil},
		{"audit", "/audit", at, d, []string{"the last 20"}, command.Nothing, nil},
		{"policy", "/policy", at, d, []string{"in "}, command.Nothing, nil},
		{"audit of some", "/audit 3", at, d, []string{"the last 3"}, command.Nothing, nil},
		{"audit of none", "/audit x", at, d, []string{"/audit does not take \"x\""}, command.Nothing, nil},
		{"no sessions", "/sessions", at, desk{}, []string{"no session"}, command.Nothing, nil},
		{"sessions that cannot be read", "/sessions", at, desk{err: errors.New("broken")}, []string{"broken"}, command.Nothing, nil},
		{"clear", "clear", at, d, nil, command.Fresh, nil},
		{"clear during a turn", "/clear", busy, d, []string{"running"}, command.Nothing, nil},
		{"cancel", "/cancel", busy, d, nil, command.Nothing, agent.Interrupt{}},
		{"cancel of nothing", "/cancel", at, d, []string{"nothing"}, command.Nothing, nil},
		{"exit", "exit", at, d, nil, command.Leave, nil},
		{"a slip", "/cotnext", at, d, []string{"unknown command /cotnext, did you mean /context?"}, command.Nothing, nil},
		{"a beginning", "/sess", at, d, []string{"did you mean /sessions?"}, command.Nothing, nil},
		{"a slip in Chinese", "/modle", chinese, d, []string{"未知命令 /modle", "/mode"}, command.Nothing, nil},
		{"nothing like it", "/xyzzyxyzzy", at, d, []string{"unknown command /xyzzyxyzzy"}, command.Nothing, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, ok := command.Parse(tt.line)
			if !ok {
				t.Fatal("no command")
			}
			r := command.Run(l, tt.at, tt.desk)
			for _, want := range tt.want {
				if !strings.Contains(r.Text, want) {
					t.Errorf("%q is missing in %q", want, r.Text)
				}
			}
			if r.Do != tt.do || !cmp.Equal(r.Op, tt.op) {
				t.Errorf("does %v, %v", r.Do, r.Op)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	tests := []struct {
		text, want string
		options    int
	}{
		{"/he", "/help", 0},
		{"/h", "/h", 2},
		{"/HE", "/help", 0},
		{"/mod", "/mode", 2},
		{"/model", "/model ", 0},
		{"/c", "/c", 3},
		{"/model d", "/model deepseek/deepseek-", 2},
		{"/model g", "/model glm/glm-5.1", 0},
		{"/mode ", "/mode ", 3},
		{"/mode p", "/mode plan", 0},
		{"/hitl d", "/hitl default", 0},
		{"/help x", "/help x", 0},
		{"/zzz", "/zzz", 0},
		{"words", "words", 0},
		{"/", "/", 11},
	}
	for _, tt := range tests {
		got, options := command.Complete(tt.text, desk{})
		if got != tt.want || len(options) != tt.options {
			t.Errorf("%q goes on as %q with %q, want %q with %d", tt.text, got, options, tt.want, tt.options)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"/model x", "exit", "/", "/x/y", "  /HELP ", "/\xff", "/ü"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if l, ok := command.Parse(line); ok {
			command.Run(l, command.Place{}, desk{})
		}
		command.Complete(line, desk{})
	})
}
