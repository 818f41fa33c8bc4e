package tool

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"paicli/internal/fsx"
)

// seen remembers the content of files as the model last read or wrote them: their hashes, since
// times lie, and of small files that it knows whole all of it, to merge its edits with changes that
// others make meanwhile.
type seen struct {
	mu    sync.Mutex
	sums  map[string]sum
	bases *bases
}

type sum [sha256.Size]byte

func newSeen(dir string) *seen { return &seen{sums: make(map[string]sum), bases: newBases(dir)} }

// note records what the model knows of a file: its hash and, unless it is nil, all of it.
func (s *seen) note(p fsx.Path, content sum, base []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums[p.Rel] = content
	s.bases.put(p.Rel, base)
}

// base is all of a file as the model knows it; nil when it does not, or it is no longer kept.
func (s *seen) base(p fsx.Path) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	data := s.bases.get(p.Rel)
	if data == nil || sha256.Sum256(data) != s.sums[p.Rel] {
		return nil
	}
	return data
}

// staleError refuses to change a file that is not as the model knows it.
type staleError struct{ path string }

func (e *staleError) Error() string {
	return e.path + " has changed since it was read: call read_file on it again, then repeat the change"
}

// check refuses to change a file that the model does not know as it is now; *staleError when it
// knows it otherwise.
func (s *seen) check(p fsx.Path, content sum) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.sums[p.Rel]
	switch {
	case !ok:
		return fmt.Errorf("%s must be read first: call read_file on it, then try again", p.Rel)
	case known != content:
		return &staleError{p.Rel}
	}
	return nil
}
