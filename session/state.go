package session

import (
	"maps"
	"slices"

	"paicli/llm"
)

// State is where a session stands, beside what the model sees: the fold of its events over all
// threads.
type State struct {
	Turn       int               `json:"turn"`              // number of the last turn of the root thread
	Running    bool              `json:"running,omitempty"` // the turn has not ended
	Configured *Configured       `json:"configured,omitempty"`
	Settings   map[string]string `json:"settings,omitempty"`
	Queue      []Queued          `json:"queue,omitempty"`
	Asks       []Asked           `json:"asks,omitempty"` // questions without an answer
	Totals     Totals            `json:"totals"`
	Seen       map[string]string `json:"seen,omitempty"` // files that were read or written, by path: the last hash
}

// Totals is what a session has spent. Amounts are kept by currency.
type Totals struct {
	Requests int                `json:"requests"`
	Usage    llm.Usage          `json:"usage"`
	Costs    map[string]float64 `json:"costs,omitempty"`
	Millis   int64              `json:"ms"` // spent waiting for models
}

// clone makes a copy that does not change with the log.
func (s State) clone() State {
	s.Settings = maps.Clone(s.Settings)
	s.Queue = slices.Clone(s.Queue)
	s.Asks = slices.Clone(s.Asks)
	s.Totals.Costs = maps.Clone(s.Totals.Costs)
	s.Seen = maps.Clone(s.Seen)
	return s
}

// apply adds an event of a thread.
func (s *State) apply(agent string, turn int, b Body) {
	switch b := b.(type) {
	case *Compacted:
		if agent == "" {
			*s = b.State.clone()
		}
	case *Configured:
		if agent == "" {
			s.Configured = b
		}
	case *Set:
		if s.Settings == nil {
			s.Settings = make(map[string]string)
		}
		s.Settings[b.Key] = b.Value
	case *Queued:
		s.dequeue(b.ID)
		if !b.Dropped {
			s.Queue = append(s.Queue, *b)
		}
	case *Said:
		if b.Queued != "" {
			s.dequeue(b.Queued)
		}
		if agent == "" {
			s.Turn, s.Running = max(s.Turn, turn), true
		}
	case *CallEnded:
		s.see(b.Seen)
	case *Asked:
		s.Asks = append(s.Asks, *b)
	case *Answered:
		s.Asks = slices.DeleteFunc(s.Asks, func(a Asked) bool { return a.ID == b.ID })
	case *Spent:
		s.Totals.add(b)
	case *TurnEnded:
		if agent == "" {
			s.Turn, s.Running = max(s.Turn, turn), false
		}
	}
}

func (s *State) dequeue(id string) {
	s.Queue = slices.DeleteFunc(s.Queue, func(q Queued) bool { return q.ID == id })
}

func (s *State) see(files []Seen) {
	if s.Seen == nil && len(files) > 0 {
		s.Seen = make(map[string]string)
	}
	for _, f := range files {
		s.Seen[f.Path] = f.Hash
	}
}

func (t *Totals) add(b *Spent) {
	t.Requests++
	t.Usage = t.Usage.Add(b.Usage)
	t.Millis += b.Millis
	if b.Cost.Currency == "" {
		return
	}
	if t.Costs == nil {
		t.Costs = make(map[string]float64)
	}
	t.Costs[b.Cost.Currency] += b.Cost.Amount
}
