// Package prompt has the words that a model is given before the user's: the system prompt and the
// note about the place and time. The system prompt never changes inside a session, since it is the
// beginning of every request; what varies goes into the note.
package prompt

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

//go:embed system.md
var system string

// System is the system prompt.
func System() string { return strings.TrimSpace(system) }

// Place is what the environment note tells.
type Place struct {
	Root string
	OS   string // runtime.GOOS
	Now  time.Time
	// Schema is the JSON schema that the answer must fit, "" = none.
	Schema string
}

// Note is the environment note: where and when the work happens.
func Note(p Place) string {
	var b strings.Builder
	b.WriteString("[environment]\n")
	fmt.Fprintf(&b, "project root: %s\n", p.Root)
	fmt.Fprintf(&b, "system: %s\n", p.OS)
	fmt.Fprintf(&b, "date: %s\n", p.Now.Format("2006-01-02 (Monday)"))
	if branch, ok := gitBranch(p.Root); ok {
		fmt.Fprintf(&b, "git: on %s\n", branch)
	} else {
		b.WriteString("git: not a repository\n")
	}
	if p.Schema != "" {
		fmt.Fprintf(&b, "[answer]\nWhen the work is done, answer with nothing but one JSON value that fits this schema:\n%s\n", p.Schema)
	}
	return b.String()
}

// gitBranch reads the checked-out branch without starting git. In a linked work tree .git is a file
// that names the real folder.
func gitBranch(root string) (string, bool) {
	for dir := root; ; {
		if head, ok := readHead(filepath.Join(dir, ".git")); ok {
			if ref, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
				return "branch " + ref, true
			}
			return "commit " + head, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

func readHead(git string) (string, bool) {
	if link, err := os.ReadFile(git); err == nil {
		target, ok := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir: ")
		if !ok {
			return "", false
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(git), target)
		}
		git = target
	}
	head, err := os.ReadFile(filepath.Join(git, "HEAD"))
	if err != nil {
		return "", false
	}
	return strings.TrimSpace(string(head)), true
}
