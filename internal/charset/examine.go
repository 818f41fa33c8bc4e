package charset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf8"
)

// Guess is what the bytes of a file say of its encoding.
type Guess struct {
	Encoding Encoding
	BOM      bool
	// Doubtful reports that another encoding would explain the bytes nearly as well.
	Doubtful bool
	// Damaged reports UTF-8 with bytes in it that are none.
	Damaged bool
}

const (
	pieceSize  = 64 << 10 // bytes that are read at a time
	sampleSize = 64 << 10 // bytes that are judged when a text is not UTF-8
)

// Examine reads r to its end, in little memory, and says how it is written. Its errors are those of
// r, ErrBinary and ErrUnknown.
func Examine(r io.Reader) (Guess, error) {
	e := &examination{}
	buf := make([]byte, pieceSize)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			if done, g, bad := e.take(buf[:n]); done {
				return g, bad
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return e.verdict()
		}
		if err != nil {
			return Guess{}, err
		}
	}
}

// examineBytes does so with all bytes at hand.
func examineBytes(data []byte) (Guess, error) {
	e := &examination{}
	for len(data) > 0 {
		n := min(len(data), pieceSize)
		if done, g, bad := e.take(data[:n]); done {
			return g, bad
		}
		data = data[n:]
	}
	return e.verdict()
}

// examination is what is known of a file so far.
type examination struct {
	begun  bool
	bom    bool
	rest   []byte // the begin of a UTF-8 character whose end has not arrived
	many   int    // UTF-8 characters of more than one byte, counted only once something is not UTF-8
	broken int    // bytes that are not UTF-8
	sample []byte // the first bytes that are not plain ASCII, with what is around them
}

// take adds a piece. It is done when nothing after it can change the verdict.
func (e *examination) take(p []byte) (done bool, g Guess, err error) {
	if !e.begun {
		e.begun = true
		switch {
		case bytes.HasPrefix(p, []byte("\xff\xfe")):
			return true, Guess{Encoding: UTF16LE, BOM: true}, nil
		case bytes.HasPrefix(p, []byte("\xfe\xff")):
			return true, Guess{Encoding: UTF16BE, BOM: true}, nil
		case hasMagic(p):
			return true, Guess{}, ErrBinary
		}
		e.bom = bytes.HasPrefix(p, []byte(mark))
		if bytes.IndexByte(p, 0) >= 0 {
			g, err := wide(p)
			return true, g, err
		}
	} else if bytes.IndexByte(p, 0) >= 0 {
		return true, Guess{}, ErrBinary
	}
	if room := sampleSize - len(e.sample); room > 0 && !isASCII(p) {
		e.sample = append(e.sample, p[:min(room, len(p))]...)
	}
	e.count(p)
	return false, Guess{}, nil
}

// count tells UTF-8 from other bytes.
func (e *examination) count(p []byte) {
	if len(e.rest) > 0 {
		p = append(e.rest, p...)
		e.rest = nil
	}
	end := len(p) - unfinished(p)
	e.rest = append(e.rest, p[end:]...)
	if p = p[:end]; isASCII(p) {
		return
	}
	if utf8.Valid(p) {
		e.many += utf8.RuneCount(p) - ascii(p)
		return
	}
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		switch {
		case r == utf8.RuneError && n == 1:
			e.broken++
		case n > 1:
			e.many++
		}
		p = p[n:]
	}
}

// verdict is the guess at the end of the file.
func (e *examination) verdict() (Guess, error) {
	if len(e.rest) > 0 {
		e.broken++ // cut in the middle of a character
	}
	switch {
	case e.broken == 0:
		return Guess{Encoding: UTF8, BOM: e.bom}, nil
	case e.bom || e.many >= 3*e.broken: // other encodings look like UTF-8 by chance, but not that often
		return Guess{Encoding: UTF8, BOM: e.bom, Damaged: true}, nil
	}
	return legacy(e.sample)
}

// unfinished is how many bytes at the end of p are the begin of a UTF-8 character.
func unfinished(p []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(p); back++ {
		if c := p[len(p)-back]; utf8.RuneStart(c) {
			if utf8.FullRune(p[len(p)-back:]) {
				return 0
			}
			return back
		}
	}
	return 0
}

func isASCII(p []byte) bool {
	const high = 0x8080808080808080
	for len(p) >= 8 {
		if binary.NativeEndian.Uint64(p)&high != 0 {
			return false
		}
		p = p[8:]
	}
	return ascii(p) == len(p)
}

// ascii counts the ASCII bytes.
func ascii(p []byte) int {
	n := 0
	for _, c := range p {
		if c < utf8.RuneSelf {
			n++
		}
	}
	return n
}

// hasMagic knows files that have no NUL byte at their head and are no text.
func hasMagic(p []byte) bool {
	for _, magic := range []string{"%PDF-", "\x89PNG", "\xff\xd8\xff", "GIF87a", "GIF89a", "\x1f\x8b", "PK\x03\x04"} {
		if bytes.HasPrefix(p, []byte(magic)) {
			return true
		}
	}
	return false
}
