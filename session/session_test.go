package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
)

func open(t *testing.T, opts Options) *Log {
	t.Helper()
	l, err := Create(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func must(t *testing.T, th *Thread, bodies ...Body) int64 {
	t.Helper()
	seq, err := th.Append(bodies...)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func callReply(ids ...string) *Replied {
	r := &Replied{Finish: llm.FinishCalls, Message: llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{{Kind: llm.KindThink, Text: "hm"}}}}
	for _, id := range ids {
		r.Message.Blocks = append(r.Message.Blocks, llm.Block{Kind: llm.KindCall, Call: &llm.Call{ID: id, Name: "read_file", Args: "{}"}})
	}
	return r
}

func ended(seq int64, i int, id string) *CallEnded {
	return &CallEnded{Call: CallName(seq, i), Name: "read_file", Status: StatusOK, Result: llm.Result{ID: id, Name: "read_file", Text: "text of " + id}}
}

// all reads a closed log to its end.
func all(t *testing.T, l *Log) []Event {
	t.Helper()
	var out []Event
	for e, err := range l.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if _, first := e.Body.(*Attached); !first {
			out = append(out, e)
		}
	}
	return out
}

func TestReplayEqualsLive(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	th := l.Thread("", 1)
	must(t, th, &Said{By: ByUser, Text: "read <both> & 中文"})
	seq := must(t, th, callReply("a", "b"))
	must(t, th, ended(seq, 1, "b")) // ends first, was called second
	must(t, th, ended(seq, 0, "a"))
	must(t, th, &Replied{Finish: llm.FinishStop, Message: llm.Text(llm.RoleAssistant, "done")}, &TurnEnded{End: EndDone, Text: "done"})
	l.Close()

	replayed := &fold{}
	for _, e := range all(t, l) {
		replayed.apply(e.Seq, e.Body)
	}
	if diff := cmp.Diff(th.Messages(), replayed.messages); diff != "" {
		t.Errorf("replayed messages differ:\n%s", diff)
	}
	results := th.Messages()[2]
	if results.Blocks[0].Result.ID != "a" || results.Blocks[1].Result.ID != "b" {
		t.Errorf("results are not in call order: %+v", results)
	}
	raw, _ := os.ReadFile(l.Path())
	if !bytes.Contains(raw, []byte("read <both> & 中文")) {
		t.Error("the log is not readable as text")
	}
}

func TestWordsWaitForOpenCalls(t *testing.T) {
	l := open(t, Options{})
	th := l.Thread("", 1)
	seq := must(t, th, callReply("a"))
	if _, err := th.Append(&Said{By: ByUser, Text: "wait"}); !errors.Is(err, errOpenCalls) {
		t.Errorf("Said beside an open call: %v", err)
	}
	if _, err := th.Append(ended(seq, 5, "z")); err == nil {
		t.Error("a result without its call was taken")
	}
	must(t, th, ended(seq, 0, "a"))
	if _, err := th.Append(ended(seq, 0, "a")); err == nil {
		t.Error("a second result of one call was taken")
	}
	must(t, th, &Said{By: ByUser, Text: "now"})
}

func TestBrokenReplyKeepsItsTextAndLosesItsCalls(t *testing.T) {
	l := open(t, Options{})
	th := l.Thread("", 1)
	r := callReply("a")
	r.Message.Blocks = append(r.Message.Blocks, llm.Block{Kind: llm.KindText, Text: "half an ans"})
	r.Broken = llm.ErrNetwork
	must(t, th, r)
	m := th.Messages()[0]
	if len(m.Calls()) != 0 || !strings.HasPrefix(m.Text(), "half an ans") || !strings.Contains(m.Text(), "cut off") {
		t.Errorf("got %+v", m)
	}
}

func TestTurnWithoutAnswerLeavesAnAssistantMessage(t *testing.T) {
	l := open(t, Options{})
	th := l.Thread("", 1)
	must(t, th, &Said{By: ByUser, Text: "hi"}, &TurnEnded{End: EndInterrupted})
	ms := th.Messages()
	if ms[len(ms)-1].Role != llm.RoleAssistant {
		t.Errorf("got %+v", ms)
	}
}

// A reader that starts late and one that reads slowly see every durable event once and in order,
// and all streamed text.
func TestEveryReaderSeesEverything(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	th := l.Thread("", 1)
	const n = 300
	want := strings.Repeat("中文x", n)
	read := func(out *[]int64, text *strings.Builder, slow chan struct{}) {
		shown := 0
		for e, err := range l.Events(context.Background(), 0) {
			if err != nil {
				t.Error(err)
			}
			switch b := e.Body.(type) {
			case *Attached:
			case *Streamed:
				if b.Off != shown {
					t.Errorf("piece at %d, shown %d", b.Off, shown)
				}
				shown += len(b.Text)
				text.WriteString(b.Text)
			case *Replied:
				text.WriteString(b.Message.Text()[shown:])
				shown = 0
				*out = append(*out, e.Seq)
			default:
				*out = append(*out, e.Seq)
			}
			if slow != nil {
				<-slow
			}
		}
	}
	var wg sync.WaitGroup
	seqs := make([][]int64, 3)
	texts := make([]strings.Builder, 3)
	slow := make(chan struct{})
	wg.Go(func() { read(&seqs[0], &texts[0], nil) })
	wg.Go(func() { read(&seqs[1], &texts[1], slow) })
	for range n {
		th.Stream(Streamed{Kind: StreamText, Text: "中文x"})
	}
	must(t, th, &Replied{Finish: llm.FinishStop, Message: llm.Text(llm.RoleAssistant, want)})
	for range n {
		must(t, th, &Noted{Code: "x"})
	}
	l.Close()
	close(slow)
	wg.Go(func() { read(&seqs[2], &texts[2], nil) })
	wg.Wait()
	for i := range seqs {
		if len(seqs[i]) != n+2 || texts[i].String() != want {
			t.Errorf("reader %d: %d events, %d bytes of text", i, len(seqs[i]), texts[i].Len())
		}
		for j, s := range seqs[i] {
			if s != int64(j+1) {
				t.Fatalf("reader %d: event %d has number %d", i, j, s)
			}
		}
	}
}

func TestDamagedRecordIsNamedAndPassed(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	th := l.Thread("", 1)
	must(t, th, &Noted{Code: "first"})
	must(t, th, &Noted{Code: "second"})
	must(t, th, &Noted{Code: "third"})
	l.Close()
	raw, _ := os.ReadFile(l.Path())
	if err := os.WriteFile(l.Path(), bytes.Replace(raw, []byte("second"), []byte("sEcond"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	var codes []string
	var bad []error
	for e, err := range l.Events(t.Context(), 0) {
		if err != nil {
			bad = append(bad, err)
		} else if n, ok := e.Body.(*Noted); ok {
			codes = append(codes, n.Code)
		}
	}
	if diff := cmp.Diff([]string{"first", "third"}, codes); diff != "" {
		t.Error(diff)
	}
	if len(bad) != 1 || !errors.Is(bad[0], errDamaged) || !strings.Contains(bad[0].Error(), "byte") {
		t.Errorf("errors: %v", bad)
	}
}

func TestSecretsAreNeitherStoredNorReplayed(t *testing.T) {
	scrub := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("sk-planted"), []byte("[secret]")) }
	l := open(t, Options{Dir: t.TempDir(), Scrub: scrub})
	th := l.Thread("", 1)
	must(t, th, &Said{By: ByUser, Text: "my key is sk-planted, remember"})
	if got := th.Messages()[0].Text(); got != "my key is [secret], remember" {
		t.Errorf("the model would see %q", got)
	}
	l.Close()
	raw, _ := os.ReadFile(l.Path())
	if bytes.Contains(raw, []byte("sk-planted")) {
		t.Error("the key is in the log")
	}
	if n := len(all(t, l)); n != 2 {
		t.Errorf("%d events", n)
	}
}

// A write that fails must not be seen by anybody: neither by the model nor by a reader.
func TestFailedWriteIsNotSeen(t *testing.T) {
	l := open(t, Options{})
	th := l.Thread("", 1)
	must(t, th, &Noted{Code: "before"})
	l.store = full{l.store}
	if _, err := th.Append(&Said{By: ByUser, Text: "lost"}); err == nil {
		t.Fatal("no error")
	}
	if len(th.Messages()) != 0 {
		t.Error("the message counts although it is not written")
	}
	if _, err := th.Append(&Noted{Code: "after"}); err == nil {
		t.Error("the log goes on after a failed write")
	}
	l.Close()
	if n := len(all(t, l)); n != 2 {
		t.Errorf("%d events", n)
	}
}

type full struct{ storage }

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestEventJSON(t *testing.T) {
	l := open(t, Options{})
	l.Close()
	e := all(t, l)[0]
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"seq", "time", "turn", "agent", "type", "data"} {
		if _, ok := m[k]; !ok {
			t.Errorf("%s is missing in %s", k, raw)
		}
	}
	if _, ok := m["sum"]; ok {
		t.Errorf("the checksum is part of %s", raw)
	}
}

func FuzzParseRecord(f *testing.F) {
	line, _ := appendEnvelope(nil, Event{Seq: 1, Body: &Noted{Code: "x"}})
	f.Add(bytes.TrimRight(seal(line, 0), "\n"))
	f.Add([]byte(`{"seq":1,"sum":"00000000"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := parseRecord(line)
		if err == nil && e.Body == nil {
			t.Fatal("no body and no error")
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	l, err := Create(Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	th := l.Thread("", 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := th.Append(&Noted{Code: "bench"}); err != nil {
			b.Fatal(err)
		}
	}
}
