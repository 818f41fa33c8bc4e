package llm_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"paicli/llm"
	"paicli/llm/llmtest"
)

func failing(e llm.Error) llmtest.Step { return llmtest.Step{Err: &e} }

var overloaded = llm.Error{Kind: llm.ErrOverloaded, Status: 503, Retryable: true}

// ask runs one call through Retry and returns the answer, the notices, the time that it took and the
// error.
func ask(ctx context.Context, m llm.Model) (text string, notices []llm.RetryNotice, took time.Duration, err error) {
	start := time.Now()
	reply, err := llm.Collect(llm.Retry(llm.RetryOptions{})(m).Stream(ctx, &llm.Request{}), func(d llm.Delta) {
		if d.Retry != nil {
			notices = append(notices, *d.Retry)
		}
	})
	return reply.Message.Text(), notices, time.Since(start), err
}

func TestParity(t *testing.T) {
	run := func(id string, f func(t *testing.T)) {
		t.Run(id, func(t *testing.T) { synctest.Test(t, f) })
	}
	run("S-07", func(t *testing.T) {
		m := llmtest.NewScript(failing(overloaded), failing(overloaded), llmtest.Say("ok"))
		text, notices, took, err := ask(t.Context(), m)
		if text != "ok" || err != nil || len(m.Requests()) != 3 || len(notices) != 2 {
			t.Errorf("%q %v, %d requests, %d notices", text, err, len(m.Requests()), len(notices))
		}
		if took < 750*time.Millisecond || took > 1500*time.Millisecond {
			t.Errorf("waited %v, want 250–500 ms and 500–1000 ms", took)
		}
		m = llmtest.NewScript(failing(overloaded), failing(overloaded), failing(overloaded), llmtest.Say("never"))
		if _, _, _, err := ask(t.Context(), m); err == nil || len(m.Requests()) != 3 {
			t.Errorf("%v after %d requests", err, len(m.Requests()))
		}
	})
	run("S-08", func(t *testing.T) {
		m := llmtest.NewScript(failing(llm.Error{Kind: llm.ErrInvalidRequest, Status: 400}), llmtest.Say("never"))
		if _, _, took, err := ask(t.Context(), m); err == nil || len(m.Requests()) != 1 || took != 0 {
			t.Errorf("%v after %d requests and %v", err, len(m.Requests()), took)
		}
	})
	run("S-09", func(t *testing.T) {
		cut := llm.Error{Kind: llm.ErrNetwork, Retryable: true}
		for kind, want := range map[llm.Kind]int{llm.KindText: 1, llm.KindThink: 1, llm.KindCall: 2} {
			step := failing(cut)
			step.Message.Blocks = []llm.Block{{Kind: kind, Text: "half", Call: &llm.Call{ID: "1"}}}
			m := llmtest.NewScript(step, llmtest.Say("whole"))
			ask(t.Context(), m)
			if len(m.Requests()) != want {
				t.Errorf("%d requests after visible %s, want %d", len(m.Requests()), kind, want)
			}
		}
	})
	run("S-10", func(t *testing.T) {
		for after, want := range map[time.Duration]int{time.Second: 2, 60 * time.Second: 2, 61 * time.Second: 1, 9999 * time.Second: 1} {
			e := overloaded
			e.RetryAfter = after
			m := llmtest.NewScript(failing(e), llmtest.Say("ok"))
			_, _, took, err := ask(t.Context(), m)
			if len(m.Requests()) != want || want == 2 && took != after || want == 1 && (took != 0 || llm.AsError(err).RetryAfter != after) {
				t.Errorf("Retry-After %v: %d requests after %v, %v", after, len(m.Requests()), took, err)
			}
		}
	})
	run("S-11", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		time.AfterFunc(10*time.Millisecond, func() { cancel(stop) })
		e := overloaded
		e.RetryAfter = 30 * time.Second
		m := llmtest.NewScript(failing(e), llmtest.Say("never"))
		_, _, took, err := ask(ctx, m)
		if !errors.Is(err, stop) || took > 200*time.Millisecond || len(m.Requests()) != 1 {
			t.Errorf("%v after %v, %d requests", err, took, len(m.Requests()))
		}
	})
}

func TestRetryKeepsTheLimitOfTheErrorClass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		empty := llm.Error{Kind: llm.ErrEmpty, Retryable: true, Attempts: 2}
		m := llmtest.NewScript(failing(empty), failing(empty), llmtest.Say("never"))
		if _, _, _, err := ask(t.Context(), m); err == nil || len(m.Requests()) != 2 {
			t.Errorf("%v after %d requests", err, len(m.Requests()))
		}
	})
}

func TestMeterCountsEveryRequest(t *testing.T) {
	var spent []llm.Spent
	step := llmtest.Say("ok")
	step.Usage = llm.Usage{Input: 1000, Cached: 400, Output: 100, Known: true}
	m := llmtest.NewScript(failing(overloaded), step, llmtest.Say("left"))
	m.About.Prices = &llm.Prices{Currency: "CNY", Base: llm.Price{Input: 1, Output: 4, Cached: 0.1}}
	metered := llm.Meter(func(s llm.Spent) { spent = append(spent, s) }, time.Now)(m)
	model := llm.Retry(llm.RetryOptions{Base: time.Nanosecond})(metered)
	llm.Collect(model.Stream(t.Context(), &llm.Request{Tag: llm.Tag{Purpose: "step"}}), nil)
	for range model.Stream(t.Context(), &llm.Request{}) {
		break // the reader goes away
	}
	if len(spent) != 3 || spent[0].Err != llm.ErrOverloaded || spent[1].Err != "" || spent[2].Err != "abandoned" {
		t.Fatalf("got %+v", spent)
	}
	if got, want := spent[1].Cost.Amount, (600*1+400*0.1+100*4)/1e6; got != want || spent[1].Tag.Purpose != "step" {
		t.Errorf("cost %v, want %v", got, want)
	}
}

func TestPrices(t *testing.T) {
	p := &llm.Prices{
		Currency: "CNY", Base: llm.Price{Input: 1, Output: 1}, Above: 1000, Long: &llm.Price{Input: 3, Output: 3},
		Peak: &llm.Price{Input: 2, Output: 2}, PeakTime: []llm.Hours{{From: 9, To: 12, Offset: 8}, {From: 14, To: 18, Offset: 8}},
	}
	monday := time.Date(2026, 11, 30, 1, 0, 0, 0, time.UTC) // 09:00 in Beijing
	for _, c := range []struct {
		name   string
		tokens int
		at     time.Time
		want   float64
	}{
		{"peak", 1000, monday, 2000},
		{"before", 1000, monday.Add(-time.Minute), 1000},
		{"noon", 1000, monday.Add(3 * time.Hour), 1000},
		{"afternoon", 1000, monday.Add(5 * time.Hour), 2000},
		{"sunday", 1000, monday.AddDate(0, 0, -1), 1000},
		{"long prompt", 1001, monday.Add(-time.Hour), 3003},
	} {
		if got := p.Cost(llm.Usage{Input: c.tokens}, c.at).Amount * 1e6; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if m := (*llm.Prices)(nil).Cost(llm.Usage{Input: 5}, monday); m != (llm.Money{}) {
		t.Errorf("no prices cost %v", m)
	}
}
