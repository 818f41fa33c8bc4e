package fsx

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
)

// Skipped counts what a walk left out.
type Skipped struct {
	Ignored    int // files and directories left out by ignore files or because they hold what is generated
	Unreadable int // directories that could not be read
}

func (s *Skipped) add(t Skipped) {
	s.Ignored += t.Ignored
	s.Unreadable += t.Unreadable
}

// Visit is what a walk does with the files that it finds.
type Visit[T any] struct {
	// Look makes the function that one worker calls for each of its files; several workers run at
	// the same time. A file is valid during the call only. What is not ok is forgotten.
	Look func() func(f *Item) (found T, ok bool)
	// Take gets what was found, in the order of the files' paths, one at a time, from any
	// goroutine. The walk ends once it returns false.
	Take func(found T) bool
}

// maxWorkers bounds the goroutines of a walk: with more of them, the system's directory locks and
// the memory are what they wait for.
const maxWorkers = 12

// Walk visits the files below a directory and leaves out what the project ignores: .gitignore
// files at all levels, .git/info/exclude, and directories of version control, dependencies and
// build results. It does not follow links. A start that is itself ignored is walked. It ends early
// when ctx does, with ctx's error. What was taken by then is the begin of what there is.
func Walk[T any](ctx context.Context, r *Root, start Path, visit Visit[T]) (Skipped, error) {
	tree, err := newTree(r)
	if err != nil {
		return Skipped{}, err
	}
	defer tree.close()
	top := &node{tree: tree, rel: start.Rel, rules: r.rulesAbove(start)}
	names, err := top.open(&Item{})
	if err != nil {
		return Skipped{}, err
	}
	c := newCrawl(visit)
	c.guess = top.rules == nil && !names.has(ignoreFile)
	first := c.begin(top)
	parts, skipped := c.parts(top, names)
	c.finish(first, parts, skipped)
	stop := context.AfterFunc(ctx, c.end)
	defer stop()
	c.run(min(runtime.GOMAXPROCS(0), maxWorkers))
	if err := ctx.Err(); err != nil {
		return c.skipped, err
	}
	return c.skipped, nil
}

// node is a directory of a walk.
type node struct {
	tree   *tree
	rel    string
	rules  *level
	here   []*rule // rules for paths, as far as they are for names in this directory
	handle handle  // the open directory
	secret bool    // it holds credentials
}

// tree is what the directories of a walk share.
type tree struct {
	root *Root
	top  *os.File     // the project
	open atomic.Int32 // directories that are open now
}

func newTree(r *Root) (*tree, error) {
	top, err := r.root.Open(".")
	return &tree{root: r, top: top}, err
}

func (t *tree) close() { t.top.Close() }

func (n *node) join(name string) string {
	if n.rel == "." {
		return name
	}
	return n.rel + "/" + name
}

// entry is a name in a directory.
type entry struct {
	name string
	typ  fs.FileMode
}

// entries is a directory's content in the order of the paths.
type entries []entry

func (e entries) has(name string) bool {
	for i := range e {
		if e[i].name == name {
			return true
		}
	}
	return false
}

// comparePaths orders names as the paths of the files at or below them: a directory stands where
// its name with a slash does.
func comparePaths(a, b entry) int {
	n := min(len(a.name), len(b.name))
	if c := strings.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c
	}
	return a.after(n) - b.after(n)
}

// sortEntries sorts in that order.
func sortEntries(list []fs.DirEntry) {
	slices.SortFunc(list, func(a, b fs.DirEntry) int {
		return comparePaths(entry{a.Name(), a.Type()}, entry{b.Name(), b.Type()})
	})
}

// after is the byte at a place of the entry's path, -1 behind its end.
func (e entry) after(n int) int {
	switch {
	case n < len(e.name):
		return int(e.name[n])
	case e.typ.IsDir():
		return '/'
	}
	return -1
}

// parts makes the pieces of work of a directory that was read: runs of files, and directories
// below. It uses names as the room for what is left of them.
func (c *crawl[T]) parts(n *node, names entries) (parts []*slot[T], skipped Skipped) {
	if names.has(ignoreFile) {
		n.rules = n.rules.with(n.tree.root, n.rel)
	}
	n.here = n.rules.forDir(n.rel)
	kept := names[:0]
	for _, e := range names {
		keep, ignored := c.wants(n, e)
		if ignored {
			skipped.Ignored++
		}
		if keep {
			kept = append(kept, e)
		}
	}
	for from := 0; from < len(kept); {
		to := from + 1
		if e := kept[from]; e.typ.IsDir() {
			parts = append(parts, &slot[T]{dir: &node{
				tree: n.tree, rel: n.join(e.name), rules: n.rules, secret: n.secret || isSecretName(fold(e.name)),
			}})
		} else {
			for to < len(kept) && to-from < runLength && !kept[to].typ.IsDir() {
				to++
			}
			parts = append(parts, &slot[T]{dir: n, files: kept[from:to]})
			n.handle.keep()
		}
		from = to
	}
	n.handle.release()
	return parts, skipped
}

// runLength is how many files one worker searches at a time: enough to make the handing out cheap,
// few enough to share the files of one directory.
const runLength = 32

// wants decides on an entry, and says whether it is left out as ignored.
func (c *crawl[T]) wants(n *node, e entry) (keep, ignored bool) {
	if !e.typ.IsDir() {
		if _, ours := parseTemp(e.name); ours {
			return false, false
		}
		ignored = n.ignored(e.name, false)
		return !ignored, ignored
	}
	if isInternal(e.name) {
		return false, false
	}
	if r := n.tree.root; r.home != "" && r.isPrivate(filepath.Join(r.dir, filepath.FromSlash(n.join(e.name)))) {
		return false, false
	}
	ignored = isGenerated(e.name, c.guess) || n.ignored(e.name, true)
	return !ignored, ignored
}

// isInternal knows directories whose content is nobody's source.
func isInternal(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".paicli":
		return true
	}
	return false
}

// isGenerated knows directories of dependencies and build results. The names of the latter are used
// for sources too, so they are a guess, made only where no ignore file says better.
func isGenerated(name string, guess bool) bool {
	switch name {
	case "node_modules", ".idea", ".gradle", ".venv", "__pycache__":
		return true
	case "target", "dist", "build", "coverage":
		return guess
	}
	return false
}

// Item is a file of a walk, or with its type a link or special file.
type Item struct {
	dir   *node
	entry entry
	buf   []byte // of the worker, for the content
	list  []byte // of the worker, for directories
}

// Name is the last part of the path.
func (f *Item) Name() string { return f.entry.name }

// Path is relative to the project, with slashes.
func (f *Item) Path() string { return f.dir.join(f.entry.name) }

// Secret reports whether the file is one of credentials, by its name or that of a directory between it
// and the start of the walk.
func (f *Item) Secret() bool { return f.dir.secret || isSecretName(foldName(f.entry.name)) }

// Type is the kind of file.
func (f *Item) Type() fs.FileMode { return f.entry.typ }
