package artifact

import (
	"io/fs"
	"os"
	"slices"
	"time"
)

// How long outputs are kept, and how much of them.
const (
	maxAge  = 7 * 24 * time.Hour // since the last file of a session was written
	maxSize = 256 << 20          // bytes of all sessions together
)

// folder is what one session left.
type folder struct {
	name string
	time time.Time // of the last change
	size int64
}

// sweep removes the folders of sessions that are too old, then the oldest ones while all together
// are too large. The running session's stays. What cannot be removed is left: the next session tries
// again.
func (s *Store) sweep(root *os.Root) {
	folders := s.folders(root)
	total := int64(0)
	for _, f := range folders {
		total += f.size
	}
	for _, f := range folders {
		if f.name == s.opts.Session || s.opts.Now().Sub(f.time) <= maxAge && total <= maxSize {
			continue
		}
		if root.RemoveAll(f.name) == nil {
			total -= f.size
		}
	}
}

// folders lists the sessions' folders, the oldest first.
func (s *Store) folders(root *os.Root) []folder {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil
	}
	var out []folder
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() {
			out = append(out, folder{name: e.Name(), time: info.ModTime(), size: size(root, e.Name())})
		}
	}
	slices.SortFunc(out, func(a, b folder) int { return a.time.Compare(b.time) })
	return out
}

// size is how many bytes the files of a folder have. The sessions' folders are flat.
func size(root *os.Root, name string) int64 {
	entries, _ := fs.ReadDir(root.FS(), name)
	var n int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
	}
	return n
}
