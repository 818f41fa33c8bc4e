package permission

import (
	"fmt"
	"strings"

	"paicli/internal/effect"
)

// reviewed begins what a model is told of a call that the classifier stopped. Front ends and the runaway
// guard know it by that.
const reviewed = "[AUTO] "

// why says to the front ends, as a code with its object, why a person is asked; they word it.
func (j judged) why() string {
	if j.detail == "" {
		return j.code
	}
	return j.code + ": " + j.detail
}

// subject names the call for the model.
func (j judged) subject() string {
	if j.about != "" {
		return "`" + shorten(j.about) + "`"
	}
	if j.command != "" {
		return "`" + shorten(j.command) + "`"
	}
	return "this call"
}

// shorten keeps a quoted command to a readable length.
func shorten(command string) string {
	const limit = 120 // characters: about a line and a half of a terminal
	command = strings.Join(strings.Fields(command), " ")
	if r := []rune(command); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return command
}

// otherwise is what a model may do after a refusal. It names no pattern that could be avoided.
const otherwise = "Do not try to reach the same effect in another way: use a safer or read-only alternative, or say in your answer what is needed and why, and let the user decide."

// refusal tells the model why a call never runs, or not in this mode.
func (j judged) refusal() string {
	switch j.code {
	case CodeFloor:
		return fmt.Sprintf("Refused by policy (%s): %s Do not try to reach the same effect in another way.", j.found.Code, j.found.Sentence())
	case CodeNoWeb:
		return fmt.Sprintf("[%s] %s would reach the network, and the user's words rule that out. Work with what is here, or say what is missing.", CodeNoWeb, j.subject())
	case CodeMode:
		return fmt.Sprintf("Plan mode: %s was not run, because nothing is changed while planning. Reading, searching and commands that only look work. Put this step into the plan; the user can leave plan mode.", j.subject())
	}
	return fmt.Sprintf("A rule in the user's settings forbids %s. %s", j.subject(), otherwise)
}

// unattended tells the model why a call that a person would have been asked about was not run.
func (j judged) unattended() string {
	return fmt.Sprintf("%s%s was not run: it needs a person's approval (%s), and nobody is there to give it. %s", j.noted(), j.subject(), j.reason(), otherwise)
}

func (j judged) noted() string {
	if j.note == "" {
		return ""
	}
	return "[" + j.note + "] "
}

// reason is the code of the judgement in words for the model.
func (j judged) reason() string {
	switch j.code {
	case CodeSecret:
		return j.detail + " may hold credentials"
	case CodeProtected:
		return "it changes " + j.detail + ", which other programs run or obey"
	case CodeOutside:
		return j.detail + " is outside the project"
	case CodeRule:
		return "a rule in the settings asks for it"
	case CodeMode:
		return "ask mode"
	case CodeUnknown:
		return "what the tool does is not known here"
	}
	if j.verdict == effect.Ask && j.detail != "" {
		return j.detail
	}
	return "it does more than look"
}

// blocked tells the model that the classifier did not let a call pass.
func (j judged) blocked(reason string) string {
	return fmt.Sprintf("%s%s%s was not run: %s. %s The user can also switch to ask mode.", reviewed, j.noted(), j.subject(), strings.TrimRight(reason, ". "), otherwise)
}

// lastBlock tells the model that its turn ends, when nobody is there to be asked.
func (j judged) lastBlock(reason string) string {
	return j.blocked(reason) + fmt.Sprintf(" This was the %s stop in a row, and nobody is there to ask: the turn ends.", ordinal(maxBlocks))
}

func ordinal(n int) string {
	if n == 3 {
		return "third"
	}
	return fmt.Sprintf("%dth", n)
}
