// Package repl is the front end in a terminal: a prompt below the output, which is printed once and
// stays in the terminal's own history. It takes no other screen and draws no boxes. What happens is
// read from the events of the conversation and drawn by the shapes of session.Detail; it knows no
// tool by name.
//
//	keys ──► loop ──► Submit(op)          Events ──► loop ──► output
//	           └────► editor, questions, commands        └──► rows below it: calls, clock, queue, prompt
//
// One goroutine owns everything that is drawn. There are two surfaces: inline, where the rows below
// the output are redrawn in place, and plain lines without control sequences for dumb terminals and
// screen readers.
package repl

import (
	"context"
	"fmt"
	"iter"
	"os"
	"os/signal"
	"time"

	"paicli/agent"
	"paicli/internal/command"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/session"
)

// Conversation is what a front end needs: operations in, events out. agent.Conv is one.
type Conversation interface {
	Submit(op agent.Op) error
	Events(ctx context.Context, after int64) iter.Seq2[session.Event, error]
}

// Session is a conversation and what the screen says about it.
type Session struct {
	Conv  Conversation
	ID    string
	Kept  bool // in a file, so that it can be resumed
	Root  string
	Model command.Model
	Mode  string // the permission mode, as long as the session says no other
}

// Options of a run.
type Options struct {
	Session Session
	Version string
	Lang    i18n.Lang
	ASCII   bool // no characters beyond ASCII of our own
	Color   bool
	Plain   bool   // no control sequences at all
	First   string // the first prompt, "" = none
	History string // file of what was entered, "" = none
	Desk    command.Desk
	// Fresh begins a new session and ends the one before it.
	Fresh func() (Session, error)
	// Explain words a failed model call: what happened, and what to do next. visible says that
	// a part of the answer had been received.
	Explain func(f *session.Failure, visible bool) (what, hint string)
}

// surface is where the output goes and, below it, the prompt.
type surface interface {
	// Write adds output, whole lines or the beginning of one.
	Write(text string)
	// Draw shows the output so far and what stands below it.
	Draw(below) error
	// Close takes away what stands below the output and gives the terminal back.
	Close() error
}

// suspender is a surface that can be left for a while and cleared.
type suspender interface {
	Suspend() error
	Clear() error
}

// below is what stands below the output.
type below struct {
	rows    []term.Row // above the prompt
	choices []string   // below them, broken where they are too long: nothing of them is cut off
	hint    term.Row   // below these, no text = none
	prompt  string
	editor  *term.Editor
	foot    term.Row // below the prompt
	ready   bool     // the person is expected to type
}

// Run draws the conversation and takes what the person enters until the person leaves or ctx ends.
// The terminal is given back in every case. cut says that a turn was running then.
func Run(ctx context.Context, in, out *os.File, opts Options) (cut bool, err error) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	resized, end := term.Resized()
	defer end()
	var s surface
	var keys <-chan []term.Key
	if opts.Plain {
		s, keys = &plain{w: out}, lines(in)
	} else {
		t, err := term.OpenTerminal(in, out)
		if err != nil {
			return false, err
		}
		s, keys = newInline(t, out, opts), term.Keys(in)
	}
	l := newLoop(opts, s)
	defer l.close()
	l.interrupts, l.resized = interrupts, resized
	return l.run(ctx, keys)
}

// loop is the state of the front end. One goroutine owns it.
type loop struct {
	opts    Options
	out     surface
	columns func() int // of the screen, nil = lines of any length
	keys    <-chan []term.Key
	session Session
	events  *pump

	interrupts <-chan os.Signal
	resized    <-chan os.Signal

	editor  term.Editor
	history *history
	hint    string    // one row above the prompt, until the next key
	armed   time.Time // when Ctrl+C said "again to leave"
	leaving bool
	closed  bool             // the terminal was given back
	end     <-chan time.Time // when leaving does not wait any longer

	mode   string
	turn   turn
	ask    *asking
	asks   []session.Asked // open questions behind it
	queue  []session.Queued
	sent   map[string]term.Draft // what was sent, as it was shown, by its text
	last   usage
	totals session.Totals
	replay *replay // what happened before this run; nil when it was drawn

	column  bool      // the output stands inside a line
	drawn   time.Time // when the last frame was
	pending <-chan time.Time
	touched time.Time // the last key
}

const (
	// frameTime is the time between frames that output makes, so that many small pieces cost no
	// more than a few large ones.
	frameTime = 33 * time.Millisecond
	// againTime is how long Ctrl+C again leaves.
	againTime = 2 * time.Second
	// endWait is how long an interrupted turn may take to end when the program leaves.
	endWait = 3 * time.Second
	// signalWait is how long the end of input waits for the signal that explains it.
	signalWait = 100 * time.Millisecond
)

func newLoop(opts Options, s surface) *loop {
	l := &loop{opts: opts, out: s, session: opts.Session, sent: make(map[string]term.Draft)}
	l.editor.Label = func(n, lines int) string { return l.say(i18n.ReplPasted, n, lines) }
	if s, ok := s.(*inline); ok {
		l.columns = func() int {
			n, _ := s.size()
			return n
		}
	}
	l.history = openHistory(opts.History)
	for _, text := range l.history.entries {
		l.editor.Remember(term.NewDraft(text))
	}
	return l
}

func (l *loop) say(t i18n.Text, args ...any) string { return l.opts.Lang.Say(t, args...) }

// close ends the reading of events and gives the terminal back.
func (l *loop) close() {
	l.giveBack()
	if l.events != nil {
		l.events.close()
	}
}

// giveBack gives the terminal back, once.
func (l *loop) giveBack() {
	if !l.closed {
		l.closed = true
		l.out.Close()
	}
}

// run is the loop.
func (l *loop) run(ctx context.Context, keys <-chan []term.Key) (cut bool, err error) {
	l.keys = keys
	l.greet()
	l.attach()
	if l.opts.First != "" {
		if l.opts.Plain {
			l.line(l.prompt() + l.opts.First)
		}
		l.submit(term.NewDraft(l.opts.First))
	}
	tick := time.NewTicker(time.Second)
	tick.Stop()
	ticking := false
	for err == nil && !l.done() {
		if busy := l.turn.running; busy != ticking {
			if ticking = busy; busy {
				tick.Reset(time.Second)
			} else {
				tick.Stop()
			}
		}
		err = l.step(ctx, tick.C)
	}
	tick.Stop()
	cut = l.turn.running || l.turn.cut
	if ctx.Err() != nil {
		l.hangUp()
		return cut, nil
	}
	l.farewell()
	return cut, err
}

// step waits for one thing to happen and draws what came of it.
func (l *loop) step(ctx context.Context, tick <-chan time.Time) error {
	now := false // draw at once
	select {
	case e, ok := <-l.events.out:
		if !ok {
			l.leaving, l.turn.running = true, false
			return nil
		}
		now = l.event(e)
	case keys, ok := <-l.keys:
		now = true
		if !ok {
			l.keys = nil
			select { // a terminal that goes away ends the input a little before its signal comes
			case <-ctx.Done():
			case <-time.After(signalWait):
				l.leave()
			}
			break
		}
		for _, k := range keys {
			l.key(k)
		}
	case <-l.interrupts:
		now = true
		l.interruptKey()
	case <-tick:
		now = true
		l.clock()
	case <-l.pending:
		now = true
	case <-l.resized:
		now = true
	case <-l.end:
		l.turn.running, l.turn.cut = false, true
	case <-ctx.Done():
		l.leaving, l.turn.cut = true, l.turn.running
		l.turn.running = false
		return nil
	}
	return l.draw(now)
}

// done reports whether the person has left and no turn is running any more.
func (l *loop) done() bool { return l.leaving && !l.turn.running }

// draw makes a frame, now or a little later.
func (l *loop) draw(now bool) error {
	if l.replay != nil {
		return nil
	}
	if since := time.Since(l.drawn); !now && since < frameTime {
		if l.pending == nil {
			l.pending = time.After(frameTime - since)
		}
		return nil
	}
	l.pending, l.drawn = nil, time.Now()
	if err := l.out.Draw(l.below()); err != nil {
		return fmt.Errorf("write to terminal: %w", err)
	}
	return nil
}

// hangUp ends a turn that is running when the program was told to go. The terminal is given back
// first.
func (l *loop) hangUp() {
	l.giveBack()
	if !l.turn.cut {
		return
	}
	l.session.Conv.Submit(agent.Interrupt{})
	deadline := time.After(endWait)
	for {
		select {
		case e, ok := <-l.events.out:
			if ended, is := e.event.Body.(*session.TurnEnded); !ok || is && e.event.Agent == "" && ended != nil {
				return
			}
		case <-deadline:
			return
		}
	}
}

// leave ends the program, and before it a running turn.
func (l *loop) leave() {
	l.leaving = true
	if l.turn.running {
		l.turn.cut = true
		l.end = time.After(endWait)
		l.interrupt()
	}
}

// pump carries events from their iterator to the loop.
type pump struct {
	out    chan item
	cancel context.CancelFunc
	done   chan struct{}
}

type item struct {
	event session.Event
	err   error
}

func newPump(conv Conversation) *pump {
	ctx, cancel := context.WithCancel(context.Background())
	p := &pump{out: make(chan item), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		defer close(p.out)
		for e, err := range conv.Events(ctx, 0) {
			select {
			case p.out <- item{e, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return p
}

func (p *pump) close() {
	p.cancel()
	<-p.done
}
