//go:build unix

package tool

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// entry is something in the file system, as a case sets it up or expects it.
type entry struct {
	Path       string
	PathRepeat string `json:"path_repeat"`
	Count      int
	Content    *string
	Base64     *string
	Repeat     *repeat
	Dir        bool
	SymlinkTo  string `json:"symlink_to"`
	HardlinkTo string `json:"hardlink_to"`
	Fifo       bool
	Sparse     int64 `json:"sparse_bytes"`
	Mode       string
	Absent     bool
}

type repeat struct {
	Prefix, Unit, Suffix string
	Count                int
}

func (r repeat) text() string { return r.Prefix + strings.Repeat(r.Unit, r.Count) + r.Suffix }

// bytes is the content of a file; false when the entry does not say it.
func (e entry) bytes() ([]byte, bool) {
	switch {
	case e.Content != nil:
		return []byte(*e.Content), true
	case e.Base64 != nil:
		data, err := base64.StdEncoding.DecodeString(*e.Base64)
		return data, err == nil
	case e.Repeat != nil:
		return []byte(e.Repeat.text()), true
	}
	return nil, false
}

// newCaseRun makes the directories of a case: the project, and beside it room for what is outside.
func newCaseRun(t *testing.T, c fileCase) *caseRun {
	t.Helper()
	dir := t.TempDir()
	for _, need := range c.Requires {
		switch need {
		case "small-disk":
			var err error
			if dir, err = os.MkdirTemp(os.Getenv(caseSmall), "case"); err != nil {
				t.Fatal(err)
			}
		case "umask-022":
			old := syscall.Umask(0o022)
			t.Cleanup(func() { syscall.Umask(old) })
		}
	}
	base, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &caseRun{t: t, c: c, base: base, root: filepath.Join(base, "root")}
	t.Cleanup(r.unlock)
	if err := os.Mkdir(r.root, 0o777); err != nil {
		t.Fatal(err)
	}
	return r
}

// unlock makes everything removable again.
func (r *caseRun) unlock() {
	_ = filepath.WalkDir(r.base, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o777) // what cannot be made removable fails the removal, which is reported
		}
		return nil
	})
	if strings.HasPrefix(r.base, os.Getenv(caseSmall)) && os.Getenv(caseSmall) != "" {
		_ = os.RemoveAll(r.base)
	}
}

// expand fills in placeholders.
func (r *caseRun) expand(s string) string {
	return strings.NewReplacer("${ROOT}", r.root, "${OUTSIDE}", filepath.Join(r.base, "outside"),
		"${SESSION}", ".paihome/sessions", "${OTHER_FS}", os.Getenv(caseOther)).Replace(s)
}

// abs is the place of a path of a case.
func (r *caseRun) abs(p string) string {
	p = r.expand(p)
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(r.root, p)
}

// setUp makes one entry, or many of one kind. Modes come last, since they may lock directories.
func (r *caseRun) setUp(e entry) error {
	if e.PathRepeat != "" {
		for i := range e.Count {
			one := e
			one.PathRepeat, one.Path = "", fmt.Sprintf(e.PathRepeat, i)
			if err := r.setUp(one); err != nil {
				return err
			}
		}
		return nil
	}
	p := r.abs(e.Path)
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		return err
	}
	data, hasContent := e.bytes()
	switch {
	case e.Dir:
		return os.MkdirAll(p, 0o777)
	case e.SymlinkTo != "":
		return os.Symlink(r.expand(e.SymlinkTo), p)
	case e.HardlinkTo != "":
		return os.Link(r.abs(e.HardlinkTo), p)
	case e.Fifo:
		return syscall.Mkfifo(p, 0o666)
	case e.Sparse > 0:
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			return err
		}
		return os.Truncate(p, e.Sparse)
	case hasContent:
		return os.WriteFile(p, data, 0o644)
	}
	return fmt.Errorf("nothing is known to set up in %+v", e)
}

func (r *caseRun) setModes() error {
	for _, e := range r.c.Setup {
		if e.Mode == "" {
			continue
		}
		mode, err := strconv.ParseUint(e.Mode, 8, 32)
		if err != nil {
			return err
		}
		if err := os.Chmod(r.abs(e.Path), fs.FileMode(mode)); err != nil {
			return err
		}
	}
	return nil
}

// world does what a person or another program does between two calls.
func (r *caseRun) world(call caseCall) error {
	var in struct {
		entry
		KeepTime bool `json:"keep_mtime"`
		Shift    int  `json:"mtime_shift_s"`
	}
	if err := json.Unmarshal(call.Args, &in); err != nil {
		return err
	}
	p := r.abs(in.Path)
	info, err := os.Stat(p)
	switch call.Tool {
	case "!write":
		if e := r.setUp(in.entry); e != nil || !in.KeepTime {
			return e
		}
		if err != nil {
			return err
		}
		return os.Chtimes(p, info.ModTime(), info.ModTime())
	case "!touch":
		at := time.Now().Add(time.Duration(in.Shift) * time.Second)
		return os.Chtimes(p, at, at)
	case "!delete":
		return os.RemoveAll(p)
	case "!mkdir":
		return os.MkdirAll(p, 0o777)
	}
	return fmt.Errorf("nothing is known of %s", call.Tool)
}
