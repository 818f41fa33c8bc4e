package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ParseArgs reads the arguments of a call as the model wrote them and returns a JSON object.
//
// Slips whose meaning is certain are repaired: nothing or null for no arguments, a string that
// holds the object (encoded twice), raw control characters inside strings, a backslash before a
// character that JSON does not escape, the two characters \n between tokens, a comma before a
// closing bracket, a code fence around the whole. Nothing is ever completed: text that was cut off
// is an error, and so are unescaped quotes.
func ParseArgs(args string) (json.RawMessage, error) {
	return parseArgs(args, 2)
}

func parseArgs(args string, depth int) (json.RawMessage, error) {
	text := unfence(strings.TrimSpace(args))
	if text == "" || text == "null" {
		return json.RawMessage("{}"), nil
	}
	raw := []byte(text)
	if !json.Valid(raw) {
		fixed, err := mendJSON(text)
		if err != nil {
			return nil, fmt.Errorf("arguments are not valid JSON: %w", err)
		}
		raw = fixed
	}
	switch raw[0] {
	case '{':
		return raw, nil
	case '"':
		var inner string
		if err := json.Unmarshal(raw, &inner); err != nil || depth == 0 {
			return nil, errors.New("arguments are a JSON string, not an object")
		}
		return parseArgs(inner, depth-1)
	}
	return nil, fmt.Errorf("arguments are %s, not a JSON object", jsonKind(raw))
}

func jsonKind(raw []byte) string {
	switch raw[0] {
	case '[':
		return "a JSON array"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}

// unfence takes a Markdown code fence off that surrounds the whole text.
func unfence(s string) string {
	if !strings.HasPrefix(s, "```") || !strings.HasSuffix(s, "```") || len(s) < 7 {
		return s
	}
	body := strings.TrimSuffix(s[3:], "```")
	nl := strings.IndexByte(body, '\n')
	if nl < 0 {
		return s
	}
	return strings.TrimSpace(body[nl+1:])
}

// mendJSON repairs what ParseArgs lists. The result is valid JSON or there is an error that tells
// where the text stops making sense.
func mendJSON(s string) ([]byte, error) {
	out := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"':
			n, err := mendString(&out, s[i:])
			if err != nil {
				return nil, err
			}
			i += n
		case c == '\\' && i+1 < len(s) && strings.IndexByte("nrt", s[i+1]) >= 0:
			out = append(out, ' ')
			i += 2
		case (c == '}' || c == ']') && endsWithComma(out):
			out = bytes.TrimRight(out, " \t\r\n")
			out[len(out)-1] = c
			i++
		default:
			out = append(out, c)
			i++
		}
	}
	out = bytes.TrimSpace(out)
	var v any
	if err := json.Unmarshal(out, &v); err != nil {
		return nil, describeJSON(out, err)
	}
	return out, nil
}

// endsWithComma reports whether the last token is a comma that follows a value.
func endsWithComma(out []byte) bool {
	out = bytes.TrimRight(out, " \t\r\n")
	if len(out) < 2 || out[len(out)-1] != ',' {
		return false
	}
	prev := bytes.TrimRight(out[:len(out)-1], " \t\r\n")
	return len(prev) > 0 && strings.IndexByte("{[,:", prev[len(prev)-1]) < 0
}

// mendString appends the string literal at the start of s with its escapes repaired and returns its
// length in s.
func mendString(out *[]byte, s string) (int, error) {
	start := len(*out)
	*out = append(*out, '"')
	literal := false // a backslash was taken literally
	for i := 1; i < len(s); {
		c := s[i]
		switch {
		case c == '"':
			*out = append(*out, '"')
			if literal && doubtfulPath((*out)[start:]) {
				return 0, errors.New("a Windows path with single backslashes can be read in two ways; write \\\\ for each backslash")
			}
			return i + 1, nil
		case c == '\\':
			n, lit := mendEscape(out, s[i:])
			literal = literal || lit
			i += n
		case c < 0x20:
			*out = appendControl(*out, c)
			i++
		default:
			*out = append(*out, c)
			i++
		}
	}
	return 0, errors.New("the text ends inside a string")
}

// mendEscape appends the escape at the start of s. literal is true when JSON does not know it and
// the backslash was taken as the character itself.
func mendEscape(out *[]byte, s string) (n int, literal bool) {
	if len(s) < 2 {
		*out = append(*out, '\\', '\\')
		return 1, true
	}
	c := s[1]
	switch {
	case strings.IndexByte(`"\/bfnrt`, c) >= 0:
		*out = append(*out, '\\', c)
		return 2, false
	case c == 'u' && len(s) >= 6 && isHex(s[2:6]):
		*out = append(*out, s[:6]...)
		return 6, false
	case c >= utf8.RuneSelf: // a \u escape written as the raw character
		_, size := utf8.DecodeRuneInString(s[1:])
		*out = append(*out, s[1:1+size]...)
		return 1 + size, false
	case c < 0x20:
		*out = appendControl(append(*out, '\\', '\\'), c)
		return 2, true
	}
	*out = append(*out, '\\', '\\', c)
	return 2, true
}

// doubtfulPath reports whether a mended literal looks like a Windows path in which \n, \t and the
// like may have been meant as separators.
func doubtfulPath(lit []byte) bool {
	if len(lit) < 4 || lit[2] != ':' || lit[3] != '\\' {
		return false
	}
	for i := 3; i+1 < len(lit); i += 2 {
		j := bytes.IndexByte(lit[i:], '\\')
		if j < 0 {
			return false
		}
		i += j
		if strings.IndexByte("bfnrt", lit[i+1]) >= 0 {
			return true
		}
	}
	return false
}

func appendControl(out []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(out, '\\', 'n')
	case '\r':
		return append(out, '\\', 'r')
	case '\t':
		return append(out, '\\', 't')
	}
	return fmt.Appendf(out, `\u%04x`, c)
}

func isHex(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// describeJSON names what stands where parsing failed.
func describeJSON(b []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	at := int(syntax.Offset)
	if at >= len(b) {
		return fmt.Errorf("%w (the text is cut off)", err)
	}
	from, to := max(at-20, 0), min(at+10, len(b))
	return fmt.Errorf("%w near %q", err, strings.ToValidUTF8(string(b[from:to]), ""))
}
