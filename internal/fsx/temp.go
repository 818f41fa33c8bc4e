package fsx

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tempPrefix begins the names of files that are being written. What follows is the second of their
// making and the process that made them, both to base 36, and chance: short, whatever the name of
// the target, and enough to know later whether anybody still needs the file.
const tempPrefix = ".paicli-"

// Bounds of the search for left-over files.
const (
	maxHeld  = time.Hour // no write takes longer: a living process with this number is another one
	maxSwept = 500       // directories that are searched with the first write, from the top down
)

func newTemp() string {
	var chance [4]byte
	rand.Read(chance[:])
	return tempPrefix + strconv.FormatInt(time.Now().Unix(), 36) + "-" + strconv.FormatInt(int64(os.Getpid()), 36) +
		"-" + hex.EncodeToString(chance[:])
}

// temp is what the name of a temporary file tells.
type temp struct {
	made time.Time
	pid  int
}

// parseTemp reads such a name. Names that only begin like one are somebody else's.
func parseTemp(name string) (temp, bool) {
	rest, ours := strings.CutPrefix(name, tempPrefix)
	parts := strings.Split(rest, "-")
	if !ours || len(parts) != 3 || len(parts[2]) != 8 || strings.Trim(parts[2], "0123456789abcdef") != "" {
		return temp{}, false
	}
	made, err1 := strconv.ParseInt(parts[0], 36, 64)
	pid, err2 := strconv.ParseInt(parts[1], 36, 32)
	if err1 != nil || err2 != nil || made < 0 || pid <= 0 {
		return temp{}, false
	}
	return temp{made: time.Unix(made, 0), pid: int(pid)}, true
}

// stale reports whether nobody needs the file any more.
func (t temp) stale(now time.Time, alive func(pid int) bool) bool {
	return now.Sub(t.made).Abs() > maxHeld || !alive(t.pid)
}

// alive reports whether a process with this number exists.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}

// sweep removes what killed processes left in a directory when it is written to for the first time,
// and in the top of the project.
func (r *Root) sweep(rel string) {
	r.Sweep()
	r.sweepDir(rel)
}

// Sweep removes what killed processes left of their writes in the top of the project, once. It is
// done before the first write; who wants it earlier calls it.
func (r *Root) Sweep() {
	r.sweepTop.Do(func() {
		queue := []string{"."}
		for n := 0; n < maxSwept && len(queue) > 0; n++ {
			queue = append(queue[1:], r.sweepDir(queue[0])...)
		}
	})
}

// sweepDir does so in one directory, once, and returns the directories in it that may hold sources.
func (r *Root) sweepDir(rel string) (below []string) {
	r.mu.Lock()
	done := r.swept[rel]
	r.swept[rel] = true
	r.mu.Unlock()
	if done {
		return nil
	}
	entries, _ := r.ReadDir(Path{Rel: rel})
	now := time.Now()
	for _, e := range entries {
		name := path.Join(rel, e.Name())
		if t, ok := parseTemp(e.Name()); ok && e.Type().IsRegular() && t.stale(now, alive) {
			_ = r.root.Remove(name) // what may not be removed stays
		}
		if e.IsDir() && !isInternal(e.Name()) && !isGenerated(e.Name(), true) && !r.isPrivate(filepath.Join(r.dir, name)) {
			below = append(below, name)
		}
	}
	return below
}
