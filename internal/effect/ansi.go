package effect

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// ansiC decodes the text between $' and ' as bash does.
func ansiC(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		n := ansiEscape(&b, s[i:])
		i += n - 1
	}
	text, _, _ := strings.Cut(b.String(), "\x00") // the shell's strings end there
	return text
}

// ansiEscape writes what the characters after a backslash stand for, and returns how many they are.
func ansiEscape(b *strings.Builder, s string) int {
	const plain, meant = `abefnrtvE\'"?`, "\a\b\x1b\f\n\r\t\v\x1b\\'\"?"
	if i := strings.IndexByte(plain, s[0]); i >= 0 {
		b.WriteByte(meant[i])
		return 1
	}
	switch s[0] {
	case 'x':
		return ansiNumber(b, s, 1, 2, 16)
	case 'u':
		return ansiNumber(b, s, 1, 4, 16)
	case 'U':
		return ansiNumber(b, s, 1, 8, 16)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return ansiNumber(b, s, 0, 3, 8)
	case 'c':
		if len(s) > 1 {
			b.WriteByte(s[1] & 0x1f)
			return 2
		}
	}
	b.WriteByte('\\')
	b.WriteByte(s[0])
	return 1
}

// ansiNumber writes the character whose number, of at most most digits, begins at from.
func ansiNumber(b *strings.Builder, s string, from, most, base int) int {
	end := from
	for end < len(s) && end < from+most {
		if _, err := strconv.ParseUint(s[end:end+1], base, 8); err != nil {
			break
		}
		end++
	}
	n, err := strconv.ParseUint(s[from:end], base, 32)
	switch {
	case err != nil:
		b.WriteString(`\` + s[:end])
	case s[0] == 'u' || s[0] == 'U':
		b.Write(utf8.AppendRune(nil, rune(n)))
	default:
		b.WriteByte(byte(n))
	}
	return end
}
