package session

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
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
	// Frame puts the boundary around the results that a repair makes up; nil: none.
	Frame func(tool, text string) string
}

// newLog makes a log without a store.
func (o Options) newLog(id string) *Log {
	l := &Log{id: id, now: o.Now, scrub: o.Scrub, folds: make(map[string]*fold)}
	if l.now == nil {
		l.now = time.Now
	}
	if l.scrub == nil {
		l.scrub = func(b []byte) []byte { return b }
	}
	return l
}

// Create starts a session. The folder is made when it is missing, readable for its owner only.
func Create(opts Options) (*Log, error) {
	now := time.Now
	if opts.Now != nil {
		now = opts.Now
	}
	l := opts.newLog(newID(now()))
	l.store = &memory{}
	if opts.Dir != "" {
		f, err := createFile(opts.Dir, l.id)
		if err != nil {
			return nil, err
		}
		l.path, l.store = f.Name(), f
	}
	if err := l.begin(opts); err != nil {
		if l.path != "" { // a full disk: an empty log is of no use
			err = errors.Join(err, l.store.Close(), os.Remove(l.path))
		}
		return nil, err
	}
	return l, nil
}

// begin writes what every log begins with.
func (l *Log) begin(opts Options) error {
	n, err := l.store.Write([]byte(header))
	if err != nil {
		return fmt.Errorf("write session log: %w", err)
	}
	l.size = int64(n)
	_, err = l.append("", 0, []Body{&Opened{ID: l.id, Root: opts.Root, Version: opts.Version}})
	return err
}

// createFile makes an empty log file and takes its lock.
func createFile(dir, id string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create session folder: %w", err)
	}
	f, err := os.OpenFile(pathOf(dir, id), os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create session log: %w", err)
	}
	if !lock(f) {
		f.Close()
		return nil, fmt.Errorf("create session log: %w", &InUseError{ID: id})
	}
	return f, nil
}

func pathOf(dir, id string) string { return filepath.Join(dir, id+extension) }

const extension = ".jsonl"

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

func (m *memory) Truncate(size int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.data = m.data[:size]
	return nil
}

func (m *memory) Close() error { return nil }
func (m *memory) Sync() error  { return nil }
