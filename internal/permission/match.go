package permission

import (
	"path"
	"slices"
	"strings"

	"paicli/internal/effect"
)

// coversCommand reports whether an allow rule covers one simple command, word for word: a last * stands
// for any further words, known or not. Variables in front must be named in the rule; a name that is
// known only at run time is covered by a rule for everything alone.
func (r Rule) coversCommand(c effect.Command) bool {
	if r.names[0] != runTool {
		return false
	}
	if r.any {
		return true
	}
	pattern := r.words
	var vars []string
	for len(pattern) > 0 && pattern[0].vars {
		vars, pattern = append(vars, strings.TrimSuffix(pattern[0].text, "=*")), pattern[1:]
	}
	for _, name := range c.Assigns {
		if !slices.Contains(vars, name) {
			return false
		}
	}
	if len(pattern) == 0 {
		return len(c.Words) == 0 // it only sets variables
	}
	return fits(pattern, c.Words, false)
}

// speaksOf reports whether a deny or ask rule speaks of a simple command: it does wherever an allow rule
// of the same text would, and also when the program is named by its path or in other letters, whatever
// variables stand in front. A word that is known only at run time may be any.
func (r Rule) speaksOf(c effect.Command) bool {
	if r.names[0] != runTool || r.any {
		return r.names[0] == runTool
	}
	pattern := slices.DeleteFunc(slices.Clone(r.words), func(w word) bool { return w.vars })
	return len(pattern) > 0 && (fits(pattern, c.Words, true) || fits(pattern, plainGit(c.Words), true))
}

// plainGit are the words of a git without the options before its subcommand, nil for other programs.
func plainGit(words []string) []string {
	if len(words) < 2 || !strings.HasPrefix(words[1], "-") || !sameWord("git", words[0], true, true) {
		return nil
	}
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source"}, w):
			i++
		case !strings.HasPrefix(w, "-"):
			return slices.Concat([]string{"git"}, words[i:])
		}
	}
	return nil
}

// fits compares words. strict reads doubt as a match, as rules that forbid need it.
func fits(pattern []word, words []string, strict bool) bool {
	if len(words) == 0 {
		return false
	}
	for i, w := range pattern {
		if w.wild && i == len(pattern)-1 {
			return true
		}
		if i >= len(words) || !sameWord(w.text, words[i], i == 0, strict) {
			return false
		}
	}
	return len(words) == len(pattern)
}

func sameWord(want, got string, first, strict bool) bool {
	if got == "" {
		return strict && !first || want == ""
	}
	if strict && first && !strings.Contains(want, "/") {
		return strings.EqualFold(want, strings.TrimSuffix(path.Base(got), ".exe"))
	}
	return want == got
}

// coversPath reports whether the rule covers a path: relative to the project with slashes, or
// absolute when it is elsewhere. fold disregards case, as rules that forbid need it.
func (r Rule) coversPath(rel string, fold bool) bool {
	if r.any {
		return true
	}
	pattern := r.pattern
	if fold {
		pattern, rel = strings.ToLower(pattern), strings.ToLower(rel)
	}
	return matchPath(pattern, rel)
}

// speaksOfTarget reports whether a rule that asks or denies may speak of a path that a command names: of the
// path, of what is below it, or of what its shell pattern stands for.
func (r Rule) speaksOfTarget(target string) bool {
	if r.coversPath(target, true) || r.coversPath(target+"/_", true) && strings.HasSuffix(r.pattern, "/**") {
		return true
	}
	if !strings.ContainsAny(target, "*?[") {
		return false
	}
	pattern := strings.Trim(strings.TrimPrefix(strings.ToLower(r.pattern), "./"), "/")
	named, parts := strings.Split(pattern, "/"), strings.Split(strings.ToLower(target), "/")
	if len(named) == 1 {
		return slices.ContainsFunc(parts, func(part string) bool { return meet(part, pattern) })
	}
	for i, part := range parts {
		if i == len(named) || named[i] == "**" || part == "**" {
			return true
		}
		if !meet(part, named[i]) {
			return false
		}
	}
	return len(parts) >= len(named)-1
}

// meet reports whether a part of a path in which there may be a shell pattern may be what a part of a rule
// stands for. A pattern for every name means none of them in particular.
func meet(part, named string) bool {
	if strings.Trim(part, "*?.[]") == "" {
		return part == named
	}
	return matchPart(part, named) || matchPart(named, part)
}

// matchPath matches as a line of an ignore file does: a pattern with a slash is meant from the project
// down (`//` from the root of the file system), any other for a name anywhere; what is below a
// directory that matches, matches.
func matchPath(pattern, rel string) bool {
	pattern = strings.TrimRight(strings.TrimPrefix(pattern, "./"), "/")
	if pattern == "" {
		return false
	}
	if whole, ok := strings.CutPrefix(pattern, "//"); ok {
		return path.IsAbs(rel) && matchParts(strings.Split(whole, "/"), strings.Split(rel[1:], "/"))
	}
	if path.IsAbs(rel) {
		return false
	}
	parts := strings.Split(rel, "/")
	if strings.Contains(pattern, "/") {
		return matchParts(strings.Split(strings.TrimPrefix(pattern, "/"), "/"), parts)
	}
	return slices.ContainsFunc(parts, func(part string) bool { return matchPart(pattern, part) })
}

// matchParts matches the parts of a path from the first on; the pattern may end earlier. `**` stands for
// any parts; at the end of a pattern for at least one.
func matchParts(pattern, parts []string) bool {
	if n := len(pattern); pattern[n-1] == "**" {
		pattern = append(slices.Clone(pattern[:n-1]), "*")
	}
	p, i, star, from := 0, 0, -1, 0
	for p < len(pattern) {
		switch {
		case pattern[p] == "**":
			star, from = p, i
			p++
		case i < len(parts) && matchPart(pattern[p], parts[i]):
			p++
			i++
		case star >= 0 && from < len(parts):
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	return true
}

func matchPart(pattern, part string) bool {
	ok, _ := path.Match(pattern, part)
	return ok || pattern == part
}
