package effect

import (
	"slices"
	"strings"
	"sync"
)

// gitReaders are the subcommands of git that only read, in the form of the table of tools; @name stands for
// the options of an earlier line. Kinds of operands: rev, revisions and paths, which the text does
// not tell apart; list, operands only with --list; ask, a second operand writes; file, the last is a
// file.
var gitReaders = sync.OnceValue(func() map[string]*tool { return parseTools(gitTable) })

const gitTable = `
@diff - pbwzsuU:M?C?B?D:S:G:Rarl: stat? numstat shortstat dirstat? summary name-only name-status raw patch no-patch patch-with-stat unified: color? no-color word-diff? color-words? word-diff-regex: ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol minimal patience histogram diff-algorithm: find-renames? find-copies? no-renames diff-filter: pickaxe-all pickaxe-regex relative? no-relative text binary full-index abbrev? no-abbrev check exit-code quiet no-commit-id root no-ext-diff no-textconv submodule? ignore-submodules? src-prefix: dst-prefix: no-prefix inter-hunk-context: function-context compact-summary color-moved? cached staged merge-base no-color-moved ext-diff! textconv! output!> no-index! -number
@log - n:giEFPmcL:t oneline max-count: skip: since: after: until: before: author: committer: grep: all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp all branches? tags? remotes? glob: exclude: graph decorate? no-decorate decorate-refs: format: pretty? abbrev-commit no-abbrev-commit parents children left-right topo-order date-order author-date-order reverse first-parent merges no-merges min-parents: max-parents: follow full-history simplify-by-decoration ancestry-path? date: relative-date walk-reflogs cherry cherry-pick cherry-mark left-only right-only boundary source full-diff notes? no-notes log-size show-signature! stdin! no-walk? count
status rev su?vzbM? short branch porcelain? long untracked-files? ignored? no-renames show-stash ahead-behind no-ahead-behind column? no-column find-renames? verbose ignore-submodules?
log|show|whatchanged|rev-list rev - @diff @log
diff|diff-tree|diff-index|diff-files|range-diff rev - @diff
shortlog rev nesc - @log numbered summary email group:
reflog reflog - @diff @log
blame|annotate file L:lstpewfnbM?C? porcelain line-porcelain incremental root date: show-name show-number show-email show-stats color-lines color-by-age abbrev: since: first-parent ignore-rev:
branch list avr all remotes verbose list show-current contains: no-contains: merged? no-merged? sort: format: points-at: column? no-column color? no-color ignore-case abbrev?
tag list n?li list sort: format: contains: no-contains: merged? no-merged? points-at: column? color? ignore-case
remote remote v verbose
ls-files rev cdmosuktvzx:X! cached deleted modified others ignored stage unmerged killed directory no-empty-directory exclude: exclude-standard error-unmatch full-name recurse-submodules abbrev? deduplicate eol format:
ls-tree rev drtlz name-only name-status long full-name full-tree abbrev? object-only format:
rev-parse rev q show-toplevel show-prefix show-cdup git-dir git-common-dir absolute-git-dir abbrev-ref? short? verify quiet is-inside-work-tree is-inside-git-dir is-bare-repository symbolic-full-name symbolic all branches? tags? remotes? since: until: show-superproject-working-tree path-format: show-object-format?
merge-base rev a all octopus is-ancestor fork-point independent
describe rev - tags all long always dirty? abbrev: exact-match match: exclude: first-parent contains candidates: broken?
name-rev|show-ref|for-each-ref|cherry|var|count-objects|show-branch rev vHqdsh tags heads head all verify quiet hash? dereference abbrev? sort: format: count: points-at: contains: merged? no-merged? name-only refs: always human-readable verbose
symbolic-ref ask q short quiet
cat-file rev tspe
grep grep incwlLhHoEFGPA:B:C:e:f!<qapzrvm:WI ignore-case line-number count word-regexp files-with-matches name-only files-without-match fixed-strings extended-regexp basic-regexp perl-regexp show-function function-context after-context: before-context: context: max-depth: cached untracked heading break color? no-color and or not all-match quiet text max-count: column null only-matching threads: invert-match full-name recursive -number
check-ignore|check-attr|check-mailmap rev vnqza verbose non-matching quiet all no-index
stash stash p - @diff @log include-untracked only-untracked
config config lz get list get-all get-regexp global system local show-origin show-scope name-only null bool int type: includes default: worktree
worktree worktree v porcelain verbose
bisect bisect -
notes notes -
clean clean nxXe:dqf!i! dry-run exclude: quiet force! interactive!
version none - build-options all
`

// git judges a git: its own options, then the subcommand.
func (c *cmd) git(args []arg) {
	from := c.dir
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		switch t := args[0].text; t {
		case "--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects":
			args = args[1:]
		case "-C":
			if len(args) > 1 {
				c.dir = resolve(c.dir, args[1].text)
			}
			args = args[min(2, len(args)):]
			c.blame(Review, "git in another directory")
		case "-c", "--git-dir", "--work-tree", "--exec-path", "--namespace", "--config-env":
			args = args[min(2, len(args)):]
			c.blame(Review, "git with settings that can run programs: "+t)
		case "--version", "--help":
			args = []arg{{text: "version"}}
		default:
			args = args[1:]
			c.blame(Review, "option "+shorten(t)+" of git")
		}
	}
	if c.dir != c.root {
		c.blame(Review, "git in another directory")
	}
	c.subcommandOfGit(args)
	c.dir = from
}

func (c *cmd) subcommandOfGit(args []arg) {
	if len(args) == 0 {
		return
	}
	if !args[0].known() {
		c.unsure(c.out.Text, "a command of git that is known only when it runs")
		return
	}
	sub := args[0].text
	if t, ok := gitReaders()[sub]; ok && c.gitReads(sub, t, args[1:]) {
		return
	}
	c.gitWrites(sub, args[1:])
}

// gitReads judges a subcommand that reads, and reports false when its options or operands make it
// one that does not.
func (c *cmd) gitReads(sub string, t *tool, args []arg) bool {
	p := t.options(args)
	dashes := slices.IndexFunc(args, func(a arg) bool { return a.text == "--" })
	ops := p.operands
	word := ""
	if len(ops) > 0 {
		word = ops[0].text
	}
	switch t.kind {
	case "list":
		if len(ops) > 0 && !p.has("--list", "l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at") || p.why != "" {
			return false
		}
	case "reflog":
		if word == "expire" || word == "delete" || word == "drop" {
			return false
		}
	case "remote":
		if word != "" && word != "get-url" {
			return false
		}
	case "ask":
		if len(ops) > 1 {
			return false
		}
	case "stash":
		if word != "list" && word != "show" {
			return false
		}
	case "config":
		if word == "edit" || len(ops) > 1 || p.why != "" || len(ops) == 0 && !p.has("l", "--list") {
			return false
		}
	case "worktree", "notes", "bisect":
		if word != "list" && word != "log" && word != "show" {
			return false
		}
	case "clean":
		if !p.has("n", "--dry-run") {
			return false
		}
	}
	if p.why != "" {
		c.blame(Review, p.why)
	}
	c.gitFormat(p)
	c.gitOperands(t.kind, sub, ops, args, dashes)
	c.outputs(p)
	return true
}

// gitFormat looks for the placeholders of a format that make git run a program for signatures.
func (c *cmd) gitFormat(p *parsed) {
	for _, name := range []string{"--format", "--pretty"} {
		if v, ok := p.opts[name]; ok && (strings.Contains(v.text, "%G") || strings.Contains(v.text, "(signature")) {
			c.blame(Review, "a format that checks signatures")
		}
	}
	for _, v := range p.values("L") {
		if _, file, ok := strings.Cut(v.text, ":"); ok && isSecret(resolve(c.root, file[strings.LastIndexByte(file, ':')+1:]), c.home, c.root) {
			c.blame(Ask, "reads credentials: "+shorten(file))
		}
	}
}

// gitOperands records what a reading subcommand reads.
func (c *cmd) gitOperands(kind, sub string, ops, args []arg, dashes int) {
	paths := 0
	if dashes >= 0 {
		paths = len(args) - dashes - 1
	} else if kind == "file" {
		paths = 1
	}
	paths = min(paths, len(ops))
	revs := ops[:len(ops)-paths]
	if sub == "check-ignore" || sub == "check-attr" {
		c.looks(ops)
		return
	}
	for _, a := range revs {
		c.revision(a, sub == "grep" && a.text == revs[0].text)
	}
	c.each(Read, ops[len(ops)-paths:])
	if paths == 0 {
		c.here(Read)
	}
}

// revision judges a word that may be a revision or a path.
func (c *cmd) revision(a arg, pattern bool) {
	_, file, colon := strings.Cut(a.text, ":")
	switch {
	case !a.known():
		c.blame(Review, "expands a variable")
	case pattern:
	case colon && file != "" && strings.IndexByte("/(!^", file[0]) < 0:
		if isSecret(resolve(c.root, file), c.home, c.root) {
			c.blame(Ask, "reads credentials: "+shorten(a.text))
		}
		if c.add(Access{Read, c.display(file, resolve(c.root, file))}); strings.HasPrefix(file, "../") {
			c.blame(c.judgePath(Read, arg{text: file}, resolve(c.dir, file)))
		}
	case colon && isSecret(resolve(c.root, file), c.home, c.root), isSecret(resolve(c.dir, a.text), c.home, c.root):
		c.blame(Ask, "reads credentials: "+shorten(a.text))
	case strings.HasPrefix(a.text, "/"), a.text == "..", strings.HasPrefix(a.text, "../"), strings.Contains(a.text, "/../"):
		c.blame(c.judgePath(Read, a, resolve(c.dir, a.text)))
	}
}
