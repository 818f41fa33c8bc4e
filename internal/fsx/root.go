// Package fsx gives access to the files of one project and to nothing else: it resolves paths,
// follows links only inside the project, writes atomically, walks the tree with the project's ignore
// files, and locks single files. It knows nothing of what is in a file.
//
// A path is resolved once, to the real path of what it names; every operation then goes through
// os.Root, so that a link swapped in meanwhile cannot lead outside.
package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Options of a Root.
type Options struct {
	// Home is the directory of the program's own state. It is refused for everything, also when
	// it lies in the project. Empty = none.
	Home string
}

// Root is a project directory. It may be used by several goroutines.
type Root struct {
	dir  string // real path
	home string // real path, "" = none
	root *os.Root

	sweepTop sync.Once

	mu    sync.Mutex
	locks map[string]*lock
	swept map[string]bool // directories that were searched for left-over files
}

// Open opens a project directory.
func Open(dir string, o Options) (*Root, error) {
	if strings.TrimSpace(dir) == "" {
		return nil, errors.New("open project: no directory given")
	}
	named, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	real, err := filepath.EvalSymlinks(named)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	r := &Root{dir: real, root: root, locks: make(map[string]*lock), swept: make(map[string]bool)}
	if r.home, err = realHome(o.Home); err != nil {
		root.Close()
		return nil, fmt.Errorf("open project: %w", err)
	}
	return r, nil
}

// realHome is the real path of a directory that need not exist yet.
func realHome(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return follow(volumeRoot(dir), dir)
}

// Close releases the directory.
func (r *Root) Close() error { return r.root.Close() }

// Dir is the real path of the project.
func (r *Root) Dir() string { return r.dir }

// Use says what a path is resolved for.
type Use int

// The uses.
const (
	Read Use = iota
	Write
)

// Path is a place in the project, resolved: no part of it is a link.
type Path struct {
	Rel string // relative to the project, with slashes; "." is the project itself
}

// Errors of Resolve.
var (
	ErrBlank = errors.New("the path is empty")
	ErrNUL   = errors.New("the path contains a NUL byte")
)

// OutsideError refuses a path that leaves the project.
type OutsideError struct{ Path, Root string }

func (e *OutsideError) Error() string {
	return fmt.Sprintf("%s is outside the project %s", e.Path, e.Root)
}

// PrivateError refuses a path in the program's own state.
type PrivateError struct{ Path string }

func (e *PrivateError) Error() string {
	return fmt.Sprintf("%s is not accessible: it belongs to the agent's own state", e.Path)
}

// ReadOnlyError refuses to write below a directory.
type ReadOnlyError struct{ Path, Dir string }

func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("%s is not writable: files in %s are not changed by file tools", e.Path, e.Dir)
}

// Resolve finds the place that a path names, relative to the project or absolute. The place need
// not exist. Its errors are those above, as they are.
func (r *Root) Resolve(path string, use Use) (Path, error) {
	if strings.TrimSpace(path) == "" {
		return Path{}, ErrBlank
	}
	if strings.IndexByte(path, 0) >= 0 {
		return Path{}, ErrNUL
	}
	if path == "~" || strings.HasPrefix(path, "~/") {
		return Path{}, &OutsideError{Path: path, Root: r.dir}
	}
	real, err := follow(r.begins(path))
	if err != nil {
		return Path{}, err
	}
	rel, ok := inside(r.dir, real)
	if !ok {
		return Path{}, &OutsideError{Path: path, Root: r.dir}
	}
	if r.isPrivate(real) {
		return Path{}, &PrivateError{Path: path}
	}
	p := Path{Rel: filepath.ToSlash(rel)}
	if use == Write {
		if dir, ok := readOnlyDir(p.Rel); ok {
			return Path{}, &ReadOnlyError{Path: path, Dir: dir}
		}
	}
	return p, nil
}

// begins says from where a path is followed.
func (r *Root) begins(path string) (start, rest string) {
	start, rest = r.dir, filepath.FromSlash(path)
	if filepath.IsAbs(rest) {
		start = volumeRoot(rest)
	}
	return start, rest
}

func (r *Root) isPrivate(real string) bool {
	if r.home == "" {
		return false
	}
	_, ok := insideFold(r.home, real)
	return ok
}

// OutputsDir holds tool results that were too long for a message. No path in it can be resolved for
// writing.
const OutputsDir = ".paicli/tool-outputs"

const gitDir = ".git"

// readOnlyDir returns the directory because of which a place is not written.
func readOnlyDir(rel string) (string, bool) {
	for part := range strings.SplitSeq(fold(rel), "/") {
		if part == gitDir || part == "git~1" {
			return gitDir, true
		}
	}
	_, ok := insideFold(OutputsDir, rel)
	return OutputsDir, ok
}

// inside reports whether a clean path is dir or below it, and where.
func inside(dir, p string) (string, bool) {
	if p == dir {
		return ".", true
	}
	if !strings.HasSuffix(dir, string(filepath.Separator)) {
		dir += string(filepath.Separator)
	}
	return strings.CutPrefix(p, dir)
}

// insideFold does so without regard to case: a protected directory must not be reached by another
// spelling on file systems that know no case.
func insideFold(dir, p string) (string, bool) {
	clean := func(p string) string { return filepath.FromSlash(fold(filepath.ToSlash(p))) }
	return inside(clean(dir), clean(p))
}

func volumeRoot(p string) string {
	return filepath.VolumeName(p) + string(filepath.Separator)
}

// maxLinks is how many links one path may go through; Linux allows 40.
const maxLinks = 40

// follow resolves path, from start on, the way the system would, part by part. From the first part
// that does not exist on it goes by the names alone.
func follow(start, path string) (string, error) {
	sep := string(filepath.Separator)
	cur, links := start, 0
	todo := strings.Split(strings.TrimPrefix(path, filepath.VolumeName(path)), sep)
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			cur = filepath.Dir(cur)
			continue
		}
		next := filepath.Join(cur, part)
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			cur = next
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: "resolve", Path: path, Err: errors.New("too many links")}
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			cur = volumeRoot(target)
			target = strings.TrimPrefix(target, filepath.VolumeName(target))
		}
		todo = append(strings.Split(target, sep), todo...)
	}
	return cur, nil
}
