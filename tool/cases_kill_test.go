//go:build unix

package tool

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const killReady = "ready for the last call"

// killed makes the last call in a process of its own, which repeats the calls before it, and kills
// it so long after the call has begun.
func (r *caseRun) killed(after time.Duration) error {
	r.ok = nil
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cases, err := openCases()
	if err != nil {
		return err
	}
	defer cases.Close()
	cmd := exec.Command(selfExe(exe), "-test.run=^TestCaseKilled$", "-test.v")
	cmd.Env = append(os.Environ(), caseStage+"=kill", caseRoot+"="+r.base, caseID+"="+r.c.ID)
	cmd.ExtraFiles = []*os.File{cases}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	seen := false
	for lines := bufio.NewScanner(out); !seen && lines.Scan(); {
		seen = strings.Contains(lines.Text(), killReady)
	}
	time.Sleep(after)
	_ = cmd.Process.Kill() // it may be done already
	_ = cmd.Wait()
	if !seen {
		return fmt.Errorf("the process to kill did not come to the last call")
	}
	return nil
}

// TestCaseKilled is the process that is killed.
func TestCaseKilled(t *testing.T) {
	if os.Getenv(caseStage) != "kill" {
		return
	}
	for _, c := range readCases(t) {
		if c.ID != os.Getenv(caseID) {
			continue
		}
		base := os.Getenv(caseRoot)
		r := &caseRun{t: t, c: c, base: base, root: base + "/root"}
		r.openTools()
		for i, call := range c.Calls {
			if i == len(c.Calls)-1 {
				fmt.Println(killReady)
			}
			call.Kill = nil
			if err := r.step(call); err != nil {
				t.Fatal(err)
			}
		}
	}
}
