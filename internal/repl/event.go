package repl

import (
	"slices"
	"strings"
	"time"

	"paicli/agent"
	"paicli/internal/command"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/session"
)

// event draws one event and reports whether it should be seen at once.
func (l *loop) event(it item) bool {
	if it.err != nil {
		l.line(l.styled(red, l.say(i18n.ReplLogFailed, term.Printable(it.err.Error(), false))))
		return true
	}
	e := it.event
	if l.replay != nil {
		l.replay.add(e)
		if e.Seq >= l.replay.head {
			l.drawReplay()
		}
		return true
	}
	l.turn.heard, l.turn.silent = time.Now(), 0
	l.body(e)
	_, streamed := e.Body.(*session.Streamed)
	return !streamed
}

// body draws what happened. Of other threads than the root only questions and costs are shown.
func (l *loop) body(e session.Event) {
	switch b := e.Body.(type) {
	case *session.Asked:
		l.asked(*b)
	case *session.Answered:
		l.answered(b)
	case *session.Spent:
		l.spent(b)
	case *session.Set:
		l.set(b)
	case *session.Queued:
		l.unqueue(b.ID)
		if !b.Dropped {
			l.queued(b)
		}
	}
	if e.Agent != "" {
		return
	}
	switch b := e.Body.(type) {
	case *session.Said:
		l.said(b)
	case *session.Streamed:
		l.streamed(b)
	case *session.Replied:
		l.replied(e.Seq, b)
	case *session.CallStarted:
		l.callStarted(b)
	case *session.CallEnded:
		l.callEnded(b)
	case *session.Noted:
		if b.Code == agent.NoteCallText {
			l.note(l.say(i18n.NoteCallText))
		}
	case *session.TurnEnded:
		l.turnEnded(b)
	}
}

// attach begins to read the events of the session. The first item says where it stands.
func (l *loop) attach() {
	l.events = newPump(l.session.Conv)
	it := <-l.events.out
	b, ok := it.event.Body.(*session.Attached)
	if !ok {
		return
	}
	l.mode = l.session.Mode
	if m := b.State.Settings[modeSetting]; m != "" {
		l.mode = m
	}
	if l.opts.Plain && l.mode != command.Modes()[0] && l.mode != "" { // there is no row that shows it
		l.note(l.say(i18n.SlashModeIs, l.mode))
	}
	l.queue, l.totals = slices.Clone(b.State.Queue), b.State.Totals
	l.queue = slices.DeleteFunc(l.queue, func(q session.Queued) bool { return q.By != session.ByUser })
	if b.Head > 0 {
		l.replay = &replay{head: b.Head}
	}
}

// drawReplay draws the last turns of a session that goes on.
func (l *loop) drawReplay() {
	r, totals, queue := l.replay, l.totals, l.queue
	l.totals = session.Totals{}
	if r.before > 0 {
		l.line(l.styled(dim, l.say(i18n.ReplEarlier, r.before)))
	}
	for _, events := range r.turns {
		for _, e := range events {
			switch b := e.Body.(type) {
			case *session.Asked:
				if b.Code == agent.QuestionPlan { // it stands nowhere else
					l.printQuestion(*b)
				}
			case *session.Answered, *session.Queued, *session.Set:
			default:
				l.body(e)
			}
		}
	}
	l.replay, l.totals, l.queue = nil, totals, queue
	l.turn = turn{}
}

// queued keeps a prompt in the list of those that wait. News of the program itself, of a job that
// ended for one, is told at once: it is nothing that a person could take back.
func (l *loop) queued(b *session.Queued) {
	if b.By != session.ByUser {
		l.note(term.Printable(b.Text, false))
		return
	}
	l.queue = append(l.queue, *b)
	if l.opts.Plain {
		l.note(l.queueRow(len(l.queue)-1, b.Text))
	}
}

func (l *loop) queueRow(i int, text string) string {
	shown := strings.Join(strings.Fields(l.shape(text).Shown()), " ")
	return l.say(i18n.ReplQueued, i+1, term.Printable(shown, false))
}

// liveLines is how many lines of a running command's output are shown.
const liveLines = 3

// below is what stands below the output now.
func (l *loop) below() below {
	b := below{prompt: l.prompt(), editor: &l.editor, ready: !l.turn.running || l.ask != nil && !l.ask.sent}
	add := func(text, sgr string) { b.rows = append(b.rows, l.row(text, sgr)) }
	for _, c := range l.turn.calls {
		if c.ended != nil || c.shown == "" {
			continue
		}
		add(l.mark()+" "+c.shown, "")
		for _, line := range strings.Split(strings.TrimRight(c.output, "\n"), "\n") {
			if line = overwritten(line); line != "" {
				add("    "+term.Printable(line, false), dim)
			}
		}
	}
	if l.turn.running {
		status := l.status()
		if !l.turn.stopping && l.ask == nil {
			status = l.say(i18n.ReplStatus, status)
		}
		add(status, dim)
	}
	for i, q := range l.queue {
		add(l.queueRow(i, q.Text), dim)
	}
	b.choices, b.hint, b.foot = l.choices(), l.row(l.hint, dim), l.row(l.modeRow(), dim)
	return b
}

// row is a row below the output.
func (l *loop) row(text, sgr string) term.Row {
	if !l.opts.Color {
		sgr = ""
	}
	return term.Row{Text: text, SGR: sgr}
}

// prompt is what the editor stands behind.
func (l *loop) prompt() string {
	mark := "❯ "
	if l.opts.ASCII {
		mark = ">> "
	}
	if label := l.fieldLabel(); label != "" {
		return label + " " + mark
	}
	return mark
}
