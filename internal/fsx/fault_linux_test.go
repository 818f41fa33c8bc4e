package fsx

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rounds is a number of repetitions: small in every check, whole with PAICLI_FULL=1.
func rounds(small, whole int) int {
	if os.Getenv("PAICLI_FULL") == "1" {
		return whole
	}
	return small
}

// version is a content that tells whether it is whole: its hash stands in its first line.
func version(n, size int) []byte {
	body := bytes.Repeat(fmt.Appendf(nil, "version %d\n", n), size/10+1)
	sum := sha256.Sum256(body)
	return append([]byte(hex.EncodeToString(sum[:])+"\n"), body...)
}

func isWhole(content []byte) bool {
	sum, body, _ := bytes.Cut(content, []byte("\n"))
	want := sha256.Sum256(body)
	return string(sum) == hex.EncodeToString(want[:])
}

const writerEnv = "PAICLI_TEST_WRITER"

// TestKilledWriters kills a process that replaces and makes files, at random moments. Every file is
// a whole version; the next process that writes leaves no temporary file.
func TestKilledWriters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "project")
	put(t, dir, "a.txt", string(version(0, 10)))
	rng := rand.New(rand.NewPCG(5, uint64(os.Getpid())))
	n, between, files := rounds(20, 500), 0, 0
	for range n {
		killWriter(t, dir, rng)
		found := temps(t, dir)
		if len(found) > 0 {
			between++
		}
		r, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := overwrite(r, "start.txt", "the next start writes"); err != nil {
			t.Error(err)
		}
		if left := temps(t, dir); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
		r.Close()
		files += checkWhole(t, dir)
	}
	t.Logf("SUMMARY %d kills, %d of them in the middle of a write; %d files checked, all whole: %v", n, between, files, !t.Failed())
}

// killWriter starts a writer and kills it some moment after it has begun.
func killWriter(t *testing.T, dir string, rng *rand.Rand) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestWriterProcess$")
	cmd.Env = append(os.Environ(), writerEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the writer said %q, %v", line, err)
	}
	time.Sleep(time.Duration(rng.IntN(20_000)) * time.Microsecond)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
}

// TestWriterProcess is the process that is killed: it does nothing unless TestKilledWriters started
// it.
func TestWriterProcess(t *testing.T) {
	dir := os.Getenv(writerEnv)
	if dir == "" {
		t.Skip("runs only as a child of TestKilledWriters")
	}
	r, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("ready")
	for n := 1; ; n++ {
		size := rand.IntN(200_000)
		if n%3 > 0 {
			size = rand.IntN(100)
		}
		if err := overwrite(r, "a.txt", string(version(n, size))); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("new/%d/%d-%d.txt", n%5, os.Getpid(), n)
		if err := r.Create(Path{Rel: name}, version(n, size)); err != nil {
			t.Fatal(err)
		}
	}
}

func temps(t *testing.T, dir string) (found []string) {
	t.Helper()
	each(t, dir, func(p string) {
		if strings.HasPrefix(filepath.Base(p), tempPrefix) {
			found = append(found, p)
		}
	})
	return found
}

// checkWhole counts the versions and removes all but a.txt.
func checkWhole(t *testing.T, dir string) (n int) {
	t.Helper()
	each(t, dir, func(p string) {
		content, err := os.ReadFile(p)
		if err != nil || !isWhole(content) && filepath.Base(p) != "start.txt" {
			t.Errorf("%s is neither old nor new: %d bytes, %v", p, len(content), err)
		}
		n++
	})
	if err := os.RemoveAll(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
	return n
}

func each(t *testing.T, dir string, visit func(p string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			visit(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

const diskEnv = "PAICLI_TEST_DISK"

// TestFullDisk writes where there is little room. It starts itself in a mount namespace, where it
// may have a small disk of its own.
func TestFullDisk(t *testing.T) {
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

// TestInsideFullDisk is the inner half: it does nothing unless TestFullDisk started it.
func TestInsideFullDisk(t *testing.T) {
	disk := os.Getenv(diskEnv)
	if disk == "" {
		t.Skip("runs only inside the namespace of TestFullDisk")
	}
	const size = 1 << 20
	if err := syscall.Mount("none", disk, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Fatalf("NO MOUNT: %v", err)
	}
	old := version(1, 200<<10)
	put(t, disk, "a.txt", string(old))
	r, err := Open(disk, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	full := 0
	n := rounds(20, 300)
	for i := range n {
		room := i * (400 << 10) / n &^ 4095
		ballast := filepath.Join(disk, "ballast")
		if err := os.WriteFile(ballast, make([]byte, size-len(old)-8192-room), 0o644); err != nil {
			t.Fatal(err)
		}
		full += fill300K(t, r, old)
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		if left := temps(t, disk); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
	if full == 0 || full == 2*n {
		t.Errorf("%d of %d writes found the disk full: this tests one side only", full, 2*n)
	}
	t.Logf("SUMMARY %d writes, %d of them found the disk full", 2*n, full)
}

// fill300K replaces a.txt and makes b.txt, and counts what failed. Both are as they were or whole.
func fill300K(t *testing.T, r *Root, old []byte) (full int) {
	t.Helper()
	next := version(2, 300<<10)
	err := r.Replace(Path{Rel: "a.txt"}, old, next)
	want := next
	if err != nil {
		full++
		want = old
		noRoom(t, err, "a.txt")
	}
	if got := read(t, r, "a.txt"); got != string(want) {
		t.Errorf("a.txt has %d bytes, after %v", len(got), err)
	}
	if err := r.Create(Path{Rel: "b.txt"}, next); err != nil {
		full++
		noRoom(t, err, "b.txt")
		if r.exists("b.txt") {
			t.Error("b.txt is there")
		}
	}
	_ = os.Remove(filepath.Join(r.Dir(), "b.txt"))
	if err := os.WriteFile(filepath.Join(r.Dir(), "a.txt"), old, 0o644); err != nil {
		t.Fatal(err)
	}
	return full
}

// noRoom wants an error that says what happened, and to which file.
func noRoom(t *testing.T, err error, name string) {
	t.Helper()
	if !errors.Is(err, syscall.ENOSPC) || err.Error() != "write "+name+": no space left on device" {
		t.Errorf("told: %v", err)
	}
}
