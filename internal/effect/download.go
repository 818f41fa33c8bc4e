package effect

import "strings"

// fetches judges curl and wget.
func (c *cmd) fetches(kind string, p *parsed) {
	c.blame(Review, "reaches the network")
	if url, ok := p.opts["--url"]; ok {
		p.operands = append(p.operands, url)
	}
	for _, a := range p.writes {
		c.saved[resolve(c.dir, a.text)] = true
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
	c.saved[resolve(c.dir, name)] = true
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
	c.unsure(a.part(), "a URL that is known only when it runs")
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
