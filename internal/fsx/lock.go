package fsx

import (
	"strings"
	"sync"
)

// lock is the lock of one file while somebody holds it or waits for it.
type lock struct {
	sync.Mutex
	users int
}

// Lock waits until nobody else holds the lock of a file and takes it. The caller must call unlock.
// Names that differ in case only share a lock, since they may be one file.
func (r *Root) Lock(p Path) (unlock func()) {
	key := strings.ToLower(p.Rel)
	r.mu.Lock()
	l := r.locks[key]
	if l == nil {
		l = &lock{}
		r.locks[key] = l
	}
	l.users++
	r.mu.Unlock()
	l.Lock()
	return func() {
		l.Unlock()
		r.mu.Lock()
		defer r.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(r.locks, key)
		}
	}
}
