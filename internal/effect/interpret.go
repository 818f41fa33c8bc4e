package effect

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// interprets judges what runs text as a program: shells, eval, source, interpreters.
func (c *cmd) interprets(name string) bool {
	switch name {
	case "eval":
		c.blame(Review, "runs text as a command")
		c.code(afterDash(c.argv[1:]))
		return true
	case "trap":
		c.blame(Review, "sets a trap")
		if args := afterDash(c.argv[1:]); len(args) > 1 {
			c.code(args[:1])
		}
		return true
	case "source", ".":
		c.sources()
		return true
	}
	if code, ok := shellCode(c.argv); ok {
		if c.hidden = plainShell(name, c.argv); !c.hidden {
			c.blame(Review, "runs "+name)
		}
		c.given = code[1:]
		c.code(code[:1])
		return true
	}
	if interpreterCode(name) == "" || isQuestion(name, c.argv[1:]) {
		return false
	}
	c.program(name)
	return true
}

// afterDash drops a leading --.
func afterDash(args []arg) []arg {
	if len(args) > 0 && args[0].text == "--" {
		return args[1:]
	}
	return args
}

// program judges an interpreter with the program that it runs.
func (c *cmd) program(name string) {
	word := c.argv[0].text
	file, from := script(c.argv)
	switch {
	case from == programFile && c.fetched(file):
		c.forbid(RemoteScript)
	case from == programFile && isShell(name) && file.output():
		c.pipedIn(file)
	case from == programFile && name == "deno" && file.text == "run" && c.argv[len(c.argv)-1].text == "-":
		c.drinks(name)
	case from == programFile && (name == "bun" || name == "deno") && !strings.ContainsAny(file.text, "./"):
		c.programs(name) // a subcommand
	case from == programFile && file.known():
		c.runsFile(file)
	case from == programInput:
		c.drinks(name)
	case from == programModule:
		c.effect(Run, word, "runs "+word)
	case c.fetched(file):
		c.forbid(RemoteScript)
	default:
		c.effect(Run, word, "runs "+word)
		c.unsure(c.out.Text, "runs code in the command line: "+shorten(name))
	}
}

// forbid notes a rule that speaks against the command.
func (c *cmd) forbid(code Code) {
	c.deny(code, joined(c.argv))
	c.blame(Deny, "forbidden: "+string(code))
}

// sources judges a file that the shell reads as its own text.
func (c *cmd) sources() {
	switch {
	case len(c.argv) < 2:
	case c.fetched(c.argv[1]):
		c.forbid(RemoteScript)
	case c.argv[1].output():
		c.pipedIn(c.argv[1])
	case c.argv[1].text == "/dev/stdin":
		c.drinks("sh")
	case c.argv[1].known():
		c.runsFile(c.argv[1])
	default:
		c.unsure(c.out.Text, "runs a file that is known only when it runs")
	}
	c.vars = nil
	if len(c.argv) < 2 || !strings.HasSuffix(c.argv[1].text, "/activate") { // virtual environments stay where they are
		c.dir = ""
	}
}

// pipedIn judges a shell that runs what the command of <(…) prints.
func (c *cmd) pipedIn(a arg) {
	c.unsure(c.out.Text, "runs a file that is known only when it runs")
	if sub, ok := a.subs[0].(*syntax.ProcSubst); ok && len(sub.Stmts) == 1 {
		text, _ := c.printed(sub.Stmts[0])
		c.deeper(strings.ReplaceAll(text, unknown, someVariable))
	}
}

// runsFile records a program of which only the file is known.
func (c *cmd) runsFile(a arg) {
	target := a.text
	if abs := resolve(c.dir, a.text); abs != "" {
		target = c.display(a.text, abs)
		if c.saved[abs] {
			c.blame(Ask, "runs a download that nobody has seen")
		}
	}
	if strings.HasPrefix(a.text, "./") && !strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "~") {
		target = "./" + target
	}
	c.walker.out.Scripts = append(c.walker.out.Scripts, target)
	c.effect(Run, target, "runs "+shorten(target))
}

// someVariable stands in a text for what is unknown of it.
const someVariable = "$__"

// code judges text that the command runs as shell code.
func (c *cmd) code(text []arg) {
	for _, a := range text {
		if c.fetched(a) || a.fed && c.in.download {
			c.forbid(RemoteScript)
			return
		}
	}
	if !allKnown(text) {
		c.unsure(c.out.Text, "runs text that is known only when it runs")
	}
	c.deeper(strings.ReplaceAll(joined(text), unknown, someVariable))
}

// drinks judges an interpreter that runs its standard input.
func (c *cmd) drinks(name string) {
	in := c.in
	switch {
	case in.download:
		c.forbid(RemoteScript)
	case in.script == "" && !in.unknown:
		c.effect(Run, name, "runs "+name)
		return
	case in.unknown || !isShell(name):
		c.effect(Run, c.argv[0].text, "runs "+name)
		c.unsure(c.out.Text, "runs its input as a program")
	}
	c.blame(Review, "runs its input as a program")
	if in.script != "" && isShell(name) {
		c.deeper(strings.ReplaceAll(in.script, unknown, someVariable))
	}
}

// deeper judges text inside the text.
func (c *cmd) deeper(text string) {
	w := &walker{scan: c.scan, dir: c.dir, depth: c.depth + 1, branch: c.branch}
	if len(c.given) > 0 {
		w.set("0", c.given[0])
		w.params = slices.Concat([]arg{}, c.given[1:])
	} else if c.argv[0].name() == "eval" {
		w.params = c.params
	}
	w.text(text)
	if name := c.argv[0].name(); name == "eval" {
		c.dir, c.vars = w.dir, nil
	}
}

// plainShell reports whether a shell of which the syntax is known is started with options for its
// text only.
func plainShell(name string, argv []arg) bool {
	if name != "sh" && name != "bash" && name != "dash" || name != argv[0].text {
		return false
	}
	for _, a := range argv[1:] {
		if !strings.HasPrefix(a.text, "-") {
			return true
		}
		if strings.Trim(a.text, "-ceux") != "" && a.text != "-lc" && a.text != "-l" {
			return false
		}
	}
	return true
}
