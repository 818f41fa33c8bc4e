package artifact

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"paicli/agent"
	"paicli/internal/fsx"
	"paicli/llm"
	"paicli/llm/llmtest"
	"paicli/session"
	"paicli/tool"
)

// bench is a project in which calls run through the loop.
type bench struct {
	t     *testing.T
	root  *fsx.Root
	dir   string
	tools []agent.Tool
	wraps []agent.Wrap
}

func newBench(t *testing.T, o Options) *bench {
	t.Helper()
	o.Root, o.Session = openRoot(t, t.TempDir(), ""), "20261130-190405-1f6a2b"
	return &bench{t: t, root: o.Root, dir: o.Root.Dir(), wraps: []agent.Wrap{New(o).Wrap()}}
}

// gives is a tool with a fixed output.
func gives(name string, out agent.Output) agent.Tool {
	return agent.New(agent.Typed[struct{}]{
		Name: name,
		Intent: func(context.Context, struct{}) (agent.Intent, error) {
			return agent.Intent{Access: []agent.Access{{Verb: agent.VerbRead, Target: "a"}}}, nil
		},
		Run: func(context.Context, *agent.Call, struct{}) (agent.Output, error) { return out, nil },
	})
}

// call runs one call in a turn of its own. The text comes without its frame.
func (b *bench) call(name, args string) *session.CallEnded {
	b.t.Helper()
	log, err := session.Create(session.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	a := &agent.Agent{
		Model: llmtest.NewScript(llmtest.CallTool(name, args), llmtest.Say("done")), Tools: b.tools, Wraps: b.wraps,
		Gates: []agent.Gate{func(context.Context, *agent.Call) (agent.Verdict, error) {
			return agent.Verdict{Kind: agent.Allow}, nil
		}},
	}
	conv := agent.NewConv(log, func(session.State) (*agent.Agent, error) { return a, nil }, agent.ConvOptions{})
	defer conv.Close()
	if err := conv.Submit(agent.Prompt{Text: "go"}); err != nil {
		b.t.Fatal(err)
	}
	var end *session.CallEnded
	for e, err := range conv.Events(b.t.Context(), 0) {
		if err != nil {
			b.t.Fatal(err)
		}
		if body, ok := e.Body.(*session.CallEnded); ok {
			end = body
		}
		if _, ok := e.Body.(*session.TurnEnded); ok {
			break
		}
	}
	before, after, _ := strings.Cut(agent.Frame(name, "\x00"), "\x00")
	end.Result.Text = strings.TrimSuffix(strings.TrimPrefix(end.Result.Text, before), after)
	return end
}

func (b *bench) file(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// withTools adds the built-in tools of the project.
func (b *bench) withTools() *bench {
	b.t.Helper()
	b.tools = tool.All(tool.Options{Root: b.root, Env: os.Environ()})
	return b
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("line " + strings.Repeat("x", 20) + " " + string(rune('a'+i%26)) + "\n")
	}
	return b.String()
}

func TestParity(t *testing.T) {
	long := numbered(1200)[:33_000]
	t.Run("R-04", func(t *testing.T) {
		b := newBench(t, Options{})
		b.tools = []agent.Tool{gives("dump", agent.Output{Text: long})}
		end := b.call("dump", `{}`)
		const want = ".paicli/tool-outputs/20261130-190405-1f6a2b/001-dump.txt"
		if end.Artifact != want || b.file(want) != long {
			t.Fatalf("artifact %q, file equal %v", end.Artifact, b.file(want) == long)
		}
		header, rest, _ := strings.Cut(end.Result.Text, "\n")
		for _, word := range []string{"too large", "dump", "33000 characters", "1179 lines", want, "read_file", "offset 72"} {
			if !strings.Contains(header, word) {
				t.Errorf("%q is not in the header %s", word, header)
			}
		}
		if !strings.HasPrefix(rest, long[:1980]) || !strings.HasSuffix(rest, long[len(long)-770:]) || len(end.Result.Text) > 3300 {
			t.Errorf("%d characters: %s", len(end.Result.Text), rest)
		}
		if b.call("dump", `{}`).Artifact == want {
			t.Error("the second result has the name of the first")
		}
	})
	t.Run("R-05", func(t *testing.T) {
		b := newBench(t, Options{Limit: 5000}).withTools()
		kept := b.call("execute_command", `{"command":"seq 1 2000"}`)
		for _, args := range []string{
			`{"path":"` + kept.Artifact + `","offset":1500,"limit":3}`,
			`{"path":"` + kept.Artifact + `","limit":1900}`,
			`{"path":"` + kept.Artifact + `"}`,
		} {
			if end := b.call("read_file", args); end.Artifact != "" || !strings.Contains(end.Result.Text, "\n1500 | 1500\n") {
				t.Errorf("%s: kept again in %q, or another text: %s %.300s", args, end.Artifact, end.Status, end.Result.Text)
			}
		}
		if err := os.WriteFile(filepath.Join(b.dir, "long.txt"), []byte(numbered(500)), 0o600); err != nil {
			t.Fatal(err)
		}
		if end := b.call("read_file", `{"path":"long.txt"}`); end.Artifact == "" {
			t.Error("the first read of a normal file is held to no limit")
		}
	})
	t.Run("R-06", func(t *testing.T) {
		b := newBench(t, Options{})
		b.tools = []agent.Tool{gives("dump", agent.Output{Text: long})}
		if err := os.WriteFile(filepath.Join(b.dir, ".paicli"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		end := b.call("dump", `{}`)
		if n := len(end.Result.Text); end.Artifact != "" || end.Status != session.StatusOK || n > DefaultLimit || n < DefaultLimit*9/10 {
			t.Errorf("status %s, artifact %q, %d characters", end.Status, end.Artifact, n)
		}
		if !strings.Contains(end.Result.Text, "truncated") || !strings.HasSuffix(end.Result.Text, long[len(long)-1000:]) {
			t.Error("no notice, or no end")
		}
	})
	t.Run("R-07", func(t *testing.T) {
		detail := &session.Detail{Shape: session.ShapeFiles, Files: &session.Files{Paths: []string{"https://example.com/a", "https://example.com/b"}}}
		out := agent.Output{Text: long, Detail: detail, Status: session.StatusError, Media: []llm.Media{{MIME: "image/png", Data: []byte{1}}}}
		b := newBench(t, Options{})
		b.tools = []agent.Tool{gives("dump", out)}
		end := b.call("dump", `{}`)
		if end.Artifact == "" || end.Status != session.StatusError || !end.Result.Error || cmp.Diff(detail, end.Detail) != "" || cmp.Diff(out.Media, end.Result.Media) != "" {
			t.Errorf("got %+v", end)
		}
	})
	t.Run("R-09", func(t *testing.T) {
		b := newBench(t, Options{})
		b.wraps = nil // what the switch does
		b.tools = []agent.Tool{gives("dump", agent.Output{Text: long})}
		if end := b.call("dump", `{}`); end.Result.Text != long || end.Artifact != "" {
			t.Error("changed")
		}
		b.withTools()
		end := b.call("execute_command", `{"command":"seq 1 20000"}`)
		if n := utf8.RuneCountInString(end.Result.Text); n > 8000 || !strings.HasPrefix(end.Result.Text, "exit code: 0\n1\n") || !strings.HasSuffix(end.Result.Text, "\n20000\n") {
			t.Errorf("%d characters of a command", n)
		}
		if _, err := os.Stat(filepath.Join(b.dir, ".paicli")); err == nil {
			t.Error("something was written")
		}
	})
}
