package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mcpServer is `paicli mcp serve` in a project of its own, and what a client says to it.
type mcpServer struct {
	t      *testing.T
	cmd    *exec.Cmd
	dir    string
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// startMCP starts the real program without a provider and without a key, and initializes it.
func startMCP(t *testing.T, args ...string) *mcpServer {
	t.Helper()
	s := &mcpServer{t: t, dir: t.TempDir()}
	s.cmd = exec.Command("paicli", append([]string{"mcp", "serve", "-C", s.dir}, args...)...)
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LANG=C.UTF-8", "GORACE=" + os.Getenv("GORACE")}
	s.cmd.Stderr = &s.stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill() })
	answer := s.ask(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	if !strings.Contains(answer, `"serverInfo":{"name":"paicli"`) {
		t.Fatal(answer)
	}
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *mcpServer) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *mcpServer) request(id int, method, params string) {
	s.t.Helper()
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
}

// answer reads the next message, which must answer the request.
func (s *mcpServer) answer(id int) string {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	var m struct {
		JSONRPC string
		ID      int
	}
	if err != nil || json.Unmarshal([]byte(line), &m) != nil || m.JSONRPC != "2.0" || m.ID != id {
		s.t.Fatalf("answer to %d: %s %v\n%s", id, line, err, s.stderr.String())
	}
	return line
}

func (s *mcpServer) ask(id int, method, params string) string {
	s.t.Helper()
	s.request(id, method, params)
	return s.answer(id)
}

// call runs a tool and returns its text and whether it is an error.
func (s *mcpServer) call(id int, name, args string) (string, bool) {
	s.t.Helper()
	s.request(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args))
	return s.result(id)
}

func (s *mcpServer) result(id int) (string, bool) {
	s.t.Helper()
	var m struct {
		Result struct {
			Content []struct{ Type, Text string }
			IsError bool
		}
	}
	line := s.answer(id)
	if err := json.Unmarshal([]byte(line), &m); err != nil || len(m.Result.Content) != 1 {
		s.t.Fatalf("%s: %v", line, err)
	}
	return m.Result.Content[0].Text, m.Result.IsError
}

// exit waits for the end of the program and returns its exit code. Nothing but answers was printed.
func (s *mcpServer) exit() int {
	s.t.Helper()
	if rest, _ := io.ReadAll(s.out); len(rest) > 0 {
		s.t.Errorf("also printed: %s", rest)
	}
	s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

func (s *mcpServer) put(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func TestMCPServe(t *testing.T) {
	s := startMCP(t)
	s.put("a.txt", "Hello World\n")
	list := s.ask(2, "tools/list", `{}`)
	for _, name := range []string{"read_file", "write_file", "edit_file", "list_dir", "glob_files", "grep_code", "execute_command"} {
		if !strings.Contains(list, `"name":"`+name+`"`) {
			t.Errorf("%s is not offered", name)
		}
	}
	for i, c := range []struct {
		tool, args string
		isError    bool
		text       string // beginning
	}{
		{"edit_file", `{"path":"a.txt","old_text":"World","new_text":"PaiCLI"}`, true, "a.txt must be read first"},
		{"read_file", `{"path":"a.txt"}`, false, "a.txt (lines 1-1 of 1)\n1 | Hello World\n"},
		{"edit_file", `{"path":"a.txt","old_text":"World","new_text":"PaiCLI"}`, false, ""},
		{"execute_command", `{"command":"cat a.txt"}`, false, "exit code: 0\nHello PaiCLI\n"},
		{"execute_command", `{"command":"sudo ls"}`, true, "denied: Refused by policy (privilege): `sudo ls`"},
		{"execute_command", `{"command":"exit 3"}`, true, "exit code: 3\n"},
		{"execute_command", `{"command":"touch new.txt"}`, true, "denied: `touch new.txt` was not run: it needs a person's approval"},
		{"execute_command", `{"command":"A=1 true"}`, true, "denied: "},
		{"read_file", `{"path":"../../etc/passwd"}`, true, "../../etc/passwd is outside the project"},
		{"nope", `{}`, true, `unknown tool "nope"; the tools are: create_project, edit_file, `},
		{"read_file", `{}`, true, "read_file was not run: argument path is missing"},
		{"execute_command", `{"command":"seq 1 20000"}`, false, "exit code: 0\n[output too large: execute_command gave 108894 characters"},
	} {
		if text, isError := s.call(10+i, c.tool, c.args); isError != c.isError || !strings.HasPrefix(text, c.text) || strings.Contains(text, "<tool_result") {
			t.Errorf("%s %s: error %v, %s", c.tool, c.args, isError, text)
		}
	}
	s.in.Close()
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if s.stderr.Len() > 0 {
		t.Errorf("stderr: %s", s.stderr.String())
	}
}

// commandThatWaits tells by a file that it has begun.
const commandThatWaits = `{"name":"execute_command","arguments":{"command":"touch begun; sleep 30; touch late"}}`

// begin starts it and waits for its file.
func (s *mcpServer) begin(id int) {
	s.t.Helper()
	s.request(id, "tools/call", commandThatWaits)
	for range 1000 {
		if _, err := os.Stat(filepath.Join(s.dir, "begun")); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond) // for another process, which has no other way to tell
	}
	s.t.Fatal("the command did not begin")
}

// TestMCPServeEnds: a cancelled request, the end of the input and a signal end a running command.
func TestMCPServeEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: no signals between processes")
	}
	for _, c := range []struct {
		name string
		end  func(s *mcpServer)
		code int
	}{
		{"cancel", func(s *mcpServer) {
			s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
			if text, isError := s.result(7); !isError || !strings.Contains(text, "interrupted") {
				s.t.Errorf("error %v, %s", isError, text)
			}
			if text, _ := s.call(8, "execute_command", `{"command":"echo next"}`); text != "exit code: 0\nnext\n" {
				s.t.Errorf("the next call gave %s", text)
			}
			s.in.Close()
		}, 0},
		{"end of input", func(s *mcpServer) { s.in.Close() }, 0},
		{"TERM", func(s *mcpServer) { s.cmd.Process.Signal(syscall.SIGTERM) }, 143},
		{"INT", func(s *mcpServer) { s.cmd.Process.Signal(os.Interrupt) }, 130},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := startMCP(t, "--allow", "Bash(touch:*)")
			s.begin(7)
			start := time.Now()
			c.end(s)
			if code := s.exit(); code != c.code {
				t.Errorf("exit code %d, want %d\n%s", code, c.code, s.stderr.String())
			}
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestMCPServeFlags(t *testing.T) {
	s := startMCP(t, "--tools", "read_file,list_dir", "--no-session", "--mode", "auto", "-q")
	if list := s.ask(2, "tools/list", `{}`); strings.Count(list, `"inputSchema"`) != 2 {
		t.Error(list)
	}
	if text, isError := s.call(3, "execute_command", `{"command":"true"}`); !isError || text != `unknown tool "execute_command"; the tools are: list_dir, read_file` {
		t.Error(text)
	}
	s.in.Close()
	if code := s.exit(); code != 0 || s.stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %s", code, s.stderr.String())
	}
	for _, args := range [][]string{{"--tools", "nope"}, {"--mode", "yolo"}, {"--allow", "Bash("}, {"--mode", "bypassPermissions"}, {"extra"}, {"--nope"}, {"-C", "/does/not/exist"}} {
		cmd := exec.Command("paicli", append([]string{"mcp", "serve"}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LANG=C.UTF-8"}
		out, err := cmd.Output()
		if len(out) > 0 || cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("%v: %s %v", args, out, err)
		}
	}
}

// TestMCPServeBadInput: what is no JSON-RPC ends the connection with a word on stderr.
func TestMCPServeBadInput(t *testing.T) {
	s := startMCP(t)
	s.send("GET / HTTP/1.1")
	if code := s.exit(); code != 1 || !strings.Contains(s.stderr.String(), "broke off") {
		t.Errorf("exit code %d, stderr %s", code, s.stderr.String())
	}
}
