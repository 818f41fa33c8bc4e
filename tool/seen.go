package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"sync"

	"paicli/internal/fsx"
	"paicli/session"
)

// Kept is what is kept of a session beyond the process.
type Kept struct {
	// Seen are the files that the model knows from earlier processes of the session, as its log has
	// them: the SHA-256 of each by whole path, in hexadecimal.
	Seen map[string]string
	// Bases is a directory of the session alone, where files are kept as the model knows them, so
	// that its edits can be merged with changes that others make. It is made with the first of them.
	// Empty = they are kept in memory.
	Bases string
	// Secret reports whether content must not be written there; nil = never.
	Secret func(content []byte) bool
}

// seen remembers the content of files as the model last read or wrote them: their hashes, since
// times lie, and of small files that it knows whole all of it, to merge its edits with changes that
// others make meanwhile.
type seen struct {
	mu    sync.Mutex
	root  *fsx.Root
	kept  func() Kept
	sums  map[string]sum // by whole path; nil until kept was asked
	bases *bases
}

type sum [sha256.Size]byte

func newSeen(root *fsx.Root, kept func() Kept) *seen {
	if kept == nil {
		kept = func() Kept { return Kept{} }
	}
	return &seen{root: root, kept: kept}
}

// name is the whole path of a file: the session may have known another project.
func (s *seen) name(p fsx.Path) string { return filepath.Join(s.root.Dir(), filepath.FromSlash(p.Rel)) }

// use takes the lock and, the first time, what is kept of the session.
func (s *seen) use() (unlock func()) {
	s.mu.Lock()
	if s.sums == nil {
		k := s.kept()
		s.sums = make(map[string]sum)
		for path, text := range k.Seen {
			if known, ok := parseSum(text); ok {
				s.sums[path] = known
			}
		}
		s.bases = openBases(k, s.needed())
	}
	return s.mu.Unlock
}

func parseSum(text string) (s sum, ok bool) {
	data, err := hex.DecodeString(text)
	if err != nil || len(data) != len(s) {
		return s, false
	}
	return sum(data), true
}

// needed are the contents that some file has, as far as the model knows.
func (s *seen) needed() map[sum]bool {
	all := make(map[sum]bool, len(s.sums))
	for _, known := range s.sums {
		all[known] = true
	}
	return all
}

// note records what the model knows of a file: its hash and, unless it is nil, all of it. It returns
// what the log has to say of that.
func (s *seen) note(p fsx.Path, content sum, base []byte) []session.Seen {
	defer s.use()()
	name := s.name(p)
	old, known := s.sums[name]
	s.sums[name] = content
	if known && old != content && !s.needed()[old] {
		s.bases.drop(old)
	}
	if base != nil {
		s.bases.put(content, base)
	}
	return []session.Seen{{Path: name, Hash: hex.EncodeToString(content[:])}}
}

// base is all of a file as the model knows it; nil when it does not, or it is no longer kept.
func (s *seen) base(p fsx.Path) []byte {
	defer s.use()()
	return s.bases.get(s.sums[s.name(p)])
}

// staleError refuses to change a file that is not as the model knows it.
type staleError struct{ path string }

func (e *staleError) Error() string {
	return e.path + " has changed since it was read: call read_file on it again, then repeat the change"
}

// check refuses to change a file that the model does not know as it is now; *staleError when it
// knows it otherwise.
func (s *seen) check(p fsx.Path, content sum) error {
	defer s.use()()
	known, ok := s.sums[s.name(p)]
	switch {
	case !ok:
		return fmt.Errorf("%s must be read first: call read_file on it, then try again", p.Rel)
	case known != content:
		return &staleError{p.Rel}
	}
	return nil
}
