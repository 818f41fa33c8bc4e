package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"paicli/agent"
)

//go:embed ask_user.md
var askUserText string

// maxOptions is how many answers may be offered: as many as fit on a screen without reading twice.
const maxOptions = 4

type askUserArgs struct {
	Question string   `json:"question"`
	Options  []string `json:"options,omitempty"`
}

func askUser() agent.Tool {
	return agent.New(agent.Typed[askUserArgs]{
		Name:        "ask_user",
		Description: askUserText,
		Intent: func(_ context.Context, in askUserArgs) (agent.Intent, error) {
			if err := in.check(); err != nil {
				return agent.Intent{}, err
			}
			return agent.Intent{Title: oneLine(in.Question), Access: talks()}, nil
		},
		Run: func(ctx context.Context, call *agent.Call, in askUserArgs) (agent.Output, error) {
			ans, err := put(ctx, call, agent.Question{Code: agent.QuestionAsk, Text: strings.TrimSpace(in.Question), Options: in.Options})
			if err != nil {
				return agent.Output{}, err
			}
			return agent.Output{Text: answered(ans)}, nil
		},
	})
}

func (in askUserArgs) check() error {
	if strings.TrimSpace(in.Question) == "" {
		return errors.New("question is empty")
	}
	if len(in.Options) > maxOptions {
		return fmt.Errorf("%d options are too many: at most %d; the user can always answer in their own words", len(in.Options), maxOptions)
	}
	for i, o := range in.Options {
		if strings.TrimSpace(o) == "" {
			return fmt.Errorf("option %d is empty", i+1)
		}
	}
	return nil
}

// put puts a question to a person. The zero answer is nobody's; the end of the turn is an error.
func put(ctx context.Context, call *agent.Call, q agent.Question) (agent.Answer, error) {
	if call.Ask == nil {
		return agent.Answer{}, nil
	}
	ans, err := call.Ask(ctx, q)
	if err == nil && ctx.Err() != nil && ans.Choice == "" {
		err = context.Cause(ctx)
	}
	return ans, err
}

// answered is what a person said, for the model.
func answered(ans agent.Answer) string {
	switch text := strings.TrimSpace(ans.Text); {
	case ans.Choice == "" || ans.Choice == agent.AnswerText && text == "":
		return "nobody answered: decide yourself, go on, and say at the end what you assumed"
	case ans.Choice == agent.AnswerText:
		return "the user answers: " + text
	case text != "":
		return "the user chose: " + ans.Choice + "\nand says: " + text
	}
	return "the user chose: " + ans.Choice
}
