// Package session keeps what happened: one append-only log per session, from which everything else
// (the messages a model sees, what a front end shows) is computed. An event is written before
// anybody can see it, and a reader who comes late or reads slowly reads the same file as one who
// watches live.
//
//	Thread.Append ─► check ─► one line in the file ─► fold (messages) ─► Events(after)
//	Thread.Stream ─────────────────────────────────────────────────────► Events(after), never stored
//
// It is not for words: events carry codes, front ends say them.
package session

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// storage is where the lines go: a file, or memory when no file can be had.
type storage interface {
	io.Writer
	io.ReaderAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// Log is one session. It may be used by several goroutines; the model-visible events of one thread
// must come from one goroutine at a time.
type Log struct {
	id    string
	path  string // "" in memory
	now   func() time.Time
	scrub func([]byte) []byte

	mu     sync.Mutex
	store  storage
	size   int64 // bytes written
	seq    int64 // last number given
	folds  map[string]*fold
	state  State
	live   live
	buf    []byte
	failed error // the first write that failed; nothing is accepted after it
	closed bool
	wake   chan struct{} // closed at the next change; nil while nobody waits
}

// ID is the session's id.
func (l *Log) ID() string { return l.id }

// Path is the file of the log, "" when the session is kept in memory only.
func (l *Log) Path() string { return l.path }

// Thread returns the line of the named agent ("" = root) for a turn.
func (l *Log) Thread(agent string, turn int) *Thread {
	return &Thread{log: l, agent: agent, turn: turn}
}

// append writes the bodies as one batch and returns the number of the first. On an error nothing of
// the batch counts.
func (l *Log) append(agent string, turn int, bodies []Body) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return 0, fmt.Errorf("append event: %w", l.failed)
	}
	if l.closed { // another process may have it by now
		return 0, fmt.Errorf("append event: %w", errClosed)
	}
	f := l.fold(agent).clone()
	first := l.seq + 1
	l.buf = l.buf[:0]
	for i, b := range bodies {
		if err := l.check(agent, f, b); err != nil {
			return 0, err
		}
		body, err := l.encode(Event{Seq: first + int64(i), Time: l.now(), Turn: turn, Agent: agent, Body: b})
		if err != nil {
			return 0, err
		}
		bodies[i] = body
		f.apply(first+int64(i), body)
	}
	if err := l.write(bodies); err != nil {
		l.failed = err
		l.notify()
		return 0, fmt.Errorf("write session log: %w", err)
	}
	l.folds[agent] = f
	for _, b := range bodies {
		l.state.apply(agent, turn, b)
		l.live.settle(agent, b)
	}
	l.seq += int64(len(bodies))
	l.notify()
	return first, nil
}

// write puts the buffer into the store, and the store on the disk when a turn ends with it. What a
// full disk took of it only in part is cut off again.
func (l *Log) write(bodies []Body) error {
	n, err := l.store.Write(l.buf)
	if err != nil {
		if n > 0 {
			l.store.Truncate(l.size)
		}
		return err
	}
	l.size += int64(n)
	if _, ok := bodies[len(bodies)-1].(*TurnEnded); ok {
		return l.store.Sync()
	}
	return nil
}

// Head is the number of the last event.
func (l *Log) Head() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq
}

// State is where the session stands.
func (l *Log) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.clone()
}

// check says whether an event may follow. A compaction of the root thread carries the state of the
// whole session, so no thread may have an open call then.
func (l *Log) check(agent string, f *fold, b Body) error {
	if _, ok := b.(*Compacted); ok && agent == "" {
		for name, other := range l.folds {
			if err := other.check(b); err != nil && name != agent {
				return err
			}
		}
	}
	return f.check(b)
}

// encode adds the record to the buffer. When the line held a secret, the body that counts from here
// on is the scrubbed one, so that what the model sees equals what is stored.
func (l *Log) encode(e Event) (Body, error) {
	start := len(l.buf)
	open, err := appendEnvelope(l.buf, e)
	if err != nil {
		return nil, err
	}
	clean := l.scrub(open[start:])
	changed := !bytes.Equal(clean, open[start:])
	if changed {
		open = append(open[:start:start], clean...)
	}
	l.buf = seal(open, start)
	if !changed {
		return e.Body, nil
	}
	scrubbed, err := parseRecord(bytes.TrimRight(l.buf[start:], "\n"))
	if err != nil {
		return nil, fmt.Errorf("scrub event: %w", err)
	}
	return scrubbed.Body, nil
}

func (l *Log) fold(agent string) *fold {
	f := l.folds[agent]
	if f == nil {
		f = &fold{}
		l.folds[agent] = f
	}
	return f
}

// notify wakes the readers. The lock is held.
func (l *Log) notify() {
	if l.wake != nil {
		close(l.wake)
		l.wake = nil
	}
}

// Close ends the session: readers get what is there and then end. The file stays open for them until
// the process ends, its lock is given back.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.notify()
	if f, ok := l.store.(*os.File); ok {
		unlock(f)
	}
	return nil
}
