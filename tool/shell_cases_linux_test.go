package tool

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"paicli/internal/shell"
)

// secludedStage is set in the process that keeps to itself.
const secludedStage = "PAICLI_CASE_SECLUDED"

// TestShellCasesSecluded runs the cases that speak of the start of the program in a process that does
// as main does, and not as root, who may read everything.
func TestShellCasesSecluded(t *testing.T) {
	if os.Getenv(secludedStage) != "" {
		return
	}
	dir, err := os.MkdirTemp("", "secluded-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range readShellCases(t) {
		if !secluded(c) {
			continue
		}
		ran++
		cmd := exec.Command(selfExe(""), "-test.run=^TestSecludedCommand$", "-test.v")
		cmd.Dir = "/"
		cmd.Env = append(os.Environ(), secludedStage+"="+c.Input.Command, "TMPDIR="+dir)
		for name, value := range c.Input.Env {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		out, err := cmd.CombinedOutput()
		_, result, ok := strings.Cut(string(out), "RESULT ")
		if err != nil || !ok {
			t.Errorf("%s: %v: %s", c.ID, err, out)
		}
		switch {
		case c.Input.AgentEnv && strings.Contains(result, "FAKE"), c.Input.AgentEnv && !strings.Contains(result, "denied") && !strings.HasPrefix(result, "exit code: 0\n0"):
			t.Errorf("%s: the environment was read: %s", c.ID, result)
		case !c.Input.AgentEnv && !strings.HasPrefix(result, "exit code: 0\n0\n"):
			t.Errorf("%s: %s", c.ID, result)
		}
	}
	t.Logf("%d cases", ran)
}

// TestSecludedCommand is the other process.
func TestSecludedCommand(t *testing.T) {
	command := os.Getenv(secludedStage)
	if command == "" {
		return
	}
	shell.Seclude()
	fmt.Println("RESULT " + newBench(t).do("execute_command", args{"command": command}).Text)
}

// BenchmarkTrue shows what the tool costs over the bare start of a process.
func BenchmarkTrue(b *testing.B) {
	bench := newBench(b)
	b.Run("tool", func(b *testing.B) {
		for b.Loop() {
			bench.do("execute_command", args{"command": "true"})
		}
	})
	b.Run("exec", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("bash", "-c", "true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
