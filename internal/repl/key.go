package repl

import (
	"strings"
	"time"

	"paicli/agent"
	"paicli/internal/command"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/session"
)

// key carries out one key.
func (l *loop) key(k term.Key) {
	l.hint = ""
	if l.opts.Plain && k.Code == term.Enter {
		if s, ok := l.out.(*plain); ok {
			s.entered()
		}
	}
	taken := l.askKey(k)
	l.touched = time.Now()
	if taken {
		return
	}
	switch {
	case k.Code == term.Esc:
		l.escape()
	case k.IsCtrl("c"):
		l.interruptKey()
	case k.IsCtrl("d") && l.editor.Empty():
		if !l.turn.running {
			l.leave()
		}
	case k.IsCtrl("z"):
		l.suspend()
	case k.IsCtrl("l"):
		if s, ok := l.out.(suspender); ok {
			s.Clear()
		}
	case k.Code == term.Enter:
		l.enter()
	case k.Code == term.Tab:
		l.complete()
	case k.Code == term.BackTab:
		l.setMode(command.NextMode(l.mode))
	case k.Code == term.Up && l.editor.Empty() && len(l.queue) > 0:
		l.takeBack()
	default:
		l.editor.Do(k)
	}
}

// escape interrupts a running turn and keeps the draft. Without one it clears the draft, which Up
// brings back.
func (l *loop) escape() {
	if l.turn.running {
		l.interrupt()
		return
	}
	l.editor.Remember(l.editor.Take())
}

// interruptKey is Ctrl+C: one key, one effect. It clears the draft, or interrupts, or says that once
// more leaves.
func (l *loop) interruptKey() {
	l.hint = ""
	switch {
	case !l.editor.Empty():
		l.editor.Remember(l.editor.Take())
	case l.ask != nil && l.ask.field != noField:
		l.closeField()
	case l.turn.running && !l.turn.stopping:
		l.interrupt()
	case time.Since(l.armed) < againTime:
		l.leave()
	default:
		l.armed = time.Now()
		l.hint = l.say(i18n.ReplAgain)
		if l.opts.Plain {
			l.line(l.hint)
		}
	}
}

func (l *loop) interrupt() {
	if l.turn.running && !l.turn.stopping {
		l.turn.stopping = true
		l.session.Conv.Submit(agent.Interrupt{})
	}
}

func (l *loop) suspend() {
	s, ok := l.out.(suspender)
	if !ok {
		return
	}
	if err := s.Suspend(); err != nil {
		l.leave()
	}
}

// enter sends what was entered, or, behind a backslash, begins a new line.
func (l *loop) enter() {
	if l.editor.Before("\\") {
		l.editor.Do(term.Key{Code: term.Backspace})
		l.editor.Do(term.Key{Code: term.NewLine})
		return
	}
	d := l.editor.Take()
	if strings.TrimSpace(d.Text()) == "" {
		return
	}
	l.editor.Remember(d)
	if err := l.history.add(d.Text()); err != nil {
		l.line(l.say(i18n.ReplHistory, err))
	}
	if c, ok := command.Parse(d.Text()); ok {
		l.command(c, d)
		return
	}
	l.submit(d)
}

// submit sends words to the conversation. Words that were not taken come back into the editor.
func (l *loop) submit(d term.Draft) {
	text := d.Text()
	l.sent[text] = d
	if err := l.session.Conv.Submit(agent.Prompt{Text: text}); err != nil {
		delete(l.sent, text)
		l.line(l.styled(red, l.say(i18n.ReplNotSent, term.Printable(err.Error(), false))))
		l.editor.Set(d)
		return
	}
	l.turn.begin(d)
}

// takeBack takes the newest prompt out of the queue for editing.
func (l *loop) takeBack() {
	q := l.queue[len(l.queue)-1]
	if l.session.Conv.Submit(agent.Unqueue{ID: q.ID}) == nil {
		l.editor.Set(l.shape(q.Text))
	}
}

// shape is a text as it was entered, with its pastes.
func (l *loop) shape(text string) term.Draft {
	if d, ok := l.sent[text]; ok {
		return d
	}
	return term.NewDraft(text)
}

// complete goes on with a command as far as it is clear.
func (l *loop) complete() {
	text, options := command.Complete(l.editor.Text(), l.opts.Desk)
	if text != l.editor.Text() {
		l.editor.Set(term.NewDraft(text))
	}
	l.hint = strings.Join(options, "  ")
}

// command carries out a slash command.
func (l *loop) command(c command.Line, d term.Draft) {
	l.echo(d)
	r := command.Run(c, command.Place{
		Lang: l.opts.Lang, ASCII: l.opts.ASCII, Model: l.session.Model, Mode: l.mode, Last: l.last.request,
		Totals: l.totals, Running: l.turn.running,
	}, l.opts.Desk)
	if r.Op != nil {
		if _, stop := r.Op.(agent.Interrupt); stop {
			l.turn.stopping = true
		}
		if err := l.session.Conv.Submit(r.Op); err != nil {
			r.Text, r.Model = l.say(i18n.ReplNotSent, err), nil
		}
	}
	if r.Model != nil {
		l.session.Model = *r.Model
	}
	if r.Text != "" {
		l.line(term.Printable(r.Text, true))
		l.out.Write("\n")
	}
	switch r.Do {
	case command.Leave:
		l.leave()
	case command.Fresh:
		l.fresh()
	}
}

// fresh goes on with a new session.
func (l *loop) fresh() {
	s, err := l.opts.Fresh()
	if err != nil {
		l.line(l.styled(red, l.say(i18n.ReplNotSent, err)))
		return
	}
	l.events.close()
	if old := l.session.Model; s.Model.Name != old.Name && s.Conv.Submit(agent.Set{Key: "model", Value: old.Name}) == nil {
		s.Model = old // what was chosen stays chosen
	}
	if mode := l.mode; s.Mode != mode && s.Conv.Submit(command.SetMode(mode)) == nil {
		s.Mode = mode
	}
	l.session = s
	l.queue, l.asks, l.ask = nil, nil, nil
	l.turn, l.last, l.totals = turn{}, usage{}, session.Totals{}
	l.line(l.styled(dim, l.say(i18n.SlashFresh, s.ID)))
	l.attach()
}
