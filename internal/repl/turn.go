package repl

import (
	"slices"
	"strings"
	"time"

	"paicli/internal/command"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/llm"
	"paicli/session"
)

// turn is the running turn as far as it was drawn.
type turn struct {
	running  bool
	stopping bool // it was interrupted and has not ended
	cut      bool // the program left it
	visible  bool // the model has answered something
	thinking bool // the last that came was reasoning
	draft    term.Draft
	start    time.Time
	review   time.Time // since when the first call of judged waits
	heard    time.Time // when something came last
	silent   int       // seconds of silence that were told, on plain lines
	text     int       // bytes of the reply that were printed
	judged   []pending // calls of the reply that were not begun yet
	calls    []*call
	spent    session.Totals
}

// call is one call of the batch that is running.
type call struct {
	name   string
	shown  string // its line
	tool   string
	output string // the tail of what it prints
	start  time.Time
	ended  *session.CallEnded
}

// pending is a call of which nothing is known yet but that the model made it: it is reviewed, or
// waits for those before it.
type pending struct{ name, tool string }

// usage is what the last request of the conversation took.
type usage struct{ request llm.Usage }

// begin starts a turn before its first event comes, so that the clock runs at once.
func (t *turn) begin(d term.Draft) {
	if t.running {
		return
	}
	now := time.Now()
	*t = turn{running: true, draft: d, start: now, heard: now}
}

// said draws the person's words. The first of a turn begin it.
func (l *loop) said(b *session.Said) {
	if b.By != session.ByUser {
		return
	}
	d := l.shape(b.Text)
	delete(l.sent, b.Text)
	l.unqueue(b.Queued)
	l.turn.begin(d)
	l.echo(d)
}

func (l *loop) unqueue(id string) {
	for i, q := range l.queue {
		if q.ID == id {
			l.queue = append(l.queue[:i:i], l.queue[i+1:]...)
			return
		}
	}
}

// streamed draws what arrives while it arrives. Reasoning is only said to go on, in the row of the
// clock: it is long, and printed it would bury the answer; the session keeps it.
func (l *loop) streamed(b *session.Streamed) {
	l.turn.thinking = b.Kind == session.StreamThink
	switch b.Kind {
	case session.StreamThink:
		l.turn.visible = true
	case session.StreamText:
		l.turn.visible = true
		l.stream(b.Text)
		l.turn.text += len(b.Text)
	case session.StreamOutput:
		if c := l.call(b.Call); c != nil {
			c.output = tail(c.output+b.Text, liveLines)
		}
	case session.StreamRetry:
		if r := b.Retry; r != nil {
			what, _ := l.opts.Explain(&r.Failure, false)
			wait := time.Duration(r.Wait) * time.Millisecond
			l.note(l.say(i18n.RunRetry, r.Attempt, r.Attempts, wait.Round(100*time.Millisecond), term.Printable(what, false)))
		}
	}
}

// replied prints what of the reply was not seen live: a reply may be complete before its last pieces
// were read.
func (l *loop) replied(seq int64, b *session.Replied) {
	text := b.Message.Text()
	if l.turn.text < len(text) {
		l.turn.visible = true
		l.stream(text[l.turn.text:])
	}
	l.turn.text, l.turn.thinking = 0, false
	l.endLine()
	l.turn.visible = l.turn.visible || len(b.Message.Blocks) > 0
	if b.Usage.Known {
		l.last.request = b.Usage
	}
	if b.BrokenOff() {
		l.note(l.say(i18n.NoteBrokenOff))
	}
	l.turn.judged = nil
	for i, c := range b.Message.Calls() {
		l.turn.judged = append(l.turn.judged, pending{session.CallName(seq, i), visible(c.Name)})
	}
	l.turn.review = time.Now()
}

// begun takes a call off those of which nothing is known.
func (t *turn) begun(name string) {
	t.judged = slices.DeleteFunc(t.judged, func(p pending) bool { return p.name == name })
	t.review = time.Now()
}

func (l *loop) call(id string) *call {
	for _, c := range l.turn.calls {
		if c.name == id {
			return c
		}
	}
	return nil
}

func (l *loop) callStarted(b *session.CallStarted) {
	l.turn.visible = true
	l.turn.begun(b.Call)
	line := l.say(i18n.RunCallOK, visible(b.Name), visible(b.Title))
	l.turn.calls = append(l.turn.calls, &call{name: b.Call, shown: line, tool: visible(b.Name), start: time.Now()})
}

// callEnded draws a call, and those after it that had ended before it: calls are drawn in their
// order, each once.
func (l *loop) callEnded(b *session.CallEnded) {
	l.turn.begun(b.Call)
	if c := l.call(b.Call); c != nil {
		c.ended = b
	} else {
		l.turn.calls = append(l.turn.calls, &call{name: b.Call, ended: b})
	}
	for len(l.turn.calls) > 0 && l.turn.calls[0].ended != nil {
		l.printCall(l.turn.calls[0].ended)
		l.turn.calls = l.turn.calls[1:]
	}
}

func (l *loop) spent(b *session.Spent) {
	for _, t := range []*session.Totals{&l.turn.spent, &l.totals} {
		t.Requests++
		t.Usage = t.Usage.Add(b.Usage)
		t.Millis += b.Millis
		if b.Cost.Currency == "" {
			continue
		}
		if t.Costs == nil {
			t.Costs = make(map[string]float64)
		}
		t.Costs[b.Cost.Currency] += b.Cost.Amount
	}
}

// turnEnded says why a turn ended early and what it took. A prompt that was interrupted before
// anything came of it goes back into the editor.
func (l *loop) turnEnded(b *session.TurnEnded) {
	l.endLine()
	for _, c := range l.turn.calls {
		if c.ended != nil {
			l.printCall(c.ended)
		}
	}
	if f := b.Failure; f != nil {
		what, hint := l.opts.Explain(f, b.Text != "")
		l.line(l.styled(red, term.Printable(what, false)))
		if hint != "" {
			l.line(term.Printable(hint, false))
		}
	}
	if b.End == session.EndInterrupted {
		l.line(l.styled(red, l.say(i18n.NoteInterrupted)))
	}
	if text := l.opts.Lang.Limit(b.Reason, b.Steps); text != "" {
		l.note(text)
	}
	l.line(l.styled(dim, l.bill()))
	l.out.Write("\n")
	back := b.End == session.EndInterrupted && !l.turn.visible && l.editor.Empty() && len(l.queue) == 0 && l.replay == nil
	if back {
		l.editor.Set(l.turn.draft)
	}
	l.turn = turn{cut: l.turn.cut}
	l.ask, l.asks = nil, nil
}

// bill is one line: how long the turn took and what it used.
func (l *loop) bill() string {
	t := l.turn.spent
	took := time.Since(l.turn.start).Round(time.Second)
	if l.replay != nil {
		took = time.Duration(t.Millis) * time.Millisecond
	}
	if !t.Usage.Known {
		return l.say(i18n.ReplTurnShort, took.Round(time.Second), t.Requests)
	}
	return l.say(i18n.ReplTurn, took.Round(time.Second), t.Requests, command.Tokens(t.Usage.Input),
		command.Tokens(t.Usage.Cached), command.Tokens(t.Usage.Output), command.Cost(l.opts.Lang, l.opts.ASCII, t.Costs))
}

// silence is from when on an answer that does not come is said to be waited for.
const silence = 15 * time.Second

// clock draws the passing of time. On plain lines it tells of silence, each time after twice as
// long.
func (l *loop) clock() {
	quiet := int(time.Since(l.turn.heard) / time.Second)
	if !l.opts.Plain || len(l.turn.calls) > 0 || l.ask != nil || quiet < max(2*l.turn.silent, int(silence/time.Second)) {
		return
	}
	l.turn.silent = quiet
	l.note(l.say(i18n.RunWaiting, quiet))
}

// status is the row that says what is going on, and what is waited for.
func (l *loop) status() string {
	since := func(t time.Time) int { return int(time.Since(t) / time.Second) }
	if c := l.running(); c != nil && !l.turn.stopping && l.ask == nil {
		return l.say(i18n.ReplRunning, c.tool, since(c.start))
	}
	switch {
	case l.turn.stopping:
		return l.say(i18n.ReplStopping)
	case l.ask != nil:
		return l.say(i18n.ReplYourTurn, since(l.ask.shown))
	case len(l.turn.judged) > 0:
		return l.say(i18n.ReplReviewing, l.turn.judged[0].tool, since(l.turn.review))
	case len(l.turn.calls) == 0 && time.Since(l.turn.heard) >= silence:
		return l.say(i18n.RunWaiting, since(l.turn.heard))
	case l.turn.thinking:
		return l.say(i18n.ReplThinking, since(l.turn.start))
	}
	return l.say(i18n.ReplWorking, since(l.turn.start))
}

// running is the first call that runs, nil when none does.
func (l *loop) running() *call {
	for _, c := range l.turn.calls {
		if c.ended == nil {
			return c
		}
	}
	return nil
}

// tail is the last lines of an output. What a carriage return overwrites is left out.
func tail(s string, lines int) string {
	all := strings.Split(s, "\n")
	return strings.Join(all[max(len(all)-lines-1, 0):], "\n")
}

// overwritten is a line as a terminal would show it in the end.
func overwritten(line string) string {
	line = strings.TrimRight(line, "\r")
	return line[strings.LastIndexByte(line, '\r')+1:]
}

// replay collects what happened before this run: the last turns are drawn, the others counted.
type replay struct {
	head   int64
	turns  [][]session.Event
	before int
}

// replayed is how many turns of a resumed session are drawn.
const replayed = 3

func (r *replay) add(e session.Event) {
	if b, ok := e.Body.(*session.Said); ok && b.By == session.ByUser && e.Agent == "" {
		r.turns = append(r.turns, nil)
	}
	if len(r.turns) == 0 {
		return
	}
	if len(r.turns) > replayed {
		r.turns, r.before = r.turns[1:], r.before+1
	}
	last := len(r.turns) - 1
	r.turns[last] = append(r.turns[last], e)
}
