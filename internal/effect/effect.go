// Package effect reads a shell command line without running it and says whether it would do one of
// the few things that no mode and no rule may permit: gaining privileges, deleting or opening whole
// system or home trees, formatting or overwriting disks, fork bombs, running a downloaded script,
// searching the whole disk, switching the machine off.
//
// It judges structure, not text: a word counts where it stands as a command, be it behind
// pipes, lists, substitutions, quoting, wrappers such as env or xargs, or in a string handed to a
// shell. It is a stop for accidents, not a fence; the sandbox is the fence. It is the only importer
// of the shell parser.
//
//	text ─► parse ─► every simple command ─► wrappers off ─► rules ─► Finding
//	           └─ does not parse, too long, too deep ─► pieces of the text ─► the same rules
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

// Bounds on what is parsed: the parser recurses, and its stack must not overflow on hostile text.
const (
	maxText    = 64 << 10
	maxNesting = 500
	maxDepth   = 8 // strings within strings: sh -c 'sh -c …'
)

// Check reads a command line and reports whether a rule forbids it. It runs nothing and opens no
// file.
func Check(command string) (Finding, bool) {
	s := &scan{}
	s.text(command, ".", 0)
	return s.found, s.found.Code != ""
}

// scan is one Check in progress. The first rule that speaks ends it.
type scan struct {
	found Finding
}

// deny records the first finding.
func (s *scan) deny(code Code, command string) {
	if s.found.Code == "" {
		s.found.Code, s.found.Command = code, shorten(command)
	}
}

func (s *scan) done() bool { return s.found.Code != "" }

// shorten keeps a quoted command to a readable length.
func shorten(command string) string {
	const limit = 120 // runes: about a line and a half of a terminal
	command = strings.ReplaceAll(strings.TrimSpace(command), unknown, "…")
	if r := []rune(command); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return command
}

// text judges a piece of shell text that runs in dir.
func (s *scan) text(text, dir string, depth int) {
	if s.done() || depth > maxDepth {
		return
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.IndexByte(text, 0) >= 0 || len(text) > maxText || nesting(text) > maxNesting {
		s.found.Opaque = true
		s.pieces(text, dir, depth)
		return
	}
	s.parsed(text, dir, depth)
	// The shell joins lines before it looks for substitutions, the parser only between words.
	if joined := strings.ReplaceAll(text, "\\\n", ""); joined != text {
		s.parsed(joined, dir, depth)
	}
}

// nesting is the largest number of brackets open at a time, whatever their meaning. Backquotes
// count as opening: they nest by escaping.
func nesting(text string) int {
	open, most := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '`':
			open++
			most = max(most, open)
		case ')', '}':
			open = max(0, open-1)
		}
	}
	return most
}
