package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"paicli/agent"
	"paicli/internal/effect"
	"paicli/session"
)

// subject is what a judgement is about.
type subject struct {
	tool   string
	access []agent.Access
	words  []string // the user's in this turn
	turn   int
	lines  []line
}

// line is a command line of the call with what it would do.
type line struct {
	text  string
	found effect.Analysis
}

func subjectOf(call *agent.Call) subject {
	s := subject{tool: call.Name, access: call.Intent.Access}
	if call.Thread != nil {
		s.words, s.turn = call.Thread.Words(), call.Thread.Turn()
	}
	return s
}

// judged is what floor and rules say of a call. What the mode makes of it is said by in.
type judged struct {
	verdict effect.Verdict
	by      string // agent.By…
	code    string // why: see the codes
	detail  string // of the code: a path, a sentence of package effect
	rule    string // that decided
	note    string // code of what else is to be known, for the model
	about   string // the simple command that a rule speaks of, "" = all of the call
	found   effect.Finding

	looks bool // it reads or talks, nothing more
	edits bool // it changes files of the project by our own tools
	blind bool // nobody knows what it does: tools of other servers

	command  string // the command line, "" for other tools
	commands []string
	opaque   bool
	access   []session.Access
	offer    []string // rules that would cover it from now on
	scripts  []string
}

// Codes say why a call is not simply run. They are stable.
const (
	CodeFloor     = "floor"         // no mode permits it
	CodeRule      = "rule"          // a rule of the settings says so
	CodeMode      = "mode"          // the mode says so
	CodeSecret    = "secret"        // it touches what holds credentials
	CodeProtected = "protected"     // it changes what other programs run or obey
	CodeOutside   = "outside"       // it reaches beyond the project
	CodeCommand   = "command"       // the command does more than look
	CodeUnknown   = "unknown"       // nobody knows what the tool does
	CodeLooks     = "looks"         // it only looks
	CodeEdits     = "edits"         // it changes files of the project, and the mode lets it
	CodeBlocked   = "blocked"       // the classifier stopped several calls in a row
	CodeNoWeb     = "WEB_FORBIDDEN" // the user's words rule out the network
	CodeNoSource  = "UNGROUNDED_URL"
)

// judge weighs a call, whatever the mode.
func (p *Policy) judge(s subject) judged {
	for _, a := range s.access {
		if a.Verb == agent.VerbRun {
			s.lines = append(s.lines, line{a.Target, p.analyse(a.Target)})
		}
	}
	j := p.weigh(s)
	if j.verdict == effect.Deny {
		return j
	}
	for _, r := range p.o.Rules.Deny {
		if about, ok := s.under(r); ok {
			j.verdict, j.by, j.code, j.detail, j.rule, j.about = effect.Deny, agent.ByRule, CodeRule, r.Text, r.Text, about
			return j
		}
	}
	for _, r := range p.o.Rules.Ask {
		if about, ok := s.under(r); ok {
			j.about = about
			j.verdict, j.by, j.code, j.detail, j.rule, j.offer = effect.Ask, agent.ByRule, CodeRule, r.Text, r.Text, nil
			return j
		}
	}
	return j
}

// analyse reads a command line. Should that fail, nobody knows what the line does, and a person decides.
func (p *Policy) analyse(line string) (found effect.Analysis) {
	defer func() {
		if recover() != nil {
			found = effect.Analysis{Verdict: effect.Ask, Why: "not readable as a shell command", Opaque: true}
		}
	}()
	return effect.Analyse(line, p.o.Place)
}

// weigh judges by what the call touches and by the rules that allow.
func (p *Policy) weigh(s subject) judged {
	has := func(verbs ...agent.Verb) bool {
		return slices.ContainsFunc(s.access, func(a agent.Access) bool { return slices.Contains(verbs, a.Verb) })
	}
	only := func(verbs ...agent.Verb) bool {
		return len(s.access) > 0 && !slices.ContainsFunc(s.access, func(a agent.Access) bool { return !slices.Contains(verbs, a.Verb) })
	}
	switch {
	case has(agent.VerbRun):
		return p.weighCommands(s)
	case strings.HasPrefix(s.tool, mcpPrefix), s.tool == "revert_turn":
		return p.weighBlind(s)
	case only(agent.VerbTalk):
		return judged{looks: true, access: shown(s.access)}
	case only(agent.VerbRead, agent.VerbWrite, agent.VerbDelete):
		return p.weighFiles(s)
	}
	return p.weighBlind(s)
}

// weighBlind judges a tool of which only its name is known.
func (p *Policy) weighBlind(s subject) judged {
	j := judged{verdict: effect.Review, by: agent.ByPolicy, code: CodeUnknown, blind: true, access: shown(s.access), offer: []string{s.tool}}
	if len(j.access) == 0 {
		j.access = []session.Access{{Verb: string(agent.VerbOpaque), Target: s.tool}}
	}
	if server, _, ok := strings.Cut(strings.TrimPrefix(s.tool, mcpPrefix), "__"); ok && strings.HasPrefix(s.tool, mcpPrefix) {
		j.offer = []string{mcpPrefix + server + "__*"}
	}
	if !isKnown(s.tool) {
		j.offer = nil
	}
	for _, r := range p.allowed() {
		if r.covers(s.tool) && r.any {
			j.verdict, j.by, j.rule = effect.Allow, agent.ByRule, r.Text
			return j
		}
	}
	return j
}

// weighFiles judges a call of which every path is known: reading is free in the project, changes are the
// mode's business.
func (p *Policy) weighFiles(s subject) judged {
	j := judged{looks: true, access: shown(s.access)}
	for _, a := range s.access {
		if a.Verb != agent.VerbRead {
			j.looks, j.edits, j.by = false, true, agent.ByMode
		}
		rule := p.pathRule(s.tool, a.Target)
		if rule != "" {
			j.rule = rule
			continue
		}
		if code := p.touches(a); code != "" && j.verdict != effect.Ask {
			j.verdict, j.by, j.code, j.detail = effect.Ask, agent.ByPolicy, code, a.Target
		}
		if text, ok := pathOffer(s.tool, a.Target); ok {
			j.offer = append(j.offer, text)
		} else {
			j.offer = nil
		}
	}
	switch {
	case j.verdict == effect.Ask:
		j.offer, j.rule = nil, ""
	case j.rule != "" && p.allCovered(s):
		j.by = agent.ByRule
	default:
		j.rule = ""
	}
	return j
}

func (p *Policy) allCovered(s subject) bool {
	return !slices.ContainsFunc(s.access, func(a agent.Access) bool { return p.pathRule(s.tool, a.Target) == "" })
}

// pathRule is the rule that allows a tool to touch a path. What holds credentials, what other programs
// obey and what is elsewhere is covered only by a rule that names it.
func (p *Policy) pathRule(tool, target string) string {
	where := p.where(target)
	for _, r := range p.allowed() {
		if r.covers(tool) && (where == effect.Inside || r.literal()) && r.coversPath(target, false) {
			return r.Text
		}
	}
	return ""
}

// touches is the code of what a path is that not just anybody may touch.
func (p *Policy) touches(a agent.Access) string {
	switch p.where(a.Target) {
	case effect.Secret:
		return CodeSecret
	case effect.Outside:
		return CodeOutside
	case effect.Protected:
		if a.Verb != agent.VerbRead {
			return CodeProtected
		}
	}
	return ""
}

// where is the kind of place that a target names: relative to the project, absolute, or from ~ on.
func (p *Policy) where(target string) effect.Where {
	at := p.o.Place
	if at.Where == nil {
		if strings.HasPrefix(target, "~") || !filepath.IsLocal(target) {
			return effect.Outside
		}
		return effect.Inside
	}
	if rest, ok := strings.CutPrefix(target, "~"); ok && (rest == "" || rest[0] == '/') {
		return at.Where(filepath.Join(at.Home, rest))
	}
	if filepath.IsAbs(target) {
		return at.Where(filepath.Clean(target))
	}
	return at.Where(filepath.Join(at.Dir, filepath.FromSlash(target)))
}

// under reports whether a rule that asks or denies speaks of a call, and of which of its commands.
// Rules about the paths of file tools hold for what commands do to those paths too.
func (s subject) under(r Rule) (about string, ok bool) {
	if r.covers(s.tool) && (r.any || s.tool != runTool && slices.ContainsFunc(s.access, func(a agent.Access) bool { return r.coversPath(a.Target, true) })) {
		return "", true
	}
	for _, l := range s.lines {
		if i := slices.IndexFunc(l.found.Commands, r.speaksOf); i >= 0 {
			return l.found.Commands[i].Text, true
		}
		if slices.ContainsFunc(l.found.Access, r.speaksOfPath) {
			return "", true
		}
	}
	return "", false
}

// speaksOfPath reports whether the rule is about reading or changing a path that a command touches so.
func (r Rule) speaksOfPath(a effect.Access) bool {
	if r.any {
		return false
	}
	reads, writes := r.covers("read_file"), r.covers("write_file") || r.covers("edit_file")
	if a.Verb == effect.Read && !reads || (a.Verb == effect.Write || a.Verb == effect.Delete) && !writes {
		return false
	}
	return (a.Verb == effect.Read || a.Verb == effect.Write || a.Verb == effect.Delete) && r.speaksOfTarget(a.Target)
}

// shown is what a call touches in the words of the log.
func shown(access []agent.Access) []session.Access {
	out := make([]session.Access, 0, len(access))
	for _, a := range access {
		if a.Verb != agent.VerbTalk {
			out = append(out, session.Access{Verb: string(a.Verb), Target: a.Target})
		}
	}
	return out
}

// pathOffer is the rule for one path and nothing else.
func pathOffer(tool, target string) (string, bool) {
	if strings.ContainsAny(target, `*?[\`) || strings.ContainsFunc(target, isControl) || target != strings.TrimSpace(target) {
		return "", false
	}
	if !strings.Contains(target, "/") {
		target = "/" + target
	}
	return tool + "(" + target + ")", true
}

// in says what a mode makes of the judgement.
func (j judged) in(m Mode) judged {
	switch {
	case j.verdict == effect.Deny || j.looks:
	case m == Asks && j.edits && j.verdict == effect.Allow && j.by != agent.ByRule:
		j.verdict, j.by, j.code, j.detail = effect.Ask, agent.ByMode, CodeMode, string(m)
	case m == Plan && !(j.blind && j.verdict == effect.Allow):
		j.verdict, j.by, j.code, j.detail, j.rule = effect.Deny, agent.ByMode, CodeMode, string(m), ""
	}
	return j
}
