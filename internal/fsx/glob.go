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
	name    bool // has no slash: it is for the name alone, in any directory
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
	return Glob{pattern: p, name: !strings.Contains(p, "/")}, nil
}

// Match reports whether a path matches. A path equal to the pattern does, whatever characters it
// has.
func (g Glob) Match(rel string) bool {
	if rel == g.pattern {
		return true
	}
	if g.name {
		rel = path.Base(rel)
	}
	ok, _ := doublestar.Match(g.pattern, rel)
	return ok
}
