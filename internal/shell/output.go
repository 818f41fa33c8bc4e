package shell

import (
	"io"
	"strings"
	"unicode/utf8"
)

// output keeps the head and the tail of what a command prints.
type output struct {
	half  int // bytes of head, and of tail
	show  func(string)
	rest  []byte // the start of a character whose end has not arrived
	head  []byte
	tail  []byte // up to twice half, cut now and then
	bytes int64
	lines int
	open  bool  // the last line is unfinished
	lost  int64 // bytes cut from the tail
}

func newOutput(o Options) *output {
	keep := o.Keep
	if keep <= 0 {
		keep = DefaultKeep
	}
	return &output{half: max(keep/2, utf8.UTFMax), show: o.Output}
}

// drain reads to the end of the stream.
func (o *output) drain(r io.Reader) {
	buf := make([]byte, 32<<10) // the size of a pipe's usual read
	for {
		n, err := r.Read(buf)
		if n > 0 {
			o.take(buf[:n])
		}
		if err != nil {
			o.finish()
			return
		}
	}
}

// take adds a piece as read. A character that is cut at its end waits for the next piece.
func (o *output) take(p []byte) {
	o.bytes += int64(len(p))
	if len(o.rest) > 0 {
		p = append(o.rest, p...)
		o.rest = nil
	}
	cut := len(p) - partial(p)
	o.rest = append(o.rest, p[cut:]...)
	o.add(clean(p[:cut]))
}

// finish adds what was waiting.
func (o *output) finish() {
	o.add(clean(o.rest))
	o.rest = nil
}

// partial is the length of an unfinished character at the end of p.
func partial(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// clean makes valid text without NUL of bytes.
func clean(p []byte) string {
	s := strings.ToValidUTF8(string(p), "\uFFFD")
	return strings.ReplaceAll(s, "\x00", "")
}

// add counts, shows and keeps text.
func (o *output) add(s string) {
	if s == "" {
		return
	}
	o.lines += strings.Count(s, "\n")
	o.open = !strings.HasSuffix(s, "\n")
	if o.show != nil {
		o.show(s)
	}
	if room := o.half - len(o.head); room > 0 && len(o.tail) == 0 {
		n := cutRune(s, room)
		o.head = append(o.head, s[:n]...)
		s = s[n:]
	}
	o.tail = append(o.tail, s...)
	if len(o.tail) > 2*o.half+32<<10 {
		o.dropTail()
	}
}

// dropTail shortens the tail to what will be shown of it.
func (o *output) dropTail() {
	from := len(o.tail) - o.half
	for from < len(o.tail) && !utf8.RuneStart(o.tail[from]) {
		from++
	}
	o.lost += int64(from)
	o.tail = append(o.tail[:0], o.tail[from:]...)
}

// cutRune is the longest length of at most n bytes that does not split a character of s.
func cutRune(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// report writes the counts and the kept text.
func (o *output) report(res *Result) {
	res.Bytes, res.Lines = o.bytes, o.lines
	if o.open {
		res.Lines++
	}
	if len(o.tail) > o.half {
		o.dropTail()
	}
	if res.Dropped = o.lost; o.lost == 0 {
		res.Head = string(o.head) + string(o.tail)
		return
	}
	res.Head, res.Tail = string(o.head), string(o.tail)
}
