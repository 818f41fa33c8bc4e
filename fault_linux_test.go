package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"paicli/llm/llmtest"
	"paicli/session"
)

// rounds is a number of runs: small in every check, whole with PAICLI_FULL=1.
func rounds(small, whole int) int {
	if os.Getenv("PAICLI_FULL") == "1" {
		return whole
	}
	return small
}

// faultRun is one session of the real program that something happens to.
type faultRun struct {
	dir, home string
	env       []string
	server    *llmtest.Server
	mu        sync.Mutex
	script    []llmtest.Answer
	asked     int // requests of the first run
	left      int // temporary files that stayed
	out, err  bytes.Buffer
}

// startFault makes a project, a home and the model server that plays testdata/fault/replies.jsonl.
func startFault(t *testing.T, root, home string) *faultRun {
	t.Helper()
	r := &faultRun{dir: filepath.Join(root, "work"), home: home, script: faultScript(t)}
	for _, d := range []string{r.dir, r.home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(r.dir, "data.txt"), []byte(faultData), 0o644); err != nil {
		t.Fatal(err)
	}
	srv, err := llmtest.Serve(func(int, llmtest.Request) llmtest.Answer {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.script) == 0 {
			return llmtest.Text("fine")
		}
		a := r.script[0]
		r.script = r.script[1:]
		return a
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	r.server = srv
	r.env = append(os.Environ(), "HOME="+r.home, "PAICLI_HOME="+filepath.Join(r.home, ".paicli"), "LANG=C.UTF-8", "LC_ALL=",
		"PAICLI_BASE_URL="+srv.URL()+"/v1", "PAICLI_API_KEY=dummy-key", "PAICLI_MODEL=scripted")
	return r
}

// faultData is data.txt as it is before the edit.
var faultData = strings.Repeat("a line that is not touched\n", 100) + "line 7\n" + strings.Repeat("another one\n", 100)

func faultScript(t *testing.T) []llmtest.Answer {
	t.Helper()
	raw, err := os.ReadFile("testdata/fault/replies.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []llmtest.Answer
	for line := range bytes.Lines(raw) {
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatal(err)
		}
		h := a.http()
		h.Pace = time.Millisecond // so that it can be hit in the middle
		out = append(out, h)
	}
	return out
}

func (r *faultRun) command(args ...string) *exec.Cmd {
	cmd := exec.Command("paicli", args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	return cmd
}

func (r *faultRun) start(t *testing.T, stderr *stamped) *exec.Cmd {
	t.Helper()
	cmd := r.command("-p", "count and change", "--output-format", "stream-json")
	cmd.Stdout, cmd.Stderr = &r.out, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// stop is what comes after the first process: its children end, and the script with it.
func (r *faultRun) stop() {
	for range 400 {
		if !r.orphans() {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.script = nil
	r.asked = len(r.server.Requests())
}

// orphans reports whether a process works in the project.
func (r *faultRun) orphans() bool {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	return slices.ContainsFunc(links, func(link string) bool {
		dir, err := os.Readlink(link)
		return err == nil && dir == r.dir
	})
}

// stamped keeps what is written and when a word first stood in it.
type stamped struct {
	mu   sync.Mutex
	text []byte
	word string
	at   time.Time
}

func (s *stamped) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	if s.at.IsZero() && s.word != "" && bytes.Contains(s.text, []byte(s.word)) {
		s.at = time.Now()
	}
	return len(p), nil
}

// wholeRun is how long the session takes when nothing happens to it.
func wholeRun(t *testing.T) time.Duration {
	t.Helper()
	var took []time.Duration
	for range 3 {
		root := t.TempDir()
		r := startFault(t, root, filepath.Join(root, "home"))
		begin := time.Now()
		if err := r.start(t, &stamped{}).Wait(); err != nil {
			t.Fatalf("%v\n%s", err, r.out.Bytes())
		}
		took = append(took, time.Since(begin))
		r.stop()
		if problems := r.judge(t, true); problems != nil {
			t.Fatalf("nothing happened to it, and still: %q", problems)
		}
	}
	return slices.Max(took)
}

// TestKilled ends the program at random moments and goes on with its session.
func TestKilled(t *testing.T) {
	whole := wholeRun(t)
	rng := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	n, bad, empty, left := rounds(12, 500), 0, 0, 0
	for i := range n {
		at := time.Duration(rng.Int64N(int64(whole + whole/20)))
		root := t.TempDir()
		r := startFault(t, root, filepath.Join(root, "home"))
		cmd := r.start(t, &stamped{})
		time.Sleep(at)
		cmd.Process.Kill()
		cmd.Wait()
		r.stop()
		if i%2 == 1 { // and once more, while the session is loaded, repaired and gone on with
			again := r.command("--continue", "-p", "again")
			if err := again.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rng.Int64N(int64(40 * time.Millisecond))))
			again.Process.Kill()
			again.Wait()
		}
		problems := r.judge(t, false)
		if r.asked == 0 {
			empty++
		}
		left += r.left
		if problems != nil {
			bad++
			t.Errorf("run %d, killed after %v of %v:\n%s", i, at, whole, strings.Join(problems, "\n"))
		}
		r.server.Close()
	}
	t.Logf("SUMMARY SIGKILL: %d runs of %v, %d before the first request, violations in %d, temporary files left %d", n, whole.Round(time.Millisecond), empty, bad, left)
}

// TestInterrupted sends SIGINT at random moments: the same as for SIGKILL, and the program says so
// and ends in good order.
func TestInterrupted(t *testing.T) {
	whole := wholeRun(t)
	rng := rand.New(rand.NewPCG(2, uint64(time.Now().UnixNano())))
	n, bad := rounds(6, 200), 0
	var words, exits []time.Duration
	for i := range n {
		at := time.Duration(rng.Int64N(int64(whole + whole/20)))
		root := t.TempDir()
		r := startFault(t, root, filepath.Join(root, "home"))
		stderr := &stamped{word: "interrupted"}
		cmd := r.start(t, stderr)
		time.Sleep(at)
		sent := time.Now()
		cmd.Process.Signal(syscall.SIGINT)
		cmd.Wait()
		took := time.Since(sent)
		r.stop()
		problems := append(r.judgeEnd(cmd, !stderr.at.IsZero()), r.judge(t, true)...)
		if !stderr.at.IsZero() {
			words, exits = append(words, stderr.at.Sub(sent)), append(exits, took-stderr.at.Sub(sent))
			if took > interruptLimit {
				problems = append(problems, fmt.Sprintf("the end took %v", took))
			}
		}
		if problems != nil {
			bad++
			t.Errorf("run %d, interrupted after %v of %v:\n%s\nstdout: %s\nstderr: %s", i, at, whole, strings.Join(problems, "\n"), r.out.Bytes(), stderr.text)
		}
		r.server.Close()
	}
	t.Logf("SUMMARY SIGINT: %d runs of %v, %d while it could be heard, violations in %d; word after %v (most %v), then exit after %v (most %v)",
		n, whole.Round(time.Millisecond), len(words), bad, median(words), most(words), median(exits), most(exits))
}

// interruptLimit is far beyond what a person takes for at once: 200 ms to the word and 300 ms to the
// end are the goal.
const interruptLimit = 2 * time.Second

func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)/2].Round(time.Millisecond)
}

func most(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	return slices.Max(d).Round(time.Millisecond)
}

// judgeEnd checks how an interrupted program ended: 130 with a result as its last line. A signal
// that came before the program could listen, or after it had said its result, ends it as any other.
func (r *faultRun) judgeEnd(cmd *exec.Cmd, heard bool) []string {
	lines := bytes.Split(bytes.TrimSpace(r.out.Bytes()), []byte("\n"))
	var last struct{ Type, Subtype string }
	json.Unmarshal(lines[len(lines)-1], &last)
	code := cmd.ProcessState.ExitCode()
	switch {
	case !heard && r.out.Len() == 0 && code == -1:
	case !heard && last.Type == "result" && last.Subtype == "success":
	case last.Type == "result" && last.Subtype == "interrupted" && code == 130:
	case last.Type == "result" && last.Subtype == "success" && code == 0: // the turn ended in that moment
	default:
		return []string{fmt.Sprintf("heard %v, exit %d, last line %.300s", heard, code, lines[len(lines)-1])}
	}
	return nil
}

// judge looks at what a process left behind, starts another one on the session and says what is
// wrong. whole: every line on stdout must be complete.
func (r *faultRun) judge(t *testing.T, whole bool) []string {
	t.Helper()
	var p problems
	logs, _ := filepath.Glob(filepath.Join(r.home, ".paicli/sessions/*.jsonl"))
	seen := r.seen(&p, whole)
	if len(logs) == 0 || unborn(logs[0]) {
		if len(seen) > 0 || r.asked > 0 {
			p.add("there is no log, but %d events were seen and %d requests made", len(seen), r.asked)
		}
		return p
	}
	id := strings.TrimSuffix(filepath.Base(logs[0]), ".jsonl")
	r.checkSeen(&p, id, seen)
	r.goOn(&p)
	ends := r.checkCalls(&p, id)
	r.checkEffects(&p, ends)
	r.checkFiles(&p)
	r.checkRequests(&p)
	return p
}

// unborn reports whether a log is one of which the program had not yet written the first line.
func unborn(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}

type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

// line is what counts of an assistant's or user's line on stdout.
type line struct {
	Type    string
	UUID    string
	Message struct {
		Content []struct {
			Type, ID, Content string
			ToolUseID         string `json:"tool_use_id"`
		}
	}
}

// seen reads stdout. Only a killed process may leave its last line unfinished.
func (r *faultRun) seen(p *problems, whole bool) []line {
	var out []line
	for raw := range bytes.Lines(r.out.Bytes()) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			if whole || bytes.HasSuffix(raw, []byte("\n")) {
				p.add("stdout: %v in %.200s", err, raw)
			}
			continue
		}
		if l.Type == "assistant" || l.Type == "user" {
			out = append(out, l)
		}
	}
	return out
}

// events reads the log as it is.
func (r *faultRun) events(p *problems, id string) map[string]session.Event {
	events := map[string]session.Event{}
	err := session.ReadAll(filepath.Join(r.home, ".paicli/sessions"), id, func(e session.Event, err error) bool {
		if err != nil {
			p.add("the log: %v", err)
			return true
		}
		events[fmt.Sprintf("%s-%d", id, e.Seq)] = e
		return true
	})
	if err != nil {
		p.add("the log: %v", err)
	}
	return events
}

// checkSeen: what was seen is in the log.
func (r *faultRun) checkSeen(p *problems, id string, seen []line) {
	events := r.events(p, id)
	for _, l := range seen {
		switch b := events[l.UUID].Body.(type) {
		case *session.Replied:
			calls := b.Message.Calls()
			for _, c := range l.Message.Content {
				if c.Type == "tool_use" && (len(calls) == 0 || calls[0].ID != c.ID) {
					p.add("%s shows the call %s, which the log has not", l.UUID, c.ID)
				} else if c.Type == "tool_use" {
					calls = calls[1:]
				}
			}
		case *session.CallEnded:
			if c := l.Message.Content[0]; c.ToolUseID != b.Result.ID || c.Content != b.Result.Text {
				p.add("%s shows another result than the log has", l.UUID)
			}
		default:
			p.add("%s was seen and is not in the log", l.UUID)
		}
	}
}

// goOn starts the program again on the session.
func (r *faultRun) goOn(p *problems) {
	cmd := r.command("--continue", "-p", "go on", "--output-format", "json")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte(`"result":"fine"`)) {
		p.add("going on: %v\n%s%s", err, out, stderr.Bytes())
	}
}

// checkCalls: every call has exactly one result. It returns the ends by command.
func (r *faultRun) checkCalls(p *problems, id string) map[string]session.Status {
	results, calls, ends := map[string]int{}, map[string]string{}, map[string]session.Status{}
	for _, e := range sorted(r.events(p, id)) {
		switch b := e.Body.(type) {
		case *session.Replied:
			for i, c := range b.Message.Calls() {
				if b.Broken == "" {
					calls[session.CallName(e.Seq, i)] = c.Args
				}
			}
		case *session.CallEnded:
			results[b.Call]++
			ends[calls[b.Call]] = b.Status
		}
	}
	for call := range calls {
		if results[call] != 1 {
			p.add("call %s has %d results", call, results[call])
		}
	}
	return ends
}

func sorted(events map[string]session.Event) []session.Event {
	var out []session.Event
	for _, e := range events {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b session.Event) int { return int(a.Seq - b.Seq) })
	return out
}

// checkEffects: a command ran at most once, one whose result is known to be good exactly once.
func (r *faultRun) checkEffects(p *problems, ends map[string]session.Status) {
	for i := range 6 {
		name := fmt.Sprintf("counter-%d.txt", i)
		raw, _ := os.ReadFile(filepath.Join(r.dir, name))
		n := bytes.Count(raw, []byte("x"))
		least := 0
		for args, status := range ends {
			if strings.Contains(args, name) && status == session.StatusOK {
				least = 1
			}
		}
		if n > 1 || n < least {
			p.add("%s was written %d times", name, n)
		}
	}
}

// checkFiles: each file is as one of the calls left it.
func (r *faultRun) checkFiles(p *problems) {
	want := map[string][]string{
		"data.txt":          {faultData, strings.Replace(faultData, "line 7\n", "line seven\n", 1)},
		"new.txt":           {"first\nversion\n", "second\nversion\n"},
		"deep/er/other.txt": {"other\n"},
	}
	filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(r.dir, path)
		if err != nil || d.IsDir() || strings.HasPrefix(name, "counter-") {
			return err
		}
		if strings.HasPrefix(d.Name(), ".paicli-") {
			r.left++ // of a write that was killed; the tools do not show it
			return nil
		}
		raw, _ := os.ReadFile(path)
		if !slices.Contains(want[name], string(raw)) {
			p.add("%s: %.100q", name, raw)
		}
		return nil
	})
}

// checkRequests: the request after the fault is well-formed and begins with the last one before it.
func (r *faultRun) checkRequests(p *problems) {
	reqs := r.server.Requests()
	for i, req := range reqs {
		if why := malformedBody(req.Body); why != "" {
			p.add("request %d: %s\n%s", i, why, req.Body)
		}
		if i == 0 {
			continue
		}
		head, err := headOf(reqs[i-1].Body)
		if err != nil || !bytes.HasPrefix(req.Body, head) {
			p.add("request %d of %d (%d before the fault) does not begin with the one before it: %v\n%s\n%s", i, len(reqs), r.asked, err, reqs[i-1].Body, req.Body)
		}
	}
}

// headOf is a body up to the end of its last message.
func headOf(body []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	for {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if tok != "messages" {
			continue
		}
		var messages []json.RawMessage
		if err := dec.Decode(&messages); err != nil {
			return nil, err
		}
		return body[:dec.InputOffset()-1], nil
	}
}

// malformedBody says what is wrong with the messages of a request: each call is answered in order
// directly behind it, and no neighbours are of one role but results.
func malformedBody(body []byte) string {
	var req struct {
		Messages []struct {
			Role       string
			ToolCalls  []struct{ ID string } `json:"tool_calls"`
			ToolCallID string                `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err.Error()
	}
	var open []struct{ ID string }
	last := ""
	for i, m := range req.Messages {
		switch {
		case m.Role == "tool" && (len(open) == 0 || open[0].ID != m.ToolCallID):
			return fmt.Sprintf("message %d answers %s, open are %v", i, m.ToolCallID, open)
		case m.Role == "tool":
			open = open[1:]
		case len(open) > 0:
			return fmt.Sprintf("message %d stands between calls and their results", i)
		case m.Role == last:
			return fmt.Sprintf("message %d is of %s as the one before it", i, m.Role)
		}
		if m.ToolCalls != nil {
			open = m.ToolCalls
		}
		last = m.Role
	}
	if last != "user" && last != "tool" {
		return "the last message is of " + last
	}
	return ""
}
