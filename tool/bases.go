package tool

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
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

// bases keeps contents of files by their hash, in a directory beside the session log or, without one,
// in memory. What is too large, or was not used for long when there is too much, is dropped: without
// a base a changed file is read again instead of merged. In the directory a base never changes, so
// that a fork of the session may share it.
type bases struct {
	dir    string
	secret func([]byte) bool
	kept   map[sum]base
	used   []sum // the longest unused first
	all    int64 // bytes
}

// base is one content; in a directory data is nil.
type base struct {
	data []byte
	size int64
}

const baseExt = ".base"

// openBases goes on with what an earlier process has kept, as far as it is needed. The rest goes: a
// killed process may have left it.
func openBases(k Kept, needed map[sum]bool) *bases {
	b := &bases{dir: k.Bases, secret: k.Secret, kept: make(map[sum]base)}
	for _, info := range b.list() {
		name, ok := strings.CutSuffix(info.Name(), baseExt)
		content, valid := parseSum(name)
		if !ok || !valid || !needed[content] || info.Size() > maxBase {
			_ = os.Remove(filepath.Join(b.dir, info.Name()))
			continue
		}
		b.add(content, base{size: info.Size()})
	}
	return b
}

// list is what is in the directory, the oldest first.
func (b *bases) list() (infos []fs.FileInfo) {
	if b.dir == "" {
		return nil
	}
	entries, _ := os.ReadDir(b.dir) // not there until something is kept
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			infos = append(infos, info)
		}
	}
	slices.SortStableFunc(infos, func(x, y fs.FileInfo) int {
		return cmp.Or(x.ModTime().Compare(y.ModTime()), strings.Compare(x.Name(), y.Name()))
	})
	return infos
}

func (b *bases) put(content sum, data []byte) {
	if b.touch(content) || len(data) > maxBase {
		return
	}
	if b.dir == "" {
		b.add(content, base{data: bytes.Clone(data), size: int64(len(data))})
		return
	}
	if b.secret != nil && b.secret(data) || os.MkdirAll(b.dir, 0o700) != nil {
		return
	}
	b.add(content, base{size: int64(len(data))})
	if err := os.WriteFile(b.file(content), data, 0o600); err != nil {
		b.drop(content)
	}
}

// add counts a content, and drops others that were not used for long when there is too much.
func (b *bases) add(content sum, one base) {
	for b.all+one.size > maxBases {
		b.drop(b.used[0])
	}
	b.kept[content] = one
	b.used = append(b.used, content)
	b.all += one.size
}

// touch notes that a content is used; false when it is not kept.
func (b *bases) touch(content sum) bool {
	i := slices.Index(b.used, content)
	if i < 0 {
		return false
	}
	b.used = append(slices.Delete(b.used, i, i+1), content)
	return true
}

// get is a content, nil when it is not kept.
func (b *bases) get(content sum) []byte {
	if !b.touch(content) {
		return nil
	}
	data := b.kept[content].data
	if b.dir != "" {
		data, _ = os.ReadFile(b.file(content))
	}
	if sha256.Sum256(data) != content {
		b.drop(content)
		return nil
	}
	return data
}

func (b *bases) drop(content sum) {
	i := slices.Index(b.used, content)
	if i < 0 {
		return
	}
	b.used = slices.Delete(b.used, i, i+1)
	b.all -= b.kept[content].size
	delete(b.kept, content)
	if b.dir != "" {
		_ = os.Remove(b.file(content)) // what stays is removed when the session goes on, or with it
	}
}

func (b *bases) file(content sum) string {
	return filepath.Join(b.dir, hex.EncodeToString(content[:])+baseExt)
}
