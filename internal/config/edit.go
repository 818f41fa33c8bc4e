package config

import (
	"strings"

	"paicli/internal/i18n"
)

// document is a JSONC text that is being edited. Everything but the value that is set stays as it is
// byte for byte: comments, order, white space, line ends.
type document struct {
	file string
	src  string
	root node
	unit string // one level of indentation
	eol  string
}

// parseDocument reads a text that holds one object, or nothing yet.
func parseDocument(file, src string) (*document, *Problem) {
	root, problem := parseFile(file, src)
	if problem != nil {
		return nil, problem
	}
	d := &document{file: file, src: src, root: root, unit: "  ", eol: "\n"}
	if strings.Contains(src, "\r\n") {
		d.eol = "\r\n"
	}
	if len(root.members) > 0 && d.spread(root) {
		if in := d.indent(root.members[0].start); in != "" {
			d.unit = in
		}
	}
	return d, nil
}

// set puts a value, as JSON, at a path. Objects on the way that are missing are made. Of a key that
// is given twice the last one is meant, as when reading.
func (d *document) set(path []string, json string) (string, *Problem) {
	n := d.root
	for i, name := range path {
		m, ok := n.last(name)
		switch {
		case !ok:
			return d.insert(n, path[i:], json), nil
		case i == len(path)-1:
			return d.splice(m.value.start, m.value.end, json), nil
		case m.value.kind == kindNull:
			return d.splice(m.value.start, m.value.end, d.nest(path[i+1:], json, d.indent(m.start))), nil
		case m.value.kind != kindObject:
			return "", d.bad(path[:i+1], m.value, i18n.WantObject)
		}
		n = m.value
	}
	return d.src, nil
}

// bad refuses to change a value that is not what it should be.
func (d *document) bad(at []string, n node, want i18n.Text) *Problem {
	return &Problem{Code: CodeBadValue, File: d.file, Line: n.line, Key: join(at), Got: got(n), reason: want}
}

// at finds the value at a path.
func (n node) at(path []string) (node, bool) {
	for _, name := range path {
		m, ok := n.last(name)
		if !ok {
			return node{}, false
		}
		n = m.value
	}
	return n, true
}

func (n node) last(name string) (found member, ok bool) {
	for _, m := range n.members {
		if m.key == name {
			found, ok = m, true
		}
	}
	return found, ok
}

// insert adds a member to an object, with objects around the value for the rest of the path.
func (d *document) insert(n node, path []string, json string) string {
	switch {
	case n.end == 0: // a file of comments only
		return d.begin(path, json)
	case len(n.members) == 0:
		return d.fill(n, func(indent string) string { return d.member(path, json, indent) })
	}
	last := n.members[len(n.members)-1]
	return d.behind(n, last.start, last.value.end, func(indent string) string { return d.member(path, json, indent) })
}

// push adds an item to the end of a list.
func (d *document) push(n node, json string) string {
	item := func(string) string { return json }
	if len(n.items) == 0 {
		return d.splice(n.start+1, n.start+1, json)
	}
	last := n.items[len(n.items)-1]
	return d.behind(n, last.start, last.end, item)
}

// begin writes the first object of a file.
func (d *document) begin(path []string, json string) string {
	src := d.src
	if src != "" && src != bom && !strings.HasSuffix(src, "\n") {
		src += d.eol
	}
	return src + "{" + d.eol + d.unit + d.member(path, json, d.unit) + d.eol + "}" + d.eol
}

// fill puts the first member into an object. What was between the brackets stays behind it.
func (d *document) fill(n node, text func(indent string) string) string {
	outer := d.indent(n.start)
	inner := d.src[n.start+1 : n.end-1]
	fresh := d.eol + outer + d.unit + text(outer+d.unit)
	if strings.TrimSpace(inner) == "" {
		return d.splice(n.start+1, n.end-1, fresh+d.eol+outer)
	}
	if !strings.Contains(inner, "\n") {
		return d.splice(n.start+1, n.end-1, fresh+inner+d.eol+outer)
	}
	return d.splice(n.start+1, n.start+1, fresh)
}

// behind puts one more item into an object or list, behind its last one and the comments beside that,
// with a comma behind it where the file has one.
func (d *document) behind(n node, start, end int, text func(indent string) string) string {
	indent := d.indent(start)
	lead, comma := " ", ""
	if d.spread(n) {
		lead = d.eol + indent
	}
	if n.comma == 0 {
		d.src = d.splice(end, end, ",")
		n.comma = end + 1
	} else {
		comma = ","
	}
	at := n.comma
	if d.spread(n) {
		at = d.restOfLine(at)
	}
	return d.splice(at, at, lead+text(indent)+comma)
}

// spread reports whether the last item of an object or list stands on another line than its bracket.
func (d *document) spread(n node) bool {
	last := n.start
	if len(n.members) > 0 {
		last = n.members[len(n.members)-1].start
	} else if len(n.items) > 0 {
		last = n.items[len(n.items)-1].start
	}
	return strings.Contains(d.src[n.start:last], "\n")
}

// restOfLine skips comments behind an item up to the end of the line, or up to anything else.
func (d *document) restOfLine(at int) int {
	for i := at; i < len(d.src); {
		rest := d.src[i:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t':
			i++
		case strings.HasPrefix(rest, "/*"):
			i += strings.Index(rest[2:], "*/") + 4
			at = i
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			return i + len(strings.TrimSuffix(line, "\r"))
		default:
			return at
		}
	}
	return at
}

// indent is the white space that the line of a place begins with.
func (d *document) indent(at int) string {
	line := strings.TrimPrefix(d.src[strings.LastIndexByte(d.src[:at], '\n')+1:], bom)
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// member writes `"name": value` with objects around the value for the rest of the path.
func (d *document) member(path []string, json, indent string) string {
	return quote(path[0]) + ": " + d.nest(path[1:], json, indent)
}

func (d *document) nest(path []string, json, indent string) string {
	if len(path) == 0 {
		return json
	}
	inner := indent + d.unit
	return "{" + d.eol + inner + d.member(path, json, inner) + d.eol + indent + "}"
}

func (d *document) splice(from, to int, text string) string { return d.src[:from] + text + d.src[to:] }
