//go:build !windows

package shell

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func run(t *testing.T, command string, o Options) Result {
	t.Helper()
	if o.Env == nil {
		o.Env = Environ(os.Environ(), EnvRules{})
	}
	res, err := Run(t.Context(), command, o)
	if err != nil {
		t.Fatalf("Run(%q): %v", command, err)
	}
	return res
}

func TestRun(t *testing.T) {
	tests := []struct {
		command string
		want    Result
	}{
		{"true", Result{}},
		{"printf problem; exit 7", Result{Head: "problem", Bytes: 7, Lines: 1, Exit: 7}},
		{"echo out; echo err >&2; echo out2", Result{Head: "out\nerr\nout2\n", Bytes: 13, Lines: 3}},
		{"kill -9 $$", Result{Exit: -1, Signal: "SIGKILL", Number: 9}},
		{"read -r x; echo \"got:$x\"; cat", Result{Head: "got:\n", Bytes: 5, Lines: 1}},
		{`printf '\344\275'; printf '\240'`, Result{Head: "\u4f60", Bytes: 3, Lines: 1}},
		{`printf '\344\275'`, Result{Head: "\uFFFD", Bytes: 2, Lines: 1}},
		{`printf 'a\0b'`, Result{Head: "ab", Bytes: 3, Lines: 1}},
		{"cat <<'EOF'\r\nhello\r\nEOF\r\n", Result{Head: "hello\n", Bytes: 6, Lines: 1}},
		{"echo " + strings.Repeat("x", 200_000) + " | wc -c", Result{Head: "200001\n", Bytes: 7, Lines: 1}},
		{"no-such-command-here 2>/dev/null", Result{Exit: 127}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, run(t, tt.command, Options{})); diff != "" {
			t.Errorf("Run(%.60q) (-want +got):\n%s", tt.command, diff)
		}
	}
}

func TestRunsInDirWithEnv(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	res := run(t, `pwd; echo "$GREETING"`, Options{Dir: dir, Env: []string{"GREETING=hello", "PATH=" + os.Getenv("PATH")}})
	if want := dir + "\nhello\n"; res.Head != want {
		t.Errorf("got %q, want %q", res.Head, want)
	}
}

func TestBoundedOutput(t *testing.T) {
	res := run(t, "seq 1 20000", Options{Keep: 1000})
	if !strings.HasPrefix(res.Head, "1\n2\n") || !strings.HasSuffix(res.Tail, "\n20000\n") {
		t.Errorf("head %.20q, tail %q", res.Head, res.Tail[max(0, len(res.Tail)-20):])
	}
	if res.Lines != 20000 || res.Bytes != 108894 {
		t.Errorf("%d lines, %d bytes", res.Lines, res.Bytes)
	}
	if n := len(res.Head) + len(res.Tail); n > 1000 || int64(n)+res.Dropped != res.Bytes {
		t.Errorf("kept %d, dropped %d of %d", n, res.Dropped, res.Bytes)
	}
	if res := run(t, "head -c 1000 /dev/zero | tr '\\0' a", Options{Keep: 1000}); res.Dropped != 0 || len(res.Head) != 1000 {
		t.Errorf("an exact fit was cut: %d + %d", len(res.Head), len(res.Tail))
	}
}

func TestStreams(t *testing.T) {
	var got strings.Builder
	run(t, "printf one; printf two >&2; seq 1 5000", Options{Keep: 100, Output: func(s string) { got.WriteString(s) }})
	if s := got.String(); !strings.HasPrefix(s, "onetwo1\n") || !strings.HasSuffix(s, "\n5000\n") {
		t.Errorf("streamed %d bytes: %.20q…", len(s), s)
	}
}

func TestTimeout(t *testing.T) {
	start := time.Now()
	res := run(t, "echo partial; sleep 60 | cat", Options{Timeout: 200 * time.Millisecond})
	if !res.TimedOut || res.Head != "partial\n" || res.HeldOpen {
		t.Errorf("got %+v", res)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestTermIsIgnored(t *testing.T) {
	start := time.Now()
	res := run(t, "trap '' TERM INT; sleep 60", Options{Timeout: 100 * time.Millisecond})
	if !res.TimedOut || res.Signal != "SIGKILL" {
		t.Errorf("got %+v", res)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}

// A group that ends itself within its grace may say good-bye.
func TestGraceIsGiven(t *testing.T) {
	res := run(t, "trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.01; done", Options{Timeout: 200 * time.Millisecond})
	if !res.TimedOut || !strings.HasSuffix(res.Head, "bye\n") || res.Exit != 3 {
		t.Errorf("got %+v", res)
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	start := time.Now()
	pid := 0
	res, err := Run(ctx, "sleep 60 & echo $!; wait", Options{Env: os.Environ(), Output: func(s string) {
		pid, _ = strconv.Atoi(strings.TrimSpace(s))
		cancel()
	}})
	if err != nil || !res.Interrupted || res.TimedOut {
		t.Errorf("got %+v, %v", res, err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
	if state := processState(pid); state != "" && state != "Z" {
		t.Errorf("the child %d is still there: %s", pid, state)
	}
	if _, err := Run(ctx, "true", Options{}); err == nil {
		t.Error("a command was started after the end of ctx")
	}
}

// processState is the letter of a process in /proc, "" when it is gone or there is no /proc.
func processState(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return rest[:1]
}

func TestLeftOvers(t *testing.T) {
	start := time.Now()
	res := run(t, "sleep 5 & echo done", Options{})
	if res.HeldOpen || res.Head != "done\n" || res.Exit != 0 || len(res.Left) != 1 {
		t.Errorf("got %+v", res)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
	if res := run(t, "sleep 5 >/dev/null 2>&1 & echo done", Options{}); res.HeldOpen || len(res.Left) != 1 {
		t.Errorf("a left-over process without the output: %+v", res)
	}
}

func TestParallelRuns(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			want := strconv.Itoa(i) + "\n"
			if res, err := Run(t.Context(), "echo "+want, Options{Env: os.Environ()}); err != nil || res.Head != want {
				t.Errorf("got %+v, %v", res, err)
			}
		})
	}
	wg.Wait()
}

func TestStartFails(t *testing.T) {
	if _, err := Run(t.Context(), "true", Options{Dir: filepath.Join(t.TempDir(), "gone")}); err == nil {
		t.Error("no error for a missing directory")
	}
	if _, err := Run(t.Context(), "echo a\x00b", Options{}); err == nil {
		t.Error("no error for a NUL byte")
	}
}

// BenchmarkTrue shows what Run costs over the bare start of a process.
func BenchmarkTrue(b *testing.B) {
	b.Run("run", func(b *testing.B) {
		for b.Loop() {
			if _, err := Run(b.Context(), "true", Options{Env: []string{"PATH=/usr/bin:/bin"}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("exec", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command(program(), "-c", "true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
