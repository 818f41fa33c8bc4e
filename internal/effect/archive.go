package effect

import (
	"path"
	"strings"
)

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

// packs judges programs that replace a file by its packed or unpacked form.
func (c *cmd) packs(p *parsed) {
	c.each(Read, p.operands)
	if p.has("c", "l", "t", "--stdout", "--list", "--test") {
		return
	}
	unpack := strings.HasPrefix(c.argv[0].text, "un") || strings.Contains(c.argv[0].text, "gunzip") || strings.Contains(c.argv[0].text, "bunzip") || p.has("d", "--decompress")
	for _, a := range p.operands {
		ext := map[string]string{"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}[c.argv[0].text]
		target := arg{text: a.text + ext, glob: a.glob}
		if unpack {
			target.text = strings.TrimSuffix(a.text, path.Ext(a.text))
		}
		c.touch(Write, target)
	}
	if !p.has("k", "--keep") && c.argv[0].text != "zstd" {
		c.each(Delete, p.operands)
	}
}

func (c *cmd) unzip(p *parsed) {
	c.each(Read, p.operands[:min(1, len(p.operands))])
	if p.has("l", "v", "t", "Z") && !p.has("d") {
		return
	}
	if dir, ok := p.opts["d"]; ok {
		c.touch(Write, dir)
	} else {
		c.here(Write)
	}
}
