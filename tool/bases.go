package tool

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds on what is kept to merge with, in bytes.
const (
	maxBase  = 1 << 20  // of one file
	maxBases = 32 << 20 // of a session
)

// bases keeps files as the model knows them, in a directory beside the session log or, without one,
// in memory. What is too large, or was not used for long when there is too much, is dropped: without
// a base a changed file is read again instead of merged.
type bases struct {
	dir   string
	swept bool
	kept  map[string][]byte // content, or in a directory only the names of those there
	used  []string          // the longest unused first
	size  map[string]int
	all   int
}

const baseExt = ".base"

func newBases(dir string) *bases {
	return &bases{dir: dir, kept: make(map[string][]byte), size: make(map[string]int)}
}

// put keeps a file in the place of what was kept of it; nil only drops that.
func (b *bases) put(name string, data []byte) {
	b.drop(name)
	if data == nil || len(data) > maxBase {
		return
	}
	for b.all+len(data) > maxBases {
		b.drop(b.used[0])
	}
	if b.dir != "" {
		if err := b.write(name, data); err != nil {
			return // as if it had been too large
		}
		b.kept[name] = nil
	} else {
		b.kept[name] = bytes.Clone(data)
	}
	b.used = append(b.used, name)
	b.size[name] = len(data)
	b.all += len(data)
}

// get is what is kept of a file, nil when nothing is.
func (b *bases) get(name string) []byte {
	data, ok := b.kept[name]
	if !ok {
		return nil
	}
	i := slices.Index(b.used, name)
	b.used = append(slices.Delete(b.used, i, i+1), name)
	if b.dir != "" {
		data, _ = os.ReadFile(b.file(name)) // the caller compares its hash
	}
	return data
}

func (b *bases) drop(name string) {
	if _, ok := b.kept[name]; !ok {
		return
	}
	delete(b.kept, name)
	i := slices.Index(b.used, name)
	b.used = slices.Delete(b.used, i, i+1)
	b.all -= b.size[name]
	delete(b.size, name)
	if b.dir != "" {
		_ = os.Remove(b.file(name)) // what stays is swept by the next session that uses the directory
	}
}

// write makes the file of a base, for its owner only. With the first one goes what an earlier run
// has left: nobody knows any more what it belongs to.
func (b *bases) write(name string, data []byte) error {
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	if !b.swept {
		b.swept = true
		entries, err := os.ReadDir(b.dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), baseExt) {
				_ = os.Remove(filepath.Join(b.dir, e.Name()))
			}
		}
	}
	return os.WriteFile(b.file(name), data, 0o600)
}

func (b *bases) file(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(b.dir, hex.EncodeToString(sum[:16])+baseExt)
}
