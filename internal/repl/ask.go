package repl

import (
	"bytes"
	"encoding/json"
	"slices"
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
	shown time.Time
	armed bool  // keys are answers
	field field // what is being written
	draft term.Draft
	wrong int
	sent  bool // an answer is on its way: keys are for the prompt again
}

// field is what a person writes as an answer or a part of it.
type field int

const (
	noField  field = iota
	reason         // of a no
	args           // of the call, as JSON
	ownWords       // the answer to a question
	remark         // on a plan that is not taken
)

const (
	// calm is how long a question stands and the keys are still before a key answers it: what was
	// typed for the prompt must not.
	calm = 500 * time.Millisecond
	// maxWrong is how many wrong answers mean no.
	maxWrong = 3
	// keepPlanning is the answer to a plan that is not taken.
	keepPlanning = "keep"
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
		l.asks = slices.DeleteFunc(l.asks, func(q session.Asked) bool { return q.ID == b.ID })
		return
	}
	l.closeField()
	q := l.ask.Asked
	l.ask = nil
	l.note(l.outcome(q, b))
	if len(l.asks) > 0 {
		q := l.asks[0]
		l.asks = l.asks[1:]
		l.asked(q)
	}
}

// askKey gives a key to the open question and reports whether it took it. Keys that come too early
// belong to the prompt.
func (l *loop) askKey(k term.Key) bool {
	a := l.ask
	if a == nil || a.sent || k.IsCtrl("c") || k.IsCtrl("z") || k.IsCtrl("l") || k.Code == term.BackTab {
		return false
	}
	if a.field != noField {
		return l.fieldKey(k)
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
		l.refuse()
	case term.Text:
		l.choose(k.Text)
	case term.Paste:
		l.pasted(k)
	default:
		l.choose("")
	}
	return true
}

// refuse is Esc: no to a call, no answer to anything else, and the end of the turn.
func (l *loop) refuse() {
	if l.ask.Code == agent.QuestionApprove {
		l.answer(agent.Answer{Choice: agent.AnswerNo})
	}
	l.interrupt()
}

// askLine takes the line that was entered as the answer.
func (l *loop) askLine() bool {
	l.choose(strings.TrimSpace(l.editor.Take().Text()))
	return true
}

// choose carries out an answer in a word. A word that opens a field may go on with what is written in
// it: quick typing arrives in one piece. A yes stands alone.
func (l *loop) choose(word string) {
	switch l.ask.Code {
	case agent.QuestionApprove:
		l.chooseApproval(word)
	case agent.QuestionPlan:
		l.choosePlan(word)
	default:
		l.chooseOption(word)
	}
}

// chooseApproval answers whether a call may run.
func (l *loop) chooseApproval(word string) {
	always := len(l.ask.Rules) > 0
	first, rest := cutFirst(word)
	switch {
	case rest == "" && (first == "1" || first == "y"):
		l.answer(agent.Answer{Choice: agent.AnswerYes})
	case rest == "" && always && (first == "2" || first == "a"):
		l.answer(agent.Answer{Choice: agent.AnswerAlways})
	case first == "3" || first == "n":
		l.write(reason, rest)
	case rest == "" && first == "e":
		l.write(args, indented(l.ask.Args))
	case always:
		l.wrong(agent.Answer{Choice: agent.AnswerNo}, i18n.AskKeys)
	default:
		l.wrong(agent.Answer{Choice: agent.AnswerNo}, i18n.AskKeysNoAll)
	}
}

// choosePlan answers whether a plan is carried out: its first options are modes, the last one goes
// on planning.
func (l *loop) choosePlan(word string) {
	first, rest := cutFirst(word)
	i := number(first, len(l.ask.Options))
	switch {
	case first == "n" || i > 0 && l.ask.Options[i-1] == keepPlanning:
		l.write(remark, rest)
	case i > 0 && rest == "":
		l.answer(agent.Answer{Choice: l.ask.Options[i-1]})
	default:
		l.wrong(agent.Answer{Choice: keepPlanning}, i18n.AskNumber, len(l.ask.Options))
	}
}

// chooseOption answers a question of the model: by a number, or in words, which may just be typed.
func (l *loop) chooseOption(word string) {
	most := len(l.ask.Options)
	switch i := number(word, most+1); {
	case i > 0 && i <= most:
		l.answer(agent.Answer{Choice: l.ask.Options[i-1]})
	case i > 0 && most > 0:
		l.write(ownWords, "")
	case word == "":
		l.tell(l.say(i18n.AskNumber, most+1))
	case l.opts.Plain:
		l.answer(agent.Answer{Choice: agent.AnswerText, Text: word})
	default:
		l.write(ownWords, word)
	}
}

// cutFirst parts a word behind its first letter, which is made small.
func cutFirst(word string) (first, rest string) {
	n := min(len(word), 1)
	return strings.ToLower(word[:n]), word[n:]
}

// pasted takes a paste: it may be the answer to a question of the model, and is none to any other.
func (l *loop) pasted(k term.Key) {
	if code := l.ask.Code; code == agent.QuestionApprove || code == agent.QuestionPlan {
		l.choose("")
		return
	}
	l.write(ownWords, "")
	l.editor.Do(k)
}

// number reads a number from 1 to most; 0 is none.
func number(word string, most int) int {
	if len(word) == 1 && word[0] >= '1' && int(word[0]-'0') <= most {
		return int(word[0] - '0')
	}
	return 0
}

// wrong takes an answer that is none: too many of them are the answer that changes nothing.
func (l *loop) wrong(instead agent.Answer, hint i18n.Text, about ...any) {
	if l.ask.wrong++; l.ask.wrong >= maxWrong {
		l.answer(instead)
		return
	}
	l.tell(l.say(hint, about...))
}

// tell shows a hint.
func (l *loop) tell(hint string) {
	l.hint = hint
	if l.opts.Plain {
		l.line(hint)
	}
}

// write opens a field in the place of the draft, with a text in it.
func (l *loop) write(f field, text string) {
	l.ask.field, l.ask.draft = f, l.editor.Take()
	if !l.opts.Plain {
		l.editor.Set(term.NewDraft(text))
	} else if f == args {
		l.line("    " + visible(compact(l.ask.Args)))
	}
}

// closeField gives the draft back.
func (l *loop) closeField() {
	if l.ask.field != noField {
		l.ask.field = noField
		l.editor.Set(l.ask.draft)
	}
}

// fieldKey is a key while a field is written: only Return and Esc end it.
func (l *loop) fieldKey(k term.Key) bool {
	switch {
	case k.Code == term.Enter:
		text := strings.TrimSpace(l.editor.Text())
		if l.opts.Plain { // there each line begins anew
			l.editor.Take()
		}
		l.send(text)
	case k.Code == term.Esc && l.ask.field == reason:
		l.refuse()
	case k.Code == term.Esc:
		l.closeField()
	case k.IsCtrl("d"):
		l.editor.Do(term.Key{Code: term.Delete})
	default:
		l.editor.Do(k)
	}
	return true
}

// send answers with what was written.
func (l *loop) send(text string) {
	switch l.ask.field {
	case reason:
		l.answer(agent.Answer{Choice: agent.AnswerNo, Text: text})
	case remark:
		l.answer(agent.Answer{Choice: keepPlanning, Text: text})
	case ownWords:
		if text != "" {
			l.answer(agent.Answer{Choice: agent.AnswerText, Text: text})
		}
	case args:
		l.sendArgs(text)
	}
}

// sendArgs allows the call with other arguments. Nothing written, or nothing changed, allows it as it
// is; what is no JSON object stays to be mended.
func (l *loop) sendArgs(text string) {
	raw := json.RawMessage(text)
	var object map[string]json.RawMessage
	err := json.Unmarshal(raw, &object)
	switch {
	case text == "" || compact(raw) == compact(l.ask.Args):
		l.answer(agent.Answer{Choice: agent.AnswerYes})
	case err == nil && object != nil:
		l.answer(agent.Answer{Choice: agent.AnswerYes, Args: raw})
	case err == nil:
		l.tell(l.say(i18n.AskBadArgs, text))
	default:
		l.tell(l.say(i18n.AskBadArgs, term.Printable(err.Error(), false)))
	}
}

// answer sends an answer. The question closes when the conversation says that it was answered.
func (l *loop) answer(ans agent.Answer) {
	// An error says that it was answered before, which comes as an event too.
	_ = l.session.Conv.Submit(agent.AnswerOp{ID: l.ask.ID, Answer: ans})
	l.closeField()
	l.ask.sent = true
}

// indented is JSON as people edit it, compact as it is compared.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
