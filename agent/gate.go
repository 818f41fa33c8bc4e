package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"paicli/session"
)

// Gate judges a call before it runs. Gates are asked one after the other, serially and in call
// order, until one allows or denies. A gate must not have effects on the project.
type Gate func(ctx context.Context, call *Call) (Verdict, error)

// Verdict is what a gate says. Args, when set, replaces the arguments of the call: its intent is
// made anew and the chain starts from the top, once per gate.
type Verdict struct {
	Kind   VerdictKind
	Reason string // for the model: why, and what else it may do
	Args   json.RawMessage
	By     string // who judged: By… below
	Ask    Approval
	// EndTurn ends the turn after this batch as refused, unless a person says yes.
	EndTurn bool
}

// Approval is what a person is told with AskUser.
type Approval struct {
	Why    string           // for people; empty = the reason of the verdict
	Access []session.Access // what the call would touch; nil = what its tool declares
	// Rules are what a yes for good would store, word for word; Keep stores them. Without Rules it
	// is not offered.
	Rules []string
	Keep  func() error
}

// access is what the gate found, or, if it looked for nothing, what the tool declares.
func (a Approval) access(call *Call) []session.Access {
	found := a.Access
	if found == nil {
		for _, x := range call.Intent.Access {
			found = append(found, session.Access{Verb: string(x.Verb), Target: x.Target})
		}
	}
	return found
}

// Who judges.
const (
	ByPolicy     = "policy"     // what no mode and no rule may permit, and limits of the program
	ByRule       = "rule"       // a rule of the settings
	ByMode       = "mode"       // the permission mode
	ByClassifier = "classifier" // the reviewing model
	ByUser       = "user"
	ByNobody     = "nobody" // a person would have been asked, and there was none
)

// VerdictKind is the word of a gate. The zero value passes the call on.
type VerdictKind int

// The verdicts.
const (
	Pass    VerdictKind = iota // no opinion: the next gate decides
	Allow                      // runs, no further gate is asked
	Deny                       // does not run
	AskUser                    // a person decides
)

// Wrap surrounds the execution of an allowed call.
type Wrap func(Exec) Exec

// Exec runs an allowed call.
type Exec func(ctx context.Context, call *Call) (Output, error)

// Question is put to a person by a gate or a tool. Code says what is asked; front ends word it.
type Question struct {
	Code    string
	Call    *Call
	Text    string
	Options []string
	Access  []session.Access // what the call would touch
	Rules   []string         // what AnswerAlways would store, word for word
}

// Answer is a person's answer. The zero value is nobody's: a refusal.
type Answer struct {
	Choice string
	Text   string
	Args   json.RawMessage
}

// Answers to the question whether a call may run.
const (
	AnswerYes    = "yes"
	AnswerNo     = "no"
	AnswerAlways = "always" // yes, and for good: offered when the question has Rules
)

// Ask puts a question to a person and waits for the answer. A nil Ask denies.
type Ask func(ctx context.Context, th *session.Thread, q Question) (Answer, error)

// AnswerText is the answer to a question with options, or with none, in the person's own words:
// those of Text.
const AnswerText = "text"

// The questions.
const (
	QuestionApprove = "approve" // may a call run? Answers: AnswerYes, AnswerNo, AnswerAlways
	QuestionAsk     = "ask"     // the model asks. Answers: one of the options, AnswerText
	QuestionPlan    = "plan"    // is the plan in Text to be carried out? Answers: one of the options
)

// judge asks the gates in order. No gate said allow = denied. Arguments that a gate or the person
// whom it asked has changed go through the chain from the top, once for each gate; what a person
// changed and allowed is not asked a second time.
func (a *Agent) judge(ctx context.Context, th *session.Thread, ask Ask, call *Call) (Verdict, error) {
	changed := make(map[int]bool)
	for i := 0; i < len(a.Gates); i++ {
		v, err := a.Gates[i](ctx, call)
		if err == nil && v.Kind == AskUser {
			if changed[i] {
				return Verdict{Kind: Allow, By: ByUser}, nil
			}
			v, err = askApproval(ctx, th, ask, call, v)
		}
		if err != nil {
			return Verdict{}, fmt.Errorf("judge %s: %w", call.Name, err)
		}
		if v.Args != nil && v.Kind != Deny && !changed[i] {
			changed[i] = true
			if err := call.intend(ctx, v.Args); err != nil {
				return Verdict{Kind: Deny, By: ByPolicy, Reason: err.Error()}, nil
			}
			i = -1
			continue
		}
		if v.Kind != Pass {
			return v, nil
		}
	}
	return Verdict{Kind: Deny, By: ByPolicy, Reason: "no rule allows this call"}, nil
}

// askApproval turns a person's answer into a verdict. Nobody to ask is a no.
func askApproval(ctx context.Context, th *session.Thread, ask Ask, call *Call, v Verdict) (Verdict, error) {
	nobody := Verdict{Kind: Deny, By: ByNobody, Reason: v.Reason, EndTurn: v.EndTurn}
	if ask == nil {
		return nobody, nil
	}
	why := v.Ask.Why
	if why == "" {
		why = v.Reason
	}
	ans, err := ask(ctx, th, Question{
		Code: QuestionApprove, Call: call, Text: why, Access: v.Ask.access(call), Rules: v.Ask.Rules,
	})
	if err != nil {
		return Verdict{}, err
	}
	switch ans.Choice {
	case AnswerYes:
		return Verdict{Kind: Allow, By: ByUser, Args: ans.Args}, nil
	case AnswerAlways:
		if len(v.Ask.Rules) == 0 {
			break
		}
		if err := v.Ask.Keep(); err != nil {
			return Verdict{}, fmt.Errorf("store rule: %w", err)
		}
		return Verdict{Kind: Allow, By: ByUser, Reason: "always"}, nil
	case "":
		return nobody, nil
	}
	if ans.Text == "" {
		ans.Text = "the user refused this call"
	}
	return Verdict{Kind: Deny, By: ByUser, Reason: ans.Text}, nil
}
