package term

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Decoder makes keys out of the bytes of a terminal. A lone ESC cannot be told from the beginning of
// a sequence by its bytes; when Waiting, the owner calls Flush after a short time without a byte.
type Decoder struct {
	buf     []byte
	pasting bool
	pasted  []byte
}

// maxSequence bounds a control sequence, in bytes; a longer one is no key and is dropped.
const maxSequence = 4096

var (
	pasteBegin = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// Feed takes bytes and returns the keys that are complete.
func (d *Decoder) Feed(p []byte) []Key {
	d.buf = append(d.buf, p...)
	return d.keys(false)
}

// Flush returns what waits as it stands: a lone ESC is the key, an unfinished sequence is Alt and its
// letters. An open paste goes on.
func (d *Decoder) Flush() []Key { return d.keys(true) }

// Waiting reports whether an unfinished key is held back.
func (d *Decoder) Waiting() bool { return len(d.buf) > 0 && !d.pasting }

// Pasting reports whether a paste has begun and not ended.
func (d *Decoder) Pasting() bool { return d.pasting }

func (d *Decoder) keys(flush bool) []Key {
	var keys []Key
	for len(d.buf) > 0 {
		if d.pasting {
			k, done := d.paste()
			if !done {
				break
			}
			keys = append(keys, k)
			continue
		}
		if bytes.HasPrefix(d.buf, pasteBegin) {
			d.buf, d.pasting = d.buf[len(pasteBegin):], true
			continue
		}
		k, n := next(d.buf, flush)
		if n == 0 {
			break
		}
		d.buf = d.buf[n:]
		if k.Code != None {
			keys = append(keys, k)
		}
	}
	if len(d.buf) == 0 {
		d.buf = nil
	}
	return keys
}

// paste takes pasted bytes. The paste ends at the last end mark that is there before another paste
// begins: a mark hidden in the text must not end it, or what follows would be typed.
func (d *Decoder) paste() (Key, bool) {
	limit := len(d.buf)
	if i := bytes.Index(d.buf, pasteBegin); i >= 0 {
		limit = i
	}
	end := bytes.LastIndex(d.buf[:limit], pasteEnd)
	if end < 0 {
		keep := partial(d.buf, pasteEnd)
		d.pasted = append(d.pasted, d.buf[:len(d.buf)-keep]...)
		d.buf = d.buf[len(d.buf)-keep:]
		return Key{}, false
	}
	whole := append(d.pasted, d.buf[:end]...)
	d.buf, d.pasted, d.pasting = d.buf[end+len(pasteEnd):], nil, false
	whole = bytes.ReplaceAll(whole, pasteEnd, nil)
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(whole))
	return Key{Code: Paste, Text: strings.ToValidUTF8(text, "\uFFFD")}, true
}

// partial is how many bytes at the end of b begin the mark.
func partial(b, mark []byte) int {
	for n := min(len(mark)-1, len(b)); n > 0; n-- {
		if bytes.HasSuffix(b, mark[:n]) {
			return n
		}
	}
	return 0
}

// next reads one key. n = 0 says that more bytes are needed.
func next(b []byte, flush bool) (Key, int) {
	switch c := b[0]; {
	case c == 0x1b:
		return escape(b, flush)
	case c < 0x20 || c == 0x7f:
		return control(c), 1
	}
	n := textLen(b, flush)
	if n == 0 {
		return Key{}, 0
	}
	text := strings.Map(typed, strings.ToValidUTF8(string(b[:n]), "\uFFFD"))
	if text == "" {
		return Key{}, n
	}
	return Key{Code: Text, Text: text}, n
}

// typed drops the control characters of the upper range.
func typed(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

// textLen is how many bytes from the beginning are text. An unfinished character waits.
func textLen(b []byte, flush bool) int {
	n := 0
	for n < len(b) && b[n] >= 0x20 && b[n] != 0x7f {
		if !utf8.FullRune(b[n:]) && !flush {
			break
		}
		_, size := utf8.DecodeRune(b[n:])
		n += size
	}
	return n
}

// control is the key of a control character.
func control(c byte) Key {
	switch c {
	case '\r':
		return Key{Code: Enter}
	case '\n':
		return Key{Code: NewLine}
	case '\t':
		return Key{Code: Tab}
	case 0x08, 0x7f:
		return Key{Code: Backspace}
	case 0:
		return Key{}
	}
	return Key{Code: Char, Ctrl: true, Text: strings.ToLower(string(rune(c + 0x40)))}
}

// escape reads what begins with ESC.
func escape(b []byte, flush bool) (Key, int) {
	if len(b) == 1 {
		return alone(flush)
	}
	switch b[1] {
	case '[':
		return bracket(b, flush)
	case 'O':
		if len(b) == 2 {
			return unfinished(b, flush)
		}
		return Key{Code: cursorCode(b[2])}, 3
	case ']', 'P', '_', '^', 'X':
		return answer(b, flush)
	case 0x1b:
		if len(b) == 2 {
			return alone(flush)
		}
		if b[2] != '[' && b[2] != 'O' {
			return Key{Code: Esc}, 1
		}
		k, n := escape(b[1:], flush)
		if n == 0 {
			return Key{}, 0
		}
		k.Alt = true
		return k, n + 1
	}
	k, n := next(b[1:], flush)
	if n == 0 {
		return Key{}, 0
	}
	return altered(k, b[1:n+1])
}

func alone(flush bool) (Key, int) {
	if flush {
		return Key{Code: Esc}, 1
	}
	return Key{}, 0
}

// unfinished is a sequence that did not go on: Alt and its first letter.
func unfinished(b []byte, flush bool) (Key, int) {
	if flush {
		return Key{Code: Char, Alt: true, Text: string(b[1:2])}, 2
	}
	return Key{}, 0
}

// altered is a key that came behind ESC. Of a text only the first character belongs to it.
func altered(k Key, b []byte) (Key, int) {
	switch k.Code {
	case Enter, NewLine:
		return Key{Code: NewLine}, len(b) + 1
	case Text:
		_, size := utf8.DecodeRune(b)
		return Key{Code: Char, Alt: true, Text: strings.ToValidUTF8(string(b[:size]), "\uFFFD")}, size + 1
	}
	k.Alt = true
	return k, len(b) + 1
}

// answer is what the terminal says by itself, up to BEL or ST: it is no key.
func answer(b []byte, flush bool) (Key, int) {
	for i := 2; i < len(b); i++ {
		if b[i] == 0x07 {
			return Key{}, i + 1
		}
		if b[i] == '\\' && b[i-1] == 0x1b {
			return Key{}, i + 1
		}
	}
	if len(b) > maxSequence {
		return Key{}, len(b)
	}
	return unfinished(b, flush)
}
