package prompt

// Mode is the note about the permission mode: auto, plan or ask.
func Mode(mode string) string {
	switch mode {
	case "plan":
		return "[mode] plan\nLook, change nothing: no file is written, only commands that read run. Then hand in the plan with exit_plan(plan).\n"
	case "ask":
		return "[mode] ask\nThe user is asked before each change and each command that does more than read. A refusal comes with its reason.\n"
	}
	return "[mode] " + mode + "\nYou may change files and run commands again, as the task needs.\n"
}
