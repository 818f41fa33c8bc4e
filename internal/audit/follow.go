package audit

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"paicli/internal/secret"
	"paicli/llm"
	"paicli/session"
)

// Lengths of Entry.Args.
const (
	maxArgs   = 1000      // characters of a call that was allowed, as the original PaiCLI has it
	maxDenied = 256 << 10 // bytes of one that was denied: as long as a command may be
	maxRead   = 64 << 10  // bytes that are redacted before the rest is cut off
	truncated = "...(truncated)"
)

// Options of Follow.
type Options struct {
	Dir     string // of the audit log
	Mode    string // the permission mode, as long as the session says no other
	CWD     string
	Resumed bool        // the session goes on: calls after the last one that has an entry count too
	Since   time.Time   // with Resumed: when the session began
	Warn    func(error) // gets the first error of writing, once; nil: nobody
	Now     func() time.Time
}

// Follower writes the calls of a session. A write that fails stops nothing: the next one is tried.
type Follower struct {
	opts   Options
	writer Writer
	log    *session.Log
	done   chan struct{}

	mode   string
	calls  map[string]*Entry // that have not ended, by thread and call
	warned bool
}

// Follow reads a session's log beside the conversation, from its end on, until it is closed.
func Follow(log *session.Log, o Options) *Follower {
	f := &Follower{
		opts: o, writer: Writer{Dir: o.Dir, Now: o.Now}, log: log, done: make(chan struct{}),
		mode: o.Mode, calls: make(map[string]*Entry),
	}
	head := log.Head()
	go func() {
		defer close(f.done)
		f.run(head)
	}()
	return f
}

// Wait returns when the log was closed and read to its end.
func (f *Follower) Wait() { <-f.done }

// before is how many events are read again of a session that goes on: a call of a batch may have begun
// so many before the last one that has an entry.
const before = 500

// run reads what has no entry yet, and a little before that.
func (f *Follower) run(after int64) {
	if last := f.resumed(); last > 0 {
		after = last
	}
	for e, err := range f.log.Events(context.Background(), max(0, after-before)) {
		if err == nil {
			f.event(e, e.Seq > after)
		}
	}
}

func (f *Follower) resumed() int64 {
	if !f.opts.Resumed {
		return 0
	}
	return Last(f.opts.Dir, f.log.ID(), f.opts.Since)
}

func (f *Follower) event(e session.Event, counts bool) {
	switch b := e.Body.(type) {
	case *session.Attached:
		if m := b.State.Settings["mode"]; m != "" {
			f.mode = m
		}
	case *session.Set:
		if b.Key == "mode" {
			f.mode = b.Value
		}
	case *session.Replied:
		for i, c := range b.Message.Calls() {
			f.open(e.Agent, session.CallName(e.Seq, i), c)
		}
	case *session.CallStarted:
		f.started(e.Agent, b)
	case *session.CallEnded:
		if entry := f.ended(e, b); counts {
			f.write(entry)
		}
	}
}

func (f *Follower) open(agent, call string, c llm.Call) {
	f.calls[agent+"/"+call] = &Entry{Args: c.Args}
}

func (f *Follower) started(agent string, b *session.CallStarted) {
	entry := &Entry{Args: string(b.Args)}
	if b.Judged != nil {
		entry.Approver, entry.Reason = b.Judged.By, b.Judged.Reason
	}
	f.calls[agent+"/"+b.Call] = entry
}

// ended makes the entry of a call.
func (f *Follower) ended(e session.Event, b *session.CallEnded) Entry {
	entry := Entry{}
	if open := f.calls[e.Agent+"/"+b.Call]; open != nil {
		entry = *open
		delete(f.calls, e.Agent+"/"+b.Call)
	}
	entry.Time, entry.Session, entry.Turn, entry.Agent, entry.Seq = stamp(e.Time), f.log.ID(), e.Turn, e.Agent, e.Seq
	entry.Tool, entry.Status, entry.Millis, entry.Mode, entry.CWD = b.Name, string(b.Status), b.Millis, f.mode, f.opts.CWD
	if b.Args != nil {
		entry.Args = string(b.Args)
	}
	if b.Judged != nil {
		entry.Approver, entry.Reason = b.Judged.By, b.Judged.Reason
	}
	if b.Status != session.StatusOK && b.Reason != "" {
		entry.Reason = b.Reason
	}
	switch b.Status {
	case session.StatusOK:
		entry.Outcome = Allowed
	case session.StatusDenied:
		entry.Outcome = Denied
	default:
		entry.Outcome = Failed
	}
	if entry.Approver == "" {
		entry.Approver = "none"
	}
	return entry
}

// write takes secrets out of an entry and appends it.
func (f *Follower) write(e Entry) {
	e.Args = arguments(e.Args, e.Outcome)
	e.Reason = secret.Redact(e.Reason)
	err := f.writer.Append(e)
	if err == nil || f.warned {
		return
	}
	f.warned = true
	if f.opts.Warn != nil {
		f.opts.Warn(err)
	}
}

// arguments redacts and then cuts, so that no part of a secret stands at the cut.
func arguments(args string, outcome Outcome) string {
	if outcome == Denied {
		args, _ = head(args, maxDenied)
		return secret.Args(args)
	}
	first, cut := head(args, maxRead)
	if cut {
		return shorten(secret.Redact(first)) + truncated
	}
	all := secret.Args(args)
	if utf8.RuneCountInString(all) > maxArgs {
		return shorten(all) + truncated
	}
	return all
}

// shorten is the beginning of a text, at most maxArgs characters.
func shorten(s string) string {
	n := 0
	for at := range s {
		if n++; n > maxArgs {
			return s[:at]
		}
	}
	return s
}

// head is the beginning of a text, whole characters.
func head(s string, bytes int) (string, bool) {
	if len(s) <= bytes {
		return s, false
	}
	return strings.ToValidUTF8(s[:bytes], ""), true
}
