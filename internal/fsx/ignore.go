package fsx

import (
	"io"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const ignoreFile = ".gitignore"

// maxIgnoreFile bounds how much of an ignore file is read, in bytes.
const maxIgnoreFile = 256 << 10

// level is the ignore rules of one directory, and those of the directories above.
type level struct {
	up    *level
	dir   string  // relative to the project
	paths []*rule // those for paths
	// Rules for names, by what makes it quick to tell that they do not match: the last byte, the
	// first byte, nothing.
	last, first map[byte][]*rule
	rest        []*rule
}

// rule is one line of an ignore file.
type rule struct {
	above   string // pattern of the directory, below that of the file, for which it is
	plain   bool   // above has no special character
	deep    bool   // it is for the directories below, too
	anyDir  bool   // it is for all directories: above is empty
	name    namePattern
	keep    bool // begins with !
	dirOnly bool
	level   *level
	at      int // its place among the rules of the file
}

// rulesAbove reads the rules that hold in a directory without its own: those of
// .git/info/exclude and of the ignore files in the directories above.
func (r *Root) rulesAbove(start Path) *level {
	l := newLevel(nil, ".", r.readRules(".git/info/exclude"))
	if start.Rel == "." {
		return l
	}
	dir := "."
	for part := range strings.SplitSeq(start.Rel, "/") {
		l = l.with(r, dir)
		dir = path.Join(dir, part)
	}
	return l
}

// with adds the rules of the ignore file in a directory below.
func (l *level) with(r *Root, dir string) *level {
	return newLevel(l, dir, r.readRules(path.Join(dir, ignoreFile)))
}

func newLevel(up *level, dir string, rules []*rule) *level {
	if len(rules) == 0 {
		return up
	}
	l := &level{up: up, dir: dir, last: map[byte][]*rule{}, first: map[byte][]*rule{}}
	for i, r := range rules {
		r.level, r.at = l, i
		switch text := r.name.text; {
		case !r.anyDir:
			l.paths = append(l.paths, r)
		case r.name.kind == isLiteral || r.name.kind == hasSuffix:
			l.last[text[len(text)-1]] = append(l.last[text[len(text)-1]], r)
		case r.name.kind == hasPrefix:
			l.first[text[0]] = append(l.first[text[0]], r)
		default:
			l.rest = append(l.rest, r)
		}
	}
	return l
}

// forDir selects the rules for paths that are for names in a directory.
func (l *level) forDir(rel string) (here []*rule) {
	for ; l != nil; l = l.up {
		below := ""
		switch {
		case rel == l.dir:
		case l.dir == ".":
			below = rel
		default:
			below = strings.TrimPrefix(rel, l.dir+"/")
		}
		for _, r := range l.paths {
			if r.isFor(below) {
				here = append(here, r)
			}
		}
	}
	return here
}

// isFor reports whether the rule is for names in a directory, which is given relative to that of the
// file.
func (r *rule) isFor(rel string) bool {
	switch {
	case r.above == rel:
		return true
	case r.plain:
		return r.deep && (r.above == "" || strings.HasPrefix(rel, r.above+"/"))
	case rel == "":
		return strings.Trim(r.above, "*/") == "" && !strings.Contains("/"+r.above+"/", "/*/")
	}
	ok, _ := doublestar.Match(r.above, rel)
	if !ok && r.deep {
		ok, _ = doublestar.Match(r.above+"/**", rel)
	}
	return ok
}

// ignored reports whether the last rule that matches says so. The caller does not enter ignored
// directories, so what is below one stays ignored.
func (n *node) ignored(name string, dir bool) bool {
	for l := n.rules; l != nil; l = l.up {
		best := latest(nil, n.here, l, name, dir)
		best = latest(best, l.last[name[len(name)-1]], l, name, dir)
		best = latest(best, l.first[name[0]], l, name, dir)
		if best = latest(best, l.rest, l, name, dir); best != nil {
			return !best.keep
		}
	}
	return false
}

// latest is the last rule of a level that matches, among some and the best so far.
func latest(best *rule, rules []*rule, l *level, name string, dir bool) *rule {
	for _, r := range rules {
		if r.level == l && (best == nil || r.at > best.at) && (dir || !r.dirOnly) && r.name.match(name) {
			best = r
		}
	}
	return best
}

// readRules reads an ignore file. One that cannot be read has no rules.
func (r *Root) readRules(rel string) []*rule {
	f, err := r.Open(Path{Rel: rel})
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return parseRules(string(data))
}

func parseRules(text string) []*rule {
	var rules []*rule
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		if r := parseRule(strings.TrimRight(line, "\r\n")); r != nil {
			rules = append(rules, r)
		}
	}
	return rules
}

// parseRule reads a line; nil = it says nothing.
func parseRule(line string) *rule {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return nil
	}
	r := &rule{}
	if line[0] == '!' {
		r.keep, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirOnly, line = true, strings.TrimRight(line, "/")
	}
	r.anyDir = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" || isSpecial(line) && !doublestar.ValidatePattern(escapeBraces(line)) {
		return nil
	}
	above, name := path.Split(line)
	if name == "**" {
		r.deep, name = true, "*"
	}
	r.above, r.plain = strings.TrimSuffix(above, "/"), !isSpecial(above)
	if !r.plain {
		r.above = escapeBraces(r.above)
	}
	r.name = namePattern{kind: isLiteral, text: name}
	if isSpecial(name) {
		r.name = newNamePattern(escapeBraces(name))
	}
	return r
}

// escapeBraces takes the meaning from braces: ignore files have no alternatives.
func escapeBraces(pattern string) string {
	return strings.NewReplacer(`\{`, `\{`, `\}`, `\}`, `{`, `\{`, `}`, `\}`).Replace(pattern)
}
