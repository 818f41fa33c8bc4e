package effect

import "strings"

// printf judges a printf: %n and -v set variables, and a variable's name can hold code.
func (c *cmd) printf(args []arg) {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	format := args[0]
	if !format.known() || strings.HasPrefix(format.text, "-") && len(format.text) > 1 && format.text[1] == 'v' || setsByFormat(format.text) {
		c.blame(Review, "a format that sets a variable or is not known")
	}
	c.data(args[1:])
}

// setsByFormat reports a %n among the conversions of a format.
func setsByFormat(format string) bool {
	for i := strings.IndexByte(format, '%'); i >= 0; {
		rest := strings.TrimLeft(format[i+1:], "-+ #0123456789.*'hjlLqtz")
		if strings.HasPrefix(rest, "n") {
			return true
		}
		rest = strings.TrimPrefix(rest, "%")
		next := strings.IndexByte(rest, '%')
		if next < 0 {
			return false
		}
		i = len(format) - len(rest) + next
	}
	return false
}

// test judges test and [. Their operands are looked at as files; -v and -R evaluate a name.
func (c *cmd) test(args []arg) {
	for i, a := range args {
		switch t := a.text; {
		case t == "-v" || t == "-R":
			c.blame(Review, "evaluates an expression")
		case !a.known() && !a.public:
			c.blame(Review, "expands a variable")
		case strings.Contains(t, "[") && len(t) > 1 && strings.ContainsAny(t, "$`"):
			c.blame(Review, "evaluates an expression") // as a number, in some shells
		case i > 0 && isFileTest(args[i-1].text):
			c.looks(args[i : i+1])
		}
	}
}

func isFileTest(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.IndexByte("abcdefghkprstuwxGLNOS", op[1]) >= 0
}

// changeDir judges cd and moves the walker.
func (c *cmd) changeDir(args []arg) {
	args = skipOptions(args, wrapper{})
	target := arg{text: c.home}
	if len(args) > 0 {
		target = args[0]
	}
	if !target.known() || target.text == "-" || target.glob {
		c.blame(Review, "a directory that is known only when it runs")
		c.dir = ""
		return
	}
	from := c.dir
	c.dir = resolve(c.dir, target.text)
	switch {
	case c.dir == "":
		c.blame(Review, "a directory that is known only when it runs")
	case c.branch > 0 && c.dir != from:
		c.blame(Review, "a directory that depends on how it runs")
	default:
		c.blame(c.judgePath(Read, target, c.dir))
	}
}

// setShell judges set: options that only decide when the shell stops are harmless.
func (c *cmd) setShell(args []arg) {
	c.params = nil
	for i, a := range args {
		t := a.text
		switch {
		case t == "pipefail" && i > 0:
		case len(t) > 1 && (t[0] == '-' || t[0] == '+') && strings.Trim(t[1:], "euo") == "":
		default:
			c.blame(Review, "changes how the shell works")
		}
	}
	if len(args) == 0 {
		c.blame(Review, "prints all variables")
	}
}

// echoed is what echo prints.
func echoed(args []arg) string {
	escapes := false
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && strings.Trim(args[0].text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].text, "e")
		args = args[1:]
	}
	if escapes {
		return escaped(joined(args))
	}
	return joined(args)
}

// formatted is what printf prints, without widths and precisions.
func formatted(args []arg) string {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return ""
	}
	format, args := escaped(args[0].text), args[1:]
	var b strings.Builder
	for more := true; more && b.Len() < maxText; {
		more = false
		for i := 0; i < len(format); i++ {
			if format[i] != '%' {
				b.WriteByte(format[i])
				continue
			}
			rest := strings.TrimLeft(format[i+1:], "-+ #0123456789.")
			if i = len(format) - len(rest); rest == "" || rest[0] == '%' {
				b.WriteByte('%')
			} else if len(args) > 0 {
				b.WriteString(args[0].text)
				args, more = args[1:], len(args) > 1
			}
		}
	}
	return b.String()
}

// escaped decodes the backslashes of echo -e and printf.
func escaped(text string) string {
	parts := strings.Split(text, unknown)
	for i, part := range parts {
		parts[i] = ansiC(part)
	}
	return strings.Join(parts, unknown)
}
