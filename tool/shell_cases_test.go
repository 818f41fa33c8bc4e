//go:build unix

package tool

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"paicli/agent"
	"paicli/internal/fsx"
	"paicli/internal/shell"
	"paicli/session"
)

// shellCase is a line of testdata/cases/security.jsonl whose area is shell_exec.
type shellCase struct {
	ID, Title string
	Input     struct {
		Command, Then, CWD, Event string
		Exec                      bool
		Timeout                   int `json:"timeout_s"`
		Cancel                    int `json:"cancel_after_ms"`
		Repeat                    int
		Env                       map[string]string
		AgentEnv                  bool `json:"agent_started_with_env"`
	}
	Expect struct{ Verdict, Detail string }
}

// readShellCases reads the cases that this file runs.
func readShellCases(t *testing.T) []shellCase {
	t.Helper()
	f, err := os.Open("../testdata/cases/security.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []shellCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), `"area": "shell_exec"`) {
			continue // cases of other areas have input of other types
		}
		var c shellCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	if err := lines.Err(); err != nil || len(out) == 0 {
		t.Fatalf("%d cases, %v", len(out), err)
	}
	return out
}

// TestShellCases runs them, one after the other, since each looks for processes that are left.
func TestShellCases(t *testing.T) {
	ran := 0
	for _, c := range readShellCases(t) {
		if !c.Input.Exec {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			if secluded(c) {
				t.Skip("needs a program that keeps to itself: see TestShellCasesSecluded")
			}
			runShellCase(t, c)
		})
	}
	t.Logf("%d cases", ran)
}

// secluded reports whether a case speaks of what the program does at its start.
func secluded(c shellCase) bool {
	return c.Input.AgentEnv || strings.Contains(c.Input.Command, "ulimit")
}

// runShellCase runs a case by the tool and checks what it says.
func runShellCase(t *testing.T, c shellCase) {
	b := shellBench(t, c)
	command := expand(c.Input.Command)
	if c.ID == "sec-390" || c.ID == "sec-391" {
		b.do("execute_command", args{"command": "git init -q; git config user.name a; git config user.email a@b; for i in $(seq 30); do git commit -q --allow-empty -m $i; done"})
	}
	var out agent.Output
	begin := time.Now()
	for range max(1, c.Input.Repeat) {
		out = b.run(c, command)
	}
	took := time.Since(begin)
	switch c.Expect.Verdict {
	case "allow":
		if out.Status == session.StatusTimeout || out.Status == session.StatusInterrupted || out.Status == session.StatusDenied {
			t.Errorf("status %s", out.Status)
		}
	case "timeout":
		if out.Status != session.StatusTimeout && out.Status != session.StatusInterrupted {
			t.Errorf("status %s", out.Status)
		}
	}
	if most := longest(c); took > most {
		t.Errorf("took %v, at most %v", took, most)
	}
	if n := utf8.RuneCountInString(out.Text[out.Lead:]); n > maxCapture {
		t.Errorf("%d characters", n)
	}
	hasNot(t, out.Text, "\x00", "(exit code: -1", "killed by signal -")
	want := shellWords()[c.ID]
	has(t, out.Text, want.has...)
	hasNot(t, out.Text, want.hasNot...)
	if c.Input.Then != "" {
		has(t, b.do("execute_command", args{"command": c.Input.Then}).Text, b.dir)
	}
	if left := leftOver(t); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// shellBench is a project whose commands get the environment of the case.
func shellBench(t *testing.T, c shellCase) *bench {
	t.Helper()
	b := newBench(t)
	dir := b.dir
	if c.Input.CWD != "" {
		b.put(filepath.Join(c.Input.CWD, ".keep"), "")
		dir = b.dir // commands run in the project whatever they did to a directory of it
	}
	env := os.Environ()
	for name, value := range c.Input.Env {
		env = slices.DeleteFunc(env, func(line string) bool { return strings.HasPrefix(line, name+"=") || strings.HasPrefix(line, "LC_") })
		env = append(env, name+"="+value)
	}
	root, err := fsx.Open(dir, fsx.Options{Home: filepath.Join(dir, ".home")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	for _, tool := range All(Options{Root: root, Env: shell.Environ(env, shell.EnvRules{}), Jobs: b.jobs}) {
		b.tools[tool.Spec().Name] = tool
	}
	return b
}

// run makes one call, cancelled when the case says so.
func (b *bench) run(c shellCase, command string) agent.Output {
	b.t.Helper()
	in := args{"command": command}
	if c.Input.Timeout > 0 {
		in["timeout_seconds"] = c.Input.Timeout
	}
	raw, err := json.Marshal(in)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.t.Context())
	defer cancel()
	after := time.Duration(c.Input.Cancel) * time.Millisecond
	if c.Input.Event != "" { // a signal ends the context of the turn
		after = 300 * time.Millisecond
	}
	if after > 0 {
		defer time.AfterFunc(after, cancel).Stop()
	}
	out, err := b.tools["execute_command"].Run(ctx, &agent.Call{Args: raw})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// expand writes out {{repeat:TEXT:N}}.
func expand(s string) string {
	return regexp.MustCompile(`(?s)\{\{repeat:(.*?):(\d+)\}\}`).ReplaceAllStringFunc(s, func(m string) string {
		m = strings.TrimSuffix(strings.TrimPrefix(m, "{{repeat:"), "}}")
		at := strings.LastIndexByte(m, ':')
		n, _ := strconv.Atoi(m[at+1:])
		return strings.Repeat(m[:at], n)
	})
}

// longest is how long a case may take: what its text says, five-fold where tests share the machine.
func longest(c shellCase) time.Duration {
	most := time.Duration(max(20, c.Input.Timeout+3)) * time.Second
	if m := regexp.MustCompile(`(?:in|returns) < (\d+) s`).FindStringSubmatch(c.Expect.Detail); m != nil {
		n, _ := strconv.Atoi(m[1])
		most = time.Duration(n) * time.Second
	}
	if os.Getenv("PAICLI_FULL") == "" {
		most *= 5
	}
	return most
}

// leftOver are our children, dead or alive.
func leftOver(t *testing.T) []string {
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range entries {
		data, err := os.ReadFile(name)
		_, rest, ok := strings.Cut(string(data), ") ")
		if fields := strings.Fields(rest); err == nil && ok && len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			out = append(out, string(data))
		}
	}
	return out
}

type words struct{ has, hasNot []string }

// shellWords are what the details of the cases say in words of their own.
func shellWords() map[string]words {
	return map[string]words{
		"sec-377": {has: []string{"done\n"}},
		"sec-378": {has: []string{"fg\n"}},
		"sec-381": {has: []string{"hi\n"}},
		"sec-385": {has: []string{"cancelled by the user"}},
		"sec-389": {has: []string{"partial\n", "1 s", "killed"}},
		"sec-390": {has: []string{"exit code: 0\n", "    30\n", "    1\n"}},
		"sec-391": {has: []string{"editor", "git commit -m"}},
		"sec-393": {has: []string{"got:\n"}},
		"sec-394": {has: []string{"exit code: 1\n", "/dev/tty: No such device"}},
		"sec-397": {has: []string{"exit code: 0\naaaa", "bytes of 1000000000"}},
		"sec-398": {has: []string{"exit code: 0\n1\n", "\n20000\n"}},
		"sec-399": {has: []string{strings.Repeat("a", 8000)}},
		"sec-401": {has: []string{"\u4f60"}, hasNot: []string{"\uFFFD"}},
		"sec-402": {has: []string{"ab"}},
		"sec-403": {has: []string{"UTF-8\n", "\u4f60\u597d\n"}},
		"sec-405": {has: []string{"exit code: 0\nhello\n"}},
		"sec-406": {has: []string{"320000\n"}},
		"sec-407": {has: []string{"200001\n"}},
		"sec-409": {has: []string{"exit code: 126\n"}},
		"sec-410": {has: []string{"killed by signal 9 (SIGKILL)"}},
		"sec-411": {has: []string{"exit code: 0\n1\n"}},
		"sec-413": {has: []string{"PATH=/usr/bin:/bin\n", "HOME=/home/u\n"}, hasNot: []string{"FAKE-"}},
		"sec-414": {has: []string{"rc=1\n"}, hasNot: []string{"FAKE-"}},
		"sec-417": {has: []string{"exit code: 0\n/\n"}},
		"sec-418": {has: []string{"ok\n"}},
	}
}
