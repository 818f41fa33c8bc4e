package session

import (
	"os"
	"path/filepath"
	"strings"
)

// Bases is the folder beside the log for copies of files as the model knows them, "" when the session
// is kept in memory. It belongs to the session: nobody else uses it while the log is open, and Remove
// takes it along. Whoever keeps the first copy makes it, for its owner only. A copy has the hash of its
// content as its name and never changes.
func (l *Log) Bases() string {
	if l.path == "" {
		return ""
	}
	return strings.TrimSuffix(l.path, extension) + basesExtension
}

const basesExtension = ".bases"

func basesOf(dir, id string) string { return filepath.Join(dir, id+basesExtension) }

// shareBases gives a fork the copies that the other session has; they take no room twice. One that
// cannot be shared is missed only where an edit would be merged: it is refused then.
func shareBases(from, to string) {
	entries, err := os.ReadDir(from)
	if err != nil || len(entries) == 0 || os.Mkdir(to, 0o700) != nil {
		return
	}
	for _, e := range entries {
		_ = os.Link(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
	}
}
