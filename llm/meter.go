package llm

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Spent is what one wire request cost, whether it answered, failed or was abandoned.
type Spent struct {
	Tag      Tag
	Model    string // provider/model
	Usage    Usage
	Cost     Money
	Duration time.Duration
	Err      ErrorKind // "" when it answered
}

// Meter reports every request that reaches the wire to sink, once, when its stream ends. It must be
// the innermost decorator, so that no caller can spend unseen. now is time.Now or a test's clock.
func Meter(sink func(Spent), now func() time.Time) func(Model) Model {
	return func(m Model) Model { return &metered{Model: m, sink: sink, now: now} }
}

type metered struct {
	Model
	sink func(Spent)
	now  func() time.Time
}

func (m *metered) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		start := m.now()
		info := m.Info()
		spent := Spent{Tag: req.Tag, Model: info.Name(), Err: errAbandoned}
		defer func() {
			spent.Duration = m.now().Sub(start)
			spent.Cost = info.Prices.Cost(spent.Usage, start)
			m.sink(spent)
		}()
		for d, err := range m.Model.Stream(ctx, req) {
			if d.Reply != nil {
				spent.Usage = d.Reply.Usage
				spent.Err = kindOf(err)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// errAbandoned marks a request whose reader went away.
const errAbandoned ErrorKind = "abandoned"

func kindOf(err error) ErrorKind {
	if err == nil {
		return ""
	}
	if e := AsError(err); e != nil {
		return e.Kind
	}
	if errors.Is(err, context.Canceled) {
		return errAbandoned
	}
	return ErrNetwork
}
