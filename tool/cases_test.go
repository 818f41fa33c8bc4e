//go:build unix

package tool

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"paicli/agent"
	"paicli/internal/fsx"
	"paicli/session"
)

// fileCase is a line of testdata/cases/file.jsonl: files, calls, and what the last call must give.
type fileCase struct {
	ID, Title string
	Setup     []entry
	Calls     []caseCall
	Expect    expectation
	ExpectAlt []expectation `json:"expect_alt"`
	Advisory  bool
	Requires  []string
	Env       map[string]string
}

// caseCall is a call of a tool, or with a "!" before its name something that the world does.
type caseCall struct {
	Tool  string
	Args  json.RawMessage
	OK    json.RawMessage // of a call before the last: absent = must succeed, false = must fail, null = either
	Calls []caseCall
	Kill  *int `json:"kill_after_ms"`
}

// Environment of the processes that run cases where the first one cannot (see cases_linux_test.go).
const (
	caseStage = "PAICLI_CASE_STAGE"
	caseOther = "PAICLI_CASE_OTHER_FS" // a directory on another file system
	caseSmall = "PAICLI_CASE_SMALL"    // a directory on a full-sized small one
	caseRoot  = "PAICLI_CASE_ROOT"     // of the case whose last call is to be killed
	caseID    = "PAICLI_CASE_ID"
	caseFile  = 3 // descriptor of the cases
)

// readCases reads the cases. A child process may not be able to open the file and has it open.
func readCases(t *testing.T) []fileCase {
	t.Helper()
	f, err := openCases()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []fileCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c fileCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%v in %.200s", err, lines.Text())
		}
		out = append(out, c)
	}
	if err := lines.Err(); err != nil || len(out) == 0 {
		t.Fatalf("%d cases, %v", len(out), err)
	}
	return append(out, fullDisk(t))
}

// fullDisk is a case of our own: a write that does not fit on the disk.
func fullDisk(t *testing.T) (c fileCase) {
	t.Helper()
	err := json.Unmarshal([]byte(`{"id":"own-001","title":"a full disk leaves the old file and no rest","requires":["small-disk"],
		"setup":[{"path":"a.txt","content":"precious\n"}],
		"calls":[{"tool":"read_file","args":{"path":"a.txt"}},{"tool":"write_file","args":{"path":"a.txt","content_repeat":{"unit":"0123456789abcdef","count":262144}}}],
		"expect":{"ok":false,"error_regex":"no space left","files":[{"path":"a.txt","content":"precious\n"}],"only_files":["a.txt"]}}`), &c)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func openCases() (*os.File, error) {
	if os.Getenv(caseStage) == "" {
		return os.Open("../testdata/cases/file.jsonl")
	}
	fd, err := syscall.Dup(caseFile) // the one given stays open for the next reader
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "cases")
	_, err = f.Seek(0, 0)
	return f, err
}

// TestFileCases runs the cases that this process can run. As root, the others and these once more
// run as somebody else in TestFileCasesConfined, as do those that need file systems of their own.
func TestFileCases(t *testing.T) {
	if stage := os.Getenv(caseStage); stage != "" && stage != "run" && stage != "mounts" {
		return
	}
	n := 0
	for _, c := range readCases(t) {
		missing := missingFor(c)
		if missing != "" && runtime.GOOS == "linux" {
			continue
		}
		if os.Getenv(caseStage) == "mounts" && !needsMounts(c) {
			continue
		}
		n++
		t.Run(c.ID, func(t *testing.T) {
			if missing != "" {
				t.Skipf("%s (%s) needs %s", c.ID, c.Title, missing)
			}
			if problem := runFileCase(t, c); problem != "" && c.Advisory {
				t.Logf("advisory: %s: %s", c.Title, problem)
			} else if problem != "" {
				t.Errorf("%s: %s", c.Title, problem)
			}
		})
	}
	t.Logf("%d cases as user %d", n, os.Geteuid())
}

func needsMounts(c fileCase) bool {
	return slices.Contains(c.Requires, "other-fs") || slices.Contains(c.Requires, "small-disk")
}

// missingFor names what a case needs and this process does not have.
func missingFor(c fileCase) string {
	for _, need := range c.Requires {
		switch {
		case need == "non-root" && os.Geteuid() == 0,
			need == "other-fs" && os.Getenv(caseOther) == "",
			need == "small-disk" && os.Getenv(caseSmall) == "":
			return need
		}
	}
	return ""
}

// caseRun is a case on its way.
type caseRun struct {
	t     *testing.T
	c     fileCase
	base  string // holds the project and what is beside it
	root  string
	tools map[string]agent.Tool
	text  string // of the last call
	ok    *bool  // nil = killed, so nobody knows
	took  time.Duration
}

// runFileCase returns what is not as expected, "" when all is.
func runFileCase(t *testing.T, c fileCase) string {
	r := newCaseRun(t, c)
	for _, e := range c.Setup {
		if err := r.setUp(e); err != nil {
			return "set up: " + err.Error()
		}
	}
	if err := r.setModes(); err != nil {
		return "set up: " + err.Error()
	}
	for name, value := range c.Env {
		t.Setenv(name, r.expand(value))
	}
	r.openTools()
	for i, call := range c.Calls {
		last := i == len(c.Calls)-1
		if err := r.step(call); err != nil {
			return fmt.Sprintf("call %d: %v", i+1, err)
		}
		if strings.HasPrefix(call.Tool, "!") && !last {
			continue
		}
		if problem := r.early(call); !last && problem != "" {
			return fmt.Sprintf("call %d: %s", i+1, problem)
		}
	}
	problem := r.judge(c.Expect)
	for _, e := range c.ExpectAlt {
		if problem == "" || r.judge(e) == "" {
			return ""
		}
	}
	return problem
}

// early judges a call before the last.
func (r *caseRun) early(call caseCall) string {
	want := string(call.OK)
	switch {
	case r.ok == nil:
		return ""
	case want == "" && !*r.ok:
		return "failed: " + r.text
	case want == "false" && *r.ok:
		return "did not fail: " + r.text
	}
	return ""
}

// openTools makes the tools of a session.
func (r *caseRun) openTools() {
	r.t.Helper()
	root, err := fsx.Open(r.root, fsx.Options{Home: filepath.Join(r.root, ".paihome")})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { root.Close() })
	r.tools = make(map[string]agent.Tool)
	for _, tool := range All(Options{Root: root, Env: os.Environ()}) {
		r.tools[tool.Spec().Name] = tool
	}
}

// step makes one call, or what the world does.
func (r *caseRun) step(call caseCall) error {
	if strings.HasPrefix(call.Tool, "!") && call.Tool != "!parallel" {
		return r.world(call)
	}
	start := time.Now()
	defer func() { r.took = time.Since(start) }()
	switch {
	case call.Kill != nil:
		return r.killed(time.Duration(*call.Kill) * time.Millisecond)
	case call.Tool == "!parallel":
		return r.parallel(call)
	}
	text, ok, err := r.call(call)
	r.text, r.ok = text, &ok
	return err
}

func (r *caseRun) parallel(call caseCall) error {
	calls := call.Calls
	if calls == nil {
		var args struct{ Calls []caseCall }
		if err := json.Unmarshal(call.Args, &args); err != nil {
			return err
		}
		calls = args.Calls
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	all := true
	r.ok = &all
	for _, c := range calls {
		wg.Go(func() {
			text, ok, err := r.call(c)
			mu.Lock()
			defer mu.Unlock()
			if all = all && ok && err == nil; !ok {
				r.text = text
			}
		})
	}
	wg.Wait()
	return nil
}

// call runs a tool the way the loop does: intent, then run. A refusal is text and not ok.
func (r *caseRun) call(call caseCall) (text string, ok bool, err error) {
	args, err := r.args(call.Args)
	if err != nil {
		return "", false, err
	}
	tool := r.tools[call.Tool]
	if tool == nil {
		return "", false, fmt.Errorf("there is no tool %s", call.Tool)
	}
	ctx := r.t.Context()
	intent, err := tool.Intent(ctx, args)
	if err != nil {
		return err.Error(), false, nil
	}
	out, err := tool.Run(ctx, &agent.Call{Name: call.Tool, Args: args, Intent: intent, Tool: tool})
	if err != nil {
		return err.Error(), false, nil
	}
	return out.Text, out.Status == "" || out.Status == session.StatusOK, nil
}

// args are the arguments of a call with their placeholders filled in.
func (r *caseRun) args(raw json.RawMessage) (json.RawMessage, error) {
	raw = []byte(r.expand(string(raw)))
	if !bytes.Contains(raw, []byte(`"content_repeat"`)) {
		return raw, nil
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, err
	}
	var rep repeat
	if err := json.Unmarshal(args["content_repeat"], &rep); err != nil {
		return nil, err
	}
	delete(args, "content_repeat")
	content, err := json.Marshal(rep.text())
	if err != nil {
		return nil, err
	}
	args["content"] = content
	return json.Marshal(args)
}

// caseSlack is by how much the deadlines of cases count longer: PAICLI_CASE_SLACK, 5 unless set,
// since tests run on machines that do other things too.
func caseSlack(t *testing.T) time.Duration {
	text := os.Getenv("PAICLI_CASE_SLACK")
	if text == "" {
		return 5
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("PAICLI_CASE_SLACK is %q, want a whole number from 1", text)
	}
	return time.Duration(n)
}
