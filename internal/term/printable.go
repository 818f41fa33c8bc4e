package term

import (
	"fmt"
	"strings"
	"unicode"
)

// Printable makes text safe for a terminal: control characters (escape sequences among them) and
// characters that reorder or hide text are shown as codes. Newlines and tabs stay when multi is set.
func Printable(s string, multi bool) string {
	if strings.IndexFunc(s, func(r rune) bool { return hidden(r, multi) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r, multi):
			b.WriteRune(r)
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

func hidden(r rune, multi bool) bool {
	switch {
	case r == '\n' || r == '\t':
		return !multi
	case unicode.IsControl(r):
		return true
	}
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F || r == 0x061C
}
