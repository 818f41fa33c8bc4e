package command

import (
	"slices"
	"strings"

	"paicli/agent"
	"paicli/internal/i18n"
)

// The permission modes.
const (
	modeAuto = "auto"
	modePlan = "plan"
	modeAsk  = "ask"
)

// Modes are the permission modes in the order in which Shift+Tab goes through them.
func Modes() []string { return []string{modeAuto, modePlan, modeAsk} }

// NextMode is the mode that Shift+Tab goes to.
func NextMode(mode string) string {
	all := Modes()
	return all[(slices.Index(all, mode)+1)%len(all)]
}

// ParseMode reads a mode as people and the drivers of other agents write it. ok is false for anything
// else, a mode without any review among them: there is none.
func ParseMode(name string) (mode string, ok bool) {
	switch strings.ToLower(name) {
	case modeAuto, "acceptedits":
		return modeAuto, true
	case modePlan:
		return modePlan, true
	case modeAsk, "default", "dontask":
		return modeAsk, true
	}
	return "", false
}

// SetMode is the operation that changes the mode of the session.
func SetMode(mode string) agent.Op { return agent.Set{Key: "mode", Value: mode} }

// mode shows the permission mode, or changes it.
func mode(at Place, _ Desk, name string) Result {
	if name == "" {
		return Result{Text: at.Lang.Say(i18n.SlashModeIs, at.Mode)}
	}
	wish := strings.ToLower(name)
	if !slices.Contains(Modes(), wish) {
		return Result{Text: at.Lang.Say(i18n.SlashModeBad, name, at.Mode)}
	}
	return Result{Text: at.Lang.Say(i18n.SlashModeIs, wish), Op: SetMode(wish)}
}

func hitlWords(Desk) []string { return []string{"on", "default"} }

// hitl is the older name of two of the modes.
func hitl(at Place, desk Desk, word string) Result {
	if strings.EqualFold(word, "on") {
		return mode(at, desk, modeAsk)
	}
	return mode(at, desk, modeAuto)
}
