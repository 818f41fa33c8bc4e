//go:build unix

package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"paicli/agent"
	"paicli/internal/fsx"
	"paicli/internal/shell"
)

// guardCase is a line of testdata/cases/security.jsonl whose area is path_guard.
type guardCase struct {
	ID, Title string
	Input     struct {
		Op, Path, Pattern, Race string
		Content                 *string
		Setup                   []entry
		RootViaLink             bool `json:"root_via_symlink"`
	}
	Expect struct{ Verdict, Detail string }
}

// TestCasesPathGuard runs them by the tools that a model has. What a case wants a person to be asked
// about is refused or known as protected to the gates (fsx.Protected).
func TestCasesPathGuard(t *testing.T) {
	raw, err := os.ReadFile("../testdata/cases/security.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	later, err := os.ReadFile("../testdata/cases/later.txt")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range bytes.Lines(raw) {
		if !bytes.Contains(line, []byte(`"area": "path_guard"`)) {
			continue
		}
		line = bytes.ReplaceAll(line, []byte("${OUT}"), []byte("${OUTSIDE}"))
		line = bytes.ReplaceAll(line, []byte("${AGENT_DIR}"), []byte(".paicli"))
		var c guardCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(later, []byte(c.ID)) {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) { runGuardCase(t, c) })
	}
	t.Logf("%d cases", ran)
}

// guard is a project, what lies outside of it, and the tools.
type guard struct {
	*bench
	*caseRun
	c    guardCase
	root *fsx.Root
}

func newGuard(t *testing.T, c guardCase) *guard {
	t.Helper()
	run := newCaseRun(t, fileCase{})
	if err := os.Mkdir(filepath.Join(run.base, "outside"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, late := range []bool{false, true} { // a hard link needs its target
		for _, e := range c.Input.Setup {
			if late != (e.HardlinkTo != "") {
				continue
			}
			if err := run.setUp(e); err != nil {
				t.Fatal(err)
			}
			if e.Sparse > 0 {
				fillHead(t, run.abs(e.Path))
			}
		}
	}
	dir := run.root
	if c.Input.RootViaLink {
		dir = filepath.Join(run.base, "link")
		if err := os.Symlink(run.root, dir); err != nil {
			t.Fatal(err)
		}
	}
	root, err := fsx.Open(dir, fsx.Options{Home: filepath.Join(run.base, "home")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	b := &bench{t: t, dir: run.root, tools: make(map[string]agent.Tool), jobs: NewJobs(JobsOptions{})}
	t.Cleanup(b.jobs.Close)
	for _, tool := range All(Options{Root: root, Env: shell.Environ(os.Environ(), shell.EnvRules{}), Jobs: b.jobs}) {
		b.tools[tool.Spec().Name] = tool
	}
	return &guard{bench: b, caseRun: run, c: c, root: root}
}

// fillHead makes a large log of a file that is large but empty: one of nothing but NULs is no text.
func fillHead(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(strings.Repeat("a line of the log\n", 4_000_000)) // more than is counted
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func runGuardCase(t *testing.T, c guardCase) {
	g := newGuard(t, c)
	before := g.untouchable(t)
	start := time.Now()
	text, err := g.operate(t)
	took := time.Since(start)
	if after := g.untouchable(t); after != before {
		t.Errorf("what lies outside is\n%s\nand was\n%s", after, before)
	}
	_, where, whereErr := g.root.Where(g.expand(c.Input.Path))
	linked := len(c.Input.Setup) > 0 && c.Input.Setup[len(c.Input.Setup)-1].HardlinkTo != "" || c.Input.Race != ""
	switch c.Expect.Verdict {
	case "allow":
		if err != nil {
			t.Error(err)
		}
		g.allowed(t, text)
	case "ask":
		if err == nil && where != fsx.Protected {
			t.Errorf("nobody would be asked: %v, %v", where, whereErr)
		}
	case "deny":
		if err == nil && !linked {
			t.Errorf("not refused: %s", text)
		}
	}
	if took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

// operate does what the case says and returns what the model gets.
func (g *guard) operate(t *testing.T) (string, error) {
	in := g.c.Input
	path := g.expand(in.Path)
	switch {
	case in.Race != "":
		return "", g.race(t, path)
	case in.Op == "read":
		_, out, err := g.try("read_file", args{"path": path})
		return out.Text, err
	case in.Op == "grep":
		_, out, err := g.try("grep_code", args{"path": path, "pattern": in.Pattern})
		return out.Text, err
	case in.Op == "exec_cwd":
		return g.changeDir(t, path)
	}
	content := "written by the case\n"
	if in.Content != nil {
		content = *in.Content
	}
	_, _, _ = g.try("read_file", args{"path": path}) // what is there is read first, if it can be
	_, out, err := g.try("write_file", args{"path": path, "content": content})
	return out.Text, err
}

// changeDir: a model cannot choose a working directory; that of its commands is the project whatever
// an earlier one changed to.
func (g *guard) changeDir(t *testing.T, path string) (string, error) {
	real, err := filepath.EvalSymlinks(g.abs(path))
	if err != nil {
		t.Fatal(err)
	}
	has(t, g.do("execute_command", args{"command": "cd " + path + " && pwd -P"}).Text, real+"\n")
	has(t, g.do("execute_command", args{"command": "pwd -P"}).Text, g.dir+"\n")
	_, _, err = g.try("execute_command", args{"command": "pwd", "cwd": path})
	if err == nil {
		t.Error("a working directory was taken")
	}
	_, out, err := g.try("list_dir", args{"path": path})
	return out.Text, err
}

// race lets a directory become a link to the outside and back while files are written into it.
func (g *guard) race(t *testing.T, path string) error {
	const rounds = 2000
	dir := g.abs(filepath.Dir(path))
	inside, err := os.OpenRoot(g.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	var swapper sync.WaitGroup
	stop := make(chan struct{})
	swapper.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				if n >= rounds {
					return
				}
			default:
			}
			_ = os.Rename(dir, dir+".away")
			_ = os.Symlink(g.expand("${OUTSIDE}"), dir)
			runtime.Gosched()
			_ = os.Remove(dir)
			_ = os.Rename(dir+".away", dir)
		}
	})
	var last error
	for range rounds {
		if _, _, err := g.try("write_file", args{"path": path, "content": "x"}); err != nil {
			last = err
		}
		_ = inside.Remove(path) // so that it is created each time; what got out stays there
	}
	close(stop)
	swapper.Wait()
	return last
}

// allowed looks at what an allowed operation gave.
func (g *guard) allowed(t *testing.T, text string) {
	in := g.c.Input
	switch in.Op {
	case "write":
		got, err := os.ReadFile(g.abs(in.Path))
		if err != nil || string(got) != "written by the case\n" {
			t.Errorf("%q, %v", got, err)
		}
		has(t, g.do("read_file", args{"path": in.Path}).Text, "written by the case")
	case "read":
		if in.Setup[0].Sparse > 0 {
			if len(text) > 1<<20 || !strings.Contains(text, "1024 MiB") {
				t.Errorf("%d bytes: %.200s", len(text), text)
			}
			return
		}
		has(t, text, *in.Setup[0].Content)
	case "grep":
		has(t, text, "a.txt")
	}
}

// untouchable describes what no tool may change: what lies outside of the project, and .git.
func (g *guard) untouchable(t *testing.T) string {
	var b strings.Builder
	for _, dir := range []string{g.expand("${OUTSIDE}"), filepath.Join(g.dir, ".git")} {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			data, _ := os.ReadFile(p)
			b.WriteString(p + " " + d.Type().String() + " " + string(data) + "\n")
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return b.String()
}
