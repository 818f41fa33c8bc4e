package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
)

// count is a number of rounds: small in every run, whole with PAICLI_FULL=1.
func count(small, whole int) int {
	if os.Getenv("PAICLI_FULL") == "1" {
		return whole
	}
	return small
}

// threads are those that write at the same time.
var threads = [...]string{"", "task-1", "task-2/reviewer"}

// writer plays random turns of one thread.
type writer struct {
	t   *testing.T
	log *Log
	th  *Thread
	rng *rand.Rand
	n   int // prompts and questions so far, for their ids
}

func newWriter(t *testing.T, l *Log, agent string, seed uint64) *writer {
	return &writer{t: t, log: l, th: l.Thread(agent, 1), rng: rand.New(rand.NewPCG(seed, uint64(len(agent))))}
}

func (w *writer) put(bodies ...Body) int64 {
	seq, err := w.th.Append(bodies...)
	if err != nil {
		w.t.Errorf("thread %q: %v", w.th.agent, err)
	}
	return seq
}

// turn is one turn of one to four steps.
func (w *writer) turn(n int) {
	w.th = w.log.Thread(w.th.agent, n)
	w.put(&Configured{Model: "m"}, &Said{By: ByUser, Text: fmt.Sprintf("turn %d of %q", n, w.th.agent)})
	for range 1 + w.rng.IntN(4) {
		w.aside()
		w.step()
	}
	text := w.speak("the answer ")
	w.put(&Replied{Finish: llm.FinishStop, Message: llm.Text(llm.RoleAssistant, text)}, &TurnEnded{End: EndDone, Text: text})
}

// aside is what may stand anywhere: settings, bills, notes, a question, a queued prompt.
func (w *writer) aside() {
	w.n++
	id := fmt.Sprintf("%s%d", w.th.agent, w.n)
	switch w.rng.IntN(7) {
	case 0:
		w.put(&Set{Key: fmt.Sprint("k", w.rng.IntN(5)), Value: id})
	case 1:
		w.put(&Spent{Purpose: "step", Usage: llm.Usage{Input: w.rng.IntN(99)}, Cost: llm.Money{Amount: 1, Currency: "CNY"}}, &Noted{Code: "n"})
	case 2:
		w.put(&Asked{ID: id, Code: "approve"})
		w.put(&Answered{ID: id, Choice: "yes"})
	case 3:
		w.put(&Queued{ID: id, By: ByUser, Text: id})
		w.put(&Said{By: ByUser, Text: id, Queued: id})
	case 4:
		w.put(&Queued{ID: id, By: ByUser, Text: id})
		w.put(&Queued{ID: id, Dropped: true})
	case 5:
		w.th.Stream(Streamed{Kind: StreamRetry, Retry: &Retrying{Attempt: 1}})
	}
}

// speak streams a text in pieces and returns it.
func (w *writer) speak(words string) string {
	var b strings.Builder
	for range w.rng.IntN(6) {
		piece := strings.Repeat(words, 1+w.rng.IntN(3))
		w.th.Stream(Streamed{Kind: StreamText, Text: piece})
		b.WriteString(piece)
	}
	return b.String()
}

// step is a reply with calls that run beside each other and end in any order.
func (w *writer) step() {
	r := callReply()
	r.Message.Blocks = append(r.Message.Blocks, llm.Block{Kind: llm.KindText, Text: w.speak("I look 看 ")})
	n := 1 + w.rng.IntN(4)
	for i := range n { // ids repeat in every reply, as some servers' do
		call := &llm.Call{ID: fmt.Sprintf("functions.read_file:%d", i), Name: "read_file", Args: `{"path":"a"}`}
		r.Message.Blocks = append(r.Message.Blocks, llm.Block{Kind: llm.KindCall, Call: call})
	}
	seq := w.put(r)
	var wg sync.WaitGroup
	for _, i := range w.rng.Perm(n) {
		id, silent := fmt.Sprintf("functions.read_file:%d", i), w.rng.IntN(4) == 0
		wg.Go(func() {
			if !silent {
				w.put(&CallStarted{Call: CallName(seq, i), ID: id, Name: "read_file"})
				w.th.Stream(Streamed{Kind: StreamOutput, Call: CallName(seq, i), Text: "output"})
			}
			w.put(ended(seq, i, id))
		})
	}
	wg.Wait()
}

// view is what a reader knows after the events that it saw.
type view struct {
	events []Event
	folds  map[string]*fold
	state  State
	spoken map[string]string // text of the reply that is being streamed, by agent
	wrong  []string
}

func newView() *view { return &view{folds: map[string]*fold{}, spoken: map[string]string{}} }

func (v *view) complain(format string, args ...any) {
	v.wrong = append(v.wrong, fmt.Sprintf(format, args...))
}

func (v *view) add(e Event) {
	switch b := e.Body.(type) {
	case *Attached:
		return
	case *Streamed:
		if b.Kind == StreamText {
			v.spoken[e.Agent] += b.Text
		}
		return
	case *Replied:
		if !strings.HasPrefix(b.Message.Text(), v.spoken[e.Agent]) {
			v.complain("event %d: %q was streamed, %q replied", e.Seq, v.spoken[e.Agent], b.Message.Text())
		}
		v.spoken[e.Agent] = ""
	}
	if n := len(v.events); n > 0 && e.Seq != v.events[n-1].Seq+1 {
		v.complain("event %d follows %d", e.Seq, v.events[n-1].Seq)
	}
	v.events = append(v.events, e)
	if v.folds[e.Agent] == nil {
		v.folds[e.Agent] = &fold{}
	}
	v.folds[e.Agent].apply(e.Seq, e.Body)
	v.state.apply(e.Agent, e.Turn, e.Body)
}

// watch reads until the log is closed, ctx ends, or after `most` events.
func watch(ctx context.Context, l *Log, after int64, most int, pause func()) *view {
	v := newView()
	for e, err := range l.Events(ctx, after) {
		if err != nil {
			v.complain("error item: %v", err)
			continue
		}
		if v.add(e); len(v.events) >= most {
			break
		}
		if pause != nil {
			pause()
		}
	}
	return v
}

const all1 = int(^uint(0) >> 1) // events, more than there are

// TestStorm lets several threads write and stream while readers watch, come late, read slowly and
// leave: every view that saw everything is the same, and the same as that of a later load.
func TestStorm(t *testing.T) {
	before := runtime.NumGoroutine()
	events := 0
	rounds := count(3, 300)
	for seed := range uint64(rounds) {
		events += storm(t, seed)
	}
	leaked(t, before)
	t.Logf("SUMMARY session storms: %d, events: %d", rounds, events)
}

func storm(t *testing.T, seed uint64) int {
	dir := t.TempDir()
	l, err := Create(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 99))
	ctx, leave := context.WithCancel(context.Background())
	var writers, readers sync.WaitGroup
	views := make([]*view, 4)
	read := func(i int, ctx context.Context, after int64, most int, pause func()) {
		readers.Go(func() {
			v := watch(ctx, l, after, most, pause)
			if i >= 0 {
				views[i] = v
			}
		})
	}
	read(0, context.Background(), 0, all1, nil)
	read(1, context.Background(), 0, all1, func() {
		for range 20 {
			runtime.Gosched()
		}
	})
	read(-1, ctx, 0, all1, nil)
	read(-1, context.Background(), 0, 1+rng.IntN(50), nil)
	for i, agent := range threads {
		w := newWriter(t, l, agent, seed*10+uint64(i))
		writers.Go(func() {
			for n := range 6 {
				w.turn(n + 1)
			}
		})
	}
	for l.State().Turn < 3 { // late: some turns are over
		runtime.Gosched()
	}
	after := rng.Int64N(20)
	read(2, context.Background(), after, all1, nil)
	leave()
	checkFork(t, seed, l)
	writers.Wait()
	l.Close()
	read(3, context.Background(), 0, all1, nil)
	readers.Wait()
	compareViews(t, seed, l, views, after)
	compareLoaded(t, seed, l, views[3])
	return len(views[3].events)
}

// checkFork copies the session while it is written to.
func checkFork(t *testing.T, seed uint64, l *Log) {
	t.Helper()
	forked, report, err := Fork(l.ID(), Options{Dir: filepath.Dir(l.Path()), Frame: frame})
	if err != nil || report.Damaged != nil {
		t.Fatalf("seed %d: fork: %+v, %v", seed, report, err)
	}
	for _, agent := range threads {
		if why := malformed(forked.Thread(agent, 0).Messages()); why != "" {
			t.Errorf("seed %d: fork, thread %q: %s", seed, agent, why)
		}
	}
	forked.Close()
}

func compareViews(t *testing.T, seed uint64, l *Log, views []*view, after int64) {
	t.Helper()
	whole := views[3]
	for i, v := range views {
		for _, w := range v.wrong {
			t.Errorf("seed %d, reader %d: %s", seed, i, w)
		}
		want := whole.events
		if i == 2 {
			want = want[after:]
		}
		if d := cmp.Diff(want, v.events); d != "" {
			t.Errorf("seed %d: reader %d saw something else:\n%.2000s", seed, i, d)
		}
		if i == 2 {
			continue
		}
		for _, agent := range threads {
			if d := cmp.Diff(l.Thread(agent, 0).Messages(), v.folds[agent].messages); d != "" {
				t.Errorf("seed %d: reader %d, thread %q:\n%.2000s", seed, i, agent, d)
			}
		}
		if d := cmp.Diff(l.State(), v.state); d != "" {
			t.Errorf("seed %d: reader %d has another state:\n%s", seed, i, d)
		}
	}
}

// compareLoaded opens the log anew.
func compareLoaded(t *testing.T, seed uint64, l *Log, whole *view) {
	t.Helper()
	again, report, err := Open(l.ID(), Options{Dir: filepath.Dir(l.Path())})
	if err != nil || report.Cut != 0 || report.Damaged != nil || report.Repaired != 0 {
		t.Fatalf("seed %d: load: %+v, %v", seed, report, err)
	}
	defer again.Close()
	for _, agent := range threads {
		ms := again.Thread(agent, 0).Messages()
		if d := cmp.Diff(whole.folds[agent].messages, ms); d != "" {
			t.Errorf("seed %d: loaded thread %q:\n%.2000s", seed, agent, d)
		}
		if why := malformed(ms); why != "" {
			t.Errorf("seed %d: thread %q: %s", seed, agent, why)
		}
	}
	if d := cmp.Diff(whole.state, again.State()); d != "" {
		t.Errorf("seed %d: loaded state:\n%s", seed, d)
	}
}

// malformed says what is wrong with the messages of a thread: results stand directly behind their
// calls, one for each, in call order, and nowhere else.
func malformed(ms []llm.Message) string {
	var open []llm.Call
	for i, m := range ms {
		if (m.Role == llm.RoleTool) != (len(open) > 0) {
			return fmt.Sprintf("message %d is of %s, %d calls are open", i, m.Role, len(open))
		}
		if m.Role == llm.RoleTool {
			if len(m.Blocks) != len(open) {
				return fmt.Sprintf("message %d has %d results for %d calls", i, len(m.Blocks), len(open))
			}
			for j, b := range m.Blocks {
				if b.Result == nil || b.Result.ID != open[j].ID {
					return fmt.Sprintf("message %d: result %d is not that of %s", i, j, open[j].ID)
				}
			}
		}
		open = m.Calls()
	}
	return ""
}

// leaked fails when goroutines of a test do not end.
func leaked(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
			return
		}
	}
}

// TestConstantMemory writes many events beside a reader that reads slowly and one that comes late.
func TestConstantMemory(t *testing.T) {
	total := count(8_000, 100_000)
	l := open(t, Options{Dir: t.TempDir()})
	go1, late, slow := make(chan struct{}), make(chan int, 1), make(chan int, 1)
	go func() {
		n := 0
		v := 0
		for range l.Events(context.Background(), 0) {
			if v++; v == 100 {
				<-go1 // everything else waits in the file
			}
			n = v
		}
		slow <- n
	}()
	w := newWriter(t, l, "", 1)
	var heap []uint64
	var peak uint64
	for i := 1; l.state.Turn >= 0; i++ {
		w.turn(i)
		if i%20 == 0 {
			w.put(&Compacted{Messages: []llm.Message{llm.Text(llm.RoleUser, "summary")}, State: l.State()})
		}
		if i%100 == 0 {
			heap = append(heap, inUse())
			peak = max(peak, heap[len(heap)-1])
		}
		if head := int(l.Head()); head >= total {
			break
		} else if i == 200 {
			go func() {
				n := 0
				for range l.Events(context.Background(), 0) {
					n++
				}
				late <- n
			}()
		}
	}
	l.Close()
	close(go1)
	head := int(l.Head())
	if a, b := <-slow, <-late; a < head || b < head {
		t.Errorf("the slow reader saw %d of %d events, the late one %d", a, head, b)
	}
	const bound = 4 << 20
	if peak > heap[0]+bound {
		t.Errorf("the heap grew from %d to %d bytes", heap[0], peak)
	}
	info, _ := os.Stat(l.Path())
	t.Logf("SUMMARY memory: %d events, %d KiB of log, heap %d KiB at first, %d KiB at most", head, info.Size()>>10, heap[0]>>10, peak>>10)
}

// inUse is what is alive on the heap, in bytes.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A batch is judged event by event: what could not be appended one after the other is refused whole.
func TestBatchIsJudgedInOrder(t *testing.T) {
	l := open(t, Options{})
	th := l.Thread("", 1)
	next := l.Head() + 1
	for _, batch := range [][]Body{
		{callReply("a"), &Said{By: ByUser, Text: "too early"}},
		{callReply("a"), ended(next, 0, "a"), ended(next, 0, "a")},
	} {
		if _, err := th.Append(batch...); err == nil || l.Head() != next-1 || len(th.Messages()) != 0 {
			t.Errorf("taken: %v, head %d", err, l.Head())
		}
	}
	must(t, th, callReply("a"), ended(next, 0, "a"), &Said{By: ByUser, Text: "in time"})
	if why := malformed(th.Messages()); why != "" {
		t.Error(why)
	}
}

// After Close another process may write to the file.
func TestNothingIsAppendedAfterClose(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	l.Close()
	if _, err := l.Thread("", 1).Append(&Noted{Code: "late"}); !errors.Is(err, errClosed) {
		t.Errorf("got %v", err)
	}
}
