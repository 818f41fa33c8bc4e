package effect

import (
	"path"
	"slices"
	"strings"
)

// gitValues are the long options that take a value, of all subcommands that change something.
const gitValues = "- - message: author: date: branch: depth: origin: upload-pack!: strategy: onto: set-upstream-to: track? force force-with-lease? source: start-point: reference: conflict: file!< jobs: recurse-submodules? pathspec-from-file!< filter: exec!: receive-pack!: upload-archive!: template!: separate-git-dir!: config!: hard soft mixed keep staged worktree all cached check stat numstat global system dry-run discard-changes delete"

// gitWrites judges a subcommand of git that changes something.
func (c *cmd) gitWrites(sub string, args []arg) {
	c.blame(Review, "git "+shorten(sub))
	t := gitWriter()
	t.letters(gitLetters(sub))
	p := t.options(args)
	switch sub {
	case "pull", "fetch", "push", "ls-remote", "clone", "submodule":
		c.gitNet(sub, p)
	case "checkout", "switch", "restore", "reset":
		paths, dashed := afterDashes(args)
		c.gitMoves(sub, p, paths, dashed)
	case "merge", "rebase", "cherry-pick", "revert", "am", "stash":
		switch {
		case sub == "am":
			c.each(Read, p.operands)
		case sub == "stash" && len(p.operands) > 0 && (p.operands[0].text == "drop" || p.operands[0].text == "clear"):
			c.blame(Ask, "discards changes that are not committed")
		}
		c.gitTree()
	case "clean":
		c.gitCleans(p)
	case "worktree":
		c.gitWorktree(p.operands)
	case "config":
		c.gitConfig(p)
	case "archive", "bundle", "format-patch":
		c.here(Read)
	default:
		c.gitFiles(sub, p)
	}
}

// gitWriter is a table for a subcommand that changes something.
func gitWriter() *tool { return parseTools("git " + gitValues)["git"] }

// gitFiles judges the subcommands whose operands are files, and those that change the repository only.
func (c *cmd) gitFiles(sub string, p *parsed) {
	ops := p.operands
	last := max(0, len(ops)-1)
	switch sub {
	case "add", "stage":
		c.each(Read, ops)
		if len(ops) == 0 {
			c.here(Read)
		}
	case "commit":
		if p.has("a", "--all") {
			c.here(Read)
		}
	case "rm":
		if !p.has("--cached") {
			c.each(Delete, ops)
		}
	case "mv":
		c.each(Delete, ops[:last])
		c.each(Write, ops[last:])
	case "init":
		c.each(Write, ops)
	case "apply":
		c.each(Read, ops)
		if !p.has("--check", "--stat", "--numstat") {
			c.here(Write)
		}
		return
	case "remote":
		if len(ops) > 0 && (ops[0].text == "show" || ops[0].text == "update" || ops[0].text == "prune") {
			c.remote(nil)
		}
	case "branch", "tag", "reflog", "notes", "bisect", "symbolic-ref", "update-ref", "gc", "prune", "repack", "update-index", "write-tree", "commit-tree",
		"replace", "maintenance", "pack-refs", "read-tree", "rerere", "sparse-checkout":
	default:
		c.effect(Run, "git "+sub, "runs git "+shorten(sub))
		return
	}
	c.repository()
}

// gitLetters are the options of a subcommand that take a value.
func gitLetters(sub string) string {
	switch sub {
	case "commit":
		return "m:F<C:c:t<S?u?aqvnsepioz"
	case "checkout", "switch":
		return "b:B:c:C:qftlpm"
	case "merge", "cherry-pick", "revert", "rebase", "pull":
		return "m:s:X:x!:S?qvneifkar"
	case "clone":
		return "b:o:j:c!:u!:qvnsl"
	case "push":
		return "o:ufqvndad46"
	case "fetch":
		return "j:afkmnpqtuv46"
	case "clean":
		return "e:dfinqxX"
	case "restore":
		return "s:SWqpm"
	case "stash":
		return "m:uakqpS"
	case "worktree":
		return "b:B:dfv"
	case "tag":
		return "m:F<u:n?asdflv"
	case "add":
		return "AuNfnpieuv"
	case "submodule":
		return "b:j:q"
	}
	return "abcdfiklmnpqrstuvwxzADEMRSUW"
}

// afterDashes is the operands after --.
func afterDashes(args []arg) ([]arg, bool) {
	i := slices.IndexFunc(args, func(a arg) bool { return a.text == "--" })
	if i < 0 {
		return nil, false
	}
	return args[i+1:], true
}

// repository records a change of the repository itself.
func (c *cmd) repository() {
	a := arg{text: ".git"}
	if j := c.touched(Write, a); j.Target != "" {
		c.add(j.Access)
	}
}

// gitTree records a change of the repository and of the files in the project.
func (c *cmd) gitTree() {
	c.repository()
	c.here(Write)
}

// gitMoves judges what makes files or the index what they were at another time.
func (c *cmd) gitMoves(sub string, p *parsed, paths []arg, dashed bool) {
	everything := slices.ContainsFunc(paths, isHere) || sub != "reset" && slices.ContainsFunc(p.operands, isHere)
	staged := sub == "restore" && p.has("--staged", "S") && !p.has("--worktree", "W")
	switch {
	case sub == "reset" && p.has("--hard"):
		c.blame(Ask, "discards changes that are not committed")
		c.gitTree()
	case sub == "reset" && !p.has("--merge", "--keep"), staged, p.has("b", "B", "c", "C") && !dashed:
		c.repository()
	case sub == "restore" || dashed && len(paths) > 0 || everything && sub == "checkout":
		if everything {
			c.blame(Ask, "discards changes that are not committed")
		}
		if sub == "restore" || !dashed {
			paths = p.operands
		}
		c.each(Write, paths)
		c.repository()
	default:
		if p.has("f", "--force", "--discard-changes") {
			c.blame(Ask, "discards changes that are not committed")
		}
		c.gitTree()
	}
}

func isHere(a arg) bool { return a.text == "." || a.text == ":/" || a.text == "./" || a.text == "*" }

// gitCleans judges a clean that is no dry run.
func (c *cmd) gitCleans(p *parsed) {
	c.blame(Ask, "deletes files that are not committed")
	if len(p.operands) == 0 {
		c.here(Delete)
	}
	c.each(Delete, p.operands)
}

func (c *cmd) gitWorktree(ops []arg) {
	if len(ops) > 1 {
		switch ops[0].text {
		case "add":
			c.touch(Write, ops[1])
		case "remove":
			c.touch(Delete, ops[1])
		}
	}
	c.repository()
}

// gitConfig judges a change of settings, some of which name programs.
func (c *cmd) gitConfig(p *parsed) {
	c.blame(Ask, "changes settings that can run programs")
	if p.has("--global") {
		c.touch(Write, arg{text: c.home + "/.gitconfig"})
		return
	}
	c.repository()
}

// gitNet judges what talks to another repository.
func (c *cmd) gitNet(sub string, p *parsed) {
	ops := p.operands
	switch sub {
	case "pull":
		c.remote(ops)
		c.gitTree()
	case "fetch":
		c.remote(ops)
		c.repository()
	case "push", "ls-remote":
		c.remote(ops)
	case "submodule":
		c.remote(nil)
		c.gitTree()
	case "clone":
		c.remote(ops)
		if len(ops) == 1 {
			c.touch(Write, arg{text: strings.TrimSuffix(path.Base(ops[0].text), ".git")})
		} else if len(ops) > 1 {
			c.touch(Write, ops[1])
		}
	}
}

// remote records the host of another repository: that of a URL, or whatever the name stands for.
func (c *cmd) remote(ops []arg) {
	target := "remote"
	if len(ops) > 0 {
		url := ops[0].text
		if host, rest, scp := strings.Cut(url, ":"); strings.Contains(url, "://") {
			target = hostOf(url)
		} else if scp && rest != "" && !strings.Contains(host, "/") {
			target = host[strings.LastIndexByte(host, '@')+1:]
		}
	}
	c.effect(Net, target, "reaches the network: git")
}
