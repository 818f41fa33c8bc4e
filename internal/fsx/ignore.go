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

// ruleSet is the ignore rules of one directory.
type ruleSet struct {
	dir   string // relative to the project
	rules []rule
}

// rule is one line of an ignore file.
type rule struct {
	pattern string // for doublestar
	literal bool   // without any special character
	path    bool   // matches the path below the directory of the file, not the name alone
	keep    bool   // begins with !
	dirOnly bool
}

func (s ruleSet) any() bool { return len(s.rules) > 0 }

// rulesAbove reads the rules that hold in a directory without its own: those of
// .git/info/exclude and of the ignore files in the directories above.
func (r *Root) rulesAbove(start Path) []ruleSet {
	var sets []ruleSet
	if s := (ruleSet{dir: ".", rules: r.readRules(".git/info/exclude")}); s.any() {
		sets = append(sets, s)
	}
	if start.Rel == "." {
		return sets
	}
	dir := "."
	for part := range strings.SplitSeq(start.Rel, "/") {
		if s := r.rulesOf(dir); s.any() {
			sets = append(sets, s)
		}
		dir = path.Join(dir, part)
	}
	return sets
}

// rulesOf reads the ignore file of a directory.
func (r *Root) rulesOf(dir string) ruleSet {
	return ruleSet{dir: dir, rules: r.readRules(path.Join(dir, ignoreFile))}
}

// readRules reads an ignore file. One that cannot be read has no rules.
func (r *Root) readRules(rel string) []rule {
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

func parseRules(text string) []rule {
	var rules []rule
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		if r, ok := parseRule(strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseRule(line string) (rule, bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	var r rule
	if line[0] == '!' {
		r.keep, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirOnly, line = true, strings.TrimRight(line, "/")
	}
	r.path = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	r.literal = !strings.ContainsAny(line, `*?[\`)
	if !r.literal {
		line = escapeBraces(line)
	}
	r.pattern = line
	return r, line != "" && (r.literal || doublestar.ValidatePattern(line))
}

// escapeBraces takes the meaning from braces: ignore files have no alternatives.
func escapeBraces(pattern string) string {
	return strings.NewReplacer(`\{`, `\{`, `\}`, `\}`, `{`, `\{`, `}`, `\}`).Replace(pattern)
}

// match reports whether the rule speaks of a path below the directory of its file.
func (r rule) match(below string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	if !r.path {
		below = path.Base(below)
	}
	if r.literal {
		return r.pattern == below
	}
	ok, _ := doublestar.Match(r.pattern, below)
	return ok
}

// ignored reports whether the last rule that matches says so. The caller does not enter ignored
// directories, so what is below one stays ignored.
func ignored(sets []ruleSet, rel string, dir bool) bool {
	for i := len(sets) - 1; i >= 0; i-- {
		s := sets[i]
		below := rel
		if s.dir != "." {
			below = strings.TrimPrefix(rel, s.dir+"/")
		}
		for j := len(s.rules) - 1; j >= 0; j-- {
			if s.rules[j].match(below, dir) {
				return !s.rules[j].keep
			}
		}
	}
	return false
}
