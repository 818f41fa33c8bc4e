// Package charset tells in which encoding the bytes of a text file are, and converts them to text
// and back. It never guesses silently: a doubtful guess says so, and what would not come back byte
// for byte, or has no place in an encoding, is an error. It opens no file and knows no path.
package charset

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// Encoding is a way of writing text as bytes. The zero value is UTF-8.
type Encoding int

// The encodings.
const (
	UTF8 Encoding = iota
	UTF16LE
	UTF16BE
	GBK
	GB18030
	Big5
	ShiftJIS
	EUCKR
	Latin1
	Windows1252
)

func (e Encoding) String() string {
	return [...]string{"UTF-8", "UTF-16LE", "UTF-16BE", "GBK", "GB18030", "Big5", "Shift-JIS", "EUC-KR", "Latin-1", "Windows-1252"}[e]
}

// codec is the library's encoding; nil for UTF-8, whose bytes are the text.
func (e Encoding) codec() encoding.Encoding {
	switch e {
	case UTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case UTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case GBK:
		return simplifiedchinese.GBK
	case GB18030:
		return simplifiedchinese.GB18030
	case Big5:
		return traditionalchinese.Big5
	case ShiftJIS:
		return japanese.ShiftJIS
	case EUCKR:
		return korean.EUCKR
	case Latin1:
		return charmap.ISO8859_1
	case Windows1252:
		return charmap.Windows1252
	}
	return nil
}

// Errors of Examine and Decode.
var (
	ErrBinary  = errors.New("binary data")
	ErrUnknown = errors.New("text in an unknown encoding")
)

// LossError says that bytes would not survive: decoded and encoded again they differ.
type LossError struct{ Encoding Encoding }

func (e *LossError) Error() string {
	return fmt.Sprintf("bytes that are not valid %s", e.Encoding)
}

// UnfitError names a character that an encoding does not have.
type UnfitError struct {
	Encoding Encoding
	Char     rune
}

func (e *UnfitError) Error() string { return fmt.Sprintf("%s has no %q", e.Encoding, e.Char) }

const mark = "\uFEFF" // the byte order mark

// Text is the text of a file and how its bytes are written. In a damaged UTF-8 file the bytes that
// are no text are kept in Text as they are.
type Text struct {
	Guess
	Text string // without byte order mark
}

// Decode makes text of a file's bytes, so that Encode gives back the same bytes. Its errors are
// ErrBinary, ErrUnknown and *LossError.
func Decode(data []byte) (Text, error) {
	g, err := examineBytes(data)
	if err != nil {
		return Text{}, err
	}
	text := string(data)
	if c := g.Encoding.codec(); c != nil {
		out, err := c.NewDecoder().Bytes(data)
		if err != nil {
			return Text{}, &LossError{g.Encoding}
		}
		text = string(out)
	}
	text, g.BOM = strings.CutPrefix(text, mark)
	t := Text{Guess: g, Text: text}
	if back, err := t.Encode(text); err != nil || !bytes.Equal(back, data) {
		return Text{}, &LossError{g.Encoding}
	}
	return t, nil
}

// Encode makes the bytes of a file of text, written as t was. A character that the encoding does
// not have is an *UnfitError.
func (t Text) Encode(text string) ([]byte, error) {
	if t.BOM {
		text = mark + text
	}
	return t.Encoding.Encode(text)
}

// Encode writes a piece of text. In all of these encodings the bytes of two pieces, one after the
// other, are the bytes of both together.
func (e Encoding) Encode(text string) ([]byte, error) {
	c := e.codec()
	if c == nil {
		return []byte(text), nil
	}
	out, err := c.NewEncoder().Bytes([]byte(text))
	if err == nil {
		return out, nil
	}
	for _, r := range text {
		if _, err := c.NewEncoder().String(string(r)); err != nil {
			return nil, &UnfitError{Encoding: e, Char: r}
		}
	}
	return nil, &UnfitError{Encoding: e, Char: utf8.RuneError}
}

// Visible writes the bytes of a damaged text that are none as \xNN.
func Visible(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string(appendVisible(nil, []byte(text)))
}

func appendVisible(out, p []byte) []byte {
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		if r == utf8.RuneError && n == 1 {
			out = appendEscaped(out, p[0])
		} else {
			out = append(out, p[:n]...)
		}
		p = p[n:]
	}
	return out
}

func appendEscaped(out []byte, b byte) []byte { return fmt.Appendf(out, `\x%02X`, b) }
