package session

import (
	"slices"

	"paicli/llm"
)

// Thread is the line of one agent in the log of its session, during one turn.
type Thread struct {
	log   *Log
	agent string
	turn  int
}

// Agent is the path of the thread's agent, "" for the root.
func (t *Thread) Agent() string { return t.agent }

// Turn is the number of the turn, from 1.
func (t *Thread) Turn() int { return t.turn }

// Child is the thread of an agent below this one.
func (t *Thread) Child(name string) *Thread {
	if t.agent != "" {
		name = t.agent + "/" + name
	}
	return &Thread{log: t.log, agent: name, turn: t.turn}
}

// Append writes events, in one batch, and returns the number of the first. It is an error to append
// words or a reply while a call is open; a failed write ends the session's log for good.
func (t *Thread) Append(bodies ...Body) (int64, error) {
	return t.log.append(t.agent, t.turn, bodies)
}

// Abandon ends the calls that have no result, as a load does after a crash: none of them runs any
// more. frame is what puts the boundary around the results.
func (t *Thread) Abandon(frame func(tool, text string) string) error {
	t.log.mu.Lock()
	bodies := t.log.fold(t.agent).lost(frame)
	t.log.mu.Unlock()
	if len(bodies) == 0 {
		return nil
	}
	_, err := t.Append(bodies...)
	return err
}

// Stream shows something while it happens. It is never stored.
func (t *Thread) Stream(s Streamed) {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	t.log.live.add(t.agent, t.turn, s)
	t.log.notify()
}

// Messages are what the model sees of this thread. The slice must not be changed.
func (t *Thread) Messages() []llm.Message {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	return slices.Clip(t.log.fold(t.agent).messages)
}

// State is where the session stands.
func (t *Thread) State() State { return t.log.State() }

// Words are the user's own words of this turn in the root thread.
func (t *Thread) Words() []string {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	return slices.Clone(t.log.fold("").words)
}
