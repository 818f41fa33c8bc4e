package textedit

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"
)

// Errors of Decode.
var (
	ErrBinary   = errors.New("binary data")
	ErrEncoding = errors.New("not UTF-8 text")
)

const bom = "\uFEFF"

// Text is the text of a file and how its bytes were written.
type Text struct {
	Text string // without byte order mark
	BOM  bool
}

// Decode makes text of a file's bytes. Bytes that are no text in a known encoding are an error:
// nothing is ever replaced or dropped.
func Decode(data []byte) (Text, error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return Text{}, ErrEncoding
	}
	if IsBinary(data) {
		return Text{}, ErrBinary
	}
	if !utf8.Valid(data) {
		return Text{}, ErrEncoding
	}
	text, marked := strings.CutPrefix(string(data), bom)
	return Text{Text: text, BOM: marked}, nil
}

// Encode makes the bytes of a file of text, written as t was.
func (t Text) Encode(text string) []byte {
	if t.BOM {
		text = bom + text
	}
	return []byte(text)
}

// IsBinary reports whether data is no text: it has a NUL byte, or begins like a PDF or an image
// whose head has none.
func IsBinary(data []byte) bool {
	for _, magic := range []string{"%PDF-", "\x89PNG", "\xff\xd8\xff", "GIF87a", "GIF89a", "\x1f\x8b", "PK\x03\x04"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	return bytes.IndexByte(data, 0) >= 0
}

// LineEnds names the line ends of a text: "LF", "CRLF", "CR" or "mixed"; "" when it has one line.
func LineEnds(text string) string {
	all, crlf, cr := strings.Count(text, "\n"), strings.Count(text, "\r\n"), strings.Count(text, "\r")
	switch {
	case all == 0 && cr == 0:
		return ""
	case all == 0:
		return "CR"
	case crlf == 0:
		return "LF"
	case crlf == all:
		return "CRLF"
	}
	return "mixed"
}
