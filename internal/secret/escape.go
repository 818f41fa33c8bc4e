package secret

import (
	"strconv"
	"strings"
)

// unescape reads the character that a text begins with: a byte, %XX, or what JSON writes behind one
// or more backslashes (text in JSON in JSON has more). size is 0 when the text ends within it.
func unescape(text string) (c byte, size int) {
	switch text[0] {
	case '%':
		return percent(text)
	case '\\':
		return backslash(text)
	}
	return text[0], 1
}

func percent(text string) (c byte, size int) {
	if len(text) < 3 {
		return '%', len(text) / 3
	}
	n, err := strconv.ParseUint(text[1:3], 16, 8)
	if err != nil {
		return '%', 1
	}
	return byte(n), 3
}

func backslash(text string) (c byte, size int) {
	n := 1
	for n < len(text) && text[n] == '\\' {
		n++
	}
	if n == len(text) {
		return 0, 0
	}
	switch text[n] {
	case '"', '/', '\'':
		return text[n], n + 1
	case 'n':
		return '\n', n + 1
	case 'r':
		return '\r', n + 1
	case 't':
		return '\t', n + 1
	case 'b':
		return '\b', n + 1
	case 'f':
		return '\f', n + 1
	case 'u':
		if len(text) < n+5 {
			return 0, 0
		}
		if r, err := strconv.ParseUint(text[n+1:n+5], 16, 16); err == nil && r < 0x80 {
			return byte(r), n + 5
		}
	}
	return '\\', n
}

// breaks is the length of the line ends that a text begins with, as they are or as JSON writes them.
func breaks(text string) int {
	at := 0
	for at < len(text) {
		switch text[at] {
		case '\n', '\r':
			at++
			continue
		case '\\':
			if c, size := backslash(text[at:]); c == '\n' || c == '\r' {
				at += size
				continue
			}
		}
		break
	}
	return at
}

// backslashes is the length of those that a text begins with, as they are or as in URLs.
func backslashes(text string) int {
	at := 0
	for at < len(text) {
		switch rest := text[at:]; {
		case rest[0] == '\\':
			at++
		case len(rest) >= 3 && strings.EqualFold(rest[:3], "%5c"):
			at += 3
		default:
			return at
		}
	}
	return at
}
