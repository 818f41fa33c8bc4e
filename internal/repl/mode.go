package repl

import (
	"strings"

	"paicli/internal/command"
	"paicli/internal/i18n"
	"paicli/session"
)

// modeSetting is the setting of a session that holds its permission mode.
const modeSetting = "mode"

// setMode asks for another permission mode. It is shown when the session says that it has changed.
func (l *loop) setMode(mode string) {
	if err := l.session.Conv.Submit(command.SetMode(mode)); err != nil {
		l.hint = l.say(i18n.ReplNotSent, visible(err.Error()))
	}
}

// set takes a changed setting of the session.
func (l *loop) set(b *session.Set) {
	if b.Key == modeSetting {
		l.mode = b.Value
	}
}

// modeRow is the row below the prompt, in ASCII: the mode and how to change it. Plain lines have no
// such row; there /mode tells.
func (l *loop) modeRow() string {
	if l.mode == "" {
		return ""
	}
	return strings.ToUpper(visible(l.mode)) + "  " + i18n.ReplModeHint
}
