// Package command is the slash commands as a table: what they are called, what they take, and what
// they do. It draws nothing: a command gives a text, an operation for the conversation, or something
// for the front end to do. What is no conversation at all comes in through Desk.
package command

import (
	"slices"
	"strings"

	"paicli/agent"
	"paicli/internal/i18n"
	"paicli/internal/spell"
	"paicli/llm"
	"paicli/session"
)

// Desk is what commands need beside the conversation.
type Desk interface {
	// Models lists the names of models that can be had here.
	Models() []string
	// Choose finds a model by a name as a person types it. problem says in the person's language
	// why it cannot be had.
	Choose(name string) (m Model, problem string)
	// Sessions lists those of this project, the newest first.
	Sessions() ([]session.Info, error)
	Records
}

// Records are what was called and what may be.
type Records interface {
	// Audit shows the last n calls of today.
	Audit(n int) string
	// Policy shows what holds in a mode.
	Policy(mode string) string
}

// Model is a model that can be used.
type Model struct {
	Name   string
	Window int // tokens, 0 = not known
}

// Place is where a command runs.
type Place struct {
	Lang    i18n.Lang
	ASCII   bool // no characters beyond ASCII of our own
	Model   Model
	Mode    string    // the permission mode
	Last    llm.Usage // of the last request of the conversation
	Totals  session.Totals
	Running bool
}

// Result is what came of a command.
type Result struct {
	Text  string   // to show
	Op    agent.Op // for the conversation, nil = none
	Do    Action
	Model *Model // from now on
}

// Action is what a front end has to do.
type Action int

// The actions.
const (
	Nothing Action = iota
	Leave
	Fresh // a new session
)

// Command is a row of the table.
type Command struct {
	Name  string
	Also  []string // further names
	Bare  bool     // its names count without the slash too, when nothing follows
	Takes string   // what may follow, "" = nothing
	Only  []string // what may follow and nothing else, nil = anything
	About i18n.Text
	run   func(Place, Desk, string) Result
	args  func(Desk) []string // completions of what follows
}

// Table lists the commands in the order of the help.
func Table() []Command {
	return []Command{
		{Name: "help", About: i18n.SlashHelp, run: help},
		{Name: "model", Takes: "[name]", About: i18n.SlashModel, run: model, args: Desk.Models},
		{Name: "mode", Takes: "[auto|plan|ask]", About: i18n.SlashMode, run: mode, args: func(Desk) []string { return Modes() }},
		{Name: "hitl", Takes: "on|default", Only: []string{"on", "default"}, About: i18n.SlashHitl, run: hitl, args: hitlWords},
		{Name: "context", Also: []string{"ctx"}, About: i18n.SlashContext, run: window},
		{Name: "sessions", About: i18n.SlashSessions, run: sessions},
		{Name: "audit", Takes: "[N]", About: i18n.SlashAudit, run: audit},
		{Name: "policy", About: i18n.SlashPolicy, run: policy},
		{Name: "clear", Bare: true, About: i18n.SlashClear, run: fresh},
		{Name: "cancel", Bare: true, About: i18n.SlashCancel, run: cancel},
		{Name: "exit", Also: []string{"quit"}, Bare: true, About: i18n.SlashExit, run: leave},
	}
}

// Line is a line that is a command.
type Line struct {
	Command *Command // nil when there is none of this name
	Payload string   // what follows; of an unknown command the whole line
}

// Parse reads a line. ok is false when it is words for the model.
func Parse(line string) (l Line, ok bool) {
	line = strings.TrimSpace(line)
	word, payload, _ := strings.Cut(line, " ")
	payload = strings.TrimSpace(payload)
	name, slash := strings.CutPrefix(strings.ToLower(word), "/")
	if slash && (name == "" || strings.ContainsAny(name, "/\n")) {
		return Line{}, false // a path, or a comment
	}
	for _, c := range Table() {
		if !c.named(name) {
			continue
		}
		if slash && c.takes(payload) || c.Bare && line == word {
			return Line{&c, payload}, true
		}
	}
	return Line{Payload: line}, slash
}

func (c *Command) takes(payload string) bool {
	if c.Only != nil {
		return slices.Contains(c.Only, strings.ToLower(payload))
	}
	return payload == "" || c.Takes != ""
}

func (c *Command) named(name string) bool {
	if c.Name == name {
		return true
	}
	for _, a := range c.Also {
		if a == name {
			return true
		}
	}
	return false
}

// Run carries a line out.
func Run(l Line, at Place, desk Desk) Result {
	if l.Command != nil {
		return l.Command.run(at, desk, l.Payload)
	}
	word, _, _ := strings.Cut(l.Payload, " ")
	if i := slices.IndexFunc(Table(), func(c Command) bool { return c.named(strings.ToLower(word[1:])) }); i >= 0 {
		c := Table()[i]
		return Result{Text: at.Lang.Say(i18n.SlashTakes, l.Payload, strings.TrimSpace("/"+c.Name+" "+c.Takes))}
	}
	if near := nearest(strings.ToLower(word[1:])); near != "" {
		return Result{Text: at.Lang.Say(i18n.SlashMeant, word, "/"+near)}
	}
	return Result{Text: at.Lang.Say(i18n.SlashUnknown, word)}
}

// nearest is the command that was probably meant: the one it begins, else the one that fewest changes
// make of it, if they are few.
func nearest(name string) string {
	var names []string
	of := map[string]string{}
	for _, c := range Table() {
		for _, n := range append([]string{c.Name}, c.Also...) {
			if name != "" && strings.HasPrefix(n, name) {
				return c.Name
			}
			names, of[n] = append(names, n), c.Name
		}
	}
	return of[spell.Nearest(name, names, max(len(name)/2, 1))]
}

// Complete goes on with what stands before the cursor, as far as it is clear how. options are the
// ways on when there are several.
func Complete(text string, desk Desk) (longer string, options []string) {
	if !strings.HasPrefix(text, "/") || strings.Contains(text, "\n") {
		return text, nil
	}
	word, payload, spaced := strings.Cut(text, " ")
	var all []string
	for _, c := range Table() {
		switch {
		case !spaced && c.Takes == "":
			all = append(all, "/"+c.Name)
		case !spaced:
			all = append(all, "/"+c.Name+" ")
		case c.named(strings.ToLower(word[1:])) && c.args != nil:
			for _, a := range c.args(desk) {
				all = append(all, word+" "+a)
			}
		}
	}
	if spaced {
		text = word + " " + strings.TrimLeft(payload, " ")
	}
	return common(text, all)
}

// common is the longest beginning that all texts with this prefix share.
func common(prefix string, all []string) (string, []string) {
	var fit []string
	longest := prefix
	for _, s := range all {
		if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
			continue
		}
		if fit = append(fit, s); len(fit) == 1 {
			longest = s
		}
		for !strings.HasPrefix(s, longest) {
			longest = longest[:len(longest)-1]
		}
	}
	if len(fit) < 2 {
		fit = nil
	}
	return longest, fit
}
