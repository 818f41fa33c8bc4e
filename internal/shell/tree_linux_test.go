package shell

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// survivors are the processes whose command line has the mark, and our dead children.
func survivors(t *testing.T, mark string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile(procPath(pid, "cmdline"))
		p, ok := readProc(pid)
		if ok && (strings.Contains(string(line), mark) || p.parent == os.Getpid() && p.state == 'Z') {
			out = append(out, e.Name()+" "+string(p.state)+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return out
}

// TestNothingSurvives: commands that leave processes behind in every way known, ended by themselves,
// by the clock and by a person.
func TestNothingSurvives(t *testing.T) {
	const mark = "98765.4321"
	tests := []struct{ name, command string }{
		{"background", "sleep MARK &"},
		{"without the output", "sleep MARK >/dev/null 2>&1 &"},
		{"nohup and disown", "nohup sleep MARK >/dev/null 2>&1 & disown"},
		{"session", "setsid sleep MARK &"},
		{"double fork", "(setsid sh -c 'sleep MARK & sleep MARK & wait' >/dev/null 2>&1 &)"},
		{"without an environment", "(env -i setsid sh -c 'sleep MARK & env -i setsid sleep MARK & wait' &)"},
		{"TERM is ignored", "trap '' TERM HUP INT; sleep MARK & setsid sh -c 'trap \"\" TERM; sleep MARK; sleep MARK' &"},
		{"stopped", "sleep MARK & kill -STOP $!"},
		{"storm", "for i in $(seq 200); do (setsid sleep MARK &) ; done"},
		{"goes on forking", "(setsid sh -c 'while :; do sleep MARK & sleep 0.01; done' &)"},
		{"ended in another session", "(setsid sh -c 'exit 0' &); sleep 0.1"},
	}
	for _, tt := range tests {
		command := strings.ReplaceAll(tt.command, "MARK", mark)
		begin := time.Now()
		run(t, command, Options{})
		if left := survivors(t, mark); len(left) > 0 {
			t.Errorf("%s: left after its end: %q", tt.name, left)
		}
		res := run(t, command+"\nsleep "+mark, Options{Timeout: 300 * time.Millisecond})
		if left := survivors(t, mark); len(left) > 0 || !res.TimedOut || res.HeldOpen {
			t.Errorf("%s: left after its time: %q, %+v", tt.name, left, res)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if _, err := Run(ctx, command+"\nsleep "+mark, Options{Env: os.Environ()}); err != nil {
			t.Error(err)
		}
		cancel()
		if left := survivors(t, mark); len(left) > 0 {
			t.Errorf("%s: left after an interrupt: %q", tt.name, left)
		}
		if took := time.Since(begin); took > 15*time.Second {
			t.Errorf("%s took %v", tt.name, took)
		}
	}
}

// TestOthersAreLeftAlone: a command's end does not touch what another command, or we, started.
func TestOthersAreLeftAlone(t *testing.T) {
	const mark = "98765.1234"
	other, err := Start("(setsid sleep "+mark+" &); sleep "+mark, Options{Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Kill()
	for end := time.Now().Add(5 * time.Second); len(survivors(t, mark)) != 2 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	run(t, "setsid sleep 98765.999 & sleep 98765.999 &", Options{})
	if n := len(survivors(t, mark)); n != 2 {
		t.Errorf("%d of 2 processes of another command are left", n)
	}
	other.Kill()
	if left := survivors(t, mark); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestNested: a command in a command is marked by both.
func TestNested(t *testing.T) {
	env := newTree().environ(newTree().environ([]string{"A=b"}))
	name, ids, _ := strings.Cut(env[len(env)-1], "=")
	if name != markVariable || strings.Count(ids, ",") != 1 || len(env) != 2 {
		t.Errorf("got %q", env)
	}
}

func TestParseStat(t *testing.T) {
	tail := " S 7 8 9 0 -1 0 0 0 0 0 3 4 0 0 20 0 1 0 4242 0 0"
	for _, name := range []string{"sleep", "a b", "x) R 1 (y", ""} {
		p, ok := parseStat([]byte("12 (" + name + ")" + tail))
		want := proc{pid: 12, parent: 7, group: 8, session: 9, name: name, state: 'S', start: 4242, time: 7}
		if !ok || p != want {
			t.Errorf("%q: %+v, %v", name, p, ok)
		}
	}
	for _, bad := range []string{"", "1 (a", "1 (a) S 1", "x (a)" + tail, "1 (a) SS" + tail[2:]} {
		if p, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q was read as %+v", bad, p)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("12 (a b) S 7 8 9 0 -1 0 0 0 0 0 3 4 0 0 20 0 1 0 4242 0 0"))
	f.Fuzz(func(t *testing.T, data []byte) { parseStat(data) })
}

func TestParseSyscall(t *testing.T) {
	tests := []struct {
		line   string
		number int
		first  uint64
		ok     bool
	}{
		{"0 0x3 0x7ffe 0x0 0x0 0x0 0x0 0x7ffe 0x7fda\n", 0, 3, true},
		{"running\n", 0, 0, false},
		{"-1 0x7ffe 0x7fda\n", -1, 0x7ffe, true},
		{"", 0, 0, false},
		{"a b", 0, 0, false},
	}
	for _, tt := range tests {
		if n, first, ok := parseSyscall(tt.line); n != tt.number || first != tt.first || ok != tt.ok {
			t.Errorf("%q: %d, %d, %v", tt.line, n, first, ok)
		}
	}
}

func FuzzParseSyscall(f *testing.F) {
	f.Add("0 0x3 0x7ffe")
	f.Fuzz(func(t *testing.T, line string) { parseSyscall(line) })
}

// TestMemoryIsFlat: a command that prints without end costs no more than what is kept.
func TestMemoryIsFlat(t *testing.T) {
	long := time.Second
	if os.Getenv("PAICLI_FULL") != "" {
		long = 5 * time.Second
	}
	before := rss(t)
	res := run(t, "yes", Options{Timeout: long, Keep: 1 << 20})
	if grown := rss(t) - before; grown > 64<<10 || res.Bytes < 1<<20 {
		t.Errorf("%d bytes were printed, memory grew by %d KiB", res.Bytes, grown)
	}
	t.Logf("%d MiB printed", res.Bytes>>20)
}

// rss is the memory in use, in KiB.
func rss(t *testing.T) int {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
