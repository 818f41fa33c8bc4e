package effect

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// cmd is one simple command that is being judged.
type cmd struct {
	*walker
	argv    []arg
	effects []judged
	out     Command
	given   []arg // $0 and so on of the text that it hands to a shell
	listed  bool  // before what it starts was judged
	hidden  bool  // it starts other commands and does nothing else worth a mention
}

// call judges a simple command of the tree, or a statement that only sets variables.
func (w *walker) call(st *syntax.Stmt, call *syntax.CallExpr, effects []judged) {
	c := &cmd{walker: w, effects: effects, out: Command{Text: w.source(call)}}
	for _, a := range call.Assigns {
		if a.Name != nil {
			c.out.Assigns = append(c.out.Assigns, a.Name.Value)
		}
		if len(call.Args) == 0 {
			w.assign(a)
		} else {
			w.nested(a)
		}
	}
	if len(call.Assigns) > 0 && (len(call.Args) == 0 || !w.harmless(call.Assigns)) {
		c.blame(Review, "sets a variable")
	}
	if len(call.Args) == 0 {
		c.out.Known = true
		w.list(c.out, effects)
		return
	}
	for _, word := range call.Args {
		w.word(word)
	}
	c.argv = w.arguments(call.Args)
	c.judge()
}

// harmless reports whether variables in front of a command only change how its output looks.
func (w *walker) harmless(assigns []*syntax.Assign) bool {
	for _, a := range assigns {
		value := w.fields(a.Value)
		if a.Name == nil || a.Append || a.Index != nil || a.Array != nil || len(value) > 1 {
			return false
		}
		text := ""
		if len(value) == 1 {
			text = value[0].text
		}
		switch name := a.Name.Value; name {
		case "PAGER", "GIT_PAGER", "MANPAGER":
			if text != "cat" && text != "" {
				return false
			}
		default:
			plain := strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@-") == ""
			if !plain || !displayVariable(name) {
				return false
			}
		}
	}
	return true
}

func displayVariable(name string) bool {
	switch name {
	case "LANG", "LANGUAGE", "NO_COLOR", "CLICOLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM", "TZ":
		return true
	}
	return strings.HasPrefix(name, "LC_")
}

// inner judges a command that another one starts.
func (c *cmd) inner(argv []arg, assigns ...string) {
	in := &cmd{walker: c.walker, argv: argv, out: Command{Text: shorten(joined(argv)), Assigns: slices.Concat(c.out.Assigns, assigns)}}
	if len(assigns) > 0 {
		in.blame(Review, "sets a variable")
	}
	if c.hidden {
		in.effects, c.effects = c.effects, nil
	}
	if c.nest++; c.nest <= maxWrappers {
		in.judge()
	} else {
		c.opaque(Ask, in.out.Text, "too many programs that start one another")
	}
	c.nest--
}

// blame makes the verdict on the command at least v.
func (c *cmd) blame(v Verdict, why string) {
	if v > c.out.Verdict {
		c.out.Verdict, c.out.Why = v, why
	}
}

// touch records that something happens to the path in an argument.
func (c *cmd) touch(verb Verb, a arg) {
	if verb != Read && a.known() && isDisk(resolve(c.dir, a.text)) {
		c.forbid(WriteDevice)
	}
	j := c.touched(verb, a)
	c.add(j.Access)
	c.blame(j.verdict, j.why)
}

// effect records an access that is no path.
func (c *cmd) effect(verb Verb, target, why string) {
	c.add(Access{verb, strings.ReplaceAll(target, unknown, "…")})
	c.blame(Review, why)
}

// unsure records that a part of the command is known only when it runs.
func (c *cmd) unsure(part, why string) {
	c.add(Access{CannotSay, shorten(part)})
	c.blame(Review, why)
}

// judge judges the command and records it.
func (c *cmd) judge() {
	c.left -= commandCost
	c.out.Known = true
	for _, a := range c.argv {
		if !a.known() || a.fed {
			a.text, c.out.Known = "", false
		}
		c.out.Words = append(c.out.Words, a.text)
	}
	at := len(c.walker.out.Commands)
	c.runs()
	if c.listed {
		return
	}
	if !c.hidden || len(c.effects) > 0 {
		c.list(c.out, c.effects)
		// A command comes before those that it starts.
		list := c.walker.out.Commands
		last := list[len(list)-1]
		copy(list[at+1:], list[at:])
		list[at] = last
	} else {
		c.raise(c.out.Verdict, c.out.Why)
	}
}

// runs finds out what the command does.
func (c *cmd) runs() {
	name := c.argv[0].name()
	if !isQuestion(name, c.argv[1:]) {
		if code := c.forbidden(name, c.argv[1:]); code != "" {
			c.forbid(code)
		}
	}
	if f, ok := c.funcs[c.argv[0].text]; ok {
		c.blame(Review, "calls a function")
		c.list(c.out, c.effects)
		c.listed = true
		c.invoke(f, c.argv[0].text, c.argv[1:])
		return
	}
	switch {
	case strings.TrimSpace(c.argv[0].text) == unknown && c.fetched(c.argv[0]):
		c.forbid(RemoteScript)
	case !c.argv[0].known():
		c.unsure(c.out.Text, "a command whose name is known only when it runs")
	case c.argv[0].text == "" && len(c.argv) == 1:
	case isPrivilege(name):
		c.effect(Gain, name, "asks for other rights")
		c.privileged(name)
	case c.starts(), c.interprets(name):
	default:
		c.tool()
	}
}

// starts judges the commands that the command starts, and reports whether it is a program for that.
func (c *cmd) starts() bool {
	name := c.argv[0].name()
	if text, ok := shellText(name, c.argv); ok {
		c.blame(Review, "runs "+name)
		c.code([]arg{{text: joined(text), guess: !allKnown(text)}})
		return true
	}
	if dir, ok := changedDir(c.argv); ok && name == "env" {
		from := c.dir
		defer func() { c.dir = from }()
		if c.dir = ""; dir.known() {
			c.dir = resolve(from, dir.text)
		}
	}
	inner, set, ok := unwrap(c.argv)
	code := splitString(c.argv)
	if !ok && code == "" {
		return false
	}
	own := c.argv[:len(c.argv)-len(inner)]
	if !allKnown(own) {
		c.unsure(joined(own), "options that are known only when it runs")
	}
	c.hidden = transparent(name) && (name != "time" || len(own) == 1)
	if name == "xargs" {
		inner = c.xargs(inner)
		c.hidden = c.in.names && plainXargs(own[1:])
	}
	if code != "" {
		if strings.Contains(code, "~") || !allKnown(c.argv) { // env makes no home directory of it; read as one, it is judged more strictly
			c.unsure(code, "runs text that is known only when it runs")
		}
		c.deeper(code)
		return true
	}
	if len(inner) == 0 {
		c.hidden = false
		c.blame(Review, "starts a program")
		return true
	}
	if !c.hidden {
		c.blame(Review, "runs "+name)
	}
	c.inner(inner, set...)
	return true
}

// privileged judges what a program like sudo starts.
func (c *cmd) privileged(name string) {
	args := c.argv[1:]
	if name == "su" {
		for i, a := range args {
			if (a.text == "-c" || a.text == "--command") && i+1 < len(args) {
				c.code(args[i+1 : i+2])
			}
		}
		return
	}
	args = skipOptions(args, wrapper{values: "ugpCThrtDR", long: " --user --group --host --prompt --chdir "})
	for len(args) > 0 && strings.Contains(args[0].text, "=") {
		args = args[1:]
	}
	if len(args) > 0 {
		c.inner(args)
	}
}

// isQuestion reports whether a command only asks a program about itself. Privilege tools are never
// asked.
func isQuestion(name string, args []arg) bool {
	return !isPrivilege(name) && len(args) == 1 && (args[0].text == "--version" || args[0].text == "--help")
}
