package fsx

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob is a pattern for paths: *, **, ?, [classes], {alternatives}, and \ before a character that
// is meant as it is.
type Glob struct {
	pattern string
	inName  bool        // has no slash: it is for the name alone, in any directory
	name    namePattern // the pattern, then
}

// Glob reads a pattern. It may be absolute, as long as it stays in the project.
func (r *Root) Glob(pattern string) (Glob, error) {
	p := filepath.ToSlash(strings.TrimSpace(pattern))
	if p == "" {
		return Glob{}, ErrBlank
	}
	if below, ok := strings.CutPrefix(p, filepath.ToSlash(r.dir)+"/"); ok {
		p = below
	}
	if path.IsAbs(p) || slices.Contains(strings.Split(p, "/"), "..") {
		return Glob{}, &OutsideError{Path: pattern, Root: r.dir}
	}
	p = strings.TrimPrefix(p, "./")
	if !doublestar.ValidatePattern(p) {
		return Glob{}, fmt.Errorf("invalid pattern %q: a bracket or brace is not closed", pattern)
	}
	g := Glob{pattern: p, inName: !strings.Contains(p, "/")}
	if g.inName {
		g.name = newNamePattern(p)
	}
	return g, nil
}

// Match reports whether a path matches. A path equal to the pattern does, whatever characters it
// has.
func (g Glob) Match(rel string) bool {
	if g.inName {
		name := path.Base(rel)
		return name == g.pattern || g.name.match(name)
	}
	if rel == g.pattern {
		return true
	}
	ok, _ := doublestar.Match(g.pattern, rel)
	return ok
}

// MatchFile reports whether a file's path matches, from the project or from the start of the walk.
func (g Glob) MatchFile(f *Item, start Path) bool {
	if g.inName {
		return g.Match(f.Name())
	}
	rel := f.Path()
	return g.Match(rel) || start.Rel != "." && g.Match(strings.TrimPrefix(rel, start.Rel+"/"))
}
