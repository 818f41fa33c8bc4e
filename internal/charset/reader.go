package charset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// Reader gives the text of a file as UTF-8, without byte order mark. Bytes that are no text in the
// encoding are shown as \xNN, so what it gives is for reading, not for writing back.
type Reader struct {
	Bad int // bytes that were shown so

	src     io.Reader
	guess   Guess
	decoder *encoding.Decoder
	in      []byte // read and not yet decoded
	out     []byte // decoded and not yet given; what was given is before at
	at      int
	room    []byte
	begun   bool
	err     error // of src, given once everything before it was
}

// Show makes text of a file's bytes for reading, as a Reader does. Its errors are ErrBinary and
// ErrUnknown.
func Show(data []byte) (string, Guess, error) {
	g, err := examineBytes(data)
	if err != nil {
		return "", g, err
	}
	if g.Encoding == UTF8 && !g.Damaged {
		return strings.TrimPrefix(string(data), mark), g, nil
	}
	text, err := io.ReadAll(NewReader(bytes.NewReader(data), g))
	return string(text), g, err
}

// NewReader reads from src, which Examine guessed to be so.
func NewReader(src io.Reader, g Guess) *Reader {
	r := &Reader{src: src, guess: g}
	if c := g.Encoding.codec(); c != nil {
		r.decoder = c.NewDecoder()
	}
	return r
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	for r.at == len(r.out) {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(p, r.out[r.at:])
	r.at += n
	return n, nil
}

// fill reads and decodes the next piece.
func (r *Reader) fill() {
	if r.room == nil {
		r.room = make([]byte, pieceSize)
	}
	n, err := io.ReadFull(r.src, r.room[len(r.in):])
	piece := r.room[:len(r.in)+n]
	if err != nil {
		r.err = err
		if errors.Is(err, io.ErrUnexpectedEOF) {
			r.err = io.EOF
		}
	}
	r.out, r.at = r.out[:0], 0
	used := r.decode(piece, r.err != nil)
	r.in = r.room[:copy(r.room, piece[used:])]
	if !r.begun && len(r.out) > 0 {
		r.begun = true
		if len(r.out) >= len(mark) && string(r.out[:len(mark)]) == mark {
			r.at = len(mark)
		}
	}
}

// decode adds the text of a piece to the output and returns how much of it was used; the begin of a
// character at the end stays for the next piece, unless it is the last.
func (r *Reader) decode(piece []byte, last bool) int {
	if r.decoder == nil {
		used := len(piece)
		if !last {
			used -= unfinished(piece)
		}
		if utf8.Valid(piece[:used]) {
			r.out = append(r.out, piece[:used]...)
			return used
		}
		return r.slowly(piece[:used], true, utf8Char)
	}
	if need := 3*len(piece) + utf8.UTFMax; cap(r.out) < need {
		r.out = make([]byte, 0, need)
	}
	r.decoder.Reset()
	n, used, err := r.decoder.Transform(r.out[:cap(r.out)], piece, last)
	if err == nil || errors.Is(err, transform.ErrShortSrc) {
		if r.out = r.out[:n]; !containsReplacement(r.out) {
			return used
		}
		r.out = r.out[:0]
	}
	return r.slowly(piece, last, r.char)
}

// slowly decodes a piece with damage in it, one character after the other.
func (r *Reader) slowly(piece []byte, last bool, char func(p []byte) ([]byte, int)) int {
	at := 0
	for at < len(piece) {
		if !last && len(piece)-at < utf8.UTFMax {
			break
		}
		text, n := char(piece[at:])
		if text == nil {
			for _, c := range piece[at : at+n] {
				r.out = appendEscaped(r.out, c)
				r.Bad++
			}
		}
		r.out = append(r.out, text...)
		at += n
	}
	return at
}

func utf8Char(p []byte) ([]byte, int) {
	c, n := utf8.DecodeRune(p)
	if c == utf8.RuneError && n == 1 {
		return nil, 1
	}
	return p[:n], n
}

// char is the text of the first character of p and its size in bytes; without text, so many bytes
// are no character.
func (r *Reader) char(p []byte) ([]byte, int) {
	unit := 1
	if r.guess.Encoding == UTF16LE || r.guess.Encoding == UTF16BE {
		unit = 2
	}
	for n := unit; n <= len(p) && n <= 4; n += unit {
		text, err := r.decoder.Bytes(p[:n])
		if err != nil || containsReplacement(text) || utf8.RuneCount(text) != 1 {
			continue
		}
		return text, n
	}
	if back, err := r.guess.Encoding.Encode(string(utf8.RuneError)); err == nil && len(p) >= len(back) && string(p[:len(back)]) == string(back) {
		return []byte(string(utf8.RuneError)), len(back)
	}
	return nil, min(unit, len(p))
}

func containsReplacement(p []byte) bool {
	for i := 0; i+2 < len(p); i++ {
		if p[i] == 0xEF && p[i+1] == 0xBF && p[i+2] == 0xBD {
			return true
		}
	}
	return false
}

// Manner names how a text is written, "" for plain UTF-8.
func (g Guess) Manner() string {
	switch {
	case g.Encoding == UTF8 && !g.BOM && !g.Damaged:
		return ""
	case g.Damaged:
		return "UTF-8 with invalid bytes"
	case g.Doubtful:
		return fmt.Sprintf("probably %s", g.Encoding)
	case g.Encoding == UTF8:
		return "UTF-8 with BOM"
	}
	return g.Encoding.String()
}
