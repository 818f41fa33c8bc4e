package fsx

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
)

// Entry is something that a walk found: a file or, with its type, a link or special file.
type Entry struct {
	Path string // relative to the project, with slashes
	Type fs.FileMode
}

// Skipped counts what a walk left out.
type Skipped struct {
	Ignored    int // files and directories left out by ignore files or because they hold what is generated
	Unreadable int // directories that could not be read
}

// Walk visits the files below a directory, in the order of their paths, and leaves out what the
// project ignores: .gitignore files at all levels, .git/info/exclude, and directories of version
// control, dependencies and build results. It does not follow links. A start that is itself
// ignored is walked. It ends early when ctx does, or without an error when visit returns
// fs.SkipAll.
func (r *Root) Walk(ctx context.Context, start Path, visit func(Entry) error) (Skipped, error) {
	w := &walk{root: r, visit: visit}
	rules := r.rulesAbove(start)
	w.guess = len(rules) == 0 && !r.exists(path.Join(start.Rel, ignoreFile))
	err := w.dir(ctx, start.Rel, rules, true)
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return w.skipped, err
}

type walk struct {
	root    *Root
	visit   func(Entry) error
	skipped Skipped
	guess   bool // no ignore file says where build results are
}

// dir walks one directory with the rules of the directories above it.
func (w *walk) dir(ctx context.Context, rel string, rules []ruleSet, first bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := w.root.ReadDir(Path{Rel: rel})
	if err != nil {
		if first {
			return err
		}
		w.skipped.Unreadable++
		return nil
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ignoreFile }) {
		if own := w.root.rulesOf(rel); own.any() {
			rules = append(slices.Clip(rules), own)
		}
	}
	for _, e := range entries {
		if err := w.entry(ctx, path.Join(rel, e.Name()), e, rules); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(ctx context.Context, rel string, e fs.DirEntry, rules []ruleSet) error {
	if !e.IsDir() {
		if _, ok := parseTemp(e.Name()); ok {
			return nil
		}
		if ignored(rules, rel, false) {
			w.skipped.Ignored++
			return nil
		}
		return w.visit(Entry{Path: rel, Type: e.Type()})
	}
	if w.root.isPrivate(filepath.Join(w.root.dir, filepath.FromSlash(rel))) {
		return nil
	}
	if isInternal(e.Name()) {
		return nil
	}
	if isGenerated(e.Name(), w.guess) || ignored(rules, rel, true) {
		w.skipped.Ignored++
		return nil
	}
	return w.dir(ctx, rel, rules, false)
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

func (r *Root) exists(rel string) bool {
	_, err := r.root.Lstat(rel)
	return err == nil
}

// sortEntries sorts so that a walk visits files in the order of their paths.
func sortEntries(entries []fs.DirEntry) {
	key := func(e fs.DirEntry) string {
		if e.IsDir() {
			return e.Name() + "/"
		}
		return e.Name()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(key(a), key(b)) })
}
