package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// live is what is being streamed right now: pieces that grow until a durable event takes their
// place. Readers keep their own position in each piece, so a slow one gets a longer piece later
// instead of a queue.
type live struct {
	pieces []*piece
	last   int // id of the newest piece
}

type piece struct {
	id    int
	agent string
	turn  int
	kind  StreamKind
	call  string
	off   int // offset of data[0] in the whole
	data  []byte
	last  Streamed // of retry: shown as it is
}

// maxPiece bounds the output of a running call that is kept for readers, in bytes. The text of a
// reply is not bounded here: it is kept whole anyway.
const maxPiece = 64 << 10

func (v *live) add(agent string, turn int, s Streamed) {
	p := v.find(agent, s)
	if p == nil {
		v.last++
		p = &piece{id: v.last, agent: agent, turn: turn, kind: s.Kind, call: s.Call}
		v.pieces = append(v.pieces, p)
	}
	p.last = s
	p.data = append(p.data, s.Text...)
	if over := len(p.data) - maxPiece; s.Kind == StreamOutput && over > 0 {
		p.off += over
		p.data = append(p.data[:0], p.data[over:]...)
	}
}

// find returns the piece that s continues: the newest of its thread, or that of its call.
func (v *live) find(agent string, s Streamed) *piece {
	for i := len(v.pieces) - 1; i >= 0; i-- {
		p := v.pieces[i]
		if p.agent != agent {
			continue
		}
		if s.Kind == StreamOutput {
			if p.kind == s.Kind && p.call == s.Call {
				return p
			}
			continue
		}
		if p.kind == s.Kind && s.Kind != StreamRetry {
			return p
		}
		if p.kind != StreamOutput {
			return nil
		}
	}
	return nil
}

// settle drops the pieces whose place a durable event has taken.
func (v *live) settle(agent string, b Body) {
	var gone func(p *piece) bool
	switch b := b.(type) {
	case *Replied:
		gone = func(p *piece) bool { return p.agent == agent && p.kind != StreamOutput }
	case *CallEnded:
		gone = func(p *piece) bool { return p.agent == agent && p.call == b.Call }
	case *TurnEnded:
		gone = func(p *piece) bool { return p.agent == agent }
	default:
		return
	}
	kept := v.pieces[:0]
	for _, p := range v.pieces {
		if !gone(p) {
			kept = append(kept, p)
		}
	}
	clear(v.pieces[len(kept):])
	v.pieces = kept
}

func (v *live) has(id int) bool {
	return slices.ContainsFunc(v.pieces, func(p *piece) bool { return p.id == id })
}

// errClosed says that the session was closed.
var errClosed = errors.New("session closed")

// reader is one view of a session.
type reader struct {
	log    *Log
	offset int64       // in the file, of the next record
	seq    int64       // of the last durable event that was passed
	seen   map[int]int // piece id → offset up to which it was shown
	buf    []byte
}

// Events gives first Attached, then the durable events after number after, in order, and then, for as long as the
// session is open and ctx lives, everything new and everything live. Each caller reads for itself:
// nothing is lost to a slow one, and nobody waits for it. A record that cannot be read is an error
// item; reading goes on behind it. When the log can no longer be written, that error is the last
// item.
func (l *Log) Events(ctx context.Context, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		r := &reader{log: l, offset: int64(len(header)), seen: make(map[int]int)}
		if !yield(l.attached(), nil) {
			return
		}
		for ctx.Err() == nil {
			size, streamed, wake, err := r.poll()
			switch {
			case r.offset < size:
				if !r.durable(size, after, yield) {
					return
				}
			case len(streamed) > 0:
				for _, e := range streamed {
					if !yield(e, nil) {
						return
					}
				}
			case err == errClosed:
				return
			case err != nil:
				yield(Event{}, fmt.Errorf("write session log: %w", err))
				return
			default:
				select {
				case <-wake:
				case <-ctx.Done():
				}
			}
		}
	}
}

// attached is the first item of every reader.
func (l *Log) attached() Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Event{Seq: l.seq, Time: l.now(), Turn: l.state.Turn, Body: &Attached{Head: l.seq, State: l.state.clone()}}
}

// poll looks at the log: how far it reaches, what is live and not yet shown (only when the durable
// part was read to its end), a channel that closes at the next change, and why no change will come.
func (r *reader) poll() (size int64, streamed []Event, wake <-chan struct{}, err error) {
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.offset < l.size {
		return l.size, nil, nil, nil
	}
	maps.DeleteFunc(r.seen, func(id, _ int) bool { return !l.live.has(id) })
	for _, p := range l.live.pieces {
		if e, ok := r.grown(p); ok {
			streamed = append(streamed, e)
		}
	}
	if l.wake == nil {
		l.wake = make(chan struct{})
	}
	err = l.failed
	if l.closed {
		err = errClosed
	}
	return l.size, streamed, l.wake, err
}

// grown returns what was added to a piece since it was last shown.
func (r *reader) grown(p *piece) (Event, bool) {
	end := p.off + len(p.data)
	from, known := r.seen[p.id]
	if p.kind == StreamRetry && known || p.kind != StreamRetry && from >= end {
		return Event{}, false
	}
	r.seen[p.id] = end
	from = max(from, p.off)
	s := p.last
	s.Off, s.Text = from, string(p.data[from-p.off:])
	return Event{Seq: r.seq, Time: r.log.now(), Turn: p.turn, Agent: p.agent, Body: &s}, true
}

// durable passes the records up to size on, block by block. A block grows only when a single record
// is longer.
func (r *reader) durable(size, after int64, yield func(Event, error) bool) bool {
	want := int64(32 << 10)
	for r.offset < size {
		block, err := r.block(min(want, size-r.offset))
		if err != nil {
			return yield(Event{}, fmt.Errorf("read session log: %w", err))
		}
		end := bytes.LastIndexByte(block, '\n')
		if end < 0 {
			want *= 2
			continue
		}
		start := r.offset
		for i, line := range records(block[:end+1]) {
			r.offset = start + int64(i+len(line)+1)
			if !r.record(start+int64(i), line, after, yield) {
				return false
			}
		}
	}
	return true
}

// record passes one record on.
func (r *reader) record(at int64, line []byte, after int64, yield func(Event, error) bool) bool {
	h, err := splitRecord(line)
	if err == nil && h.seq <= after { // not decoded: who goes on with a long session reads little of it
		r.seq = h.seq
		return true
	}
	var e Event
	if err == nil {
		e, err = h.event()
	}
	if errors.Is(err, errUnknownType) {
		return true
	}
	if err != nil {
		return yield(Event{}, fmt.Errorf("read record at byte %d: %w", at, err))
	}
	r.seq = e.Seq
	return yield(e, nil)
}

// block reads n bytes at the reader's offset. They stay valid until the next call.
func (r *reader) block(n int64) ([]byte, error) {
	if int64(cap(r.buf)) < n {
		r.buf = make([]byte, n)
	}
	buf := r.buf[:n]
	_, err := r.log.store.ReadAt(buf, r.offset)
	return buf, err
}
