package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"paicli/internal/term/termtest"
	"paicli/llm/llmtest"
)

// person sits at a terminal in which the real program runs.
type person struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	tty    *os.File
	screen *termtest.Screen
	server *llmtest.Server
	home   string
	before syscall.Termios
	read   chan struct{} // closed when the program's side is closed
	gone   bool
}

// sit starts the program in a terminal of 80×24, with a model that plays the answers.
func sit(t *testing.T, env []string, answers ...llmtest.Answer) *person {
	t.Helper()
	return sitAt(t, t.TempDir(), env, answers...)
}

func sitAt(t *testing.T, home string, env []string, answers ...llmtest.Answer) *person {
	t.Helper()
	return sitIn(t, home, t.TempDir(), env, answers...)
}

// sitIn does so in a project.
func sitIn(t *testing.T, home, work string, env []string, answers ...llmtest.Answer) *person {
	t.Helper()
	p := &person{t: t, screen: termtest.New(80, 24), server: llmtest.NewServer(answers...), home: home, read: make(chan struct{})}
	t.Cleanup(p.server.Close)
	p.open()
	p.cmd = exec.Command("paicli", "-q")
	p.cmd.Dir = work
	p.cmd.Env = append(os.Environ(), "HOME="+home, "PAICLI_HOME="+filepath.Join(home, ".paicli"), "TERM=xterm-256color", "LC_ALL=",
		"LANG=C.UTF-8", "NO_COLOR=", "PAICLI_BASE_URL="+p.server.URL()+"/v1", "PAICLI_API_KEY=dummy-key", "PAICLI_MODEL=scripted")
	p.cmd.Env = append(p.cmd.Env, env...)
	p.start()
	return p
}

// start starts the program at the terminal and shows what it writes on the screen.
func (p *person) start() {
	p.t.Helper()
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = p.tty, p.tty, p.tty
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(p.leave)
	go func() {
		defer close(p.read)
		buf := make([]byte, 32<<10)
		for {
			n, err := p.master.Read(buf)
			p.screen.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
}

// open makes a pseudo terminal.
func (p *person) open() {
	p.t.Helper()
	var err error
	if p.master, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		p.t.Skip(err)
	}
	var unlock, n int32
	p.ioctl(p.master, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	p.ioctl(p.master, syscall.TIOCGPTN, unsafe.Pointer(&n))
	if p.tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		p.t.Fatal(err)
	}
	size := [4]uint16{24, 80}
	p.ioctl(p.tty, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	p.before = p.modes()
}

func (p *person) ioctl(f *os.File, request uintptr, arg unsafe.Pointer) {
	p.t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		p.t.Fatal(err)
	}
	raw.Control(func(fd uintptr) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(arg)); errno != 0 {
			p.t.Fatalf("ioctl %#x: %v", request, errno)
		}
	})
}

// modes are the settings of the terminal.
func (p *person) modes() (m syscall.Termios) {
	p.t.Helper()
	p.ioctl(p.tty, syscall.TCGETS, unsafe.Pointer(&m))
	return m
}

// leave ends what is still running.
func (p *person) leave() {
	if !p.gone {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	}
	p.tty.Close()
	<-p.read
	p.master.Close()
}

// keys presses keys.
func (p *person) keys(s string) {
	p.t.Helper()
	if _, err := p.master.WriteString(s); err != nil {
		p.t.Fatal(err)
	}
}

// until waits for something to become true and returns how long that took.
func (p *person) until(what string, ok func() bool) time.Duration {
	p.t.Helper()
	start := time.Now()
	for !ok() {
		if time.Since(start) > 4*time.Second*slack {
			p.t.Fatalf("waited in vain for %s. The screen:\n%s", what, p.screen.Text())
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(start)
}

// sees waits for a text.
func (p *person) sees(text string) time.Duration {
	p.t.Helper()
	return p.until(fmt.Sprintf("%q", text), func() bool { return strings.Contains(p.screen.Text(), text) })
}

// at waits for the cursor to stand behind a text, and nothing to be running.
func (p *person) at(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("the cursor behind %q", text), func() bool {
		return p.screen.Before() == text && !strings.Contains(strings.Join(p.screen.Visible(), "\n"), "Esc to interrupt")
	})
}

// exits waits for the program's end with a code, and wants the terminal as it was before.
func (p *person) exits(code int) {
	p.t.Helper()
	timer := time.AfterFunc(4*time.Second*slack, func() { p.cmd.Process.Kill() })
	defer timer.Stop()
	err := p.cmd.Wait()
	p.gone = true
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d. The screen:\n%s", got, code, p.screen.Text())
	}
	if p.modes() != p.before {
		p.t.Error("the terminal is not as it was before")
	}
	// What was written may still be on its way through the terminal.
	if strings.Contains(p.screen.Raw(), "\x1b[?2004h") {
		p.until("the end of the keyboard modes", func() bool {
			return strings.Contains(p.screen.Raw(), "\x1b[<u") && strings.Contains(p.screen.Raw(), "\x1b[?2004l")
		})
	}
}

// once wants a text exactly once on the screen and in its history.
func (p *person) once(text string) {
	p.t.Helper()
	if n := strings.Count(p.screen.Text(), text); n != 1 {
		p.t.Errorf("%q is there %d times:\n%s", text, n, p.screen.Text())
	}
}

// said wants the last message of a request to be the words, or to end with them where a note about the
// place stands before them.
func (p *person) said(n int, words string) {
	p.t.Helper()
	reqs := p.server.Requests()
	if len(reqs) < n {
		p.t.Fatalf("the model was asked %d times, want %d", len(reqs), n)
	}
	var body struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal(reqs[n-1].Body, &body); err != nil {
		p.t.Fatal(err)
	}
	got := body.Messages[len(body.Messages)-1].Content
	if got != words && !strings.HasSuffix(got, "\n\n"+words) {
		p.t.Errorf("the model got %.2000q", got)
	}
}

const glyph = "❯ "

// holding is an answer that begins with a text and does not end.
func holding(text string) llmtest.Answer {
	a := silent()
	a.Body = fmt.Appendf(nil, "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%q}}]}\n\n", text)
	return a
}

func silent() llmtest.Answer {
	return llmtest.Answer{Header: http.Header{"Content-Type": {"text/event-stream"}}, Open: true}
}

func TestReplFirstPrompt(t *testing.T) {
	t.Parallel()
	p := sit(t, nil, llmtest.Text("An answer of the model.\nWith two lines."), llmtest.Text("ok-2"))
	p.at(glyph)
	p.keys("hello there\r")
	p.sees("With two lines.")
	p.at(glyph)
	p.keys("again\r")
	p.sees("ok-2")
	p.at(glyph)
	for _, text := range []string{"> hello there\n", "> again\n", "An answer of the model.\nWith two lines.\n", "PaiCLI devel"} {
		p.once(text)
	}
	p.keys("\x04")
	p.exits(0)
	p.sees("--resume ")
	raw := p.screen.Raw()
	for _, bad := range []string{"\x1b[?1049h", "\x1b[?47h", "\x1b[?1000h", "\x1b[2J", "\x1b[3J", "\x1b[H"} {
		if strings.Contains(raw, bad) {
			t.Errorf("the program wrote %q", bad)
		}
	}
}

func TestReplLongAnswer(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 120 {
		fmt.Fprintf(&b, "P-%04d 中文 words and a tail that is longer than the row of eighty cells, to be broken\n", i)
	}
	a := llmtest.Text(b.String() + "END")
	for i := 200; i < len(a.Body); i += 200 {
		a.Cuts = append(a.Cuts, i)
	}
	p := sit(t, nil, a)
	p.at(glyph)
	p.keys("go\r")
	p.sees("END")
	p.at(glyph)
	if !strings.Contains(p.screen.Text(), b.String()+"END\n") {
		t.Error(p.screen.Text())
	}
}

func TestReplInterrupt(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"escape": "\x1b", "ctrl-c": "\x03"} {
		t.Run(name, func(t *testing.T) {
			p := sit(t, nil, holding("partial-"+name), llmtest.Text("ok-2"))
			p.at(glyph)
			p.keys("go\r")
			p.sees("partial-" + name)
			p.keys(key)
			took := p.sees("interrupted")
			t.Logf("interrupted after %v", took)
			if took > time.Second {
				t.Errorf("interrupted only after %v", took)
			}
			p.at(glyph)
			p.once("partial-" + name)
			p.keys("next\r")
			p.sees("ok-2")
		})
	}
}

// TestReplInterruptBefore: a prompt that was interrupted before anything came of it is not lost.
func TestReplInterruptBefore(t *testing.T) {
	t.Parallel()
	p := sit(t, nil, silent())
	p.at(glyph)
	p.keys("precious words\r")
	p.sees("Esc to interrupt")
	p.keys("\x1b")
	p.at(glyph + "precious words")
}

func TestReplQueue(t *testing.T) {
	t.Parallel()
	p := sit(t, nil, holding("part"), llmtest.Text("ok-2"))
	p.at(glyph)
	p.keys("start\r")
	p.sees("part")
	p.keys("q-one\r")
	p.sees("queued 1: q-one")
	p.keys("q-two\r")
	p.sees("queued 2: q-two")
	p.keys("q-three\r")
	p.sees("queued 3: q-three")
	p.keys("\x1b[A") // takes the last one back
	p.until("the prompt of before", func() bool { return p.screen.Before() == glyph+"q-three" })
	p.keys("\x15")
	p.keys("\x1b")
	p.sees("ok-2")
	p.at(glyph)
	if body := string(p.server.Requests()[1].Body); !strings.Contains(body, "q-one") || !strings.Contains(body, "q-two") || strings.Contains(body, "q-three") {
		t.Error(body)
	}
	p.once("q-one")
}

func TestReplPaste(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a line\twith 中文\n", 500)
	p := sit(t, nil, llmtest.Text("ok-1"))
	p.at(glyph)
	quiet := len(p.screen.Raw())
	p.keys("look: \x1b[200~" + strings.ReplaceAll(text, "\n", "\r") + "\x1b[201~")
	p.at(glyph + "look: [Pasted text #1 +500 lines]")
	if n := len(p.screen.Raw()) - quiet; n > 20<<10 {
		t.Errorf("%d bytes for a paste", n)
	}
	p.keys(" end\r")
	p.sees("ok-1")
	p.said(1, "look: "+text+" end")
	p.once("> look: [Pasted text #1 +500 lines] end\n")
}

func TestReplEditing(t *testing.T) {
	t.Parallel()
	p := sit(t, nil, llmtest.Text("ok-1"), llmtest.Text("ok-2"))
	p.at(glyph)
	p.keys("你好x世界")
	p.at(glyph + "你好x世界")
	p.keys("\x1b[D\x1b[D\x7f")
	p.at(glyph + "你好")
	p.keys("\x1b[F！\x1b\rsecond")
	p.at("  second")
	p.keys("\\\rthird\r")
	p.sees("ok-1")
	p.said(1, "你好世界！\nsecond\nthird")
	p.at(glyph)
	p.keys("再见\r") // text and Return in one
	p.sees("ok-2")
	p.said(2, "再见")
}

func TestReplHistory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := sitAt(t, home, nil, llmtest.Text("ok-1"), llmtest.Text("ok-2"))
	p.at(glyph)
	p.keys("the first\r")
	p.sees("ok-1")
	p.at(glyph)
	p.keys("use --api-key sk-verysecret\r")
	p.sees("ok-2")
	p.at(glyph)
	p.once("> use --api-key ***\n")
	p.keys("\x04")
	p.exits(0)
	file := filepath.Join(home, ".paicli", "history")
	raw, err := os.ReadFile(file)
	if err != nil || string(raw) != "\"the first\"\n" {
		t.Errorf("history %q, %v", raw, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	p = sitAt(t, home, nil)
	p.at(glyph)
	p.keys("\x1b[A")
	p.at(glyph + "the first")
	p.keys("\x1b[B")
	p.at(glyph)
}

func TestReplCommands(t *testing.T) {
	t.Parallel()
	p := sit(t, nil, llmtest.Text("ok-1"))
	p.at(glyph)
	p.keys("/cotnext\r")
	p.sees("unknown command /cotnext, did you mean /context?")
	p.keys("/cont\t\r")
	p.sees("0 tokens")
	p.keys("/model other\r")
	p.sees("model from the next turn on: ")
	p.keys("hi\r")
	p.sees("ok-1")
	p.at(glyph)
	if n := len(p.server.Requests()); n != 1 || !strings.Contains(string(p.server.Requests()[0].Body), `"model":"other"`) {
		t.Errorf("%d requests: %s", n, p.server.Requests()[0].Body)
	}
	p.keys("/sessions\r")
	p.sees("  hi\n")
	p.keys("/clear\r")
	p.sees("new session ")
	p.keys("/exit\r")
	p.exits(0)
}

func TestReplChinese(t *testing.T) {
	t.Parallel()
	p := sit(t, []string{"LANG=zh_CN.UTF-8"}, holding("部分"))
	p.at(glyph)
	p.sees("回车发送")
	p.keys("/nope\r")
	p.sees("未知命令 /nope")
	p.keys("开始\r")
	p.sees("部分")
	p.keys("\x03")
	p.sees("已中断")
	p.until("the prompt", func() bool { return p.screen.Before() == glyph })
	p.keys("\x03")
	p.sees("再按")
	p.keys("\x03")
	p.exits(0)
}

// TestReplCtrlC is the ladder: clear the draft, interrupt, say that once more leaves, leave.
func TestReplCtrlC(t *testing.T) {
	t.Parallel()
	p := sit(t, nil, holding("part"))
	p.at(glyph)
	p.keys("go\r")
	p.sees("part")
	p.keys("zzz")
	p.until("the draft", func() bool { return p.screen.Before() == glyph+"zzz" })
	p.keys("\x03")
	p.until("an empty prompt", func() bool { return p.screen.Before() == glyph })
	if strings.Contains(p.screen.Text(), "interrupted") {
		t.Error("one key, two effects")
	}
	p.keys("\x03")
	p.sees("interrupted")
	p.at(glyph)
	p.keys("\x03")
	p.sees("again to leave")
	p.keys("\x03")
	p.exits(0)
}

func TestReplLeaveDuringTurn(t *testing.T) {
	t.Parallel()
	p := sit(t, nil, holding("part"))
	p.at(glyph)
	p.keys("go\r")
	p.sees("part")
	p.keys("/exit\r")
	p.exits(130)
}

func TestReplSignals(t *testing.T) {
	t.Parallel()
	for sig, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(sig.String(), func(t *testing.T) {
			p := sit(t, nil, holding("part"))
			p.at(glyph)
			p.keys("go\r")
			p.sees("part")
			p.cmd.Process.Signal(sig)
			p.exits(code)
		})
	}
}

func TestReplFailure(t *testing.T) {
	t.Parallel()
	bad := llmtest.Answer{Status: 401, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"error":{"message":"bad key K-84"}}`)}
	p := sit(t, nil, bad)
	p.at(glyph)
	p.keys("go\r")
	p.sees("bad key K-84")
	p.keys("still here")
	p.at(glyph + "still here")
}

// TestReplPlain: a dumb terminal gets lines and not one control sequence.
func TestReplPlain(t *testing.T) {
	t.Parallel()
	p := sit(t, []string{"TERM=dumb", "LANG=C"}, llmtest.Text("ok-1"), holding("part"))
	p.at(">> ")
	p.keys("hello\n")
	p.sees("ok-1\n")
	p.keys("/ctx\n")
	p.sees("tokens in the last request")
	p.keys("go\n")
	p.sees("part")
	p.keys("later\n")
	p.sees("queued 1: later")
	p.keys("\x03")
	p.sees("interrupted")
	p.keys("\x04")
	p.cmd.Wait()
	p.gone = true
	if raw := p.screen.Raw(); strings.ContainsAny(raw, "\x1b") || strings.Contains(raw, "❯") {
		t.Errorf("%q", raw)
	}
}
