package headless

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"paicli/agent"
	"paicli/internal/command"
	"paicli/internal/i18n"
	"paicli/session"
)

// driverAnswer is a driver's answer to a question.
type driverAnswer struct {
	Behavior     string             `json:"behavior"` // allow or deny
	UpdatedInput json.RawMessage    `json:"updatedInput"`
	Permissions  []permissionUpdate `json:"updatedPermissions"`
	Message      string             `json:"message"`
	Always       bool               `json:"x_always"`
	Choice       string             `json:"x_choice"` // one of the options of the question
	Text         string             `json:"x_text"`   // in own words
}

// permissionUpdate is what a driver adds to a yes: rules to keep, or another mode.
type permissionUpdate struct {
	Type     string `json:"type"`
	Behavior string `json:"behavior"`
	Mode     string `json:"mode"`
}

// keepPlanning is the answer to a plan that is not taken.
const keepPlanning = "keep"

// close notes the end of the input: nobody answers any more.
func (t *talk) close() {
	t.closed = true
	for id := range t.asked {
		t.nobody(id)
	}
}

// nobody answers a question for whom it was put to in vain.
func (t *talk) nobody(id string) {
	delete(t.asked, id)
	_ = t.conv.Submit(agent.AnswerOp{ID: id}) // an error says that the turn has ended meanwhile
}

// ask hands a question on to the driver.
func (t *talk) ask(q *session.Asked) error {
	if t.closed {
		t.nobody(q.ID)
		return nil
	}
	t.asked[q.ID] = q
	return WriteLine(t.opts.Out, object{"type": "control_request", "request_id": q.ID, "request": t.question(q)})
}

func (t *talk) question(q *session.Asked) object {
	o := object{
		"subtype": "can_use_tool", "tool_name": q.Name, "input": q.Args,
		"x_code": q.Code, "x_title": q.Title, "x_reason": q.Text, "x_options": q.Options,
	}
	if q.Code != agent.QuestionApprove {
		return o
	}
	touches := make([]i18n.Touch, len(q.Access))
	for i, a := range q.Access {
		touches[i] = i18n.Touch(a)
	}
	o["x_access"], o["x_rules"] = append([]session.Access{}, q.Access...), append([]string{}, q.Rules...)
	o["x_effect"] = t.opts.Lang.Effect(touches)
	return o
}

// answered takes the driver's answer. One that nobody waits for any more is dropped: the first
// answer has won, or the turn has ended.
func (t *talk) answered(line inputLine) {
	q := t.asked[line.Response.RequestID]
	if q == nil {
		return
	}
	delete(t.asked, q.ID)
	r := line.Response.Response
	allowed := line.Response.Subtype == "success" && r.Behavior == "allow"
	var ans agent.Answer
	switch {
	case q.Code == agent.QuestionPlan:
		ans = planAnswer(r, allowed)
	case q.Code != agent.QuestionApprove && allowed:
		ans = wordsAnswer(r)
	case q.Code != agent.QuestionApprove: // not answered
	case allowed:
		ans = approval(q, r)
		if mode, ok := r.mode(); ok {
			_ = t.setMode(mode)
		}
	default:
		ans = agent.Answer{Choice: agent.AnswerNo, Text: r.Message}
	}
	_ = t.conv.Submit(agent.AnswerOp{ID: q.ID, Answer: ans})
}

// approval is a yes: for good, if the driver wishes so and the question offers it, or with other
// arguments. Drivers send the arguments back as they are; those are no others.
func approval(q *session.Asked, r driverAnswer) agent.Answer {
	ans := agent.Answer{Choice: agent.AnswerYes, Args: r.UpdatedInput}
	if sameJSON(ans.Args, q.Args) {
		ans.Args = nil
	}
	if ans.Args == nil && len(q.Rules) > 0 && r.always() {
		ans.Choice = agent.AnswerAlways
	}
	return ans
}

// planAnswer is the answer to a plan. A bare yes means the usual mode.
func planAnswer(r driverAnswer, allowed bool) agent.Answer {
	if !allowed {
		return agent.Answer{Choice: keepPlanning, Text: r.Message}
	}
	ans := agent.Answer{Choice: r.Choice, Text: r.Text}
	if mode, ok := r.mode(); ok && ans.Choice == "" {
		ans.Choice = mode
	}
	if ans.Choice == "" {
		ans.Choice = command.Modes()[0]
	}
	return ans
}

// wordsAnswer is the answer to a question of the model.
func wordsAnswer(r driverAnswer) agent.Answer {
	if r.Text == "" {
		r.Text = r.Message
	}
	if r.Choice == "" && r.Text != "" {
		r.Choice = agent.AnswerText
	}
	return agent.Answer{Choice: r.Choice, Text: r.Text}
}

// always reports whether the driver wishes that the rules be kept.
func (r driverAnswer) always() bool {
	return r.Always || slices.ContainsFunc(r.Permissions, func(p permissionUpdate) bool {
		return p.Type == "addRules" && (p.Behavior == "" || p.Behavior == "allow")
	})
}

// mode is the mode that the driver changes to with its answer.
func (r driverAnswer) mode() (string, bool) {
	for _, p := range r.Permissions {
		if mode, ok := command.ParseMode(p.Mode); p.Type == "setMode" && ok {
			return mode, true
		}
	}
	return "", false
}

// setMode changes the permission mode of the session, by our name for it or another driver's.
func (t *talk) setMode(name string) error {
	mode, ok := command.ParseMode(name)
	switch {
	case ok:
		return t.conv.Submit(command.SetMode(mode))
	case strings.EqualFold(name, "bypassPermissions"):
		return t.say(i18n.ArgNoBypass, name)
	}
	return t.say(i18n.ArgOneOf, "mode", name, strings.Join(command.Modes(), ", "))
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && bytes.Equal(canonical(x), canonical(y))
}

// canonical is a value as JSON with sorted keys.
func canonical(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil // what was read has a JSON form
	}
	return raw
}
