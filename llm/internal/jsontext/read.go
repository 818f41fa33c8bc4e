package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Decode is json.Unmarshal, except that fields of an unexpected type are left out instead of failing
// the whole.
func Decode(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return nil
	}
	return err
}

// Value reads one JSON value of any shape, numbers as json.Number. ok is false for anything else.
func Value(data []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}

// Valid reports whether s is one JSON value.
func Valid(s string) bool { return s != "" && json.Valid([]byte(s)) }

// String is a text that may come as a number or null.
type String string

// UnmarshalJSON takes every value; other types leave the text empty.
func (s *String) UnmarshalJSON(raw []byte) error {
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case raw[0] == '"':
		*s = String(Unquote(raw))
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		*s = String(raw)
	}
	return nil
}

// Number is an integer that may be missing, null, or a string.
type Number struct {
	Value int
	Known bool
}

// UnmarshalJSON takes every value; what is no integer stays unknown.
func (n *Number) UnmarshalJSON(raw []byte) error {
	v, err := strconv.Atoi(strings.Trim(string(raw), `"`))
	if err == nil {
		n.Value, n.Known = v, true
	}
	return nil
}

// Args is the text of a call's arguments. A server may send the object itself instead of its text,
// and an empty array for an empty object.
type Args string

// UnmarshalJSON takes every value.
func (a *Args) UnmarshalJSON(raw []byte) error {
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case raw[0] == '"':
		*a = Args(Unquote(raw))
	default:
		var b bytes.Buffer
		if json.Compact(&b, raw) != nil {
			return nil
		}
		if b.String() == "[]" {
			b.Reset()
			b.WriteString("{}")
		}
		*a = Args(b.String())
	}
	return nil
}

// Unquote reads a JSON string literal, which must be valid. What is no valid UTF-8 becomes U+FFFD.
// The usual pieces, with no escape or with escapes of one letter, need no second parser.
func Unquote(raw []byte) string {
	in := raw[1 : len(raw)-1]
	if bytes.IndexByte(in, '\\') < 0 {
		return strings.ToValidUTF8(string(in), "\ufffd")
	}
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); i++ {
		c := in[i]
		if c == '\\' {
			i++
			at := strings.IndexByte(`"\/bfnrt`, in[i])
			if at < 0 {
				return unquoteUnits(raw)
			}
			c = "\"\\/\b\f\n\r\t"[at]
		}
		out = append(out, c)
	}
	return strings.ToValidUTF8(string(out), "\ufffd")
}

// unquoteUnits reads a literal with \u escapes.
func unquoteUnits(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
