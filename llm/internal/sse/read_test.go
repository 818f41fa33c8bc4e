package sse

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// step is a piece of a body and the wait before it.
type step struct {
	wait time.Duration
	text string
}

// play reads a body that stays open, unless its last step is the end, until take or a clock ends it.
// An event "end" makes the answer complete for three seconds, "over" ends it, "bad" fails.
func play(ctx context.Context, o Options, steps ...step) (events []string, took time.Duration, err error) {
	in, out := io.Pipe()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		for _, s := range steps {
			time.Sleep(s.wait)
			switch s.text {
			case "EOF":
				out.Close()
			case "RESET":
				out.CloseWithError(syscall.ECONNRESET)
			default:
				io.WriteString(out, s.text)
			}
		}
	}()
	start := time.Now()
	var grace time.Duration
	err = Read(ctx, &http.Response{Header: http.Header{}, Body: in}, o, func(ev Event) (Next, error) {
		if ev.Ping() {
			return Next{Grace: grace}, nil
		}
		events = append(events, string(ev.Data))
		switch string(ev.Data) {
		case "end":
			grace = 3 * time.Second
		case "bad":
			return Next{}, errBad
		}
		return Next{Alive: true, Grace: grace, Over: string(ev.Data) == "over"}, nil
	})
	took = time.Since(start)
	in.Close()
	<-wrote
	return events, took, err
}

var errBad = errors.New("bad event")

func TestRead(t *testing.T) {
	failed := func(k Kind) *Kind { return &k }
	ping := step{10 * time.Second, ": x\n\n"}
	for _, c := range []struct {
		name   string
		steps  []step
		events string
		took   time.Duration
		kind   *Kind // of an Error; nil = a good end
	}{
		{"nothing", nil, "", time.Minute, failed(Stalled)},
		{"silence", []step{{0, "data: a\n\n"}}, "a", time.Minute, failed(Stalled)},
		{"keep-alives alone", []step{{0, "data: a\n\n"}, ping, ping, ping, ping, ping, ping, ping, ping, ping, ping, ping, ping}, "a", 100 * time.Second, failed(Stalled)},
		{"complete, open", []step{{0, "data: end\n\n"}}, "end", 3 * time.Second, nil},
		{"complete, closed", []step{{0, "data: end\n\n"}, {time.Second, "EOF"}}, "end", time.Second, nil},
		{"complete, then reset", []step{{0, "data: end\n\n"}, {time.Second, "RESET"}}, "end", time.Second, nil},
		{"over, open", []step{{0, "data: over\n\n"}}, "over", drainTime, nil},
		{"half an event, then a pause", []step{{0, "data: {}x\n\ndata: [1]"}}, "{}x [1]", 100 * time.Second, failed(Stalled)},
		{"closed too early", []step{{0, "data: a\n\n"}, {0, "EOF"}}, "a", 0, failed(Ended)},
		{"reset", []step{{0, "data: a\n\n"}, {0, "RESET"}}, "a", 0, failed(Lost)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := Options{Idle: time.Minute, Event: 100 * time.Second}
				if strings.HasPrefix(c.name, "half") {
					o.Idle = time.Hour
				}
				events, took, err := play(t.Context(), o, c.steps...)
				if got := strings.Join(events, " "); got != c.events {
					t.Errorf("events %q, want %q", got, c.events)
				}
				if late := took - c.took; late < 0 || late > quietTime {
					t.Errorf("took %s, want %s", took, c.took)
				}
				var e *Error
				if errors.As(err, &e); (e == nil) != (c.kind == nil) || e != nil && e.Kind != *c.kind {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

func TestReadGivesForeignErrorsBack(t *testing.T) {
	o := Options{Idle: time.Minute, Event: time.Minute}
	if _, _, err := play(t.Context(), o, step{0, "data: bad\n\n"}); err != errBad {
		t.Errorf("error of the wire: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := time.AfterFunc(time.Second, func() { cancel(why) })
		defer stop.Stop()
		if _, took, err := play(ctx, o, step{0, "data: a\n\n"}); err != why || took != time.Second {
			t.Errorf("%v after %s", err, took)
		}
	})
}

func TestForeignCompression(t *testing.T) {
	resp := &http.Response{Header: http.Header{"Content-Encoding": {"br"}}, Body: io.NopCloser(strings.NewReader("\x0b\x02"))}
	err := Read(t.Context(), resp, Options{Idle: time.Minute, Event: time.Minute}, func(Event) (Next, error) { return Next{}, nil })
	var e *Error
	if !errors.As(err, &e) || e.Kind != Unreadable {
		t.Errorf("%v", err)
	}
}
