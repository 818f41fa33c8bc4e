package tool

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"paicli/internal/fsx"
)

// seen remembers the content of files as the model last read or wrote them. Only their hashes are
// kept: times lie.
type seen struct {
	mu   sync.Mutex
	sums map[string]sum
}

type sum [sha256.Size]byte

func newSeen() *seen { return &seen{sums: make(map[string]sum)} }

func (s *seen) note(p fsx.Path, content sum) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums[p.Rel] = content
}

// check refuses to change a file that the model does not know as it is now.
func (s *seen) check(p fsx.Path, content sum) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.sums[p.Rel]
	switch {
	case !ok:
		return fmt.Errorf("%s must be read first: call read_file on it, then try again", p.Rel)
	case known != content:
		return fmt.Errorf("%s has changed since it was read: call read_file on it again, then repeat the change", p.Rel)
	}
	return nil
}
