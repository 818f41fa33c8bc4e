package config

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// json writes the value without comments and white space.
func (n node) json() string {
	var b strings.Builder
	n.write(&b, func(m []member) []member { return m })
	return b.String()
}

// canonical is the same text for all ways to write the same values: comments, white space, escapes
// and the order of keys do not count. A key that is given twice counts twice.
func (n node) canonical() string {
	var b strings.Builder
	n.write(&b, func(members []member) []member {
		members = slices.Clone(members)
		slices.SortStableFunc(members, func(x, y member) int { return strings.Compare(x.key, y.key) })
		return members
	})
	return b.String()
}

func (n node) write(b *strings.Builder, order func([]member) []member) {
	switch n.kind {
	case kindObject:
		b.WriteByte('{')
		for i, m := range order(n.members) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quote(m.key) + ":")
			m.value.write(b, order)
		}
		b.WriteByte('}')
	case kindList:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b, order)
		}
		b.WriteByte(']')
	case kindText:
		b.WriteString(quote(n.text))
	default:
		b.WriteString(n.raw)
	}
}

// quote writes a text as JSON, with `<` and its like as they are.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be written
	return strings.TrimSuffix(b.String(), "\n")
}
