package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// longestName bounds tool names on every server.
const longestName = 64

// idMap gives each call of a conversation the id under which it goes out: unchanged where the
// server takes it, else derived from it. Ids that repeat get different ones. The same conversation
// always gives the same ids, and what comes later changes no earlier id.
type idMap struct {
	style string // of catalog.Quirks.IDs
	seen  map[string]bool
	base  *idMap // whose ids are taken as well, nil = none
}

func newIDMap(style string) *idMap { return &idMap{style: style, seen: make(map[string]bool)} }

// branch continues the ids without changing m.
func (m *idMap) branch() *idMap { return &idMap{style: m.style, seen: make(map[string]bool), base: m} }

func (m *idMap) taken(wire string) bool { return m.seen[wire] || m.base != nil && m.base.taken(wire) }

// assign returns the wire id of the next call.
func (m *idMap) assign(id, name string) string {
	wire := id
	for n := 0; m.taken(wire) || !m.accepts(wire); n++ {
		wire = m.derive(id, name, n)
	}
	m.seen[wire] = true
	return wire
}

func (m *idMap) accepts(id string) bool {
	switch {
	case m.style == "mistral":
		return len(id) == 9 && alphabet(id, "")
	case m.style == "kimi" && kimiShape(id):
		return true
	}
	// 40 is OpenAI's limit, the alphabet Anthropic's: ids that fit both pass every gateway.
	return id != "" && len(id) <= 40 && alphabet(id, "_-")
}

// derive makes the n-th substitute of an id. Kimi models were trained on functions.<name>:<count>
// and answer with nothing when they see other ids for their own calls.
func (m *idMap) derive(id, name string, n int) string {
	if m.style == "kimi" && (id == "" || kimiShape(id)) {
		return "functions." + wireName(name) + ":" + strconv.Itoa(n)
	}
	sum := sha256.Sum256([]byte(id + "#" + strconv.Itoa(n)))
	text := hex.EncodeToString(sum[:])
	if m.style == "mistral" {
		return text[:9]
	}
	return "call_" + text[:24]
}

func kimiShape(id string) bool {
	rest, ok := strings.CutPrefix(id, "functions.")
	if !ok {
		return false
	}
	name, count, ok := strings.Cut(rest, ":")
	_, err := strconv.ParseUint(count, 10, 32)
	return ok && err == nil && name != ""
}

// alphabet reports whether s has ASCII letters, digits and the extra characters only.
func alphabet(s, extra string) bool {
	for i := range len(s) {
		c := s[i]
		if !letter(c) && (c < '0' || c > '9') && strings.IndexByte(extra, c) < 0 {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// wireName is the name under which a tool is offered: a letter first, then at most 63 of
// [A-Za-z0-9_-]. A name that is none already keeps what fits and gets a digest of the whole, so
// that two names never meet and a name is the same in every request.
func wireName(name string) string {
	if name != "" && len(name) <= longestName && letter(name[0]) && alphabet(name, "_-") {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	tail := "_" + hex.EncodeToString(sum[:4])
	fit := make([]byte, 0, longestName)
	for i := 0; i < len(name) && len(fit) < longestName-len(tail); i++ {
		switch c := name[i]; {
		case len(fit) == 0 && !letter(c):
			fit = append(fit, 't')
			fallthrough
		default:
			if !alphabet(name[i:i+1], "_-") {
				c = '_'
			}
			fit = append(fit, c)
		}
	}
	if len(fit) == 0 {
		fit = append(fit, 't')
	}
	return string(fit) + tail
}
