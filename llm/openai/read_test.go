package openai

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
)

// script is a body that comes in time.
type script struct {
	text string
	wait time.Duration // before the text
}

// playSlowly reads a scripted body that stays open after its last step, in the bubble's time.
func playSlowly(ctx context.Context, r reading, steps ...script) (played, time.Duration) {
	in, out := io.Pipe()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		for _, s := range steps {
			time.Sleep(s.wait)
			if _, err := io.WriteString(out, s.text); err != nil {
				return
			}
		}
	}()
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: in}
	var shown strings.Builder
	start := time.Now()
	reply, err := readReply(ctx, resp, r, func(d llm.Delta) bool {
		shown.WriteString(d.Text)
		return true
	})
	took := time.Since(start)
	in.Close()
	<-wrote
	return played{reply, err, shown.String()}, took
}

// The clocks of llm/internal/sse: a pause after which half an event is looked at, and the wait for the
// end of a body.
const (
	quietTime = 2 * time.Second
	drainTime = 100 * time.Millisecond
)

func TestClocks(t *testing.T) {
	hello := events(`"delta":{"content":"Hi"}`)
	usage := `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\n"
	keepAlives := func(n int, each time.Duration) (out []script) {
		for range n {
			out = append(out, script{": keep-alive\n\n", each})
		}
		return out
	}
	for _, c := range []struct {
		name  string
		steps []script
		want  string
		least time.Duration
		most  time.Duration
	}{
		{"not a byte", nil, "error | !stall retry=true", 60 * time.Second, 60 * time.Second},
		{"silence after text", []script{{hello, 0}}, "text=Hi | error | !stall retry=true", 60 * time.Second, 60 * time.Second},
		{"keep-alives hold it", append(keepAlives(8, 50*time.Second), script{hello + events(stopEvent) + doneEvent, 0}), "text=Hi | stop", 400 * time.Second, 401 * time.Second},
		{"keep-alives for ever", keepAlives(30, 50*time.Second), "error | !stall retry=true", 10 * time.Minute, 10 * time.Minute},
		{"no [DONE], open", []script{{hello + events(stopEvent), 0}}, "text=Hi | stop", 0, graceTime},
		{"usage within the grace", []script{{hello + events(stopEvent), 0}, {usage, time.Second}}, "text=Hi | stop", time.Second, time.Second + doneTime},
		{"keep-alives after the end", append([]script{{hello + events(stopEvent), 0}}, keepAlives(9, time.Second)...), "text=Hi | stop", 0, graceTime},
		{"usage, no finish reason, open", []script{{hello + usage, 0}}, "text=Hi | stop", 0, closingTime},
		{"[DONE], open", []script{{hello + events(stopEvent) + doneEvent, 0}}, "text=Hi | stop", 0, drainTime},
		{"last event without an end, open", []script{{hello + strings.TrimSpace(events(stopEvent)), 0}}, "text=Hi | stop", 0, quietTime + graceTime},
		{"[DONE] without a line end, open", []script{{hello + "data: [DONE]", 0}}, "text=Hi | stop", 0, quietTime + drainTime},
		{"whole JSON, open", []script{{`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`, 0}}, "text=Hi | stop", 0, quietTime + graceTime},
		{"page, open", []script{{"<html><title>Sign in</title></html>", 0}}, "error | !config retry=false", 0, quietTime},
		{"error text, open", []script{{"data: no such thing\n\n", 0}}, "error | !bad_stream retry=false", 0, time.Second},
		{"a long pause inside an event", []script{{`data: {"choices":[{"delta":`, 0}, {`{"content":"Hi"},"finish_reason":"stop"}]}` + "\n\n" + doneEvent, 50 * time.Second}}, "text=Hi | stop", 50 * time.Second, 51 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := testReading()
				r.limits.Idle = 60 * time.Second
				got, took := playSlowly(t.Context(), r, c.steps...)
				if d := cmp.Diff(c.want, got.brief()); d != "" {
					t.Errorf("-want +got:\n%s", d)
				}
				if took < c.least || took > c.most {
					t.Errorf("took %s, want %s to %s", took, c.least, c.most)
				}
			})
		})
	}
}

func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := time.AfterFunc(time.Second, func() { cancel(why) })
		defer stop.Stop()
		got, took := playSlowly(ctx, testReading(), script{events(`"delta":{"content":"Hi <too"}`), 0})
		if !errors.Is(got.err, why) || took != time.Second {
			t.Errorf("error %v after %s", got.err, took)
		}
		if text := got.reply.Message.Text(); text != "Hi <too" || got.reply.Finish != llm.FinishError {
			t.Errorf("partial reply %q, %s", text, got.reply.Finish)
		}
	})
}

func TestConsumerLeaves(t *testing.T) {
	body := strings.NewReader(texts("a", "b", "c"))
	n := 0
	resp := &http.Response{Header: http.Header{}, Body: io.NopCloser(body)}
	_, err := readReply(context.Background(), resp, testReading(), func(llm.Delta) bool { n++; return false })
	if n != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d deltas, error %v", n, err)
	}
}

// failing is a body that breaks off.
type failing struct {
	io.Reader
	err error
}

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		err = f.err
	}
	return n, err
}

func TestLostConnection(t *testing.T) {
	half := failing{strings.NewReader(events(`"delta":{"content":"Hi"}`)), syscall.ECONNRESET}
	got := play(half, testReading())
	if got.brief() != "text=Hi | error | !network retry=true" || !errors.Is(got.err, syscall.ECONNRESET) {
		t.Errorf("%s: %v", got.brief(), got.err)
	}
	whole := failing{strings.NewReader(texts("Hi")), syscall.ECONNRESET}
	if got := play(whole, testReading()).brief(); got != "text=Hi | stop" {
		t.Errorf("after the end: %s", got)
	}
}

func TestCompression(t *testing.T) {
	var zipped strings.Builder
	w := gzip.NewWriter(&zipped)
	io.WriteString(w, texts("zip", "ped"))
	w.Close()
	for _, c := range []struct{ coding, body, want string }{
		{"gzip", zipped.String(), "text=zipped | stop"},
		{"", zipped.String(), "text=zipped | stop"},
		{"gzip", texts("plain"), "text=plain | stop"},
		{"br", "\x0b\x02\x80", "error | !bad_stream retry=false"},
		{"gzip", zipped.String()[:40], "error | !network retry=true"},
	} {
		resp := &http.Response{Header: http.Header{}, Body: io.NopCloser(strings.NewReader(c.body))}
		resp.Header.Set("Content-Encoding", c.coding)
		reply, err := readReply(context.Background(), resp, testReading(), func(llm.Delta) bool { return true })
		if got := (played{reply: reply, err: err}).brief(); got != c.want {
			t.Errorf("%q: %s, want %s (%v)", c.coding, got, c.want, err)
		}
	}
}

// Vendor data goes back as it came: details joined, each call's own data behind the call.
func TestOpaqueBlocks(t *testing.T) {
	body := events(
		`"delta":{"reasoning_details":[{"type":"reasoning.text","text":"a","format":"f","index":0,"signature":null}]}`,
		`"delta":{"reasoning_details":[{"type":"reasoning.text","text":"b","index":0}]}`,
		`"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"signature":"s"}]}`,
		`"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"x<y","index":1}]}`,
		`"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"z","index":1}]}`,
		`"delta":{"reasoning_opaque":"b64=="}`,
		`"delta":{"tool_calls":[{"index":0,"id":"a","extra_content":{"google":{"thought_signature":"g"}},"function":{"name":"bash","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"bash","arguments":"{}"}}]}`,
		callsEvent)
	got := play(strings.NewReader(body), testReading())
	var have []string
	for _, b := range got.reply.Message.Blocks {
		switch b.Kind {
		case llm.KindOpaque:
			have = append(have, b.Opaque.Vendor+" "+b.Opaque.Type+" "+string(b.Opaque.Data))
		case llm.KindCall:
			have = append(have, "call "+b.Call.ID)
		default:
			have = append(have, string(b.Kind)+" "+b.Text)
		}
	}
	want := []string{
		"think ab",
		`test reasoning_details [{"type":"reasoning.text","text":"ab","format":"f","index":0,"signature":"s"},{"type":"reasoning.encrypted","data":"x<y","index":1},{"type":"reasoning.encrypted","data":"z","index":1}]`,
		`test reasoning_opaque "b64=="`,
		"call a", `test extra_content {"google":{"thought_signature":"g"}}`, "call b",
	}
	if d := cmp.Diff(want, have); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestModelName(t *testing.T) {
	event := func(name, content string) string {
		return fmt.Sprintf(`data: {"model":%s,"choices":[{"delta":{"content":%q}}]}`+"\n\n", name, content)
	}
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ body, want string }{
		{event(`"m2"`, "a") + event(`" m2 "`, "b"), "m2"},
		{event(`"m2"`, "a") + event(`"m3"`, "b"), ""},
		{event(`""`, "a") + event(`"m2"`, "b") + event(`null`, "c"), "m2"},
		{event(`"`+long+`"`, "a"), long[:256]},
	} {
		got := play(strings.NewReader(c.body+doneEvent), testReading())
		if got.reply.Model != c.want {
			t.Errorf("got %q, want %q", got.reply.Model, c.want)
		}
	}
}

func TestOverfull(t *testing.T) {
	body := func(prompt, completion int) string {
		return events(`"delta":{"content":"a"}`, stopEvent) + fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, prompt, completion) + "\n\n"
	}
	for _, c := range []struct {
		prompt, window int
		want           bool
	}{{900, 1000, false}, {1100, 1000, true}, {995, 1000, true}, {1100, 0, false}} {
		r := testReading()
		r.call.Window = c.window
		got := play(strings.NewReader(body(c.prompt, 10)), r)
		if got.err != nil || got.reply.Overfull != c.want {
			t.Errorf("%+v: overfull %v, %v", c, got.reply.Overfull, got.err)
		}
	}
}

// The text of a delta arrives as one delta, and progress of calls is told.
func TestDeltas(t *testing.T) {
	body := events(`"delta":{"reasoning_content":"hm"}`, `"delta":{"content":"Hello"}`, `"delta":{"content":" you"}`,
		`"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"functions.bash","arguments":"{\"com"}}]}`,
		`"delta":{"tool_calls":[{"index":0,"function":{"arguments":"mand\":\"ls\"}"}}]}`, callsEvent)
	resp := &http.Response{Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	var got []string
	_, err := readReply(context.Background(), resp, testReading(), func(d llm.Delta) bool {
		s := string(d.Kind) + " " + d.Text
		if d.Call != nil {
			b, _ := json.Marshal(d.Call)
			s = "call " + string(b)
		}
		got = append(got, s)
		return true
	})
	want := []string{"think hm", "text Hello", "text  you", `call {"Index":0,"Name":"bash","Args":"{\"com"}`, `call {"Index":0,"Name":"bash","Args":"mand\":\"ls\"}"}`}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, d)
	}
}

// Random bodies do no harm and reading them ends.
func FuzzRead(f *testing.F) {
	for _, c := range loadCases(f, "stream", "error") {
		if len(c.Body) < 4000 {
			f.Add([]byte(c.Body))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p := play(strings.NewReader(string(body)), testReading())
		if p.reply == nil {
			t.Fatal("no reply")
		}
		if (p.err != nil) != (p.reply.Finish == llm.FinishError) {
			t.Fatalf("finish %s with error %v", p.reply.Finish, p.err)
		}
		ids := map[string]bool{}
		for _, c := range p.reply.Message.Calls() {
			if c.ID == "" || c.Name == "" || ids[c.ID] {
				t.Fatalf("call %+v", c)
			}
			ids[c.ID] = true
		}
		if text := p.reply.Message.Text(); !strings.HasSuffix(p.shown, text) {
			t.Fatalf("shown %q, kept %q", p.shown, text)
		}
	})
}
