package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
	"paicli/session"
)

// checkEvents: who comes late sees the same, and everything that began has ended, once.
func (w *weather) checkEvents(events []session.Event) {
	if d := cmp.Diff(events, w.late(w.log)); d != "" {
		w.t.Errorf("the late view differs:\n%.2000s", d)
	}
	open := map[string]int{}
	turn := 0
	for _, e := range events {
		switch b := e.Body.(type) {
		case *session.Replied:
			for i := range b.Message.Calls() {
				if b.Broken == "" {
					open["call "+session.CallName(e.Seq, i)]++
				}
			}
		case *session.CallEnded:
			open["call "+b.Call]--
		case *session.Asked:
			open["question "+b.ID]++
		case *session.Answered:
			open["question "+b.ID]--
			if want := w.answered[b.ID]; b.Choice != want {
				w.t.Errorf("the answer %q to %s was taken, the log has %q", want, b.ID, b.Choice)
			}
		case *session.Said:
			if e.Turn > turn {
				turn = e.Turn
				open[fmt.Sprint("turn ", turn)]++
			}
		case *session.TurnEnded:
			open[fmt.Sprint("turn ", e.Turn)]--
		}
	}
	for what, n := range open {
		if n != 0 {
			w.t.Errorf("%s: begun and not ended %d times", what, n)
		}
	}
	for call, n := range w.ran {
		if n > 1 {
			w.t.Errorf("call %s ran %d times", call, n)
		}
	}
}

// checkWords: each prompt is said once, or was taken back, or waits.
func (w *weather) checkWords(events []session.Event, waiting []session.Queued) {
	said := map[string]int{}
	for _, b := range pick[*session.Said](events) {
		said[b.Text]++
	}
	for id, text := range w.queue {
		if w.dropped[id] {
			said[text]++
		}
	}
	for _, q := range waiting {
		said[q.Text]++
	}
	for text := range w.prompts {
		if said[text] != 1 {
			w.t.Errorf("prompt %q was said, taken back or kept %d times", text, said[text])
		}
	}
}

// checkCrashes loads the log as it was at random moments: what a killed process would have left goes
// on from its last request.
func (w *weather) checkCrashes(events []session.Event) {
	raw, err := os.ReadFile(w.log.Path())
	if err != nil {
		w.t.Fatal(err)
	}
	dir := w.t.TempDir()
	lines := bytes.SplitAfter(raw, []byte("\n")) // the first one is no event
	for i := range 10 {
		k := 1 + w.rng.IntN(len(events))
		id := fmt.Sprint("crashed", i)
		if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), bytes.Join(lines[:k+1], nil), 0o600); err != nil {
			w.t.Fatal(err)
		}
		log, _, err := session.Open(id, session.Options{Dir: dir, Frame: Frame})
		if err != nil {
			w.t.Fatalf("crash after event %d: %v", k, err)
		}
		messages := append(slices.Clone(log.Thread("", 0).Messages()), llm.Text(llm.RoleUser, "go on"))
		log.Close()
		last := llm.Request{}
		for n, head := range w.model.heads {
			if head <= int64(k) {
				last = w.model.asked[n]
			}
		}
		next := llm.Request{System: "be brief", Messages: messages, Tag: llm.Tag{Purpose: "closing"}}
		if last.Messages != nil {
			checkRequests(w.t, []llm.Request{last, next})
		}
		if w.t.Failed() {
			w.t.Fatalf("crash after event %d", k)
		}
	}
}

// checkResumed goes on with the log after a load: what waited is said then.
func (w *weather) checkResumed() {
	want := w.log.Thread("", 0).Messages()
	again, report, err := session.Open(w.log.ID(), session.Options{Dir: filepath.Dir(w.log.Path()), Frame: Frame})
	if err != nil || report.Repaired != 0 || report.Cut != 0 || report.Damaged != nil {
		w.t.Fatalf("load: %+v, %v", report, err)
	}
	if d := cmp.Diff(want, again.Thread("", 0).Messages()); d != "" {
		w.t.Errorf("loaded messages differ:\n%.2000s", d)
	}
	conv := w.open(again)
	if err := conv.Submit(Prompt{Text: "go on"}); err != nil {
		w.t.Error(err)
	}
	time.Sleep(20 * time.Millisecond)
	if err := conv.Close(); err != nil {
		w.t.Error(err)
	}
	w.checkWords(w.late(again), nil)
}

// late is what a reader sees who comes after the end.
func (w *weather) late(log *session.Log) []session.Event {
	var events []session.Event
	for e, err := range log.Events(context.Background(), 0) {
		if err != nil {
			w.t.Error(err)
		} else if _, first := e.Body.(*session.Attached); !first {
			events = append(events, e)
		}
	}
	return events
}

// checkRequests: each is well-formed and begins with the one before it.
func checkRequests(t *testing.T, reqs []llm.Request) {
	t.Helper()
	var before []string
	for n, r := range reqs {
		if why := illFormed(r.Messages); why != "" {
			t.Errorf("request %d: %s", n, why)
		}
		now := make([]string, len(r.Messages))
		for i, m := range r.Messages {
			raw, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			now[i] = string(raw)
		}
		if len(now) < len(before) || !slices.Equal(before, now[:len(before)]) {
			t.Errorf("request %d does not begin with the one before it:\n%.3000s", n, cmp.Diff(before, now))
		}
		// Neighbours of one role are one message on the wire: what is added must not lengthen the last one.
		if k := len(before); k > 0 && len(now) > k && strings.HasPrefix(now[k], `{"role":"user"`) && strings.HasPrefix(now[k-1], `{"role":"user"`) {
			t.Errorf("request %d lengthens the last message of the one before it: %s %s", n, now[k-1], now[k])
		}
		if r.System != "be brief" || len(r.Tools) != 4 && r.Tag.Purpose != "closing" {
			t.Errorf("request %d: another system or tools", n)
		}
		before = now
	}
}

// illFormed says what is wrong with the messages of a request.
func illFormed(ms []llm.Message) string {
	var open []llm.Call
	for i, m := range ms {
		switch {
		case (m.Role == llm.RoleTool) != (len(open) > 0):
			return fmt.Sprintf("message %d is of %s, %d calls are open", i, m.Role, len(open))
		case m.Role == llm.RoleTool && len(m.Blocks) != len(open):
			return fmt.Sprintf("message %d has %d results for %d calls", i, len(m.Blocks), len(open))
		case len(m.Blocks) == 0:
			return fmt.Sprintf("message %d is empty", i)
		}
		for j, c := range open {
			if r := m.Blocks[j].Result; r == nil || r.ID != c.ID || r.Text == "" {
				return fmt.Sprintf("message %d: result %d is not that of %s", i, j, c.ID)
			}
		}
		open = m.Calls()
	}
	if len(ms) == 0 || ms[0].Role != llm.RoleUser || ms[len(ms)-1].Role == llm.RoleAssistant {
		return "it does not begin with a user or ends with the assistant"
	}
	return ""
}
