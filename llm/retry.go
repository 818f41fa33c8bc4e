package llm

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"
)

// RetryNotice tells that attempt Attempt of Attempts failed with Err and the next one starts after
// Wait.
type RetryNotice struct {
	Attempt  int
	Attempts int
	Wait     time.Duration
	Err      *Error
}

// RetryOptions tune Retry. The zero value means the defaults given at each field.
type RetryOptions struct {
	Attempts int           // attempts in all, 3
	Base     time.Duration // first wait, doubled each time, 500 ms
	Cap      time.Duration // longest wait of our own, 30 s
	MaxAfter time.Duration // longest Retry-After that is honoured; beyond it nothing is retried, 60 s
	// Sleep waits and returns early when ctx ends. Tests replace it.
	Sleep func(ctx context.Context, d time.Duration) error
}

func (o RetryOptions) withDefaults() RetryOptions {
	if o.Attempts == 0 {
		o.Attempts = 3
	}
	if o.Base == 0 {
		o.Base = 500 * time.Millisecond
	}
	if o.Cap == 0 {
		o.Cap = 30 * time.Second
	}
	if o.MaxAfter == 0 {
		o.MaxAfter = 60 * time.Second
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	return o
}

// Retry repeats a call whose error class allows it, until something of the answer was visible: once
// a text or reasoning delta was yielded, an error is final, because a second attempt would say
// things twice. The numbers are the original PaiCLI's, the limit of Retry-After is ours.
func Retry(opts RetryOptions) func(Model) Model {
	opts = opts.withDefaults()
	return func(m Model) Model { return &retrying{Model: m, opts: opts} }
}

type retrying struct {
	Model
	opts RetryOptions
}

func (r *retrying) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		for attempt := 1; ; attempt++ {
			last, err, ok := r.attempt(ctx, req, yield)
			if !ok {
				return
			}
			notice := r.again(ctx, attempt, err)
			if notice == nil {
				yield(last, err)
				return
			}
			if !yield(Delta{Kind: DeltaRetry, Retry: notice}, nil) {
				return
			}
			if r.opts.Sleep(ctx, notice.Wait) != nil {
				yield(last, context.Cause(ctx))
				return
			}
		}
	}
}

// attempt passes one stream on. ok is true when it failed before anything was visible and the
// caller should decide; then last and err are the failing item.
func (r *retrying) attempt(ctx context.Context, req *Request, yield func(Delta, error) bool) (last Delta, err error, ok bool) {
	visible := false
	for d, err := range r.Model.Stream(ctx, req) {
		if err != nil && !visible {
			return d, err, true
		}
		if d.Text != "" && (d.Kind == DeltaText || d.Kind == DeltaThink) {
			visible = true
		}
		if !yield(d, err) || err != nil {
			return Delta{}, nil, false
		}
	}
	return Delta{}, nil, false
}

// again says how the next attempt goes, or nil when there is none.
func (r *retrying) again(ctx context.Context, attempt int, err error) *RetryNotice {
	e := AsError(err)
	if e == nil || !e.Retryable || ctx.Err() != nil {
		return nil
	}
	limit := r.opts.Attempts
	if e.Attempts > 0 {
		limit = min(limit, e.Attempts)
	}
	if attempt >= limit || e.RetryAfter > r.opts.MaxAfter {
		return nil
	}
	wait := min(r.opts.Base<<(attempt-1), r.opts.Cap)
	wait = wait/2 + rand.N(wait/2+1)
	if e.RetryAfter > 0 {
		wait = e.RetryAfter
	}
	return &RetryNotice{Attempt: attempt, Attempts: limit, Wait: wait, Err: e}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
