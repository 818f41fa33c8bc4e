package tool

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"paicli/agent"
	"paicli/session"
)

//go:embed todo_write.md
var todoWriteText string

// maxTodos is how many items a list may have: a longer one is no overview.
const maxTodos = 50

// The states of an item.
const (
	todoPending = "pending"
	todoDoing   = "in_progress"
	todoDone    = "completed"
)

type todoWriteArgs struct {
	Todos []todoArg `json:"todos"`
}

type todoArg struct {
	Content string `json:"content"`
	Status  string `json:"status" jsonschema:"pending, in_progress or completed"`
}

func todoWrite() agent.Tool {
	return agent.New(agent.Typed[todoWriteArgs]{
		Name:        "todo_write",
		Description: todoWriteText,
		Intent: func(_ context.Context, in todoWriteArgs) (agent.Intent, error) {
			if err := in.check(); err != nil {
				return agent.Intent{}, err
			}
			return agent.Intent{Title: in.title(), Access: talks()}, nil
		},
		Run: func(_ context.Context, _ *agent.Call, in todoWriteArgs) (agent.Output, error) {
			return in.output(), nil
		},
	})
}

// talks is the access of a tool that only speaks with the person.
func talks() []agent.Access { return []agent.Access{{Verb: agent.VerbTalk}} }

func (in todoWriteArgs) check() error {
	if len(in.Todos) > maxTodos {
		return fmt.Errorf("%d items are too many: at most %d, so put small steps together", len(in.Todos), maxTodos)
	}
	for i, t := range in.Todos {
		switch {
		case strings.TrimSpace(t.Content) == "":
			return fmt.Errorf("item %d has no content", i+1)
		case !slices.Contains([]string{todoPending, todoDoing, todoDone}, t.Status):
			return fmt.Errorf("item %d: status must be pending, in_progress or completed, not %q", i+1, t.Status)
		}
	}
	return nil
}

func (in todoWriteArgs) count(status string) (n int) {
	for _, t := range in.Todos {
		if t.Status == status {
			n++
		}
	}
	return n
}

func (in todoWriteArgs) title() string {
	return fmt.Sprintf("%d/%d", in.count(todoDone), len(in.Todos))
}

// output keeps the list for people; the model has it in its own call and hears only what is left.
func (in todoWriteArgs) output() agent.Output {
	detail := &session.Detail{Shape: session.ShapeTodo}
	for _, t := range in.Todos {
		detail.Todo = append(detail.Todo, session.Todo{Content: strings.TrimSpace(t.Content), Status: t.Status})
	}
	text := fmt.Sprintf("list kept: %d completed, %d in progress, %d pending", in.count(todoDone), in.count(todoDoing), in.count(todoPending))
	if n := in.count(todoDoing); n > 1 {
		text += fmt.Sprintf("\n%d items are in_progress: usually it is one at a time", n)
	}
	return agent.Output{Text: text, Detail: detail}
}
