//go:build unix

package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"paicli/internal/shell"
	"paicli/session"
)

// news gathers what jobs tell.
type news struct {
	mu    sync.Mutex
	texts []string
	some  chan struct{}
}

func (n *news) take(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts = append(n.texts, text)
	n.some <- struct{}{}
}

// next waits for a piece of news.
func (n *news) next(t *testing.T) string {
	t.Helper()
	select {
	case <-n.some:
	case <-time.After(20 * time.Second):
		t.Fatal("no news")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.texts[len(n.texts)-1]
}

func withJobs(t *testing.T, o JobsOptions) (*bench, *news) {
	n := &news{some: make(chan struct{}, 100)}
	o.News = n.take
	b := newBench(t)
	b.jobs.opts = o
	return b, n
}

func TestJob(t *testing.T) {
	b, news := withJobs(t, JobsOptions{})
	has(t, b.do("job", args{"action": "list"}).Text, "no jobs")
	out := b.do("execute_command", args{"command": "echo up; while [ ! -e go ]; do sleep 0.02; done; echo down; exit 3", "background": true})
	has(t, out.Text, "job 1: running for 0 s", "up\n")
	if out.Detail.Shape != session.ShapeTerminal || out.Detail.Terminal.Output != "up\n" {
		t.Errorf("detail %+v", out.Detail)
	}
	has(t, b.do("job", args{"action": "output", "id": 1}).Text, "nothing new")
	has(t, b.do("job", args{"action": "list"}).Text, "job 1: running", "echo up; while")
	b.put("go", "")
	has(t, news.next(t), "[job 1]", "has ended, exit code: 3", "down")
	out = b.do("job", args{"action": "output", "id": 1})
	has(t, out.Text, "job 1: exit code: 3\n", "down\n")
	hasNot(t, out.Text, "up\n")
	if out.Status != session.StatusError {
		t.Errorf("status %q", out.Status)
	}
	b.refuses("job", args{"action": "output", "id": 7}, "no job 7", "action=list")
	b.refuses("job", args{"action": "stop"}, "list, output or kill")
	b.refuses("job", args{"action": "output", "id": 1, "wait_seconds": 601}, "600")
}

func TestJobKill(t *testing.T) {
	b, news := withJobs(t, JobsOptions{})
	b.do("execute_command", args{"command": "setsid sleep 77.25 & sleep 77.25", "background": true})
	begin := time.Now()
	has(t, b.do("job", args{"action": "kill", "id": 1}).Text, "job 1: killed")
	has(t, b.do("job", args{"action": "kill", "id": 1}).Text, "job 1: killed")
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	hasNot(t, b.do("execute_command", args{"command": "ps ax | grep '[7]7.25' || true"}).Text, "sleep")
	b.jobs.Close()
	if len(news.texts) > 0 {
		t.Errorf("news of what the model did itself: %q", news.texts)
	}
	b.refuses("execute_command", args{"command": "true", "background": true}, "no commands in the background")
}

func TestJobsAreLimited(t *testing.T) {
	b, _ := withJobs(t, JobsOptions{})
	for range maxJobs {
		if _, err := b.jobs.start("sleep 60", shell.Options{Dir: b.dir, Env: os.Environ()}); err != nil {
			t.Fatal(err)
		}
	}
	b.refuses("execute_command", args{"command": "true", "background": true}, "8 commands run in the background")
	b.do("job", args{"action": "kill", "id": 3})
	has(t, b.do("execute_command", args{"command": "true", "background": true}).Text, "job 9: ")
}

func TestJobWait(t *testing.T) {
	b, _ := withJobs(t, JobsOptions{})
	b.do("execute_command", args{"command": "sleep 1; echo first; sleep 60", "background": true})
	begin := time.Now()
	has(t, b.do("job", args{"action": "output", "id": 1, "wait_seconds": 30}).Text, "running", "first\n")
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestJobWaitsForInput: it is told and left alone.
func TestJobWaitsForInput(t *testing.T) {
	b, news := withJobs(t, JobsOptions{})
	if runtime.GOOS != "linux" {
		t.Skip("this system does not tell what a process waits for")
	}
	b.do("execute_command", args{"command": "mkfifo p; exec 3<>p; printf 'Name? '; read x <&3", "background": true})
	has(t, news.next(t), "[job 1] waiting for input", "Name?", "action=kill")
	has(t, b.do("job", args{"action": "output", "id": 1}).Text, "running", "waiting for input")
}

type file struct{ bytes.Buffer }

func (*file) Close() error { return nil }

func TestJobKeepsItsOutput(t *testing.T) {
	f := new(file)
	b, news := withJobs(t, JobsOptions{Keep: func(name string) (io.WriteCloser, string, error) { return f, "outputs/1.txt", nil }})
	out := b.do("execute_command", args{"command": "seq 1 300000", "background": true})
	has(t, out.Text, "outputs/1.txt")
	if !strings.Contains(out.Text, "exit code: 0") {
		has(t, news.next(t), "exit code: 0")
	}
	if lines := strings.Count(f.String(), "\n"); lines != 300000 {
		t.Errorf("%d lines in the file", lines)
	}
	b, _ = withJobs(t, JobsOptions{Keep: func(string) (io.WriteCloser, string, error) { return nil, "", errors.New("disk full") }})
	out = b.do("execute_command", args{"command": "echo x; sleep 60", "background": true})
	has(t, out.Text, "running", "x\n")
}

// TestJobsAreForgotten: many that have ended do not pile up.
func TestJobsAreForgotten(t *testing.T) {
	b, _ := withJobs(t, JobsOptions{})
	for i := range maxJobs + keptJobs + 5 {
		one, err := b.jobs.start(fmt.Sprint("echo ", i), shell.Options{Dir: b.dir, Env: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		<-one.Done()
	}
	if n := len(b.jobs.jobs); n != maxJobs+keptJobs {
		t.Errorf("%d jobs are remembered", n)
	}
}
