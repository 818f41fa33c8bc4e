package repl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"paicli/agent"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/session"
)

// visible is a text of others as one line in which nothing is hidden.
func visible(text string) string {
	return strings.ReplaceAll(term.Visible(strings.ReplaceAll(text, "\r\n", "\n")), "\n", " ")
}

// visibleLines is a text of others as lines in which nothing is hidden.
func visibleLines(text string) []string {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(term.Visible(text), "\n")
}

// printQuestion prints the whole of what is asked about: it stays in the transcript.
func (l *loop) printQuestion(q session.Asked) {
	switch q.Code {
	case agent.QuestionApprove:
		l.printApproval(q)
	case agent.QuestionPlan:
		l.note(l.styled(bold, l.say(i18n.AskPlan)))
		l.printLines(visibleLines(q.Text))
	default:
		lines := visibleLines(q.Text)
		if len(lines) == 0 {
			lines = []string{""}
		}
		l.note(l.styled(bold, l.say(i18n.AskQuestion, lines[0])))
		l.printLines(lines[1:])
	}
	if l.opts.Plain {
		for _, row := range l.choices() {
			l.line(row)
		}
	}
}

// printApproval prints a call that waits for a yes: what it is, all of its arguments or the change
// that it would make, and below them, where they are seen beside the choices, what it would do, why
// it is asked about and where.
func (l *loop) printApproval(q session.Asked) {
	l.note(l.styled(bold, l.say(i18n.AskApprove, visible(q.Name), visible(q.Title))))
	var rows []string
	if q.Preview == nil {
		rows = l.arguments(q)
	} else {
		rows = l.detail(q.Preview, previewLines)
	}
	rows = append(rows, l.say(i18n.AskEffect, visible(l.effect(q.Access))))
	if q.Text != "" {
		rows = append(rows, l.say(i18n.AskReasonOf, visible(l.opts.Lang.Why(q.Text))))
	}
	rows = append(rows, l.say(i18n.AskFolder, visible(l.session.Root)))
	if l.rulesApart(q.Rules) {
		for _, rule := range q.Rules {
			rows = append(rows, l.say(i18n.AskRule, visible(rule)))
		}
	}
	l.printLines(rows)
}

func (l *loop) printLines(lines []string) {
	for _, line := range lines {
		l.line("    " + line)
	}
}

func (l *loop) effect(access []session.Access) string {
	touches := make([]i18n.Touch, len(access))
	for i, a := range access {
		touches[i] = i18n.Touch(a)
	}
	return l.opts.Lang.Effect(touches)
}

// arguments are those of a call as lines: what the title does not say already.
func (l *loop) arguments(q session.Asked) []string {
	dec := json.NewDecoder(bytes.NewReader(q.Args))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var lines []string
	for dec.More() {
		name, err := dec.Token()
		var raw json.RawMessage
		if err != nil || dec.Decode(&raw) != nil {
			break
		}
		value := string(raw)
		var text string
		if json.Unmarshal(raw, &text) == nil {
			value = text
		}
		if value != q.Title {
			lines = append(lines, l.argument(visible(fmt.Sprint(name)), value, q.Access)...)
		}
	}
	return lines
}

// longText is from how many lines on an argument is said to be long, and its risky lines are shown
// again below it.
const longText = 20

// argument lays out one argument.
func (l *loop) argument(name, value string, access []session.Access) []string {
	sheet := term.Lay(value, func(line string) bool { return risky(line, access) })
	if len(sheet.Lines) == 1 {
		return []string{name + ": " + sheet.Lines[0]}
	}
	head := name + ":"
	if sheet.Total > longText {
		head = l.say(i18n.AskLines, name, sheet.Total)
	}
	lines := []string{head}
	for _, line := range sheet.Lines {
		lines = append(lines, "  "+line)
	}
	if sheet.Total <= longText || len(sheet.First) == 0 {
		return lines
	}
	lines = append(lines, l.styled(bold, l.say(i18n.AskFirst, name, sheet.Total)))
	for _, n := range sheet.First {
		lines = append(lines, fmt.Sprintf("  %d: %s", n.Number, n.Text))
	}
	if sheet.More > 0 {
		lines = append(lines, "  "+l.say(i18n.AskMore, sheet.More))
	}
	return lines
}

// risky reports whether a line names what a call would delete, reach, run or do with more rights.
func risky(line string, access []session.Access) bool {
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\"'`;&|<>()", r) })
	for _, a := range access {
		switch agent.Verb(a.Verb) {
		case agent.VerbDelete, agent.VerbNet, agent.VerbPrivilege, agent.VerbRun, agent.VerbOpaque:
		default:
			continue
		}
		for _, w := range words {
			w = strings.TrimSuffix(strings.TrimPrefix(w, "./"), "/")
			if a.Target != "" && (w == a.Target || len(a.Target) > 3 && strings.Contains(w, a.Target)) {
				return true
			}
		}
	}
	return false
}

// ruleCells is how much room rules may take in the choices, in bytes. Longer ones are printed above.
const ruleCells = 300

func (l *loop) rulesApart(rules []string) bool { return len(strings.Join(rules, ", ")) > ruleCells }

// choices are the rows of the open question.
func (l *loop) choices() []string {
	switch {
	case l.ask == nil || l.ask.sent:
		return nil
	case l.ask.field == args && !l.opts.Plain:
		return []string{l.say(i18n.AskArgs)}
	case l.ask.field != noField:
		return nil
	}
	switch l.ask.Code {
	case agent.QuestionApprove:
		return l.approvalChoices()
	case agent.QuestionPlan:
		return []string{l.say(i18n.AskPlanAuto), l.say(i18n.AskPlanAsk), l.say(i18n.AskPlanKeep) + l.esc(i18n.AskEscStop)}
	}
	var rows []string
	for i, o := range l.ask.Options {
		rows = append(rows, fmt.Sprintf("%d. %s", i+1, visible(o)))
	}
	if len(rows) == 0 {
		return []string{l.say(i18n.AskType) + l.esc(i18n.AskEscStop)}
	}
	return append(rows, l.say(i18n.AskOwnWords, len(rows)+1)+l.esc(i18n.AskEscStop))
}

func (l *loop) approvalChoices() []string {
	rows := []string{l.say(i18n.AskYes)}
	switch rules := l.ask.Rules; {
	case l.rulesApart(rules):
		rows = append(rows, l.say(i18n.AskRules, len(rules)))
	case len(rules) > 0:
		rows = append(rows, l.say(i18n.AskAlways, visible(strings.Join(rules, ", "))))
	}
	return append(rows, l.say(i18n.AskNo)+l.esc(i18n.AskEscNo))
}

// esc is what Esc does, where there is such a key.
func (l *loop) esc(does i18n.Text) string {
	if l.opts.Plain {
		return ""
	}
	return l.say(does)
}

// fieldLabel is what stands before a field, "" when none is open.
func (l *loop) fieldLabel() string {
	if l.ask == nil || l.ask.sent {
		return ""
	}
	switch l.ask.field {
	case reason:
		return l.say(i18n.AskReason)
	case args:
		if l.opts.Plain { // else the text below needs the room
			return l.say(i18n.AskArgsPlain)
		}
	case ownWords:
		return l.say(i18n.AskWords)
	case remark:
		return l.say(i18n.AskRemark)
	}
	return ""
}

// outcome is what was answered, for the transcript.
func (l *loop) outcome(q session.Asked, b *session.Answered) string {
	text := visible(b.Text)
	switch {
	case q.Code == agent.QuestionApprove && b.Choice == agent.AnswerYes:
		return l.say(i18n.AskAllowed)
	case q.Code == agent.QuestionApprove && b.Choice == agent.AnswerAlways:
		return l.say(i18n.AskAllowedFor, visible(strings.Join(q.Rules, ", ")))
	case q.Code == agent.QuestionApprove && text != "":
		return l.say(i18n.AskWhy, text)
	case q.Code == agent.QuestionApprove:
		return l.say(i18n.AskRefused)
	case b.Choice == "":
		return l.say(i18n.AskNobody)
	case q.Code == agent.QuestionPlan && b.Choice == keepPlanning && text != "":
		return l.say(i18n.AskPlanRemark, text)
	case q.Code == agent.QuestionPlan && b.Choice == keepPlanning:
		return l.say(i18n.AskPlanGoesOn)
	case q.Code == agent.QuestionPlan:
		return l.say(i18n.AskPlanRuns, visible(b.Choice))
	case b.Choice == agent.AnswerText:
		return l.say(i18n.AskAnswered, text)
	}
	return l.say(i18n.AskAnswered, visible(b.Choice))
}
