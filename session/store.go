package session

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Options say how a session is kept.
type Options struct {
	Dir     string              // folder of the logs; "" keeps the session in memory
	Root    string              // project root
	Version string              // of the program
	Now     func() time.Time    // time.Now if nil
	Scrub   func([]byte) []byte // takes secrets out of a line; nil: none. It must keep JSON valid
}

// Create starts a session. The folder is made when it is missing, readable for its owner only.
func Create(opts Options) (*Log, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Scrub == nil {
		opts.Scrub = func(b []byte) []byte { return b }
	}
	l := &Log{
		id:    newID(opts.Now()),
		now:   opts.Now,
		scrub: opts.Scrub,
		folds: make(map[string]*fold),
		store: &memory{},
	}
	if opts.Dir != "" {
		if err := l.openFile(opts.Dir); err != nil {
			return nil, err
		}
	}
	n, err := l.store.Write([]byte(header))
	if err != nil {
		return nil, fmt.Errorf("write session log: %w", err)
	}
	l.size = int64(n)
	if _, err := l.append("", 0, []Body{&Opened{ID: l.id, Root: opts.Root, Version: opts.Version}}); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *Log) openFile(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create session folder: %w", err)
	}
	path := filepath.Join(dir, l.id+".jsonl")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("create session log: %w", err)
	}
	l.path, l.store = path, f
	return nil
}

// newID makes a session id that sorts by time: 20261130-190405-1f6a2b.
func newID(now time.Time) string {
	var b [3]byte
	rand.Read(b[:])
	return now.Format("20060102-150405-") + hex.EncodeToString(b[:])
}

// memory keeps the lines of a session that has no file.
type memory struct {
	mu   sync.RWMutex
	data []byte
}

func (m *memory) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.data = append(m.data, p...)
	return len(p), nil
}

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if off >= int64(len(m.data)) {
		return 0, io.EOF
	}
	n := copy(p, m.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (m *memory) Close() error { return nil }
