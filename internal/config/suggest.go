package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"paicli/internal/spell"
)

// nearest finds the known key that was probably meant by an unknown one: the closest name at the
// same place, else a key elsewhere whose last name is the same.
func nearest(known []key, path []string) string {
	above, name := path[:len(path)-1], path[len(path)-1]
	var here []string
	for _, k := range known {
		if _, below := k.match(above); below && k.path[len(above)] != "*" {
			here = append(here, k.path[len(above)])
		}
	}
	if near := spell.Nearest(name, here, len(name)/3+1); near != "" {
		return dotted(join(above), near)
	}
	for _, k := range known {
		if strings.EqualFold(k.path[len(k.path)-1], name) {
			return k.name()
		}
	}
	return ""
}

// name is the key for people.
func (k key) name() string {
	wild := `"<id>"`
	if k.path[0] == "projects" {
		wild = `"<root>"`
	}
	return strings.Replace(join(k.path), `"*"`, wild, 1)
}

// dotted adds a name to a dotted key, in quotes where it is no plain word.
func dotted(key, name string) string {
	plain := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") == ""
	if !plain {
		name = quoteVisible(name)
	}
	if key == "" {
		return name
	}
	return key + "." + name
}

// quoteVisible writes a text as JSON without anything that a terminal would not show.
func quoteVisible(s string) string {
	var b strings.Builder
	for _, r := range quote(s) {
		switch {
		case strconv.IsGraphic(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func join(path []string) string {
	out := ""
	for _, name := range path {
		out = dotted(out, name)
	}
	return out
}

// shorten makes a value fit for a message.
func shorten(s string) string {
	const most = 60
	r := []rune(s)
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
