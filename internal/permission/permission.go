// Package permission holds the gates that judge tool calls by what they would touch. It never runs
// anything; what a tool would touch it takes from the call's intent, and what a command line would from
// package effect. It is not a fence, and it has no words for people: why a person is asked is a code.
//
//	call ─► floor, deny rules ─► ask and allow rules, mode ─► classifier ─► a person
//	             │ deny               │ allow, deny              │ allow, deny   │ allow, deny
//
// Every gate makes the same judgement (judge.go) and acts on its part of it, so that the order is that
// of Gates and nothing else.
package permission

import (
	"context"
	"slices"
	"sync"

	"paicli/agent"
	"paicli/internal/effect"
	"paicli/llm"
)

// Mode is a permission mode.
type Mode string

// The modes.
const (
	Auto Mode = "auto" // edits run, commands that do more than look are reviewed by a model
	Plan Mode = "plan" // only looking
	Asks Mode = "ask"  // whatever does more than look is asked for
)

// Rules are the rules of the settings by what they do. What denies goes before what asks, and that
// before what allows, wherever a rule comes from.
type Rules struct{ Allow, Ask, Deny []Rule }

// Options of a Policy. The zero value judges in auto mode, without rules, by texts alone.
type Options struct {
	// Mode is the mode at this moment; a change counts for the next call.
	Mode  func() Mode
	Rules Rules
	// Place is the project, as package effect wants to know it.
	Place effect.Place
	// Keep stores the rules that a person allowed for good, word for word. Nil = not offered.
	Keep func(rules []string) error
	// Attended says that a person is there. Without one, refusals say so.
	Attended bool
	// Scrub takes secrets out of what the classifier is told.
	Scrub func(string) string
	// Script is the text of a file of the project that a command runs, as far as it is text.
	Script func(path string) (text string, ok bool)
}

// Policy judges calls. It may be used by several goroutines, and by the agents of a session at once.
type Policy struct {
	o Options

	mu      sync.Mutex
	kept    []Rule // allowed for good since the start
	request request
}

// New makes a policy.
func New(o Options) *Policy {
	if o.Mode == nil {
		o.Mode = func() Mode { return Auto }
	}
	if o.Scrub == nil {
		o.Scrub = func(s string) string { return s }
	}
	if o.Script == nil {
		o.Script = func(string) (string, bool) { return "", false }
	}
	return &Policy{o: o}
}

// Gates are the gates of an agent, in their order. The reviewer is the model that reviews in auto mode;
// without one, what would be reviewed is asked.
func (p *Policy) Gates(reviewer llm.Model) []agent.Gate {
	gates := []agent.Gate{p.floor, p.settled}
	if reviewer != nil {
		gates = append(gates, p.classifier(reviewer))
	}
	return append(gates, p.person)
}

// floor denies what no mode permits, what a rule denies and what the user's words rule out.
func (p *Policy) floor(_ context.Context, call *agent.Call) (agent.Verdict, error) {
	j := p.judge(subjectOf(call))
	if j.verdict != effect.Deny {
		return agent.Verdict{}, nil
	}
	return agent.Verdict{Kind: agent.Deny, By: j.by, Reason: j.refusal()}, nil
}

// settled decides what rules and mode decide alone.
func (p *Policy) settled(_ context.Context, call *agent.Call) (agent.Verdict, error) {
	j := p.judge(subjectOf(call)).in(p.o.Mode())
	switch j.verdict {
	case effect.Allow:
		return agent.Verdict{Kind: agent.Allow, By: j.by, Reason: j.rule}, nil
	case effect.Deny:
		return agent.Verdict{Kind: agent.Deny, By: j.by, Reason: j.refusal()}, nil
	}
	return agent.Verdict{}, nil
}

// person asks for everything that is left.
func (p *Policy) person(_ context.Context, call *agent.Call) (agent.Verdict, error) {
	j := p.judge(subjectOf(call)).in(p.o.Mode())
	return p.ask(j, j.unattended()), nil
}

// ask is the verdict that a person decides; the reason is for the model, when nobody is there.
func (p *Policy) ask(j judged, reason string) agent.Verdict {
	v := agent.Verdict{Kind: agent.AskUser, Reason: reason}
	v.Ask = agent.Approval{Why: j.why(), Access: j.access}
	if p.o.Keep != nil && len(j.offer) > 0 {
		v.Ask.Rules = j.offer
		v.Ask.Keep = func() error { return p.keep(j.offer) }
	}
	return v
}

// keep stores rules and lets them count from now on.
func (p *Policy) keep(texts []string) error {
	if err := p.o.Keep(texts); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range texts {
		r, err := ParseRule(text)
		if err != nil {
			return err
		}
		p.kept = append(p.kept, r)
	}
	return nil
}

// allowed are the rules that allow.
func (p *Policy) allowed() []Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append(p.o.Rules.Allow[:len(p.o.Rules.Allow):len(p.o.Rules.Allow)], p.kept...)
}

// DeniesRead is the check whether a rule denies reading a path of the project, for a search, which
// touches more than it can say beforehand. It is nil when no rule denies reading.
func (p *Policy) DeniesRead() func(rel string) bool {
	var rules []Rule
	for _, r := range p.o.Rules.Deny {
		if !r.any && (r.covers("read_file") || r.covers("grep_code")) {
			rules = append(rules, r)
		}
	}
	if rules == nil {
		return nil
	}
	return func(rel string) bool {
		return slices.ContainsFunc(rules, func(r Rule) bool { return r.coversPath(rel, true) })
	}
}
