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
		case i > 0 && isFileTest(args[i-1].text):
			c.each(Read, args[i:i+1])
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

// dd judges a dd by its if= and of=.
func (c *cmd) dd(args []arg) {
	c.blame(Review, "copies blocks")
	for _, a := range args {
		name, value, _ := strings.Cut(a.text, "=")
		switch name {
		case "if":
			c.touch(Read, arg{text: value, glob: a.glob})
		case "of":
			c.touch(Write, arg{text: value, glob: a.glob})
		}
	}
}

// tar judges a tar. A name with a colon is a file of another machine.
func (c *cmd) tar(args []arg) {
	p := tools()["@tar"].options(dashes(args))
	if p.why != "" {
		c.blame(Review, p.why)
	}
	files, dirs := p.values("f", "--file"), p.values("C", "--directory")
	for _, f := range files {
		if host, _, remote := strings.Cut(f.text, ":"); remote {
			c.effect(Net, host, "reaches the network")
			return
		}
	}
	switch {
	case p.has("t", "--list"):
		c.each(Read, files)
	case p.has("x", "--extract", "--get"):
		c.blame(Review, "unpacks files")
		c.each(Read, files)
		if len(dirs) == 0 {
			c.here(Write)
		}
		c.each(Write, dirs)
	default:
		c.packsTar(p, files, dirs)
	}
}

// dashes writes the first argument of tar in the usual form: its letters, each followed by its value,
// may stand without a dash.
func dashes(args []arg) []arg {
	if len(args) == 0 || strings.HasPrefix(args[0].text, "-") {
		return args
	}
	var out []arg
	rest := args[1:]
	for _, letter := range args[0].text {
		out = append(out, arg{text: "-" + string(letter)})
		if strings.ContainsRune("fCXTIbgHKLNVF", letter) && len(rest) > 0 {
			out, rest = append(out, rest[0]), rest[1:]
		}
	}
	return append(out, rest...)
}

// packsTar judges a tar that makes or changes an archive of its operands.
func (c *cmd) packsTar(p *parsed, files, dirs []arg) {
	c.blame(Review, "packs files")
	for _, a := range p.operands {
		if len(dirs) > 0 && !strings.HasPrefix(a.text, "/") {
			a.text = dirs[len(dirs)-1].text + "/" + a.text
		}
		c.each(Read, []arg{a})
	}
	for _, f := range files {
		if f.text != "-" {
			c.touch(Write, f)
		}
	}
}

// fetches judges curl and wget.
func (c *cmd) fetches(kind string, p *parsed) {
	c.blame(Review, "reaches the network")
	if url, ok := p.opts["--url"]; ok {
		p.operands = append(p.operands, url)
	}
	for _, a := range p.operands {
		c.url(a)
		if p.has("O", "--remote-name") && kind == "curl" || kind == "wget" && !p.has("O", "--output-document", "--spider") {
			c.saves(a, p)
		}
	}
	for _, name := range []string{"d", "--data", "--data-binary", "--data-urlencode", "--json", "F", "--form"} {
		if v, ok := p.opts[name]; ok {
			if i := strings.IndexByte(v.text, '@'); i >= 0 && (i == 0 || v.text[i-1] == '=') {
				file, _, _ := strings.Cut(v.text[i+1:], ";")
				c.each(Read, []arg{{text: file}})
			}
		}
	}
}

// saves records the file that a download without a name goes to.
func (c *cmd) saves(url arg, p *parsed) {
	_, rest, found := strings.Cut(url.text, "://")
	if !found {
		rest = url.text
	}
	rest, _, _ = strings.Cut(rest, "?")
	name := rest[strings.LastIndexByte(rest, '/')+1:]
	if name == "" || !strings.Contains(rest, "/") {
		name = "index.html"
	}
	for _, opt := range []string{"P", "--directory-prefix", "--output-dir"} {
		if dir, ok := p.opts[opt]; ok {
			name = dir.text + "/" + name
		}
	}
	c.touch(Write, arg{text: name})
}

// url records the host of a URL.
func (c *cmd) url(a arg) {
	host := hostOf(a.text)
	if !strings.Contains(host, unknown) && host != "" {
		c.effect(Net, host, "reaches the network: "+shorten(host))
		return
	}
	c.effect(Net, "?", "reaches a host that is known only when it runs")
	c.unsure(a.text, "a URL that is known only when it runs")
}

// hostOf is the host of a URL, without user and port.
func hostOf(url string) string {
	if _, rest, found := strings.Cut(url, "://"); found {
		url = rest
	}
	if i := strings.IndexAny(url, "/?#"); i >= 0 {
		url = url[:i]
	}
	url = url[strings.LastIndexByte(url, '@')+1:]
	if strings.HasPrefix(url, "[") {
		if i := strings.IndexByte(url, ']'); i > 0 {
			return url[1:i]
		}
	}
	host, _, _ := strings.Cut(url, ":")
	return host
}
