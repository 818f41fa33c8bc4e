package main

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	out       bytes.Buffer
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
	cmd := r.command("-p", "count and change", "--allow", "execute_command", "--output-format", "stream-json")
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
