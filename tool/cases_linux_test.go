package tool

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// nobody is whom the tools run as when the tests are root: root reads and writes everything.
const nobody = 65534

// smallDisk is the size of the small file system, in bytes: the write limit of the tools is larger.
const smallDisk = "1m"

// selfExe is the test binary. Its directory may be closed to nobody; this name is not.
func selfExe(string) string { return "/proc/self/exe" }

// TestFileCasesConfined runs cases in processes of their own: with two file systems mounted in a
// private namespace, and, when the tests are root, as nobody. Without root only the cases that need
// the file systems run here, since the rest did already.
func TestFileCasesConfined(t *testing.T) {
	if os.Getenv(caseStage) != "" {
		return
	}
	out, err := runStage(t, "mount", namespace())
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || strings.Contains(out, mountRefused) {
		for _, c := range readCases(t) {
			if needsMounts(c) {
				t.Logf("NOT RUN: %s (%s): this system allows no private mounts: %v", c.ID, c.Title, err)
			}
		}
		if os.Geteuid() != 0 {
			t.Skip("no private mounts")
		}
		out, err = runStage(t, "nobody", nil)
	}
	passed := regexp.MustCompile(`(?m)^\s*--- PASS: TestFileCases/`).FindAllString(out, -1)
	t.Logf("%d cases passed", len(passed))
	for _, line := range regexp.MustCompile(`.*advisory: .*`).FindAllString(out, -1) {
		t.Log(strings.TrimSpace(line))
	}
	if err != nil || len(passed) == 0 {
		t.Errorf("%v:\n%s", err, out)
	}
}

// namespace gives a process mounts of its own; without root also users of its own, who may mount.
func namespace() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return a
}

// runStage runs TestCaseStage of this binary in another process.
func runStage(t *testing.T, stage string, attr *syscall.SysProcAttr, env ...string) (string, error) {
	t.Helper()
	f, err := openCases()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command(selfExe(""), "-test.run=^(TestCaseStage|TestFileCases)$", "-test.v")
	cmd.Dir = "/" // the directory of the sources may be closed to nobody
	cmd.Env = append(append(os.Environ(), env...), caseStage+"="+stage)
	cmd.ExtraFiles = []*os.File{f}
	cmd.SysProcAttr = attr
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	return out.String(), err
}

const mountRefused = "private mounts are refused"

// TestCaseStage is what the processes between do: mount, and become nobody.
func TestCaseStage(t *testing.T) {
	stage := os.Getenv(caseStage)
	if stage != "mount" && stage != "nobody" {
		return
	}
	dir, err := os.MkdirTemp("", "paicli-cases")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	open(t, dir)
	env := []string{"TMPDIR=" + open(t, filepath.Join(dir, "tmp"))}
	if stage == "mount" {
		other, small := open(t, filepath.Join(dir, "other")), open(t, filepath.Join(dir, "small"))
		if err := mountBoth(other, small); err != nil {
			t.Fatalf("%s: %v", mountRefused, err)
		}
		defer syscall.Unmount(other, syscall.MNT_DETACH)
		defer syscall.Unmount(small, syscall.MNT_DETACH)
		env = append(env, caseOther+"="+other, caseSmall+"="+small)
	}
	var attr *syscall.SysProcAttr
	next := "mounts"
	if isRealRoot() {
		attr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		next = "run"
	}
	out, err := runStage(t, next, attr, env...)
	os.Stdout.WriteString(out)
	if err != nil {
		t.Fatal(err)
	}
}

// open makes a directory, if it is missing, for everybody.
func open(t *testing.T, dir string) string {
	t.Helper()
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mountBoth(other, small string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", other, "tmpfs", 0, "mode=0777"); err != nil {
		return err
	}
	return syscall.Mount("tmpfs", small, "tmpfs", 0, "mode=0777,size="+smallDisk)
}

// isRealRoot reports whether the process may become somebody else, which root of a user namespace
// with a single user may not.
func isRealRoot() bool {
	users, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && os.Geteuid() == 0 && len(strings.Fields(string(users))) == 3 && strings.Fields(string(users))[2] != "1"
}
