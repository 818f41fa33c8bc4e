package tool

import (
	"paicli/agent"
	"paicli/internal/fsx"
)

// Reader makes one of the tools that only read, alone, for a program that calls it without a model;
// nil when there is none of this name. Uncapped lifts the bounds on how many hits a search
// shows and how long it takes.
func Reader(name string, root *fsx.Root, uncapped bool) agent.Tool {
	w := &workspace{root: root, seen: newSeen(root, nil), uncapped: uncapped}
	switch name {
	case "glob_files":
		return globFiles(w)
	case "grep_code":
		return grepCode(w)
	case "list_dir":
		return listDir(w)
	case "read_file":
		return readFile(w)
	}
	return nil
}
