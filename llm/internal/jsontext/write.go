// Package jsontext reads and writes JSON the way model servers need it: strings are written without
// escapes that a server might not undo, and values are read that come with another type than agreed.
// It knows no protocol; what a field means is up to the wires.
package jsontext

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. What is no valid UTF-8 becomes U+FFFD; <, > and & stay
// as they are, unlike in encoding/json.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' {
				i++
				continue
			}
			b = appendEscape(append(b, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			b = append(append(b, s[start:i]...), "\ufffd"...)
			i++
			start = i
			continue
		}
		i += size
	}
	return append(append(b, s[start:]...), '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// Quote writes s as a JSON string.
func Quote(s string) []byte { return AppendString(nil, s) }

// AppendRaw appends JSON that somebody else wrote: bad bytes become U+FFFD.
func AppendRaw(b []byte, raw json.RawMessage) []byte {
	if utf8.Valid(raw) {
		return append(b, raw...)
	}
	return append(b, bytes.ToValidUTF8(raw, []byte("\ufffd"))...)
}

// MendSurrogates replaces each \u escape that is half of a pair by \ufffd: servers that decode the
// text once more fail on it. raw is valid JSON.
func MendSurrogates(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`\ud`)) && !bytes.Contains(raw, []byte(`\uD`)) {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 >= len(raw) {
			out = append(out, raw[i])
			i++
			continue
		}
		first := unit(raw[i:])
		switch {
		case first < 0xD800 || first > 0xDFFF: // another escape, two bytes of it are enough to pass
			out = append(out, raw[i], raw[i+1])
			i += 2
		case first < 0xDC00 && unit(raw[i+6:]) >= 0xDC00 && unit(raw[i+6:]) <= 0xDFFF:
			out = append(out, raw[i:i+12]...)
			i += 12
		default:
			out = append(out, `\ufffd`...)
			i += 6
		}
	}
	return out
}

// unit is the value of the \uXXXX at the start of b, or -1.
func unit(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	if err != nil {
		return -1
	}
	return int(n)
}
