package shell

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// output keeps the head and the tail of what a command prints, as plain text.
type output struct {
	half int // bytes of head, and of tail
	show func(string)
	copy io.Writer // nil after an error

	mu     sync.Mutex
	rest   []byte // the start of a character whose end has not arrived
	plain  plain
	live   live
	fresh  []byte // what plain made of a piece; used again for the next
	head   []byte
	tail   []byte // up to twice half, cut now and then
	bytes  int64
	lines  int
	open   bool   // the last line is unfinished
	lost   int64  // bytes cut from the tail
	last   string // the last line that was no blank one
	nature nature
}

func newOutput(o Options) *output {
	keep := o.Keep
	if keep <= 0 {
		keep = DefaultKeep
	}
	return &output{half: max(keep/2, utf8.UTFMax), show: o.Output, copy: o.Copy}
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
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes += int64(len(p))
	o.nature.look(p)
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
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(clean(o.rest))
	o.rest = nil
	o.fresh = o.plain.end(o.fresh[:0])
	o.tell(o.fresh, nil)
	o.keep(o.fresh)
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

// add makes plain text, which is both shown and kept: nobody sees another output than the other.
func (o *output) add(s string) {
	if s == "" {
		return
	}
	o.fresh = o.plain.write(o.fresh[:0], s)
	o.tell(o.fresh, o.plain.line)
	o.keep(o.fresh)
}

// tell shows what is new.
func (o *output) tell(finished, line []byte) {
	if o.show == nil {
		return
	}
	if text := o.live.next(finished, line); text != "" {
		o.show(text)
	}
}

// keep counts, copies and keeps plain text.
func (o *output) keep(s []byte) {
	if len(s) == 0 {
		return
	}
	o.lines += strings.Count(string(s), "\n")
	o.open = s[len(s)-1] != '\n'
	if line := lastLine(s); line != "" {
		o.last = line
	}
	if o.copy != nil {
		if _, err := o.copy.Write(s); err != nil {
			o.copy = nil
		}
	}
	if room := o.half - len(o.head); room > 0 && len(o.tail) == 0 {
		n := cutRune(s, room)
		o.head = append(o.head, s[:n]...)
		s = s[n:]
	}
	o.tail = append(o.tail, s...)
	if len(o.tail) > 2*o.half+maxLine {
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
func cutRune(s []byte, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// lastLine is the last line of a text that is not blank, at most 200 bytes of its end.
func lastLine(s []byte) string {
	s = s[max(0, len(s)-1000):]
	line := strings.TrimSpace(string(s))
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return strings.ToValidUTF8(line[max(0, len(line)-200):], "")
}

// printed is how many bytes were printed so far.
func (o *output) printed() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes
}

// lastLine is the last line so far that is not blank, finished or not.
func (o *output) lastLine() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if line := lastLine(o.plain.line); line != "" {
		return line
	}
	return o.last
}

// report writes the counts and the kept text.
func (o *output) report(res *Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	res.Bytes, res.Lines = o.bytes, o.lines
	if o.open {
		res.Lines++
	}
	if o.nature.binary() {
		res.Binary = o.nature.first
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

// nature gathers what tells text from something else.
type nature struct {
	first    []byte
	seen     int
	zeros    int
	controls int // that text does not have, zeros aside
	beyond   int // bytes beyond ASCII
}

// How much of an output is looked at.
const (
	natureSeen  = 64 << 10
	natureFirst = 16
)

func (n *nature) look(p []byte) {
	if room := natureFirst - len(n.first); room > 0 {
		n.first = append(n.first, p[:min(room, len(p))]...)
	}
	if n.seen >= natureSeen {
		return
	}
	n.seen += len(p)
	for _, c := range p {
		switch {
		case c == 0:
			n.zeros++
		case c >= utf8.RuneSelf:
			n.beyond++
		case c < ' ' && (c < '\a' || c > '\r') && c != 0x1B || c == 0x7F:
			n.controls++
		}
	}
}

// binary judges by controls, which random and compressed bytes have in every tenth place and no
// text in any encoding has, and by zeros: lists that are divided by them and UTF-16 have some.
func (n *nature) binary() bool {
	const few = 16
	return n.zeros >= few && n.zeros*10 > n.seen*6 ||
		n.controls >= few && n.controls*25 > n.seen && (n.beyond > 0 || n.zeros > 0)
}
