package effect

import (
	"path"
	"strings"
)

// tool judges a command by the table of tools, or as a program that may do anything.
func (c *cmd) tool() {
	word := c.argv[0].text
	name := path.Base(word)
	t, ok := tools()[name]
	if dir, _ := path.Split(word); !ok || dir != "" && dir != "/bin/" && dir != "/usr/bin/" && dir != "/usr/local/bin/" {
		c.programs(name)
		return
	}
	if len(c.argv) == 2 && (c.argv[1].text == "--version" || c.argv[1].text == "--help") {
		return
	}
	args := c.argv[1:]
	if c.byFunction(t.kind, args) {
		return
	}
	p := t.options(args)
	c.operands(t.kind, p)
	c.takes(p)
}

// takes records what the options of a command do.
func (c *cmd) takes(p *parsed) {
	for _, a := range p.reads {
		c.touch(Read, a)
	}
	c.outputs(p)
	if p.why != "" {
		c.blame(Review, p.why)
	}
	if p.unclear && len(p.operands) > 0 {
		c.unsure(c.out.Text, "an option that is not known")
	}
}

// outputs records the files that options write.
func (c *cmd) outputs(p *parsed) {
	for _, a := range p.writes {
		c.touch(Write, a)
		if j := c.touched(Write, a); j.Target != "" {
			c.out.Outputs = append(c.out.Outputs, j.Access)
		}
	}
}

// byFunction judges programs whose arguments are a language of their own.
func (c *cmd) byFunction(kind string, args []arg) bool {
	switch kind {
	case "words":
		c.data(args)
	case "printf":
		c.printf(args)
	case "test":
		c.test(args)
	case "cd":
		c.changeDir(args)
	case "set":
		c.setShell(args)
	case "find":
		c.find(args)
	case "git":
		c.git(args)
	case "tar":
		c.tar(args)
	case "dd":
		c.dd(args)
	case "sed", "awk", "jq":
		c.script(kind, args)
	default:
		return false
	}
	return true
}

// operands records what a command does to its operands.
func (c *cmd) operands(kind string, p *parsed) {
	ops := p.operands
	switch kind {
	case "none":
		if len(ops) > 0 {
			c.blame(Review, "an operand of "+c.argv[0].text)
		}
	case "data":
		c.data(ops)
	case "read":
		c.each(Read, ops)
	case "look", "dir":
		c.looks(ops)
		if len(ops) == 0 && kind == "dir" {
			c.here(Read)
		}
	case "one":
		c.each(Read, ops[:min(1, len(ops))])
		c.each(Write, ops[min(1, len(ops)):])
	case "grep", "rg", "fd":
		c.searches(kind, p)
	case "write", "delete", "mode", "copy", "move", "link", "pack":
		c.changes(kind, p)
	default:
		c.special(kind, p)
	}
}

// special judges programs whose options decide what operands are.
func (c *cmd) special(kind string, p *parsed) {
	ops := p.operands
	switch kind {
	case "date":
		for _, a := range ops {
			if !strings.HasPrefix(a.text, "+") {
				c.blame(Review, "sets the clock")
			}
		}
		c.data(ops)
	case "gofmt":
		c.each(Read, ops)
		if p.has("w") {
			c.each(Write, ops)
		}
	case "patch":
		c.each(Write, ops[:min(1, len(ops))])
		c.each(Read, ops[min(1, len(ops)):])
		if len(ops) == 0 {
			c.here(Write)
		}
	case "unzip":
		c.unzip(p)
	case "zip":
		c.each(Write, ops[:min(1, len(ops))])
		c.each(Read, ops[min(1, len(ops)):])
	case "curl", "wget":
		c.fetches(kind, p)
	default:
		c.blame(Review, "a program whose operands are not known")
	}
}

// each does the same to all paths.
func (c *cmd) each(verb Verb, paths []arg) {
	for _, a := range paths {
		switch {
		case verb == Read && a.output():
		case a.fed && verb == Read:
			// Names that the command before printed; where they come from is judged there.
			if name := (arg{text: a.text + "/" + a.found}); isSecret(resolve(c.dir, name.text), c.home, c.root) {
				c.touch(Read, name)
			}
		case a.text == "-" && verb == Read:
		default:
			c.touch(verb, a)
		}
	}
}

// looks records that the names, sizes and dates of paths are looked at. They are no secret where the
// content is.
func (c *cmd) looks(paths []arg) {
	for _, a := range paths {
		if abs := resolve(c.dir, a.text); a.known() && abs != "" && c.whereText(abs) >= Secret && within(abs, c.root) && !c.climbs(a.text) {
			c.add(Access{Read, c.display(a.text, abs)})
			continue
		}
		c.each(Read, []arg{a})
	}
}

// here does it to the directory in which the command runs.
func (c *cmd) here(verb Verb) {
	c.touch(verb, arg{text: "."})
}

// data judges operands that are text for the command. What cannot be known of them may be secret.
func (c *cmd) data(args []arg) {
	for _, a := range args {
		if !a.known() && !a.public && !a.fed {
			c.blame(Review, "expands a variable")
		}
	}
}

// searches judges programs whose first operand is a pattern.
func (c *cmd) searches(kind string, p *parsed) {
	ops := p.operands
	patterns := 1
	if p.has("e", "f", "--regexp", "--file", "--files", "--type-list") && kind != "fd" {
		patterns = 0
	}
	patterns = min(patterns, len(ops))
	c.data(ops[:patterns])
	c.each(Read, ops[patterns:])
	stdin := kind == "rg" && c.in.given
	if len(ops) == patterns && !stdin && (kind != "grep" || p.has("r", "R", "--recursive", "--dereference-recursive")) {
		c.here(Read)
	}
}

// changes judges programs that change files.
func (c *cmd) changes(kind string, p *parsed) {
	ops := p.operands
	last := max(0, len(ops)-1)
	if p.has("t", "--target-directory") || len(ops) == 1 && kind == "link" {
		last = len(ops)
	}
	switch kind {
	case "write":
		c.each(Write, ops)
	case "delete":
		c.deletes(p)
	case "mode":
		skip := 1
		if p.has("--reference", "r", "w", "x", "X", "s", "t") {
			skip = 0 // the mode is written as an option: -x
		}
		c.each(Write, ops[min(skip, len(ops)):])
	case "copy":
		if c.argv[0].text == "install" && p.has("d", "--directory") {
			last = 0
		} else {
			c.each(Read, ops[:last])
		}
		c.each(Write, ops[last:])
	case "move":
		c.each(Delete, ops[:last])
		c.each(Write, ops[last:])
	case "link":
		for _, a := range ops[:last] {
			if strings.HasPrefix(a.text, "/") { // others are meant from the link on
				c.each(Read, []arg{a})
			}
		}
		c.each(Write, ops[last:])
		if len(ops) == 1 {
			c.each(Write, []arg{{text: path.Base(ops[0].text)}})
		}
	case "pack":
		c.packs(p)
	}
}

// deletes judges rm. What may be everything needs a person.
func (c *cmd) deletes(p *parsed) {
	for _, a := range p.operands {
		rest := strings.Trim(a.text, unknown+"/*.")
		if !a.known() && rest == "" && strings.Contains(a.text, "/") && p.has("r", "R", "--recursive") {
			c.blame(Ask, "deletes everything when a variable is empty")
		}
	}
	c.each(Delete, p.operands)
}
