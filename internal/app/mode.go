package app

import (
	"paicli/agent"
	"paicli/internal/prompt"
	"paicli/session"
)

// The settings of a session by which its permission mode is kept, and the mode that needs no words.
const (
	modeSetting = "mode"
	modeAuto    = "auto"
)

// Mode is the permission mode now: what the session was set to, else what the settings say.
func (a *App) Mode() string { return a.modeIn(a.Log.State()) }

func (a *App) modeIn(state session.State) string {
	if m := state.Settings[modeSetting]; m != "" {
		return m
	}
	return a.opts.Config.Mode
}

// setMode changes the mode of the session; it counts at once.
func (a *App) setMode(mode string) error {
	return a.Conv.Submit(agent.Set{Key: modeSetting, Value: mode})
}

// nameMode gives a session that goes on the mode that was named for this run.
func (a *App) nameMode() error {
	kept := a.Log.State().Settings[modeSetting]
	if !a.opts.ModeNamed || kept == "" || kept == a.opts.Config.Mode {
		return nil
	}
	return a.setMode(a.opts.Config.Mode)
}

// modeNote tells the model about the mode.
func (a *App) modeNote(state session.State) (note string, usual bool) {
	mode := a.modeIn(state)
	return prompt.Mode(mode), mode == modeAuto
}
