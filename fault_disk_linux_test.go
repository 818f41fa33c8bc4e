package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

const diskEnv = "PAICLI_TEST_DISK"

// TestFullDisk fills the disk under the session log at random points of a session. It starts itself
// in a mount namespace, where it may have a small disk of its own.
func TestFullDisk(t *testing.T) {
	if os.Getenv(diskEnv) != "" {
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestInsideFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), diskEnv+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil && strings.Contains(err.Error(), "operation not permitted"), bytes.Contains(out, []byte("NO MOUNT")):
		t.Skip("SKIPPED: this machine allows no mount in a namespace")
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	}
	_, summary, _ := bytes.Cut(out, []byte("SUMMARY "))
	summary, _, _ = bytes.Cut(summary, []byte("\n"))
	t.Logf("SUMMARY %s", summary)
}

// diskSize is the size of the disk, in bytes: more than the session writes.
const diskSize = 1 << 20

// TestInsideFullDisk is the inner half: it does nothing unless TestFullDisk started it.
func TestInsideFullDisk(t *testing.T) {
	root := os.Getenv(diskEnv)
	if root == "" {
		t.Skip("runs only inside the namespace of TestFullDisk")
	}
	rng := rand.New(rand.NewPCG(3, uint64(os.Getpid())))
	need := 0
	n, bad, early := rounds(6, 60), 0, 0
	for i := range n + 1 {
		disk := filepath.Join(root, fmt.Sprint("disk", i))
		if err := os.Mkdir(disk, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("none", disk, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize)); err != nil {
			t.Fatalf("NO MOUNT: %v", err)
		}
		r := startFault(t, filepath.Join(root, fmt.Sprint("run", i)), disk)
		if i == 0 {
			need = r.room(t)
			continue
		}
		room := rng.IntN(need/pageSize) * pageSize
		problems, memory := r.fill(t, room, i%2 == 0)
		if memory {
			early++
		}
		if problems != nil {
			bad++
			t.Errorf("run %d with room for %d of %d bytes:\n%s", i, room, need, strings.Join(problems, "\n"))
		}
	}
	t.Logf("SUMMARY full disk: %d runs, %d of them without a log from the start, violations in %d", n, early, bad)
}

// pageSize is in what steps a tmpfs gives room.
const pageSize = 4096

// room is how much of the disk the session takes, in bytes.
func (r *faultRun) room(t *testing.T) int {
	t.Helper()
	if err := r.start(t, &stamped{}).Wait(); err != nil {
		t.Fatalf("%v\n%s", err, r.out.Bytes())
	}
	r.stop()
	var st syscall.Statfs_t
	if err := syscall.Statfs(r.home, &st); err != nil {
		t.Fatal(err)
	}
	return int(st.Blocks-st.Bfree) * pageSize
}

// fill runs the session with so much room, makes room again and goes on. memory reports that there
// was no room for the beginning of a log, and the session was kept in memory.
func (r *faultRun) fill(t *testing.T, room int, asText bool) (found []string, memory bool) {
	t.Helper()
	ballast := filepath.Join(r.home, "ballast")
	if err := os.WriteFile(ballast, make([]byte, diskSize-room), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := r.command("-p", "count and change", "--allow", "execute_command", "--output-format", map[bool]string{true: "text", false: "stream-json"}[asText])
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &r.out, &stderr
	cmd.Run()
	r.stop()
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	code := cmd.ProcessState.ExitCode()
	var p problems
	logs, _ := filepath.Glob(filepath.Join(r.home, ".paicli/sessions/*.jsonl"))
	if len(logs) == 0 {
		if code != 0 || !namesDisk(stderr.String()) {
			p.add("no log: exit %d\n%s%s", code, r.out.Bytes(), stderr.Bytes())
		}
		return p, true
	}
	told := stderr.String()
	if !asText {
		told = r.lastError()
	}
	if code == 0 || !namesDisk(told) {
		p.add("exit %d, told: %q\n%s%s", code, told, r.out.Bytes(), stderr.Bytes())
	}
	if asText {
		r.out.Reset()
	}
	return append(p, r.judge(t, true)...), false
}

// namesDisk reports whether a message says in one line that the log could not be written, and why.
func namesDisk(s string) bool {
	return len(regexp.MustCompile(`(?m)^.*session log.*no space left on device.*$`).FindAllString(s, -1)) == 1
}

// lastError is the message of the result.
func (r *faultRun) lastError() string {
	lines := bytes.Split(bytes.TrimSpace(r.out.Bytes()), []byte("\n"))
	var last struct{ Error struct{ Message string } }
	json.Unmarshal(lines[len(lines)-1], &last)
	return last.Error.Message
}
