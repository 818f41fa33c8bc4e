package effect

import (
	"path"
	"slices"
	"strings"
)

// find judges a find: where it starts, what it looks at, what it does with what it finds.
func (c *cmd) find(args []arg) {
	starts, expr := findStarts(args)
	if len(starts) == 0 {
		starts = []arg{{text: "."}}
	}
	for _, a := range args[:len(args)-len(expr)] {
		if mayBecomeOption(a) {
			c.blame(Review, "an argument that may become an option")
		} else if a.text == "-L" {
			c.blame(Review, "follows links")
		}
	}
	c.each(Read, starts)
	found := finds(starts, expr)
	for i := 0; i < len(expr); {
		i += c.findTest(expr[i:], found)
	}
}

// findTest judges the first test or action of an expression and returns how many arguments it takes.
func (c *cmd) findTest(expr, found []arg) int {
	values := 1
	switch t := expr[0].text; t {
	case "(", ")", "!", ",", "-a", "-o", "-not", "-and", "-or", "-depth", "-d", "-xdev", "-mount", "-print", "-print0", "-ls", "-prune", "-quit",
		"-empty", "-readable", "-writable", "-executable", "-true", "-false", "-nouser", "-nogroup", "-daystart", "-noleaf", "-warn", "-nowarn":
		return 1
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-regextype", "-type", "-xtype", "-size", "-mtime", "-atime",
		"-ctime", "-mmin", "-amin", "-cmin", "-newermt", "-maxdepth", "-mindepth", "-perm", "-user", "-group", "-uid", "-gid",
		"-links", "-inum", "-lname", "-ilname", "-printf", "-used", "-fstype":
	case "-newer", "-anewer", "-cnewer", "-samefile":
		if len(expr) > 1 {
			c.touch(Read, expr[1])
		}
	case "-delete":
		c.blame(Review, "deletes what it finds")
		c.each(Delete, found)
		return 1
	case "-exec", "-execdir", "-ok", "-okdir":
		return c.findExec(expr, found)
	case "-fprint", "-fprint0", "-fls", "-fprintf":
		if len(expr) > 1 {
			c.touch(Write, expr[1])
		}
		c.blame(Review, "writes what it finds")
		if t == "-fprintf" {
			values = 2
		}
	default:
		c.blame(Review, "a test of find that is not known")
		return 1
	}
	values = min(values, len(expr)-1)
	for _, a := range expr[1 : 1+values] {
		c.findValue(a)
	}
	return 1 + values
}

// findValue judges the value of a test. An unquoted pattern becomes names of files, which may be
// actions.
func (c *cmd) findValue(a arg) {
	if !a.known() {
		c.blame(Review, "a test whose value is known only when it runs")
	}
	if !a.glob {
		return
	}
	for _, action := range []string{"-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fls", "-fprintf"} {
		if ok, err := path.Match(a.text, action); ok || err != nil {
			c.blame(Review, "a pattern that may become an action")
		}
	}
}

// findExec judges the command that find starts, with what it may find for {}.
func (c *cmd) findExec(expr, found []arg) int {
	if c.left -= commandCost * len(found); c.left < 0 {
		c.opaque(Ask, c.out.Text, "too long or too deeply nested to be read")
		return len(expr)
	}
	end := slices.IndexFunc(expr, func(a arg) bool { return a.text == ";" || a.text == "+" })
	if end < 0 {
		end = len(expr)
	}
	if strings.HasPrefix(expr[0].text, "-ok") {
		c.blame(Review, "asks before it starts a program")
	}
	if strings.HasSuffix(expr[0].text, "dir") {
		c.blame(Review, "starts a program in another directory")
	}
	if !slices.ContainsFunc(expr[:end], func(a arg) bool { return strings.Contains(a.text, "{}") }) {
		c.blame(Review, "starts a program for each file")
	}
	var argv []arg
	for _, a := range expr[1:end] {
		switch {
		case a.text == "{}":
			argv = append(argv, found...)
		case strings.Contains(a.text, "{}"):
			argv = append(argv, arg{text: strings.ReplaceAll(a.text, "{}", unknown)})
		default:
			argv = append(argv, a)
		}
	}
	if len(argv) > 0 {
		c.inner(argv)
	}
	return min(end+1, len(expr))
}

// finds is what a find may find: what is below its starts, narrowed by the tests when none of them is
// turned round or an alternative.
func finds(starts, expr []arg) []arg {
	found := ""
	for i, a := range expr {
		switch a.text {
		case "-name", "-iname":
			if i+1 < len(expr) && expr[i+1].known() && strings.Trim(expr[i+1].text, "*?.") != "" {
				found = expr[i+1].text
			}
		case "-mtime", "-mmin", "-size", "-empty", "-newer", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-perm", "-user":
			if found == "" {
				found = "found"
			}
		case "-o", "-or", "!", "-not", ",":
			found = ""
			for _, a := range expr[i:] {
				if isSecretName(strings.ToLower(a.text)) {
					found = a.text
				}
			}
			return fed(starts, found)
		}
	}
	return fed(starts, found)
}

// fed are directories below which a wrapper finds words for its command.
func fed(dirs []arg, found string) []arg {
	var out []arg
	for _, dir := range dirs {
		out = append(out, arg{text: dir.text, glob: dir.glob, fed: true, found: found})
	}
	return out
}
