package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"paicli/llm"
	"paicli/llm/llmtest"
	"paicli/session"
)

// moods is a model that answers at random: text, calls, nothing, half an answer, an error. The ids of
// its calls repeat in every reply, as those of some servers do.
type moods struct {
	mu    sync.Mutex
	rng   *rand.Rand
	asked []llm.Request
	log   *session.Log
	heads []int64 // the head of the log at each request
}

func (m *moods) Info() llm.Info { return llm.Info{Provider: "storm", Model: "moods"} }

func (m *moods) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		reply, wait, err := m.next(req)
		for _, b := range reply.Message.Blocks {
			if b.Kind != llm.KindText && b.Kind != llm.KindThink {
				continue
			}
			if !yield(llm.Delta{Kind: llm.DeltaKind(b.Kind), Text: b.Text}, nil) {
				return
			}
			if nap(ctx, wait) != nil {
				break
			}
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			reply.Finish = llm.FinishError
		}
		yield(llm.Delta{Kind: llm.DeltaReply, Reply: reply}, err)
	}
}

// next chooses an answer.
func (m *moods) next(req *llm.Request) (*llm.Reply, time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := *req
	kept.Messages = slices.Clone(req.Messages)
	m.asked, m.heads = append(m.asked, kept), append(m.heads, m.log.Head())
	text := llm.Block{Kind: llm.KindText, Text: fmt.Sprintf("reply %d. ", len(m.asked))}
	think := llm.Block{Kind: llm.KindThink, Text: "hm"}
	r := &llm.Reply{Finish: llm.FinishStop, Message: llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{think, text}}}
	wait := time.Duration(m.rng.IntN(4)) * time.Millisecond
	switch mood := m.rng.IntN(20); {
	case mood < 11:
		r.Finish = llm.FinishCalls
		if m.rng.IntN(2) == 0 {
			r.Message.Blocks = r.Message.Blocks[:0]
		}
		for i := range 1 + m.rng.IntN(6) {
			r.Message.Blocks = append(r.Message.Blocks, llm.Block{Kind: llm.KindCall, Call: m.call(i)})
		}
	case mood == 11:
		r.Finish = llm.FinishLength
	case mood == 12:
		r.Message.Blocks = []llm.Block{think}
		return r, wait, &llm.Error{Kind: llm.ErrEmpty}
	case mood == 13:
		r.Message.Blocks = append(r.Message.Blocks, llm.Block{Kind: llm.KindCall, Call: m.call(0)})
		return r, wait, &llm.Error{Kind: llm.ErrNetwork, Detail: "reset"}
	case mood == 14:
		r.Message.Blocks = nil
		return r, wait, &llm.Error{Kind: llm.ErrOverloaded}
	}
	return r, wait, nil
}

func (m *moods) call(i int) *llm.Call {
	name := []string{"read", "read", "read", "write", "hang", "crash", "unknown"}[m.rng.IntN(7)]
	args := fmt.Sprintf(`{"path":"f%d"}`, m.rng.IntN(1000))
	if m.rng.IntN(12) == 0 {
		args = `{"path":`
	}
	return &llm.Call{ID: fmt.Sprintf("functions.%s:%d", name, i), Name: name, Args: args}
}

// nap waits, or less when ctx ends.
func nap(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// weather is one storm: a conversation, and what was done to it.
type weather struct {
	t     *testing.T
	rng   *rand.Rand
	model *moods
	log   *session.Log
	conv  *Conv

	mu       sync.Mutex
	prompts  map[string]bool   // texts that were taken
	dropped  map[string]bool   // ids of prompts that were taken back
	queue    map[string]string // text by id, of all that were ever queued
	asks     []string          // ids of all questions
	answered map[string]string // the answer that was taken, by question
	ran      map[string]int    // how often a call was run, by its name in the log
}

func newWeather(t *testing.T, seed uint64) *weather {
	opts := session.Options{Frame: Frame}
	if seed%2 == 0 {
		opts.Dir = t.TempDir()
	}
	log, err := session.Create(opts)
	if err != nil {
		t.Fatal(err)
	}
	w := &weather{t: t, rng: rand.New(rand.NewPCG(seed, 1)), log: log, model: &moods{rng: rand.New(rand.NewPCG(seed, 2))}}
	w.prompts, w.dropped, w.queue = map[string]bool{}, map[string]bool{}, map[string]string{}
	w.answered, w.ran = map[string]string{}, map[string]int{}
	w.conv = w.open(log)
	return w
}

func (w *weather) open(log *session.Log) *Conv {
	w.model.log = log
	model := llm.Retry(llm.RetryOptions{Base: time.Millisecond})(llm.Meter(Meter(log), time.Now)(w.model))
	a := &Agent{
		Model: model, System: "be brief", Guards: []Guard{Runaway, MaxSteps(9)},
		Tools: []Tool{w.tool("crash", VerbWrite), w.tool("hang", VerbRead), w.tool("read", VerbRead), w.tool("write", VerbWrite)},
		Gates: []Gate{func(_ context.Context, c *Call) (Verdict, error) {
			if c.Name == "write" {
				return Verdict{Kind: AskUser}, nil
			}
			return Verdict{Kind: Allow}, nil
		}},
	}
	setup := func(s session.State) (*Agent, error) {
		with := *a
		with.Limits = Limits{ReadTimeout: 8 * time.Millisecond}
		if s.Settings["short"] == "yes" {
			with.Limits.Time = 30 * time.Millisecond
		}
		return &with, nil
	}
	return NewConv(log, setup, ConvOptions{Attended: true, Intro: func() string { return "today" }})
}

// tool takes a random time. hang does not end with its context.
func (w *weather) tool(name string, verb Verb) Tool {
	return New(Typed[args]{
		Name: name,
		Intent: func(_ context.Context, in args) (Intent, error) {
			return Intent{Title: in.Path, Access: []Access{{Verb: verb, Target: in.Path}}}, nil
		},
		Run: func(ctx context.Context, c *Call, in args) (Output, error) {
			w.mu.Lock()
			w.ran[c.ID]++
			w.mu.Unlock()
			d := time.Duration(len(in.Path)+int(in.Path[len(in.Path)-1]%8)) * time.Millisecond
			c.Progress("working")
			switch name {
			case "crash":
				panic("by design")
			case "hang":
				time.Sleep(d)
				return Output{Text: "at last"}, nil
			}
			return Output{Text: in.Path}, nap(ctx, d)
		},
	})
}

// follow keeps what a front end knows, until the session ends.
func (w *weather) follow(done chan<- []session.Event) {
	var events []session.Event
	for e, err := range w.conv.Events(context.Background(), 0) {
		if err != nil {
			w.t.Error(err)
			continue
		}
		switch b := e.Body.(type) {
		case *session.Streamed, *session.Attached:
			continue
		case *session.Queued:
			w.mu.Lock()
			if !b.Dropped {
				w.queue[b.ID] = b.Text
			}
			w.mu.Unlock()
		case *session.Asked:
			w.mu.Lock()
			w.asks = append(w.asks, b.ID)
			w.mu.Unlock()
		}
		events = append(events, e)
	}
	done <- events
}

// blow does random things to the conversation.
func (w *weather) blow(name string, rng *rand.Rand) {
	for i := range 20 {
		time.Sleep(time.Duration(rng.IntN(12)) * time.Millisecond)
		switch rng.IntN(10) {
		case 0, 1, 2:
			w.prompt(fmt.Sprintf("%s-%d", name, i))
		case 3:
			w.do(Interrupt{})
		case 4, 5:
			w.unqueue(rng)
		case 6:
			w.do(Set{Key: "short", Value: []string{"yes", "no"}[rng.IntN(2)]})
		default:
			w.answer(rng)
		}
	}
}

func (w *weather) do(op Op) error {
	err := w.conv.Submit(op)
	if err != nil && !errors.Is(err, ErrNotOpen) && !errors.Is(err, ErrClosed) {
		w.t.Errorf("%T: %v", op, err)
	}
	return err
}

func (w *weather) prompt(text string) {
	if w.do(Prompt{Text: text}) == nil {
		w.mu.Lock()
		w.prompts[text] = true
		w.mu.Unlock()
	}
}

// unqueue takes any prompt back, also one that was said long ago.
func (w *weather) unqueue(rng *rand.Rand) {
	w.mu.Lock()
	ids := make([]string, 0, len(w.queue))
	for id := range w.queue {
		ids = append(ids, id)
	}
	w.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	id := slices.Max(ids)
	if rng.IntN(4) == 0 {
		id = ids[rng.IntN(len(ids))]
	}
	if w.do(Unqueue{ID: id}) == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.dropped[id] {
			w.t.Errorf("prompt %s was taken back twice", id)
		}
		w.dropped[id] = true
	}
}

// answer answers any question, also one that is closed.
func (w *weather) answer(rng *rand.Rand) {
	w.mu.Lock()
	var id string
	if n := len(w.asks); n > 0 {
		id = w.asks[n-1-rng.IntN(min(n, 3))]
	}
	w.mu.Unlock()
	choice := []string{AnswerYes, AnswerNo}[rng.IntN(2)]
	if w.do(AnswerOp{ID: id, Answer: Answer{Choice: choice}}) == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.answered[id] != "" {
			w.t.Errorf("two answers to %s were taken", id)
		}
		w.answered[id] = choice
	}
}

// settle waits until everything that was submitted is worked off.
func (w *weather) settle(rng *rand.Rand) {
	for n := 0; ; n++ {
		state := w.log.State()
		switch {
		case state.Running:
			w.answer(rng)
		case len(state.Queue) > 0: // a failed turn leaves the queue to the next one
			w.prompt(fmt.Sprint("settle-", n))
		default:
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestSteeringStorm steers conversations at random moments in random ways: no prompt is lost, every
// request is well-formed and continues the one before it, every call and question is ended once.
func TestSteeringStorm(t *testing.T) {
	rounds := uint64(20)
	if os.Getenv("PAICLI_FULL") == "1" {
		rounds = 200
	}
	requests, events := 0, 0
	for seed := range rounds {
		synctest.Test(t, func(t *testing.T) {
			w := newWeather(t, seed)
			requests += len(w.rage(seed))
			events += int(w.log.Head())
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("SUMMARY steering storms: %d, requests: %d, events: %d", rounds, requests, events)
}

func (w *weather) rage(seed uint64) []llm.Request {
	followed := make(chan []session.Event)
	go w.follow(followed)
	w.prompt("first")
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { w.blow(fmt.Sprint("blow-", i), rand.New(rand.NewPCG(seed, uint64(10+i)))) })
	}
	wg.Wait()
	if seed%3 != 0 { // else it is closed in the middle
		w.settle(w.rng)
	}
	if err := w.conv.Close(); err != nil {
		w.t.Error(err)
	}
	events := <-followed
	w.checkEvents(events)
	w.checkWords(events, w.log.State().Queue)
	if w.log.Path() != "" {
		w.checkCrashes(events)
		w.checkResumed()
	}
	checkRequests(w.t, w.model.asked)
	return w.model.asked
}

// A prompt that is taken back in the moment in which the turn comes to a border is said, or taken
// back, and never both.
func TestTakenBackAtTheBorder(t *testing.T) {
	for round := range 500 {
		running, release := make(chan struct{}), make(chan struct{})
		tool := fake("read", VerbRead, func(context.Context, args) (Output, error) {
			close(running)
			<-release
			return Output{}, nil
		})
		conv := newConv(t, scripted(llmtest.NewScript(llmtest.CallTool("read", `{"path":"a"}`), llmtest.Say("done")), tool))
		conv.Submit(Prompt{Text: "go"})
		<-running
		conv.Submit(Prompt{Text: "wait"})
		id := conv.log.State().Queue[0].ID
		taken := make(chan error)
		go func() {
			<-release
			for begin := time.Now(); time.Since(begin) < time.Duration(round)*200*time.Nanosecond; {
			}
			taken <- conv.Submit(Unqueue{ID: id})
		}()
		close(release)
		back := <-taken == nil
		said := slices.ContainsFunc(pick[*session.Said](untilEnd(t, conv)), func(b *session.Said) bool { return b.Text == "wait" })
		if said == back {
			t.Fatalf("said: %v, taken back: %v", said, back)
		}
	}
}
