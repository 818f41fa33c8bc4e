package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"paicli/agent"
)

//go:embed exit_plan.md
var exitPlanText string

// The permission modes that this tool knows, and what a person may answer to a plan: the mode in
// which it is carried out, or that planning goes on.
const (
	modeAuto = "auto"
	modeAsk  = "ask"
	modePlan = "plan"
	keepOn   = "keep"
)

type exitPlanArgs struct {
	Plan string `json:"plan"`
}

func exitPlan(w *workspace) agent.Tool {
	return agent.New(agent.Typed[exitPlanArgs]{
		Name:        "exit_plan",
		Description: exitPlanText,
		Intent: func(_ context.Context, in exitPlanArgs) (agent.Intent, error) {
			if strings.TrimSpace(in.Plan) == "" {
				return agent.Intent{}, errors.New("plan is empty")
			}
			return agent.Intent{Title: oneLine(in.Plan), Access: talks()}, nil
		},
		Run: func(ctx context.Context, call *agent.Call, in exitPlanArgs) (agent.Output, error) {
			if w.mode == nil || w.mode() != modePlan {
				return agent.Output{}, errors.New("there is no plan to leave: the mode is not plan. Do the work, or answer in plain words")
			}
			return w.handIn(ctx, call, strings.TrimSpace(in.Plan))
		},
	})
}

// handIn asks a person about the plan. With nobody there the plan is the answer of the turn.
func (w *workspace) handIn(ctx context.Context, call *agent.Call, plan string) (agent.Output, error) {
	var out agent.Output
	ans, err := put(ctx, call, agent.Question{
		Code: agent.QuestionPlan, Text: plan, Options: []string{modeAuto, modeAsk, keepOn},
	})
	switch {
	case err != nil:
		return agent.Output{}, err
	case ans.Choice == "":
		out.Text, out.Answer = "nobody is there to approve the plan: it is the answer", plan
		return out, nil
	case ans.Choice == modeAuto || ans.Choice == modeAsk:
		if err := w.setMode(ans.Choice); err != nil {
			return agent.Output{}, fmt.Errorf("the mode could not be changed: %w", err)
		}
		out.Text = "the user approved the plan; the mode is " + ans.Choice + " now. Carry it out."
	default:
		out.Text = "the user wants to go on planning: change nothing yet, and hand in the plan again"
	}
	if text := strings.TrimSpace(ans.Text); text != "" {
		out.Text += "\nThey say: " + text
	}
	return out, nil
}
