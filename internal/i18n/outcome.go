package i18n

// CallText is the line for a call that ended with a status of the session's events (ok, error, …).
// Its arguments are the tool and what it was about.
func CallText(status string) Text {
	switch status {
	case "denied":
		return RunCallDenied
	case "error":
		return RunCallFailed
	case "timeout":
		return RunCallTimeout
	case "interrupted":
		return RunCallStopped
	case "unknown":
		return RunCallUnknown
	}
	return RunCallOK
}

// TodoMark is the mark of an item of a list of steps, by its status in the session's events; ASCII in
// every language.
func TodoMark(status string) string {
	switch status {
	case "completed":
		return "[x]"
	case "in_progress":
		return "[>]"
	}
	return "[ ]"
}

// Limit says which limit ended a turn after so many steps, by the reason in its last event; "" when
// none did.
func (l Lang) Limit(reason string, steps int) string {
	switch reason {
	case "max_steps":
		return l.Say(NoteLimitSteps, steps)
	case "token_budget":
		return l.Say(NoteLimitTokens)
	case "max_cost":
		return l.Say(NoteLimitCost)
	case "timeout":
		return l.Say(NoteLimitTime)
	case "runaway":
		return l.Say(NoteRunaway)
	case "length":
		return l.Say(NoteLimitLength)
	case "output_schema":
		return l.Say(NoteSchema)
	}
	return ""
}
