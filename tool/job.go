package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"paicli/agent"
	"paicli/internal/shell"
	"paicli/session"
)

//go:embed job.md
var jobText string

// maxWait is how many seconds a call may wait for news of a job.
const maxWait = 600

type jobArgs struct {
	Action string `json:"action" jsonschema:"list, output or kill"`
	ID     count  `json:"id,omitempty"`
	Wait   count  `json:"wait_seconds,omitempty" jsonschema:"output: wait so long for news, at most 600"`
}

func jobTool(w *workspace) agent.Tool {
	return agent.New(agent.Typed[jobArgs]{
		Name:        "job",
		Description: jobText,
		Intent: func(_ context.Context, in jobArgs) (agent.Intent, error) {
			one, _, err := w.jobs.check(in)
			if err != nil {
				return agent.Intent{}, err
			}
			title, target := in.Action, "jobs"
			if one != nil {
				title, target = in.Action+" "+one.id+": "+oneLine(one.Command), "job "+one.id
			}
			// Only what this session started is touched.
			return agent.Intent{Title: title, Access: []agent.Access{{Verb: agent.VerbRead, Target: target}}}, nil
		},
		Run: func(ctx context.Context, _ *agent.Call, in jobArgs) (agent.Output, error) {
			one, wait, err := w.jobs.check(in)
			if err != nil {
				return agent.Output{}, err
			}
			switch in.Action {
			case "list":
				return w.jobs.list(), nil
			case "kill":
				w.jobs.know(one)
				one.Kill()
				return w.jobs.output(one), nil
			}
			if wait > 0 {
				one.Job.Wait(ctx, wait)
			}
			return w.jobs.output(one), nil
		},
	})
}

// check finds what the arguments speak of: the job of output and kill.
func (j *Jobs) check(in jobArgs) (one *job, wait time.Duration, err error) {
	if in.Wait == -1 { // a zero that was given
		in.Wait = 0
	}
	seconds, err := in.Wait.or("wait_seconds", 0, 1, maxWait)
	if err != nil {
		return nil, 0, err
	}
	switch in.Action {
	case "list":
		return nil, 0, nil
	case "output", "kill":
		one, err = j.find(int(in.ID))
		return one, time.Duration(seconds) * time.Second, err
	}
	return nil, 0, fmt.Errorf("action must be list, output or kill, not %q", in.Action)
}

// know notes that the model will hear of the job's end from its call.
func (j *Jobs) know(one *job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	one.told = true
}

func (j *Jobs) list() agent.Output {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.jobs) == 0 {
		return agent.Output{Text: "no jobs\n"}
	}
	var b strings.Builder
	for _, one := range j.jobs {
		fmt.Fprintf(&b, "job %s: %s, `%s`\n", one.id, state(one), oneLine(one.Command))
		one.told = one.told || one.over()
	}
	text := b.String()
	return agent.Output{Text: text, Detail: &session.Detail{Shape: session.ShapeText, Text: text}}
}

// output is what a job printed since the last time, and how it is.
func (j *Jobs) output(one *job) agent.Output {
	_, over := one.Result() // before the reading, so that nothing comes after it
	text, missed := one.Read()
	res, _ := one.Result()
	j.mu.Lock()
	one.told = one.told || over
	if text != "" {
		one.waiting = nil // it went on
	}
	waiting := one.waiting
	j.mu.Unlock()
	out := agent.Output{Limit: maxOutput}
	var b strings.Builder
	fmt.Fprintf(&b, "job %s: %s\n", one.id, state(one))
	if !over && waiting != nil {
		b.WriteString(waitingLine(one.Command, waiting) + "\n")
	}
	if over && res.Exit != 0 && !res.Interrupted {
		out.Status = session.StatusError
	}
	if one.path != "" {
		fmt.Fprintf(&b, "The whole output is in %s. New:\n", one.path)
	}
	out.Lead = b.Len()
	if missed > 0 {
		fmt.Fprintf(&b, "[… %d bytes before this were not read in time …]\n", missed)
	}
	if b.WriteString(text); text == "" {
		b.WriteString("(nothing new)\n")
	}
	out.Text = b.String()
	shown := shell.Result{Head: text, Exit: res.Exit, Signal: res.Signal, Lines: lineCount(text), Binary: res.Binary, Bytes: res.Bytes}
	out.Detail = terminal(one.Command, shown)
	return out
}
