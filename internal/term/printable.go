package term

import (
	"fmt"
	"strings"
	"unicode"

	"paicli/internal/boundary"
)

// Printable makes text safe for a terminal: control characters (escape sequences among them) and
// characters that reorder or hide text are shown as codes. Newlines and tabs stay when multi is set.
func Printable(s string, multi bool) string {
	s = boundary.Mark(s, code)
	if strings.IndexFunc(s, func(r rune) bool { return controls(r, multi) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !controls(r, multi):
			b.WriteRune(r)
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		default:
			b.WriteString(code(r))
		}
	}
	return b.String()
}

func code(r rune) string { return fmt.Sprintf("<U+%04X>", r) }

func controls(r rune, multi bool) bool {
	if r == '\n' || r == '\t' {
		return !multi
	}
	return unicode.IsControl(r) || reorders(r)
}

// reorders reports whether a character changes the order of those around it, or ends a line without
// being a newline.
func reorders(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F || r == 0x061C ||
		r == 0x2028 || r == 0x2029
}
