package config

import (
	"slices"

	"paicli/internal/i18n"
)

// Permissions are the rules of every source. Within each list they stand in the order of the
// sources, lowest first: the person's file, their entry for this project, the project's own file
// (ask and deny only), flags. What they mean beside each other is not decided here.
type Permissions struct {
	Allow, Ask, Deny []Rule
}

// Rule is one rule of permission as it was written, TOOL or TOOL(PATTERN).
type Rule struct {
	Text string `json:"rule"`
	From Origin `json:"from"`
}

// entry is what the person's file holds for one project.
type entry struct {
	trust       string
	permissions Permissions
}

// Lists of rules, as they are named below `permissions`.
const (
	listAllow = "allow"
	listAsk   = "ask"
	listDeny  = "deny"
)

func (p *Permissions) list(name string) *[]Rule {
	switch name {
	case listAllow:
		return &p.Allow
	case listAsk:
		return &p.Ask
	}
	return &p.Deny
}

// add puts the rules of another source behind those that are there.
func (p *Permissions) add(q Permissions) {
	p.Allow = append(p.Allow, q.Allow...)
	p.Ask = append(p.Ask, q.Ask...)
	p.Deny = append(p.Deny, q.Deny...)
}

// texts are the rules alone.
func texts(rules []Rule) []string {
	var out []string
	for _, r := range rules {
		out = append(out, r.Text)
	}
	return out
}

// ruleKeys are the settings of permission: for every project, and in the person's file for one.
func ruleKeys() []key {
	var keys []key
	for _, name := range []string{listAllow, listAsk, listDeny} {
		everywhere := key{
			path: []string{"permissions", name}, want: i18n.WantRules,
			get: func(c *Config) []string { return texts(*c.Permissions.list(name)) },
			set: func(in *target, at []string, n node) bool {
				return in.rules(in.Permissions.list(name), at, n)
			},
		}
		if name != listAllow {
			everywhere.project = always
		}
		keys = append(keys, everywhere, key{
			path: []string{"projects", "*", "permissions", name}, want: i18n.WantRules,
			set: func(in *target, at []string, n node) bool {
				e := in.entries[at[1]]
				ok := in.rules(e.permissions.list(name), at, n)
				in.entries[at[1]] = e
				return ok
			},
		})
	}
	return append(keys, key{path: names("projects.*.trust"), want: i18n.WantText, set: func(in *target, at []string, n node) bool {
		e := in.entries[at[1]]
		e.trust = n.text
		in.entries[at[1]] = e
		return n.kind == kindText
	}})
}

// rules adds the rules of a list, if all of them are some.
func (in *target) rules(to *[]Rule, at []string, n node) bool {
	if n.kind != kindList || slices.ContainsFunc(n.items, func(item node) bool { return !in.isRule(item) }) {
		return false
	}
	from := Origin{Source: in.from, File: in.file}
	if at[0] == "projects" {
		from.Source = FromEntry
	}
	for _, item := range n.items {
		from.Line = item.line
		*to = append(*to, Rule{Text: item.text, From: from})
	}
	return true
}

func (in *target) isRule(n node) bool {
	return n.kind == kindText && n.text != "" && (in.rule == nil || in.rule(n.text) == nil)
}

// flagRules puts the rules of the command line behind all others.
func (l *loader) flagRules(flag string, rules []string, to *[]Rule) {
	in := target{rule: l.opts.Rule}
	for _, text := range rules {
		n := node{kind: kindText, text: text, raw: quote(text)}
		if !in.isRule(n) {
			l.badVariable(Origin{Name: flag}, got(n), i18n.WantRule)
			continue
		}
		*to = append(*to, Rule{Text: text, From: Origin{Source: FromFlag, Name: flag}})
	}
}
