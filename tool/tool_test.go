package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"paicli/agent"
	"paicli/internal/fsx"
	"paicli/internal/shell"
	"paicli/session"
)

// bench is a project with its tools.
type bench struct {
	t     testing.TB
	dir   string
	tools map[string]agent.Tool
	jobs  *Jobs
}

// newBench makes a project of path, content pairs.
func newBench(t testing.TB, files ...string) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: filepath.Join(dir, "project"), tools: make(map[string]agent.Tool), jobs: NewJobs(JobsOptions{})}
	if err := os.Mkdir(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		b.put(files[i], files[i+1])
	}
	root, err := fsx.Open(b.dir, fsx.Options{Home: filepath.Join(b.dir, ".home")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	t.Cleanup(b.jobs.Close)
	for _, tool := range All(Options{Root: root, Env: shell.Environ(os.Environ(), shell.EnvRules{}), Jobs: b.jobs}) {
		b.tools[tool.Spec().Name] = tool
	}
	return b
}

func (b *bench) put(name, content string) {
	b.t.Helper()
	p := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) content(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

type args map[string]any

// try runs a call the way the loop does: intent, then run.
func (b *bench) try(name string, in args) (agent.Intent, agent.Output, error) {
	b.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		b.t.Fatal(err)
	}
	tool := b.tools[name]
	intent, err := tool.Intent(b.t.Context(), raw)
	if err != nil {
		return intent, agent.Output{}, err
	}
	out, err := tool.Run(b.t.Context(), &agent.Call{Name: name, Args: raw, Intent: intent, Tool: tool})
	return intent, out, err
}

// do runs a call that must succeed.
func (b *bench) do(name string, in args) agent.Output {
	b.t.Helper()
	_, out, err := b.try(name, in)
	if err != nil {
		b.t.Fatalf("%s %v: %v", name, in, err)
	}
	return out
}

// refuses runs a call that must fail with an error that has all words in it.
func (b *bench) refuses(name string, in args, words ...string) {
	b.t.Helper()
	_, out, err := b.try(name, in)
	if err == nil {
		b.t.Errorf("%s %v was not refused: %q", name, in, out.Text)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			b.t.Errorf("%s %v: %q is not in %q", name, in, w, err)
		}
	}
}

// has checks that a text has all words in it.
func has(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in %q", w, text)
		}
	}
}

func hasNot(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("%q is in %q", w, text)
		}
	}
}

func TestSpecs(t *testing.T) {
	b := newBench(t)
	var names []string
	size := 0
	for _, tool := range All(Options{}) {
		spec := tool.Spec()
		names = append(names, spec.Name)
		raw, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		if size += len(raw); len(spec.Description) > 300 {
			t.Errorf("%s: description of %d bytes", spec.Name, len(spec.Description))
		}
		hasNot(t, string(raw), `"null"`)
	}
	if !slices.IsSorted(names) || len(names) != len(b.tools) {
		t.Errorf("names %q", names)
	}
	if size > 5500 { // the list is part of every request
		t.Errorf("the tools take %d bytes", size)
	}
	has(t, string(b.tools["grep_code"].Spec().Schema), `"case_sensitive":{"type":"boolean"`, `"max_results":{"type":"integer"`)
}

func TestIntents(t *testing.T) {
	b := newBench(t, "src/a.go", "package a\n")
	b.do("read_file", args{"path": "src/a.go"})
	tests := []struct {
		tool  string
		in    args
		title string
		want  agent.Access
	}{
		{"read_file", args{"path": "./src/a.go"}, "src/a.go", agent.Access{Verb: agent.VerbRead, Target: "src/a.go"}},
		{"write_file", args{"path": "src/new.go", "content": "x"}, "src/new.go", agent.Access{Verb: agent.VerbWrite, Target: "src/new.go"}},
		{"edit_file", args{"path": b.dir + "/src/a.go", "old_text": "a\n", "new_text": "b\n"}, "src/a.go", agent.Access{Verb: agent.VerbWrite, Target: "src/a.go"}},
		{"list_dir", args{"path": "src/.."}, ".", agent.Access{Verb: agent.VerbRead, Target: "."}},
		{"glob_files", args{"pattern": "*.go"}, "*.go", agent.Access{Verb: agent.VerbRead, Target: "."}},
		{"grep_code", args{"pattern": "x", "path": "src"}, "x", agent.Access{Verb: agent.VerbRead, Target: "src"}},
		{"execute_command", args{"command": "go test ./...\necho"}, "go test ./... …", agent.Access{Verb: agent.VerbRun, Target: "go test ./...\necho"}},
	}
	for _, tt := range tests {
		intent, _, err := b.try(tt.tool, tt.in)
		if err != nil && tt.tool != "execute_command" || intent.Title != tt.title || !slices.Equal(intent.Access, []agent.Access{tt.want}) {
			t.Errorf("%s: %+v, %v", tt.tool, intent, err)
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "src/new.go")); err != nil {
		t.Error(err)
	}
}

func TestIntentHasNoEffect(t *testing.T) {
	b := newBench(t, "a.txt", "1\n")
	b.do("read_file", args{"path": "a.txt"})
	for tool, in := range map[string]args{
		"write_file": {"path": "new/b.txt", "content": "x\n"},
		"edit_file":  {"path": "a.txt", "old_text": "1", "new_text": "2"},
	} {
		raw, _ := json.Marshal(in)
		intent, err := b.tools[tool].Intent(t.Context(), raw)
		if err != nil || intent.Preview == nil || intent.Preview.Diff.Added != 1 {
			t.Errorf("%s: %+v, %v", tool, intent, err)
		}
	}
	if b.content("a.txt") != "1\n" {
		t.Error("the file was changed")
	}
	if _, err := os.Stat(filepath.Join(b.dir, "new")); err == nil {
		t.Error("a directory was made")
	}
}

func TestPathsAreConfined(t *testing.T) {
	b := newBench(t, ".home/sessions/s.jsonl", "SECRET needle\n", ".git/config", "x\n", "a.txt", "x\n")
	if err := os.WriteFile(filepath.Join(b.dir, "..", "outside.txt"), []byte("SECRET needle\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../outside.txt", "/etc/passwd", "~/x"} {
		b.refuses("read_file", args{"path": path}, "outside the project", path, b.dir)
		b.refuses("write_file", args{"path": path, "content": "x"}, "outside the project")
		b.refuses("edit_file", args{"path": path, "old_text": "a", "new_text": "b"}, "outside the project")
		b.refuses("list_dir", args{"path": path}, "outside the project")
		b.refuses("glob_files", args{"path": path, "pattern": "*"}, "outside the project")
		b.refuses("grep_code", args{"path": path, "pattern": "needle"}, "outside the project")
	}
	b.refuses("glob_files", args{"pattern": "../*"}, "outside the project")
	b.refuses("read_file", args{"path": " "}, "path is empty")
	b.refuses("read_file", args{"path": ".home/sessions/s.jsonl"}, "not accessible")
	b.refuses("write_file", args{"path": ".git/config", "content": "x"}, "not writable")
	hasNot(t, b.do("grep_code", args{"pattern": "needle"}).Text, "SECRET")
}

func TestListDir(t *testing.T) {
	b := newBench(t, "src/b.txt", "x", "src/.config/a", "x", "src/空 格.txt", "x", "file", "x")
	out := b.do("list_dir", args{"path": "src"})
	has(t, out.Text, "src (3 entries)\n[D] .config\n[F] b.txt\n[F] 空 格.txt\n")
	if got := out.Detail.Files.Paths; len(got) != 3 {
		t.Errorf("detail %q", got)
	}
	if err := os.Mkdir(filepath.Join(b.dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	has(t, b.do("list_dir", args{"path": "empty"}).Text, "empty directory")
	b.refuses("list_dir", args{"path": "file"}, "not a directory")
	b.refuses("list_dir", args{"path": "no"}, "not found: no")
	for i := range maxEntries + 5 {
		b.put("many/"+strings.Repeat("x", 1+i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/26), "")
	}
	has(t, b.do("list_dir", args{"path": "many"}).Text, "truncated: 5 more")
}

func TestGlobFiles(t *testing.T) {
	b := newBench(t, "README.md", "", "src/deep/UserService.java", "", "src/deep/notes.md", "", "node_modules/x/README.md", "",
		".gitignore", "secret.md\n", "secret.md", "")
	has(t, b.do("glob_files", args{"pattern": "**/*Service.java"}).Text, "1 file found\n1. src/deep/UserService.java\n")
	has(t, b.do("glob_files", args{"pattern": "README.md"}).Text, "1 file found\n1. README.md\n")
	has(t, b.do("glob_files", args{"pattern": "deep/*", "path": "src"}).Text, "2 files found")
	out := b.do("glob_files", args{"pattern": "*.md", "max_results": 1})
	has(t, out.Text, "1. README.md\n", "truncated at max_results=1")
	hasNot(t, out.Text, "2.")
	has(t, b.do("glob_files", args{"pattern": "*.md", "max_results": 2}).Text, "2 files found")
	hasNot(t, b.do("glob_files", args{"pattern": "*.md", "max_results": 2}).Text, "truncated")
	has(t, b.do("glob_files", args{"pattern": "secret.md"}).Text, "no files found", "ignored")
	b.refuses("glob_files", args{"pattern": "*", "max_results": 201}, "max_results must be from 1 to 200")
	b.refuses("glob_files", args{"pattern": "*", "max_results": 0}, "max_results")
	b.refuses("glob_files", args{"pattern": ""}, "pattern is empty")
	b.refuses("glob_files", args{"pattern": "a["}, "invalid pattern")
	b.refuses("glob_files", args{"pattern": "*", "path": "no"}, "not found")
	b.refuses("glob_files", args{"pattern": "*", "path": "README.md"}, "not a directory")
}

func TestExecuteCommand(t *testing.T) {
	b := newBench(t)
	has(t, b.do("execute_command", args{"command": "pwd; echo err >&2"}).Text, "exit code: 0\n"+b.dir+"\nerr\n")

	out := b.do("execute_command", args{"command": "printf problem; exit 7"})
	has(t, out.Text, "exit code: 7\nproblem")
	if out.Status != session.StatusError || out.Detail.Terminal.Exit != 7 || out.Detail.Terminal.Lines != 1 {
		t.Errorf("%+v, %+v", out, out.Detail.Terminal)
	}
	out = b.do("execute_command", args{"command": "echo partial; sleep 20", "timeout_seconds": 1})
	has(t, out.Text, "timed out after 1 s", "killed", "partial")
	if out.Status != session.StatusTimeout {
		t.Errorf("status %s", out.Status)
	}
	has(t, b.do("execute_command", args{"command": "kill -9 $$"}).Text, "SIGKILL")
	b.refuses("execute_command", args{"command": "  "}, "command is empty")
	b.refuses("execute_command", args{"command": "true", "timeout_seconds": 601}, "timeout_seconds must be from 1 to 600")
	b.refuses("execute_command", args{"command": "true", "timeout_seconds": 0}, "timeout_seconds")
}

// TestCommandOutputIsWhole: the tool gives everything, with the limit of what a message may hold; the
// line with the exit code is not part of the output.
func TestCommandOutputIsWhole(t *testing.T) {
	b := newBench(t)
	out := b.do("execute_command", args{"command": "seq 1 20000; exit 3"})
	var want strings.Builder
	for i := range 20000 {
		fmt.Fprintln(&want, i+1)
	}
	if out.Text[:out.Lead] != "exit code: 3\n" || out.Text[out.Lead:] != want.String() || out.Limit != maxOutput {
		t.Errorf("lead %q, %d bytes, limit %d", out.Text[:out.Lead], len(out.Text), out.Limit)
	}
}

func TestCapturedOutputIsBounded(t *testing.T) {
	b := newBench(t)
	for _, command := range []string{"seq 1 600000", "yes 中文 | head -n 900000; echo last"} {
		out := b.do("execute_command", args{"command": command})
		text := out.Text[out.Lead:]
		if n := utf8.RuneCountInString(text); n > maxCapture || n < maxCapture*9/10 {
			t.Errorf("%s: %d characters", command, n)
		}
		if !strings.Contains(text, "truncated") || strings.ContainsRune(text, utf8.RuneError) {
			t.Errorf("%s: no notice, or a cut character", command)
		}
		if command == "seq 1 600000" && !strings.HasSuffix(text, "\n600000\n") || command != "seq 1 600000" && !strings.HasSuffix(text, "\nlast\n") {
			t.Errorf("%s: the end is missing", command)
		}
	}
}

func TestCaptured(t *testing.T) {
	for _, tt := range []struct {
		name  string
		res   shell.Result
		words []string // nil = unchanged
	}{
		{"exact", shell.Result{Head: strings.Repeat("中", 1000), Bytes: 3000, Lines: 1}, nil},
		{"one more", shell.Result{Head: strings.Repeat("中", 1001), Bytes: 3003, Lines: 1}, []string{"truncated: 0 lines", "bytes of 3003"}},
		{"dropped", shell.Result{Head: strings.Repeat("a\n", 400), Tail: strings.Repeat("z\n", 400), Dropped: 100, Bytes: 1700, Lines: 850},
			[]string{"truncated: 431 lines, 862 bytes of 1700", "a\n[", "]\nz\n"}},
	} {
		got := captured(tt.res, 1000)
		if tt.words == nil && got != tt.res.Head {
			t.Errorf("%s: changed", tt.name)
		}
		has(t, got, tt.words...)
		if n := utf8.RuneCountInString(got); n > 1000 {
			t.Errorf("%s: %d characters", tt.name, n)
		}
	}
}

func TestCommandProgressAndInterrupt(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	raw := json.RawMessage(`{"command":"echo begun; sleep 20"}`)
	var shown strings.Builder
	out, err := b.tools["execute_command"].Run(ctx, &agent.Call{Args: raw, Progress: func(s string) {
		shown.WriteString(s)
		cancel()
	}})
	if err != nil || out.Status != session.StatusInterrupted || shown.String() != "begun\n" {
		t.Errorf("%+v, %v, shown %q", out, err, shown.String())
	}
	has(t, out.Text, "interrupted", "begun")
}
