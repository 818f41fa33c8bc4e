package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"paicli/agent"
	"paicli/internal/artifact"
	"paicli/internal/fsx"
	"paicli/internal/shell"
)

// TestParityShell runs rows of the parity list that need more than the tool.
func TestParityShell(t *testing.T) {
	t.Run("C-03", func(t *testing.T) {
		b := newBench(t)
		root, err := fsx.Open(b.dir, fsx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		run := artifact.New(artifact.Options{Root: root, Session: "s-12345"}).Wrap()(
			func(ctx context.Context, call *agent.Call) (agent.Output, error) {
				return b.tools[call.Name].Run(ctx, call)
			})
		out, err := run(t.Context(), &agent.Call{Name: "execute_command", Args: json.RawMessage(`{"command":"seq 1 20000"}`)})
		if err != nil || out.Artifact == "" || len(out.Text) > maxOutput {
			t.Fatalf("%+v, %v", out, err)
		}
		has(t, out.Text, out.Artifact, "exit code: 0", "20000 lines")
		if file := b.content(out.Artifact); !strings.HasPrefix(file, "1\n2\n") || !strings.HasSuffix(file, "\n20000\n") {
			t.Errorf("file of %d bytes", len(file))
		}
	})
	t.Run("C-07", func(t *testing.T) {
		env := shell.Environ([]string{
			"PATH=/bin", "JAVA_HOME=/j", "DEEPSEEK_API_KEY=x", "ANTHROPIC_AUTH_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "DATABASE_PASSWORD=x",
		}, shell.EnvRules{})
		if !slices.Equal(env[:2], []string{"PATH=/bin", "JAVA_HOME=/j"}) || strings.Contains(strings.Join(env, "\n"), "=x") {
			t.Errorf("got %q", env)
		}
	})
}
