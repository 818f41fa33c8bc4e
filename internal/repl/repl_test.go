package repl

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"paicli/agent"
	"paicli/internal/command"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/internal/term/termtest"
	"paicli/llm"
	"paicli/llm/llmtest"
	"paicli/session"
)

// fixture is the front end on a screen for tests, with time that does not pass by itself.
type fixture struct {
	t      *testing.T
	screen *termtest.Screen
	keys   chan []term.Key
	done   chan bool
	ran    []string // what the tool did
}

// noDesk is a Desk with nothing on it.
type noDesk struct{}

func (noDesk) Models() []string                      { return nil }
func (noDesk) Choose(string) (command.Model, string) { return command.Model{}, "none" }
func (noDesk) Sessions() ([]session.Info, error)     { return nil, nil }
func (noDesk) Audit(int) string                      { return "" }
func (noDesk) Policy(string) string                  { return "" }

// begin starts the front end on a conversation.
func begin(t *testing.T, conv Conversation, plainLines bool) *fixture {
	f := &fixture{t: t, screen: termtest.New(60, 40), keys: make(chan []term.Key), done: make(chan bool, 1)}
	opts := Options{
		Session: Session{Conv: conv, ID: "test-1", Root: "/proj", Model: command.Model{Name: "script/scripted"}},
		Version: "1", Plain: plainLines, ASCII: true, Desk: noDesk{},
		Explain: func(*session.Failure, bool) (string, string) { return "what", "hint" },
	}
	size := func() (int, int) { return 60, 40 }
	var s surface = &inline{region: term.NewRegion(f.screen, size), size: size}
	if plainLines {
		s = &plain{w: crlf{f.screen}}
	}
	l := newLoop(opts, s)
	go func() {
		cut, err := l.run(context.Background(), f.keys)
		if err != nil {
			t.Error(err)
		}
		l.close()
		f.done <- cut
	}()
	synctest.Wait()
	return f
}

// crlf is what a terminal does with line ends that is not in raw mode.
type crlf struct{ screen *termtest.Screen }

func (c crlf) Write(p []byte) (int, error) {
	c.screen.Write([]byte(strings.ReplaceAll(string(p), "\n", "\r\n")))
	return len(p), nil
}

// press sends what a keyboard would send, in one piece, and lets everything come to rest.
func (f *fixture) press(in string) {
	var d term.Decoder
	f.keys <- append(d.Feed([]byte(in)), d.Flush()...)
	f.rest()
}

// enter sends a line as the plain surface reads it.
func (f *fixture) enter(line string) {
	f.keys <- []term.Key{{Code: term.Text, Text: line}, {Code: term.Enter}}
	f.rest()
}

func (f *fixture) rest() {
	time.Sleep(2 * frameTime)
	synctest.Wait()
}

// calmly waits until keys are answers.
func (f *fixture) calmly() *fixture {
	time.Sleep(calm)
	synctest.Wait()
	return f
}

func (f *fixture) want(texts ...string) {
	f.t.Helper()
	for _, text := range texts {
		if !strings.Contains(f.screen.Text(), text) {
			f.t.Errorf("%q is missing:\n%s", text, f.screen.Text())
		}
	}
}

func (f *fixture) never(texts ...string) {
	f.t.Helper()
	for _, text := range texts {
		if strings.Contains(f.screen.Text(), text) {
			f.t.Errorf("%q is there:\n%s", text, f.screen.Text())
		}
	}
}

// leave ends the input and waits for the front end to go.
func (f *fixture) leave() {
	close(f.keys)
	<-f.done
}

// guarded is a conversation whose every call is asked about, and the fixture on it.
func guarded(t *testing.T, plainLines bool, steps ...llmtest.Step) (*fixture, *agent.Conv) {
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var f *fixture
	type in struct {
		Path string `json:"path"`
		Text string `json:"text,omitempty"`
	}
	tool := agent.New(agent.Typed[in]{
		Name: "touch",
		Intent: func(_ context.Context, a in) (agent.Intent, error) {
			return agent.Intent{Title: a.Path, Access: []agent.Access{{Verb: "write", Target: a.Path}}}, nil
		},
		Run: func(_ context.Context, _ *agent.Call, a in) (agent.Output, error) {
			f.ran = append(f.ran, a.Path)
			return agent.Output{Text: "done"}, nil
		},
	})
	gate := func(context.Context, *agent.Call) (agent.Verdict, error) {
		return agent.Verdict{Kind: agent.AskUser, Reason: "it writes"}, nil
	}
	ag := &agent.Agent{Model: llmtest.NewScript(steps...), Tools: []agent.Tool{tool}, Gates: []agent.Gate{gate}}
	conv := agent.NewConv(log, func(session.State) (*agent.Agent, error) { return ag, nil }, agent.ConvOptions{Attended: true})
	f = begin(t, conv, plainLines)
	return f, conv
}

func touch(path string) llmtest.Step {
	args, _ := json.Marshal(map[string]string{"path": path, "text": "one\ntwo"})
	return llmtest.CallTool("touch", string(args))
}

func TestApproval(t *testing.T) {
	tests := []struct {
		name  string
		act   func(f *fixture)
		ran   int
		want  []string
		never []string
	}{
		{"yes by number", func(f *fixture) { f.calmly().press("1") }, 1, []string{"approved", "ok-end"}, nil},
		{"yes by letter", func(f *fixture) { f.calmly().press("y") }, 1, []string{"approved", "ok-end"}, nil},
		{"too early is typing", func(f *fixture) { f.press("1") }, 0, []string{">> 1", "1. yes"}, []string{"approved"}},
		{"typed on and on is typing", func(f *fixture) {
			for range 20 {
				time.Sleep(calm / 3)
				f.press("y")
			}
		}, 0, []string{">> yyyyyyyyyyyyyyyyyyyy"}, []string{"approved"}},
		{"return never approves", func(f *fixture) { f.calmly().press("\r") }, 0, []string{"press 1, 3 or e"}, []string{"approved"}},
		{"tab answers at once", func(f *fixture) { f.press("\t"); f.press("1") }, 1, []string{"approved"}, nil},
		{"no with a reason", func(f *fixture) {
			f.calmly().press("3")
			f.press("not thatx\x7f\x1b[D\x1b[C")
			f.press("\r")
		}, 0, []string{"not approved: not that", "ok-end"}, nil},
		{"no and its reason in one piece", func(f *fixture) { f.calmly().press("3not that"); f.press("\r") }, 0, []string{"not approved: not that", "ok-end"}, nil},
		{"a yes stands alone", func(f *fixture) { f.calmly().press("yes"); f.press("1 please") }, 0, []string{"press 1, 3 or e"}, []string{"approved"}},
		{"no with an empty reason", func(f *fixture) { f.calmly().press("n"); f.press("\r") }, 0, []string{"not approved", "ok-end"}, nil},
		{"the reason does not decide", func(f *fixture) { f.calmly().press("3"); f.press("y1\x7f\x1b[3~") }, 0, []string{"why not (Enter sends) >> y"}, []string{"approved"}},
		{"escape is no and stop", func(f *fixture) { f.calmly().press("\x1b") }, 0, []string{"not approved", "interrupted"}, []string{"ok-end"}},
		{"always is not offered", func(f *fixture) { f.calmly().press("a") }, 0, []string{"press 1, 3 or e"}, []string{"approved", "2. "}},
		{"three wrong answers are no", func(f *fixture) { f.calmly().press("x"); f.press("\x1b[A"); f.press("2") }, 0, []string{"not approved", "ok-end"}, nil},
		{"ctrl-c interrupts", func(f *fixture) { f.calmly().press("\x03") }, 0, []string{"interrupted"}, []string{"ok-end"}},
		{"other arguments", func(f *fixture) {
			f.calmly().press("e")
			f.want("arguments (Enter sends, Esc goes back)\n>> {\n", `"path": "a.txt",`)
			f.press("x\r")
			f.want("these are no arguments")
			f.press(strings.Repeat("\x15\x7f", 12) + `{"path":"b.txt"}`)
			f.press("\r")
		}, 1, []string{"approved", "touch: b.txt", "ok-end"}, nil},
		{"no arguments, no change", func(f *fixture) {
			f.calmly().press("e")
			for range 12 {
				f.press("\x15\x7f")
			}
			f.press("\r")
		}, 1, []string{"approved", "touch: a.txt", "ok-end"}, []string{"these are no"}},
		{"escape leaves the arguments", func(f *fixture) { f.press("my draft"); f.calmly().press("e"); f.press("x\x1b") }, 0, []string{"1. yes", ">> my draft"}, []string{"approved", "interrupted"}},
		{"arguments that are no object", func(f *fixture) { f.calmly().press("e"); f.press(strings.Repeat("\x15\x7f", 12) + "[1]\r") }, 0, []string{"these are no arguments"}, []string{"approved"}},
		{"shift+tab is no answer", func(f *fixture) {
			for range maxWrong {
				f.calmly().press("\x1b[Z")
			}
		}, 0, []string{"1. yes", "waiting for your answer"}, []string{"not approved"}},
		{"the draft stays", func(f *fixture) { f.press("my draft"); f.calmly().press("n"); f.press("why\r") }, 0, []string{"not approved: why", ">> my draft"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, conv := guarded(t, false, touch("a.txt"), llmtest.Say("ok-end"))
				f.press("go\r")
				f.want("approve? touch: a.txt", "why: it writes", "effect: writes a.txt", "folder: /proj", "text:", "two", "1. yes", "3. no")
				tt.act(f)
				f.want(tt.want...)
				f.never(tt.never...)
				if len(f.ran) != tt.ran {
					t.Errorf("the tool ran %d times, want %d", len(f.ran), tt.ran)
				}
				f.leave()
				conv.Close()
			})
		})
	}
}

func TestApprovalEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, conv := guarded(t, false, touch("a.txt"), llmtest.Say("ok-end"))
		f.press("go\r")
		close(f.keys)
		if cut := <-f.done; !cut || len(f.ran) != 0 {
			t.Errorf("cut %v, ran %v", cut, f.ran)
		}
		conv.Close()
	})
}

func TestApprovalPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, conv := guarded(t, true, touch("a.txt"), touch("b.txt"), touch("c.txt"), llmtest.Say("ok-end"))
		f.enter("go")
		f.want("approve? touch: a.txt", "1. yes")
		f.enter("1") // too early: words for the conversation
		f.want("queued 1: 1")
		f.calmly().enter("yes please")
		f.want("press 1, 3 or e")
		f.calmly().enter("y")
		f.want("approve? touch: b.txt")
		f.calmly().enter("3")
		f.enter("because")
		f.want("not approved: because", "approve? touch: c.txt")
		for range maxWrong {
			f.calmly().enter("what")
		}
		f.want("ok-end")
		if diff := cmp.Diff([]string{"a.txt"}, f.ran); diff != "" {
			t.Error(diff)
		}
		f.leave()
		conv.Close()
	})
}

// recorded is a conversation that does nothing with what is asked of it.
type recorded struct {
	*session.Log
	mu  sync.Mutex
	ops []agent.Op
}

func (r *recorded) Submit(op agent.Op) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, op)
	return nil
}

func newRecorded(t *testing.T) (*recorded, *session.Thread) {
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &recorded{Log: log}, log.Thread("", 1)
}

func TestApprovalAlways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, th := newRecorded(t)
		f := begin(t, r, false)
		preview := &session.Detail{Shape: session.ShapeDiff, Diff: &session.Diff{Path: "f", Unified: "@@ -1 +1 @@\n-old\n+new\n"}}
		th.Append(&session.Said{By: session.ByUser, Text: "go"})
		th.Append(&session.Asked{ID: "a", Code: agent.QuestionApprove, Rules: []string{"edit(f)"}, Call: "1.0", Name: "edit", Title: "f", Preview: preview})
		th.Append(&session.Asked{ID: "b", Code: agent.QuestionApprove, Call: "1.1", Name: "edit", Title: "g"})
		f.rest()
		f.want("-old", "+new", "2. always: edit(f)  (scope: this project")
		f.never("edit: g")
		f.calmly().press("2")
		th.Append(&session.Answered{ID: "a", Choice: "always"})
		f.rest()
		f.want("approve? edit: g")
		th.Append(&session.Answered{ID: "b", Choice: "yes"}) // somebody else was faster
		f.rest()
		f.never("1. yes")
		want := []agent.Op{agent.AnswerOp{ID: "a", Answer: agent.Answer{Choice: "always"}}}
		if diff := cmp.Diff(want, r.ops); diff != "" {
			t.Error(diff)
		}
		th.Append(&session.TurnEnded{End: session.EndDone})
		f.leave()
		r.Close()
	})
}

// TestShapes: what a call shows depends on the shape of its result alone, and calls are drawn once,
// in their order.
func TestShapes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, th := newRecorded(t)
		f := begin(t, r, false)
		var out strings.Builder
		for i := range 100 {
			fmt.Fprintf(&out, "out %d\n", i)
		}
		details := []*session.Detail{
			{Shape: session.ShapeFiles, Files: &session.Files{Paths: []string{"a"}, First: 3, Last: 9}},
			{Shape: session.ShapeMatches, Matches: &session.Matches{Pattern: "x", Count: 4, Files: 2}},
			{Shape: session.ShapeTerminal, Terminal: &session.Terminal{Output: "10%\r50%\r100%\r\n\x1b[2Jevil\n" + out.String(), Exit: 3, Lines: 200}},
			{Shape: session.ShapeText, Text: "some\ttext"},
			nil,
		}
		th.Append(&session.Said{By: session.ByUser, Text: "go"})
		m := llm.Message{Role: llm.RoleAssistant}
		for i := range details {
			m.Blocks = append(m.Blocks, llm.Block{Kind: llm.KindCall, Call: &llm.Call{ID: fmt.Sprint(i), Name: "tool"}})
		}
		seq, err := th.Append(&session.Replied{Message: m})
		if err != nil {
			t.Fatal(err)
		}
		for i := range details {
			th.Append(&session.CallStarted{Call: session.CallName(seq, i), Name: "tool", Title: fmt.Sprintf("object %d", i)})
		}
		th.Stream(session.Streamed{Kind: session.StreamOutput, Call: session.CallName(seq, 2), Text: "live 1\nlive 2\nlive 3\nlive 4\n"})
		f.rest()
		f.want("* tool: object 0\n", "    live 4\n", "tool is running, 0 s, Esc to interrupt")
		f.never("live 1\n")
		for i := len(details) - 1; i >= 0; i-- {
			status := session.StatusOK
			if i == 4 {
				status = session.StatusDenied
			}
			_, err := th.Append(&session.CallEnded{Call: session.CallName(seq, i), Name: "tool", Title: fmt.Sprintf("object %d", i), Status: status, Detail: details[i]})
			if err != nil {
				t.Fatal(err)
			}
		}
		th.Append(&session.TurnEnded{End: session.EndDone})
		f.rest()
		f.want("* tool: object 0 (lines 3-9)\n* tool: object 1 (4 matches in 2 files)\n* tool: object 2 (exit code 3)\n    +192 lines\n    out 92\n",
			"    some        text\n* tool denied: object 4\n")
		f.never("live", "evil")
		f.leave()
		r.Close()
	})
}

// TestReplay: of a session that goes on the last turns are drawn, and what waits is kept.
func TestReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newRecorded(t)
		for i := range 5 {
			th := r.Thread("", i+1)
			th.Append(&session.Said{By: session.ByUser, Text: fmt.Sprintf("question %d", i)})
			th.Append(&session.Spent{Cost: llm.Money{Amount: 1, Currency: "USD"}})
			th.Append(&session.TurnEnded{End: session.EndDone})
		}
		r.Thread("", 5).Append(&session.Queued{ID: "q", By: session.ByUser, Text: "waiting words"})
		f := begin(t, r, false)
		f.want("2 earlier turns", "> question 2\n", "> question 4\n", "queued 1: waiting words")
		f.never("question 1")
		f.press("/context\r")
		f.want("5 requests", "$5.00")
		f.leave()
		r.Close()
	})
}

// TestNews: what the program queues for the model is told to the person, and is no prompt of theirs.
func TestNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newRecorded(t)
		f := begin(t, r, false)
		r.Thread("", 0).Append(&session.Queued{ID: "n", By: session.ByNote, Text: "job 1 has ended\nexit code: 0"})
		f.rest()
		f.want("job 1 has ended exit code: 0")
		f.never("queued 1")
		f.leave()
		r.Close()
	})
}

// TestStreaming: pieces that were not seen live are printed from the reply, once.
func TestStreaming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, conv := guarded(t, false, llmtest.Say("one\x1b[31m two 中文"), llmtest.Say("three\n"))
		f.press("go\r")
		f.want("> go\none<U+001B>[31m two 中文\n")
		f.press("more\r")
		f.want("> more\nthree\n0s, 0 requests\n")
		f.leave()
		conv.Close()
	})
}

func TestHistoryFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "history")
	a, b := openHistory(path), openHistory(path)
	for i, h := range []*history{a, b, a, b} {
		if err := h.add(fmt.Sprintf("entry %d\nwith two lines", i)); err != nil {
			t.Fatal(err)
		}
	}
	a.add("entry 2\nwith two lines") // once more
	for _, s := range []string{"--api-key abc", "export FOO_TOKEN=xyz", "use sk-0123456789abcdef0123", "Authorization: Bearer abcdefghijklmnopqrstu"} {
		a.add(s)
	}
	want := []string{"entry 0\nwith two lines", "entry 1\nwith two lines", "entry 2\nwith two lines", "entry 3\nwith two lines"}
	if diff := cmp.Diff(want, openHistory(path).entries); diff != "" {
		t.Error(diff)
	}
	for i := range kept + slack {
		a.add(fmt.Sprint("more ", i))
	}
	os.WriteFile(path, append(mustRead(t, path), "not JSON\n"...), 0o600)
	c := openHistory(path)
	if len(c.entries) != kept-1 && len(c.entries) != kept {
		t.Errorf("%d entries", len(c.entries))
	}
	if n := strings.Count(string(mustRead(t, path)), "\n"); n != kept {
		t.Errorf("the file has %d lines", n)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestMasked(t *testing.T) {
	for in, want := range map[string]string{
		"--api-key abc --x": "--api-key *** --x",
		"--API-KEY=abc":     "--API-KEY=***",
		"a key is a key":    "a key is a key",
	} {
		if got := masked(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestQuestionsInChinese(t *testing.T) {
	l := newLoop(Options{Lang: i18n.ZH}, &plain{w: crlf{termtest.New(80, 24)}})
	l.ask = &asking{Asked: session.Asked{Code: agent.QuestionApprove, Name: "t", Rules: []string{"t"}}}
	if rows := strings.Join(l.choices(), "\n"); !strings.Contains(rows, "1. 批准") || !strings.Contains(rows, "2. 总是") || !strings.Contains(rows, "3. 拒绝") {
		t.Error(rows)
	}
}
