package permission

import (
	"slices"
	"strings"

	"paicli/agent"
	"paicli/internal/effect"
	"paicli/session"
)

// weighCommands judges command lines.
func (p *Policy) weighCommands(s subject) judged {
	var j judged
	for _, l := range s.lines {
		if one := p.weighCommand(l, s.words); j.command == "" || one.verdict > j.verdict {
			j = one
		}
	}
	if len(s.lines) < len(s.access) && j.verdict < effect.Review { // no tool declares more than the line
		j.verdict, j.looks = effect.Review, false
	}
	return j
}

// weighCommand judges one line: what the floor denies, then what the user's words rule out, then its
// simple commands. It runs without question when each of them only looks or is covered by a rule.
func (p *Policy) weighCommand(l line, words []string) judged {
	found := l.found
	j := judged{
		verdict: found.Verdict, by: agent.ByPolicy, code: CodeCommand, detail: found.Why, found: found.Finding,
		command: l.text, looks: found.Verdict == effect.Allow, opaque: found.Opaque, scripts: found.Scripts,
	}
	for _, a := range found.Access {
		j.access = append(j.access, session.Access{Verb: string(a.Verb), Target: a.Target})
	}
	for _, c := range found.Commands {
		j.commands = append(j.commands, c.Text)
	}
	switch {
	case found.Verdict == effect.Deny:
		j.code = CodeFloor
		return j
	case reachesWeb(found) && forbidsWeb(own(words)):
		j.verdict, j.code = effect.Deny, CodeNoWeb
		return j
	case found.Verdict == effect.Allow:
		return j
	}
	if unsourced(found, own(words)) {
		j.note = CodeNoSource
	}
	p.cover(&j, found)
	return j
}

// cover lets the rules count. What only a person may permit is covered by a rule that says the command in
// full, not by one with a *, not even by one for every command. Where more than its commands speaks
// against a line, such as a variable in it, each of them must be covered.
func (p *Policy) cover(j *judged, found effect.Analysis) {
	rules := p.allowed()
	if i := slices.IndexFunc(rules, Rule.coversAll); i >= 0 && found.Verdict < effect.Ask {
		j.verdict, j.by, j.rule = effect.Allow, agent.ByRule, rules[i].Text
		return
	}
	worst := effect.Allow
	for _, c := range found.Commands {
		worst = max(worst, c.Verdict)
	}
	beyond := found.Verdict > worst
	open, rule := p.uncovered(rules, found.Commands, beyond)
	switch {
	case len(open) == 0 && rule != "" && (!beyond || found.Verdict < effect.Ask):
		j.verdict, j.by, j.rule = effect.Allow, agent.ByRule, rule
	case !beyond:
		j.verdict = effect.Allow
		for _, c := range open {
			if c.Verdict > j.verdict {
				j.verdict, j.detail = c.Verdict, c.Why
			}
		}
		if j.verdict < effect.Ask {
			j.offer = p.offers(open)
		}
	}
}

// uncovered are the commands that no rule covers, and a rule that covers another one. Those that only
// look need a rule when all is said.
func (p *Policy) uncovered(rules []Rule, commands []effect.Command, all bool) (open []effect.Command, rule string) {
	for _, c := range commands {
		if c.Verdict == effect.Allow && !all {
			continue
		}
		if i := slices.IndexFunc(rules, func(r Rule) bool { return p.coversOne(r, c) }); i >= 0 {
			rule = rules[i].Text
			continue
		}
		open = append(open, c)
	}
	return open, rule
}

// coversAll reports whether the rule permits every command.
func (r Rule) coversAll() bool { return r.names[0] == runTool && r.any }

// coversOne reports whether a rule covers one of the commands of a line. A file to which its output is
// redirected is no part of the rule, and one that an option names only where the rule says it in full: they
// need a rule about writing that file.
func (p *Policy) coversOne(r Rule, c effect.Command) bool {
	if c.Verdict >= effect.Ask && !r.literal() || !r.coversCommand(c) {
		return false
	}
	return !slices.ContainsFunc(c.Redirects, p.writesUncovered) && (r.literal() || !slices.ContainsFunc(c.Outputs, p.writesUncovered))
}

func (p *Policy) writesUncovered(a effect.Access) bool {
	return a.Verb != effect.Read && p.pathRule("write_file", a.Target) == ""
}

// Bounds on a rule that is offered: more than this nobody reads before saying yes for good.
const (
	maxOffered     = 5
	maxOfferedText = 200 // bytes
)

// offers are the rules that would cover the commands, each word for word. None are offered when one of
// them cannot be said in full.
func (p *Policy) offers(open []effect.Command) []string {
	var out []string
	for _, c := range open {
		if !c.Known || len(c.Assigns) > 0 || len(c.Words) == 0 {
			return nil
		}
		words := make([]string, len(c.Words))
		for i, w := range c.Words {
			words[i] = quoteWord(w)
		}
		text := runTool + "(" + strings.Join(words, " ") + ")"
		if r, err := ParseRule(text); err != nil || len(text) > maxOfferedText || !p.coversOne(r, c) {
			return nil
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if len(out) > maxOffered {
		return nil
	}
	return out
}
