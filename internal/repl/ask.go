package repl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"paicli/agent"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/session"
)

// asking is a question that is open on the screen.
type asking struct {
	session.Asked
	shown  time.Time
	armed  bool // keys are answers
	reason bool // the reason of a no is being written
	draft  term.Draft
	wrong  int
}

const (
	// calm is how long a question stands and the keys are still before a key answers it: what was
	// typed for the prompt must not.
	calm = 500 * time.Millisecond
	// maxWrong is how many wrong answers mean no.
	maxWrong = 3
	// always is the option that makes a rule of a yes.
	always = "always"
)

// asked opens a question, behind those that are open.
func (l *loop) asked(q session.Asked) {
	if l.ask != nil {
		l.asks = append(l.asks, q)
		return
	}
	l.ask = &asking{Asked: q, shown: time.Now()}
	l.printQuestion(q)
}

// answered closes a question, whoever answered it.
func (l *loop) answered(b *session.Answered) {
	if l.ask == nil || l.ask.ID != b.ID {
		for i, q := range l.asks {
			if q.ID == b.ID {
				l.asks = append(l.asks[:i:i], l.asks[i+1:]...)
				break
			}
		}
		return
	}
	if l.ask.reason {
		l.editor.Set(l.ask.draft)
	}
	l.ask = nil
	switch {
	case b.Choice == agent.AnswerYes || b.Choice == always:
		l.note(l.say(i18n.AskAllowed))
	case b.Text != "":
		l.note(l.say(i18n.AskWhy, term.Printable(b.Text, false)))
	default:
		l.note(l.say(i18n.AskRefused))
	}
	if len(l.asks) > 0 {
		q := l.asks[0]
		l.asks = l.asks[1:]
		l.asked(q)
	}
}

// printQuestion prints the whole of what is asked about: it stays in the transcript.
func (l *loop) printQuestion(q session.Asked) {
	head := l.say(i18n.AskOther, term.Printable(q.Text, false))
	if q.Code == agent.QuestionApprove {
		head = l.say(i18n.AskApprove, term.Printable(q.Name, false), term.Printable(q.Title, false))
	}
	l.note(l.styled(bold, head))
	if q.Code == agent.QuestionApprove && q.Text != "" {
		l.line("    " + term.Printable(q.Text, false))
	}
	if q.Call != "" {
		l.line("    " + l.say(i18n.AskFolder, term.Printable(l.session.Root, false)))
	}
	lines := l.detail(q.Preview, 0)
	if q.Preview == nil {
		lines = arguments(q.Args, q.Title)
	}
	for _, line := range lines {
		l.line("    " + line)
	}
	if l.opts.Plain {
		for _, row := range l.choices() {
			l.line(row)
		}
	}
}

// arguments are those of a call as lines: what the title does not say already.
func arguments(args json.RawMessage, title string) []string {
	dec := json.NewDecoder(bytes.NewReader(args))
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
		if value == title {
			continue
		}
		parts := split(value)
		if len(parts) == 1 {
			lines = append(lines, fmt.Sprintf("%v: %s", name, parts[0]))
			continue
		}
		lines = append(lines, fmt.Sprintf("%v:", name))
		for _, p := range parts {
			lines = append(lines, "  "+p)
		}
	}
	return lines
}

// offersAlways reports whether a yes for good is among the answers.
func (a *asking) offersAlways() bool {
	for _, o := range a.Options {
		if o == always {
			return true
		}
	}
	return false
}

// choices are the rows of the open question.
func (l *loop) choices() []string {
	if l.ask == nil || l.ask.reason {
		return nil
	}
	rows := []string{l.say(i18n.AskYes)}
	if l.ask.offersAlways() {
		rows = append(rows, l.say(i18n.AskAlways, term.Printable(strings.TrimSpace(l.ask.Name+" "+l.ask.Title), false)))
	}
	return append(rows, l.say(i18n.AskNo))
}

// askKey gives a key to the open question and reports whether it took it. Keys that come too early
// belong to the prompt.
func (l *loop) askKey(k term.Key) bool {
	a := l.ask
	if a == nil || k.IsCtrl("c") || k.IsCtrl("z") || k.IsCtrl("l") {
		return false
	}
	if a.reason {
		return l.reasonKey(k)
	}
	if l.opts.Plain { // what counts is when the line came
		return k.Code == term.Enter && time.Since(a.shown) >= calm && l.askLine()
	}
	if !a.armed && k.Code == term.Tab {
		a.armed = true
		return true
	}
	a.armed = a.armed || time.Since(a.shown) >= calm && time.Since(l.touched) >= calm
	if !a.armed {
		return false
	}
	switch k.Code {
	case term.Esc:
		l.answer(agent.AnswerNo, "")
		l.interrupt()
	case term.Text:
		l.choose(k.Text)
	default:
		l.choose("")
	}
	return true
}

// askLine takes the line that was entered as the answer.
func (l *loop) askLine() bool {
	l.choose(strings.TrimSpace(l.editor.Take().Text()))
	return true
}

// choose carries out an answer in a word.
func (l *loop) choose(word string) {
	switch strings.ToLower(word) {
	case "1", "y":
		l.answer(agent.AnswerYes, "")
		return
	case "2", "a":
		if l.ask.offersAlways() {
			l.answer(always, "")
			return
		}
	case "3", "n":
		l.ask.reason, l.ask.draft = true, l.editor.Take()
		return
	}
	if l.ask.wrong++; l.ask.wrong >= maxWrong {
		l.answer(agent.AnswerNo, "")
		return
	}
	text := i18n.AskKeysNoAll
	if l.ask.offersAlways() {
		text = i18n.AskKeys
	}
	l.hint = l.say(text)
	if l.opts.Plain {
		l.line(l.hint)
	}
}

// reasonKey is a key while the reason is written: only Return and Esc end it.
func (l *loop) reasonKey(k term.Key) bool {
	switch {
	case k.Code == term.Enter:
		l.answer(agent.AnswerNo, strings.TrimSpace(l.editor.Text()))
	case k.Code == term.Esc:
		l.answer(agent.AnswerNo, "")
		l.interrupt()
	case k.IsCtrl("d"):
		l.editor.Do(term.Key{Code: term.Delete})
	default:
		l.editor.Do(k)
	}
	return true
}

// answer sends an answer. The question closes when the conversation says that it was answered.
func (l *loop) answer(choice, text string) {
	// An error says that it was answered before, which comes as an event too.
	_ = l.session.Conv.Submit(agent.AnswerOp{ID: l.ask.ID, Answer: agent.Answer{Choice: choice, Text: text}})
}
