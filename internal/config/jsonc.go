package config

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"paicli/internal/i18n"
)

// maxDepth bounds nesting; settings need four levels.
const maxDepth = 64

// kind says what a node is.
type kind byte

const (
	kindObject kind = iota
	kindList
	kindText
	kindNumber
	kindBool
	kindNull
)

// node is a value of a JSONC file with the line where it begins.
type node struct {
	kind    kind
	line    int
	start   int    // offset of its first byte
	end     int    // offset behind its last byte
	comma   int    // offset behind the comma that follows the last item, 0 = there is none
	raw     string // source text of everything but objects and lists
	text    string // decoded, with kindText
	items   []node
	members []member
}

type member struct {
	start int // offset of the key
	key   string
	line  int
	value node
}

// syntaxError is the first mistake of a file. key is the member that was being read, if any.
type syntaxError struct {
	line   int
	key    string
	reason i18n.Text
	args   []any
}

func (e *syntaxError) Error() string { return i18n.EN.Say(e.reason, e.args...) }

// parseJSONC reads JSON that may have // and /* */ comments, commas before a closing bracket and a
// byte order mark. A file of nothing but space and comments is an empty object without a place.
func parseJSONC(src string) (node, error) {
	p := &parser{src: src, line: 1}
	if strings.HasPrefix(src, bom) {
		p.pos = len(bom)
	}
	if err := p.space(); err != nil {
		return node{}, err
	}
	if p.done() {
		return node{kind: kindObject, line: 1}, nil
	}
	n, err := p.value(0)
	if err != nil {
		return node{}, err
	}
	if err := p.space(); err != nil {
		return node{}, err
	}
	if !p.done() {
		return node{}, p.fail(i18n.SyntaxMore, p.here())
	}
	return n, nil
}

// bom is a byte order mark.
const bom = "\ufeff"

type parser struct {
	src  string
	pos  int
	line int
	key  string // the member being read
}

func (p *parser) done() bool { return p.pos >= len(p.src) }

// peek is the next byte, 0 at the end. A NUL in the file is never valid JSON, so the two need no
// telling apart.
func (p *parser) peek() byte {
	if p.done() {
		return 0
	}
	return p.src[p.pos]
}

func (p *parser) fail(reason i18n.Text, args ...any) error {
	return &syntaxError{line: p.line, key: p.key, reason: reason, args: args}
}

// unexpected fails with the text, or says that the file ended.
func (p *parser) unexpected(reason i18n.Text) error {
	if p.done() {
		return p.fail(i18n.SyntaxEnd)
	}
	return p.fail(reason, p.here())
}

// here shows the character at the position.
func (p *parser) here() string {
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return "'" + string(r) + "'"
}

// space skips white space and comments.
func (p *parser) space() error {
	for !p.done() {
		rest := p.src[p.pos:]
		switch {
		case rest[0] == '\n':
			p.line++
			p.pos++
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			p.pos++
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			p.pos += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return p.fail(i18n.SyntaxComment)
			}
			p.line += strings.Count(rest[:end], "\n")
			p.pos += end + 4
		default:
			return nil
		}
	}
	return nil
}

func (p *parser) value(depth int) (node, error) {
	if depth > maxDepth {
		return node{}, p.fail(i18n.SyntaxDeep)
	}
	start := p.pos
	var n node
	var err error
	switch p.peek() {
	case '{':
		n, err = p.object(depth)
	case '[':
		n, err = p.list(depth)
	case '"':
		n, err = p.text()
	default:
		n, err = p.word()
	}
	n.start, n.end = start, p.pos
	return n, err
}

func (p *parser) object(depth int) (node, error) {
	n := node{kind: kindObject, line: p.line}
	outer := p.key
	err := p.sequence('}', &n.comma, func() error {
		if p.peek() != '"' {
			return p.unexpected(i18n.SyntaxKey)
		}
		start := p.pos
		name, err := p.text()
		if err != nil {
			return err
		}
		p.key = dotted(outer, name.text)
		if err := p.space(); err != nil {
			return err
		}
		if p.peek() != ':' {
			return p.unexpected(i18n.SyntaxColon)
		}
		p.pos++
		if err := p.space(); err != nil {
			return err
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return err // key stays: it is the place of the mistake
		}
		n.members = append(n.members, member{start: start, key: name.text, line: name.line, value: v})
		p.key = outer
		return nil
	})
	return n, err
}

func (p *parser) list(depth int) (node, error) {
	n := node{kind: kindList, line: p.line}
	err := p.sequence(']', &n.comma, func() error {
		v, err := p.value(depth + 1)
		n.items = append(n.items, v)
		return err
	})
	return n, err
}

// sequence reads items up to the closing bracket, a comma between them and perhaps after the last,
// whose place it notes.
func (p *parser) sequence(closing byte, comma *int, item func() error) error {
	p.pos++
	for first := true; ; first = false {
		if err := p.space(); err != nil {
			return err
		}
		if !first && p.peek() == ',' {
			p.pos++
			*comma = p.pos
			if err := p.space(); err != nil {
				return err
			}
		} else if !first && p.peek() != closing {
			return p.unexpected(i18n.SyntaxComma)
		}
		if p.peek() == closing {
			p.pos++
			return nil
		}
		*comma = 0
		if err := item(); err != nil {
			return err
		}
	}
}

func (p *parser) text() (node, error) {
	n := node{kind: kindText, line: p.line}
	end := p.pos + 1
	for end < len(p.src) && p.src[end] != '"' && p.src[end] >= ' ' {
		if p.src[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(p.src) || p.src[end] != '"' {
		return n, p.fail(i18n.SyntaxString)
	}
	n.raw = p.src[p.pos : end+1]
	if json.Unmarshal([]byte(n.raw), &n.text) != nil {
		return n, p.fail(i18n.SyntaxEscape)
	}
	p.pos = end + 1
	return n, nil
}

// word reads true, false, null or a number.
func (p *parser) word() (node, error) {
	end := p.pos
	for end < len(p.src) && isWord(p.src[end]) {
		end++
	}
	n := node{line: p.line, raw: p.src[p.pos:end]}
	switch {
	case n.raw == "":
		return n, p.unexpected(i18n.SyntaxUnexpected)
	case n.raw == "true" || n.raw == "false":
		n.kind = kindBool
	case n.raw == "null":
		n.kind = kindNull
	case json.Valid([]byte(n.raw)):
		n.kind = kindNumber
	case n.raw[0] >= '0' && n.raw[0] <= '9' || n.raw[0] == '-':
		return n, p.fail(i18n.SyntaxNumber, shorten(n.raw))
	default:
		return n, p.fail(i18n.SyntaxUnexpected, shorten(n.raw))
	}
	p.pos = end
	return n, nil
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		c == '-' || c == '+' || c == '.' || c == '_'
}
