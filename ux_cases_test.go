package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"paicli/llm"
	"paicli/llm/llmtest"
)

// uxCase is a line of testdata/cases/ux.jsonl. The file's rules are those of the product's
// requirements: set-up steps apply before the process starts, expectations after it ended.
type uxCase struct {
	ID     string
	Title  string
	Mode   string
	Env    map[string]string
	Args   []string
	Steps  []uxStep
	Expect []map[string]json.RawMessage
}

type uxStep struct {
	Type  string
	Value json.RawMessage
}

// slack is by how much a deadline of a case counts longer here, where tests share the machine and
// the race detector is on.
const slack = 5

// TestCasesUX runs the headless cases and those at a terminal. Those of subsystems that do not exist yet are listed in
// later.txt; a listed one that passes fails the test, so that the list only shrinks. Listed ones at a
// terminal take their time and are tried in the full check only.
func TestCasesUX(t *testing.T) {
	later := laterCases(t)
	for _, c := range readUX(t) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			run := map[string]func(*testing.T, uxCase) []string{"headless": runUX, "tui": runTUI}[c.Mode]
			if run == nil || later[c.ID] && c.Mode == "tui" && os.Getenv("PAICLI_FULL") == "" {
				if !later[c.ID] {
					t.Errorf("nothing runs %s (%s)", c.ID, c.Mode)
				}
				return
			}
			problems := run(t, c)
			switch {
			case later[c.ID] && len(problems) == 0:
				t.Errorf("%s passes: take it off later.txt", c.ID)
			case later[c.ID]:
				t.Logf("later: %s", problems[0])
			default:
				for _, p := range problems {
					t.Error(p)
				}
			}
		})
	}
}

func readUX(t *testing.T) []uxCase {
	t.Helper()
	f, err := os.Open("testdata/cases/ux.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []uxCase
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var c uxCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

// laterCases reads testdata/cases/later.txt: one id a line, # for comments.
func laterCases(t *testing.T) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile("testdata/cases/later.txt")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		line, _, _ = strings.Cut(line, "#")
		for _, id := range strings.Fields(line) {
			ids[id] = true
		}
	}
	return ids
}

// uxRun is one case being run.
type uxRun struct {
	c       uxCase
	dir     string // working directory
	home    string
	env     []string
	args    []string
	mu      *sync.Mutex
	replies []llmtest.Answer
	server  *llmtest.Server
	out     bytes.Buffer
	err     bytes.Buffer
	code    int
	took    time.Duration
}

// newUX prepares the place of a case: its folders, its model and its environment.
func newUX(t *testing.T, c uxCase) (*uxRun, error) {
	root := t.TempDir()
	r := &uxRun{c: c, dir: filepath.Join(root, "work"), home: filepath.Join(root, "home"), args: c.Args, mu: new(sync.Mutex)}
	for _, d := range []string{r.dir, r.home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return nil, err
		}
	}
	srv, err := llmtest.Serve(func(n int, req llmtest.Request) llmtest.Answer {
		if reviews(req) {
			return llmtest.Text(`{"decision":"ask","reason":"a person should see it"}`)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.replies) == 0 {
			return llmtest.Answer{Status: 500, Body: []byte("no further reply in the case")}
		}
		a := r.replies[0]
		r.replies = r.replies[1:]
		return a
	})
	if err != nil {
		return nil, err
	}
	r.server = srv
	r.env = append(os.Environ(), "HOME="+r.home, "PAICLI_HOME="+filepath.Join(r.home, ".paicli"), "TERM=xterm-256color",
		"LANG=C.UTF-8", "LC_ALL=", "PAICLI_BASE_URL="+srv.URL()+"/v1", "PAICLI_API_KEY=dummy-key", "PAICLI_MODEL=scripted")
	for k, v := range c.Env {
		r.env = append(r.env, k+"="+v)
	}
	return r, nil
}

// runUX runs a case and returns what was not as expected.
func runUX(t *testing.T, c uxCase) []string {
	r, err := newUX(t, c)
	if err != nil {
		return []string{err.Error()}
	}
	defer r.server.Close()
	var problems []string
	variants, err := r.setUp()
	if err != nil {
		return []string{err.Error()}
	}
	if variants == nil {
		return append(problems, r.once(c.Expect)...)
	}
	for _, v := range variants {
		run := *r
		run.out, run.err = bytes.Buffer{}, bytes.Buffer{}
		run.args = slices.Concat(r.args, v.Args)
		for k, val := range v.Env {
			run.env = append(slices.Clone(run.env), k+"="+val)
		}
		problems = append(problems, run.once(append(slices.Clone(c.Expect), v.Expect))...)
	}
	return problems
}

type uxVariant struct {
	Env    map[string]string
	Args   []string
	Expect map[string]json.RawMessage
}

// setUp applies the steps that count before the start. An error names what this runner does not
// know.
func (r *uxRun) setUp() (variants []uxVariant, err error) {
	for _, s := range r.c.Steps {
		switch s.Type {
		case "llm_reply":
			err = r.queue(s.Value)
		case "file":
			err = r.file(s.Value)
		case "cwd":
			var dir string
			err = json.Unmarshal(s.Value, &dir)
			r.dir = filepath.Join(r.dir, dir)
		case "home":
			err = os.Chmod(r.home, 0o555)
		case "variants":
			err = json.Unmarshal(s.Value, &variants)
		case "stdin", "wait_exit", "sleep", "signal", "shell", "wait", "text", "keys", "expect", "paste":
		default:
			err = fmt.Errorf("step %s is not known here", s.Type)
		}
		if err != nil {
			return nil, err
		}
	}
	return variants, nil
}

// uxTools maps the roles of tool calls in the cases to our tools.
var uxTools = map[string]string{"shell": "execute_command", "read": "read_file", "write": "write_file", "edit": "edit_file", "search": "grep_code", "todo": "todo_write", "ask": "ask_user", "skill": "load_skill", "plan": "exit_plan"}

// ourArgs are the arguments of a role's call by our names for them.
func ourArgs(role, args string) string {
	if role != "edit" {
		return args
	}
	return strings.NewReplacer(`"old":`, `"old_text":`, `"new":`, `"new_text":`).Replace(args)
}

func (r *uxRun) queue(raw json.RawMessage) error {
	var v struct {
		Text      string
		ToolCalls []struct {
			Role string
			Args json.RawMessage
		} `json:"tool_calls"`
		Usage struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
			Cached int `json:"cache_read_input_tokens"`
		}
		Hold  bool
		Error *struct {
			Status int
			Body   string
		}
		Structured json.RawMessage
		Match      string
		Delay      int `json:"delay_ms"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("llm_reply: %w", err)
	}
	m := llm.Message{Role: llm.RoleAssistant}
	if v.Text != "" {
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.KindText, Text: v.Text})
	}
	for i, c := range v.ToolCalls {
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.KindCall, Call: &llm.Call{ID: fmt.Sprintf("call_%d", i), Name: uxTools[c.Role], Args: ourArgs(c.Role, string(c.Args))}})
	}
	a := llmtest.Stream(llm.Reply{Message: m, Usage: llm.Usage{Input: v.Usage.Input + v.Usage.Cached, Cached: v.Usage.Cached, Output: v.Usage.Output, Known: true}})
	a.Pace = time.Duration(v.Delay) * time.Millisecond / time.Duration(bytes.Count(a.Body, []byte("\n\n")))
	switch {
	case v.Error != nil:
		a = llmtest.Answer{Status: v.Error.Status, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(v.Error.Body)}
	case v.Hold:
		a.Body = a.Body[:bytes.LastIndex(a.Body, []byte(`"finish_reason":"`))]
		a.Body = a.Body[:bytes.LastIndex(a.Body, []byte("\n\n"))+2]
		a.Open = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replies = append(r.replies, a)
	return nil
}

func (r *uxRun) file(raw json.RawMessage) error {
	var v struct {
		Path, Content string
		B64           []byte
		Exec          bool
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("file: %w", err)
	}
	if v.B64 != nil {
		v.Content = string(v.B64)
	}
	path := r.expand(v.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if v.Exec {
		mode = 0o755
	}
	return os.WriteFile(path, []byte(r.expand(v.Content)), mode)
}

// repeats matches the template of a text that is repeated, such as {{A*200}}.
var repeats = regexp.MustCompile(`\{\{([^{}*]+)\*(\d+)\}\}`)

func (r *uxRun) expand(s string) string {
	s = repeats.ReplaceAllStringFunc(s, func(m string) string {
		parts := repeats.FindStringSubmatch(m)
		n, _ := strconv.Atoi(parts[2])
		return strings.Repeat(parts[1], n)
	})
	return strings.NewReplacer("$CONFIG", filepath.Join(r.home, ".paicli"), "$HOME", r.home, "$CWD", r.dir, "{{BIN}}", "paicli").Replace(s)
}

// once starts the program, plays the run steps and checks the expectations.
func (r *uxRun) once(expect []map[string]json.RawMessage) []string {
	cmd := exec.Command("paicli", r.args...)
	if i := slices.IndexFunc(r.c.Steps, func(s uxStep) bool { return s.Type == "shell" }); i >= 0 {
		var line string
		json.Unmarshal(r.c.Steps[i].Value, &line)
		cmd = exec.Command("bash", "-c", r.expand(line))
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.dir, r.env, &r.out, &r.err
	if err := r.stdin(cmd); err != nil {
		return []string{err.Error()}
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return []string{err.Error()}
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	if problem := r.play(cmd, done); problem != "" {
		return []string{problem}
	}
	r.took, r.code = time.Since(start), cmd.ProcessState.ExitCode()
	var problems []string
	for _, e := range expect {
		for key, value := range e {
			if p := r.check(key, value); p != "" {
				problems = append(problems, fmt.Sprintf("%s %s: %s\nstdout: %s\nstderr: %s", key, value, p, r.out.Bytes(), r.err.Bytes()))
			}
		}
	}
	return problems
}

// play carries out the steps that happen while the program runs and waits for its end.
func (r *uxRun) play(cmd *exec.Cmd, done chan error) string {
	limit := 10 * time.Second
	for _, s := range r.c.Steps {
		var n int
		switch s.Type {
		case "sleep":
			json.Unmarshal(s.Value, &n)
			time.Sleep(time.Duration(n) * time.Millisecond)
		case "signal":
			var name string
			json.Unmarshal(s.Value, &name)
			cmd.Process.Signal(map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}[name])
		case "wait_exit":
			json.Unmarshal(s.Value, &n)
			limit = time.Duration(n) * time.Millisecond
		}
	}
	select {
	case <-done:
		return ""
	case <-time.After(limit * slack):
		cmd.Process.Kill()
		<-done
		return fmt.Sprintf("did not end within %v\nstdout: %s\nstderr: %s", limit*slack, r.out.Bytes(), r.err.Bytes())
	}
}

func (r *uxRun) stdin(cmd *exec.Cmd) error {
	for _, s := range r.c.Steps {
		if s.Type != "stdin" {
			continue
		}
		var text string
		if json.Unmarshal(s.Value, &text) == nil {
			cmd.Stdin = strings.NewReader(text)
			continue
		}
		var v struct {
			KeepOpen bool `json:"keep_open"`
			Data     string
			Lines    []json.RawMessage
			Gap      int `json:"gap_ms"`
		}
		if err := json.Unmarshal(s.Value, &v); err != nil {
			return err
		}
		pipe, w, err := os.Pipe()
		if err != nil {
			return err
		}
		cmd.Stdin = pipe
		w.WriteString(v.Data)
		if !v.KeepOpen {
			go func() {
				for _, line := range v.Lines {
					w.Write(append(line, '\n'))
					time.Sleep(time.Duration(v.Gap) * time.Millisecond)
				}
				w.Close()
			}()
		}
	}
	return nil
}
