//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"paicli/llm"
	"paicli/llm/llmtest"
)

// configCase is a line of testdata/cases/security.jsonl whose area is config.
type configCase struct {
	ID, Title string
	Input     struct {
		Files               []struct{ Path, Content string }
		Tool, Path, Content string
		Argv                []string
	}
}

// TestCasesConfig: what came with a project does nothing by itself.
func TestCasesConfig(t *testing.T) {
	raw, err := os.ReadFile("testdata/cases/security.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	later := laterCases(t)
	for line := range bytes.Lines(raw) {
		if !bytes.Contains(line, []byte(`"area": "config"`)) {
			continue
		}
		var c configCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			if later[c.ID] {
				return
			}
			runConfigCase(t, c)
		})
	}
}

func runConfigCase(t *testing.T, c configCase) {
	b := newBrought(t, c)
	switch {
	case c.Input.Argv != nil: // a session id that begins with a dash
		if code := b.run("", append([]string{"-p", "hi"}, c.Input.Argv[1:]...)...); code != 2 {
			t.Errorf("exit code %d: %s", code, b.stderr.String())
		}
		return
	case c.Input.Tool != "":
		args, _ := json.Marshal(map[string]string{"path": b.expand(c.Input.Path), "content": c.Input.Content})
		b.answers = []llmtest.Answer{llmtest.Calls(llm.Call{ID: "c", Name: c.Input.Tool, Args: string(args)}), llmtest.Text("ok")}
		b.run("", "-p", "hi")
		if _, err := os.Stat(b.abs(c.Input.Path)); err == nil {
			t.Error("written without a person's word")
		}
		return
	}
	b.start()
	switch c.ID {
	case "sec-461":
		b.run("", "trust")
		b.says("npx -y pkg --flag", "variables: A")
	case "sec-469":
		b.run("PAICLI_BASE_URL=", "-p", "hi") // the only address there is, if it counted
		if _, err := os.Stat(filepath.Join(b.dir, "evil")); err == nil || b.hits.Load() > 0 {
			t.Errorf("evil: %v, %d requests", err, b.hits.Load())
		}
	case "sec-470":
		b.run("", "config", "show")
		b.says("not trusted")
		b.run("", "trust", "--yes")
		b.run("", "config", "show")
		b.says("permissions.allow does not count", "sandbox does not count", `mode = "auto"`)
		if strings.Contains(b.stdout.String(), "curl") {
			t.Errorf("a project allows itself something: %s", b.stdout.String())
		}
	case "sec-482":
		b.put(".mcp.json", `{"mcpServers": {"x": {"command": "echo", "args": []}}}`)
		b.run("", "trust", "--yes")
		b.put(".mcp.json", "{\n// c\n\"mcpServers\":{\"x\":{\"args\":[ ],\"command\":\"echo\"}}}")
		b.run("", "trust")
		b.says("nothing has changed")
	}
}

// brought is a project with files of its own.
type brought struct {
	t              *testing.T
	dir, home      string
	answers        []llmtest.Answer
	hits           atomic.Int64 // requests to a server that the project names
	port           string
	stdout, stderr bytes.Buffer
}

func newBrought(t *testing.T, c configCase) *brought {
	b := &brought{t: t, dir: t.TempDir(), home: t.TempDir()}
	counting := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { b.hits.Add(1) }))
	t.Cleanup(counting.Close)
	b.port = counting.URL[strings.LastIndexByte(counting.URL, ':')+1:]
	for _, f := range c.Input.Files {
		b.put(f.Path, f.Content)
	}
	return b
}

func (b *brought) expand(s string) string {
	return strings.NewReplacer("${AGENT_DIR}", ".paicli", "${PORT}", b.port).Replace(s)
}

func (b *brought) abs(name string) string { return filepath.Join(b.dir, b.expand(name)) }

func (b *brought) put(name, content string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.abs(name)), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.abs(name), []byte(b.expand(content)), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// start runs a turn and what else looks at a project. Nothing of the project may run, and nothing of
// its .env may reach a command.
func (b *brought) start() {
	b.t.Helper()
	b.answers = []llmtest.Answer{llmtest.Calls(llm.Call{ID: "c", Name: "execute_command", Args: `{"command":"env"}`}), llmtest.Text("ok")}
	b.run("", "-p", "hi", "--allow", "execute_command(env)")
	b.run("", "doctor")
	b.run("", "models")
	if b.hits.Load() > 0 {
		b.t.Errorf("%d requests to the project's own server", b.hits.Load())
	}
	if _, err := os.Stat(filepath.Join(b.dir, "started")); err == nil {
		b.t.Error("something of the project was run")
	}
}

// run runs the program in the project and returns its exit code.
func (b *brought) run(env string, args ...string) int {
	b.t.Helper()
	server := llmtest.NewServer(b.answers...)
	defer server.Close()
	cmd := exec.Command("paicli", args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "HOME="+b.home, "PAICLI_HOME=", "LANG=C.UTF-8",
		"PAICLI_BASE_URL="+server.URL()+"/v1", "PAICLI_API_KEY=dummy-key", "PAICLI_MODEL=scripted", env)
	b.stdout.Reset()
	b.stderr.Reset()
	cmd.Stdout, cmd.Stderr = &b.stdout, &b.stderr
	_ = cmd.Run() // its exit code says it
	for _, r := range server.Requests() {
		if bytes.Contains(r.Body, []byte(b.port)) || bytes.Contains(r.Body, []byte("./evil")) {
			b.t.Errorf("a value of .env reached a command: %s", r.Body)
		}
	}
	return cmd.ProcessState.ExitCode()
}

// says looks for words in what was printed.
func (b *brought) says(words ...string) {
	b.t.Helper()
	all := fmt.Sprintf("%s\n%s", b.stdout.String(), b.stderr.String())
	for _, w := range words {
		if !strings.Contains(all, w) {
			b.t.Errorf("%q is not in %s", w, all)
		}
	}
}
