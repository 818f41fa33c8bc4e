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
	// Background makes the command a job.
	Background bool `json:"background,omitempty" jsonschema:"for servers and long work: returns at once; see job"`
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
	if in.Background {
		return w.runJob(ctx, in)
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

// runJob starts a command in the background and gives what it prints in its first moment.
func (w *workspace) runJob(ctx context.Context, in executeCommandArgs) (agent.Output, error) {
	one, err := w.jobs.start(strings.TrimSpace(in.Command), shell.Options{
		Dir: w.root.Dir(), Env: w.env, Keep: keepOutput,
	})
	if err != nil {
		return agent.Output{}, err
	}
	one.Job.Wait(ctx, firstLook)
	return w.jobs.output(one), nil
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
		b.WriteString("interrupted: cancelled by the user, the command was killed\n")
	case res.Waiting != nil:
		out.Status = session.StatusError
		b.WriteString(waitingLine(in.Command, res.Waiting) + " It was ended.\n")
	default:
		if res.Exit != 0 {
			out.Status = session.StatusError
		}
		b.WriteString(ending(res))
	}
	out.Lead = b.Len()
	b.WriteString(body(res))
	for _, note := range notes(in.Command, res) {
		fmt.Fprintf(&b, "\n(%s)", note)
	}
	out.Text, out.Limit = b.String(), maxOutput
	return out
}

// ending is the line about how a command ended by itself.
func ending(res shell.Result) string {
	if res.Signal != "" {
		return fmt.Sprintf("killed by signal %d (%s)\n", res.Number, res.Signal)
	}
	return fmt.Sprintf("exit code: %d\n", res.Exit)
}

// waitingLine says what a command waits for.
func waitingLine(command string, w *shell.Waiting) string {
	prompt := ""
	if w.Prompt != "" {
		prompt = fmt.Sprintf("; the last line printed is %q", w.Prompt)
	}
	return fmt.Sprintf("waiting for input: %s reads from %s%s; %s", w.Program, w.From, prompt, inputNote(command))
}

// body is the output, or what can be said of one that is no text.
func body(res shell.Result) string {
	if res.Binary == nil {
		return captured(res, maxCapture)
	}
	return fmt.Sprintf("(binary output: %d bytes that begin with % x; write them to a file, or look at them with file, xxd or strings)", res.Bytes, res.Binary)
}

// notes are what the model should know beside the output.
func notes(command string, res shell.Result) []string {
	var out []string
	if len(res.Left) > 0 {
		out = append(out, fmt.Sprintf("ended what the command left running: %s. What is to go on needs background=true", named(res.Left)))
	}
	if res.HeldOpen {
		out = append(out, "a process that could not be ended still holds the output; what it prints is not shown")
	}
	byItself := !res.TimedOut && !res.Interrupted && res.Waiting == nil && res.Signal == ""
	if byItself && asked(command, res) {
		out = append(out, inputNote(command))
	}
	return out
}

// named lists the first names of processes.
func named(names []string) string {
	const most = 5
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
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
	switch {
	case res.Binary != nil:
		shown = body(res)
	case res.Dropped > 0:
		shown = res.Tail
	}
	if len(shown) > maxTerminal {
		shown = strings.ToValidUTF8(shown[len(shown)-maxTerminal:], "")
		if _, rest, ok := strings.Cut(shown, "\n"); ok {
			shown = rest // of a line that was cut a secret could be left that nobody knows any more
		}
	}
	return &session.Detail{Shape: session.ShapeTerminal, Terminal: &session.Terminal{
		Command: command, Output: shown, Exit: res.Exit, Signal: res.Signal, Lines: res.Lines,
	}}
}
