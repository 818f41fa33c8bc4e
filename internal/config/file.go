package config

import (
	"errors"
	"io/fs"
	"strings"

	"paicli/internal/i18n"
)

// file reads config.json.
func (l *loader) file() {
	file := l.path()
	if file == "" {
		return
	}
	l.cfg.File = file
	src, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) && l.opts.Flags.File == "" {
		return
	}
	if err != nil {
		l.fault(Problem{Code: CodeUnreadable, File: file, Got: reason(err)})
		return
	}
	l.source(target{Config: l.cfg, file: file, from: FromFile, rule: l.opts.Rule}, src)
}

// source puts the text of a file in.
func (l *loader) source(in target, src string) {
	root, problem := parseFile(in.file, src)
	if problem != nil {
		l.fault(*problem)
		return
	}
	l.object(&tree{target: in, known: keys()}, nil, root)
}

// parseFile reads the text of a file that holds one object.
func parseFile(file, src string) (node, *Problem) {
	root, err := parseJSONC(src)
	if bad := (*syntaxError)(nil); errors.As(err, &bad) {
		return root, &Problem{Code: CodeSyntax, File: file, Line: bad.line, Key: bad.key, reason: bad.reason, args: bad.args}
	}
	if root.kind != kindObject {
		return root, &Problem{Code: CodeSyntax, File: file, Line: root.line, reason: i18n.WantObject}
	}
	return root, nil
}

// tree is a file being put into the Config.
type tree struct {
	target
	known []key
}

// object puts the members of an object in.
func (l *loader) object(t *tree, path []string, n node) {
	seen := map[string]bool{}
	for _, m := range n.members {
		at := append(path[:len(path):len(path)], m.key)
		if seen[m.key] {
			l.warn(Problem{Code: CodeDuplicate, File: t.file, Line: m.line, Key: join(at)})
		}
		seen[m.key] = true
		l.member(t, at, m)
	}
}

// member puts one member in: a setting, an object of settings, or something unknown.
func (l *loader) member(t *tree, at []string, m member) {
	inner := false
	for _, k := range t.known {
		whole, part := k.match(at)
		if whole {
			l.set(t, k, at, m)
			return
		}
		inner = inner || part
	}
	switch {
	case !inner:
		l.warn(Problem{Code: CodeUnknownKey, File: t.file, Line: m.line, Key: join(at), Near: nearest(t.known, at)})
	case m.value.kind == kindObject:
		l.object(t, at, m.value)
	case m.value.kind != kindNull:
		l.fault(Problem{Code: CodeBadValue, File: t.file, Line: m.value.line, Key: join(at), Got: got(m.value), reason: i18n.WantObject})
	}
}

// set puts a value in and remembers where it came from. null means not set.
func (l *loader) set(t *tree, k key, at []string, m member) {
	if m.value.kind == kindNull {
		return
	}
	if t.from == FromProject && (k.project == nil || !k.project(l.cfg, m.value)) {
		l.warn(Problem{Code: CodeProjectKey, File: t.file, Line: m.line, Key: join(at)})
		return
	}
	if k.set != nil && !k.set(&t.target, at, m.value) {
		l.fault(k.bad(&t.target, at, m.value))
		return
	}
	l.cfg.put(join(at), m.value.json(), Origin{Source: t.from, File: t.file, Line: m.line})
}

// bad says what is wrong with a value.
func (k key) bad(in *target, at []string, n node) Problem {
	p := Problem{Code: CodeBadValue, File: in.file, Line: n.line, Key: join(at), Got: got(n), reason: k.want}
	if k.words != nil {
		p.args = []any{strings.Join(k.words, ", ")}
	}
	if k.want != i18n.WantRules {
		return p
	}
	for _, item := range n.items {
		if !in.isRule(item) {
			p.Line, p.Got, p.reason = item.line, got(item), i18n.WantRule
			break
		}
	}
	return p
}

// got shows a value in a message.
func got(n node) string {
	switch n.kind {
	case kindObject:
		return "{…}"
	case kindList:
		return "[…]"
	}
	return shorten(n.raw)
}
