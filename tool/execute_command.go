package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"paicli/agent"
	"paicli/internal/shell"
	"paicli/session"
)

//go:embed execute_command.md
var executeCommandText string

// Bounds on a command.
const (
	defaultTimeout = 60                       // seconds, as the original has it
	maxTimeout     = 600                      // seconds
	maxOutput      = 8000                     // characters in a message, as the original has it
	maxCapture     = 2_000_000                // characters in all, as the original has it
	keepOutput     = maxCapture * utf8.UTFMax // bytes: a half of them holds half of the characters
	maxTerminal    = 16 << 10                 // bytes of output that are shown to people
)

type executeCommandArgs struct {
	Command string `json:"command"`
	Timeout count  `json:"timeout_seconds,omitempty" jsonschema:"default 60, at most 600"`
}

func executeCommand(w *workspace) agent.Tool {
	return agent.New(agent.Typed[executeCommandArgs]{
		Name:        "execute_command",
		Description: executeCommandText,
		Intent: func(_ context.Context, in executeCommandArgs) (agent.Intent, error) {
			if _, err := in.timeout(); err != nil {
				return agent.Intent{}, err
			}
			access := []agent.Access{{Verb: agent.VerbRun, Target: in.Command}}
			return agent.Intent{Title: oneLine(in.Command), Access: access}, nil
		},
		Run: func(ctx context.Context, call *agent.Call, in executeCommandArgs) (agent.Output, error) {
			return w.runCommand(ctx, call, in)
		},
	})
}

// timeout checks the arguments.
func (in executeCommandArgs) timeout() (time.Duration, error) {
	if strings.TrimSpace(in.Command) == "" {
		return 0, errors.New("command is empty")
	}
	n, err := in.Timeout.or("timeout_seconds", defaultTimeout, 1, maxTimeout)
	return time.Duration(n) * time.Second, err
}

func (w *workspace) runCommand(ctx context.Context, call *agent.Call, in executeCommandArgs) (agent.Output, error) {
	timeout, err := in.timeout()
	if err != nil {
		return agent.Output{}, err
	}
	res, err := shell.Run(ctx, strings.TrimSpace(in.Command), shell.Options{
		Dir:     w.root.Dir(),
		Env:     w.env,
		Timeout: timeout,
		Keep:    keepOutput,
		Output:  call.Progress,
	})
	if err != nil {
		return agent.Output{}, fmt.Errorf("the command could not be started: %w", err)
	}
	return commandOutput(in, timeout, res), nil
}

func commandOutput(in executeCommandArgs, timeout time.Duration, res shell.Result) agent.Output {
	out := agent.Output{Detail: terminal(in.Command, res)}
	var b strings.Builder
	switch {
	case res.TimedOut:
		out.Status = session.StatusTimeout
		fmt.Fprintf(&b, "timed out after %d s: the command was killed. Give a larger timeout_seconds (at most %d) or run less\n",
			int(timeout.Seconds()), maxTimeout)
	case res.Interrupted:
		out.Status = session.StatusInterrupted
		b.WriteString("interrupted: the command was killed\n")
	case res.Signal != "":
		out.Status = session.StatusError
		fmt.Fprintf(&b, "killed by signal %s\n", res.Signal)
	default:
		if res.Exit != 0 {
			out.Status = session.StatusError
		}
		fmt.Fprintf(&b, "exit code: %d\n", res.Exit)
	}
	out.Lead = b.Len()
	b.WriteString(captured(res, maxCapture))
	if res.HeldOpen {
		b.WriteString("\n(a process left in the background still holds the output; what it prints is not shown)")
	}
	out.Text, out.Limit = b.String(), maxOutput
	return out
}

// captured is the output in at most limit characters: as it is, or its head and its tail with a
// notice between them of what is lost. It is more than a message holds; see agent.Output.Limit.
func captured(res shell.Result, limit int) string {
	whole := res.Head + res.Tail
	if res.Dropped == 0 && utf8.RuneCountInString(whole) <= limit {
		return whole
	}
	const notice = 160 // characters, more than the notice has
	half := (limit - notice) / 2
	head, tail := agent.Ends(whole, half, half)
	lines := res.Lines - lineCount(head) - lineCount(tail)
	lost := res.Bytes - int64(len(head)+len(tail))
	return fmt.Sprintf("%s\n[… truncated: %d lines, %d bytes of %d are lost; filter with grep, head or tail, or redirect to a file …]\n%s",
		strings.TrimSuffix(head, "\n"), max(0, lines), max(0, lost), res.Bytes, tail)
}

// terminal shows the command to people, with the end of what it printed.
func terminal(command string, res shell.Result) *session.Detail {
	shown := res.Head + res.Tail
	if res.Dropped > 0 {
		shown = res.Tail
	}
	if len(shown) > maxTerminal {
		shown = strings.ToValidUTF8(shown[len(shown)-maxTerminal:], "")
	}
	return &session.Detail{Shape: session.ShapeTerminal, Terminal: &session.Terminal{
		Command: command, Output: shown, Exit: res.Exit, Signal: res.Signal, Lines: res.Lines,
	}}
}
