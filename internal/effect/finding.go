package effect

import (
	"fmt"
	"strings"
)

// Code names a rule. Codes are stable: they appear in logs.
type Code string

// The rules.
const (
	Privilege    Code = "privilege"     // sudo and its kin
	DeleteTree   Code = "delete_tree"   // recursive delete of a root, home or system directory
	OpenTree     Code = "open_tree"     // recursive chmod or chown of one
	FormatDisk   Code = "format_disk"   // mkfs
	WriteDevice  Code = "write_device"  // dd, tee or > onto a disk
	ForkBomb     Code = "fork_bomb"     // a function that pipes into itself
	RemoteScript Code = "remote_script" // a download that is run unseen
	SearchDisk   Code = "search_disk"   // find over / or the home directory
	PowerOff     Code = "power_off"     // shutdown, reboot
)

// Finding is what Check found. Code is empty when no rule speaks against the command.
type Finding struct {
	Code    Code
	Command string // the simple command that the rule speaks of
	// Opaque reports that the text could not be read as a shell command, so that nobody can
	// say what it does. It is not denied for that alone.
	Opaque bool
}

// Sentence says in one or two English sentences, for the model, why the command is refused and what
// it may do instead.
func (f Finding) Sentence() string {
	return fmt.Sprintf("`%s` %s", f.Command, advice(f.Code))
}

func advice(code Code) string {
	switch code {
	case Privilege:
		return "asks for administrator rights. Find a way without them, or ask the user to run it."
	case DeleteTree:
		return "deletes a system directory, the home directory or a parent of the project. Name only paths inside the project."
	case OpenTree:
		return "changes the permissions of a system directory or the whole home directory. Name only paths inside the project."
	case FormatDisk:
		return "makes a file system on a disk."
	case WriteDevice:
		return "writes to a disk device. Write to a file in the project."
	case ForkBomb:
		return "starts itself without end."
	case RemoteScript:
		return "runs a download that nobody has seen. Save it to a file, read it, and ask the user."
	case SearchDisk:
		return "searches the whole disk or home directory. Search inside the project, or name the directory that you need."
	case PowerOff:
		return "switches the machine off or restarts it."
	}
	return "is not allowed."
}

// shorten keeps a quoted command to a readable length.
func shorten(command string) string {
	const limit = 120 // runes: about a line and a half of a terminal
	command = strings.ReplaceAll(strings.TrimSpace(command), unknown, "…")
	if r := []rune(command); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return command
}
