package sse

import (
	"bytes"
	"encoding/json"
	"errors"
)

// maxEvent bounds one line and one event of a stream, in bytes. It is far above any honest answer
// (whole files travel in one line of arguments) and keeps a server from filling the memory.
const maxEvent = 64 << 20

var errTooLong = errors.New("an event of the stream is longer than 64 MiB")

// decoder turns the bytes of a body into events, however the network cut them. It follows the
// event stream format of WHATWG HTML and accepts besides: events on neighbouring lines without a
// blank line between, a last line without an end, and JSON, HTML or text that is not framed at all.
type decoder struct {
	buf    []byte // bytes not taken yet, from pos on
	pos    int    // where the current line begins
	scan   int    // up to here no line end was found
	opened bool   // the byte order mark, if any, is behind
	skipLF bool   // the last line ended with CR: an LF that follows belongs to it
	framed bool   // a "data:" line was seen
	closed bool   // no more bytes will come

	name  string
	data  []byte // lines of the event being collected, joined with LF
	last  []byte // data of the event handed out, swapped with data
	lines int
	raw   bool
}

// write adds bytes of the body. All events must have been taken before.
func (d *decoder) write(p []byte) {
	if d.pos > 0 {
		n := copy(d.buf, d.buf[d.pos:])
		d.buf, d.scan, d.pos = d.buf[:n], d.scan-d.pos, 0
	}
	d.buf = append(d.buf, p...)
}

// end says that the body is over; next then hands out what was still being collected.
func (d *decoder) end() { d.closed = true }

// next returns the next event; ok is false when more bytes are needed.
func (d *decoder) next() (ev Event, ok bool, err error) {
	for {
		if string(d.data) == Done {
			return d.emit(), true, nil
		}
		line, found := d.line()
		if len(d.data) > maxEvent || len(d.buf)-d.pos > maxEvent {
			return Event{}, false, errTooLong
		}
		if !found {
			break
		}
		if ev, ok := d.take(line); ok {
			return ev, true, nil
		}
	}
	if d.closed && d.lines > 0 {
		ev := d.emit()
		ev.Cut = true
		return ev, true, nil
	}
	return Event{}, false, nil
}

// line cuts the next line off, without its end.
func (d *decoder) line() ([]byte, bool) {
	if !d.ready() {
		return nil, false
	}
	rest := d.buf[d.scan:]
	n := bytes.IndexByte(rest, '\n')
	if n < 0 {
		n = len(rest)
	}
	if cr := bytes.IndexByte(rest[:n], '\r'); cr >= 0 {
		n = cr
	}
	if n == len(rest) {
		d.scan = len(d.buf)
		if !d.closed || d.pos == len(d.buf) {
			return nil, false
		}
		line := d.buf[d.pos:]
		d.pos = len(d.buf)
		return line, true
	}
	end := d.scan + n
	line := d.buf[d.pos:end]
	d.skipLF = d.buf[end] == '\r'
	d.pos, d.scan = end+1, end+1
	return line, true
}

// ready passes over a byte order mark and the second half of a CRLF.
func (d *decoder) ready() bool {
	const mark = "\ufeff"
	if !d.opened && len(d.buf) > 0 {
		if len(d.buf) < len(mark) && string(d.buf) == mark[:len(d.buf)] && !d.closed {
			return false
		}
		d.opened = true
		if bytes.HasPrefix(d.buf, []byte(mark)) {
			d.pos, d.scan = len(mark), len(mark)
		}
	}
	if d.skipLF && d.pos < len(d.buf) {
		d.skipLF = false
		if d.buf[d.pos] == '\n' {
			d.pos++
			d.scan = d.pos
		}
	}
	return true
}

// take adds a line to the event being collected and returns the event that it closes, if any.
func (d *decoder) take(line []byte) (Event, bool) {
	if len(line) == 0 {
		return d.blank()
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	switch string(field) {
	case "":
		return Event{}, false // a comment
	case "data":
		d.framed = true
		return d.add(bytes.TrimPrefix(value, []byte(" ")), false)
	case "event":
		ev, ok := d.overtake()
		d.name = string(bytes.TrimSpace(value))
		return ev, ok
	case "id", "retry":
		return Event{}, false
	}
	if d.framed && !d.raw && line[0] != '{' && line[0] != '<' {
		return Event{}, false // an unknown field
	}
	return d.add(line, true)
}

func (d *decoder) blank() (Event, bool) {
	switch {
	case d.lines == 0:
		d.name = ""
		return Event{}, false
	case d.raw: // pages and indented JSON may hold blank lines
		d.data = append(d.data, '\n')
		return Event{}, false
	}
	return d.emit(), true
}

// add collects a line. One that is no continuation hands out the event before it.
func (d *decoder) add(value []byte, raw bool) (Event, bool) {
	ev, ok := d.overtake()
	if !ok && d.raw && !raw {
		ev, ok = d.emit(), true
		ok = looksLikePage(ev.Data) || looksLikeJSON(ev.Data) // else: an unknown field before the first event
	}
	if d.lines > 0 {
		d.data = append(d.data, '\n')
	}
	d.data = append(d.data, value...)
	d.lines++
	d.raw = raw
	return ev, ok
}

// overtake hands out an event that is complete although no blank line came: a single line that is
// a whole JSON value. Only a single line is looked at, so that every byte is checked at most once.
func (d *decoder) overtake() (Event, bool) {
	if d.lines != 1 || !looksLikeJSON(d.data) || !json.Valid(d.data) {
		return Event{}, false
	}
	return d.emit(), true
}

func (d *decoder) emit() Event {
	ev := Event{Name: d.name, Data: d.data, Raw: d.raw}
	d.data, d.last = d.last[:0], d.data
	d.name, d.lines, d.raw = "", 0, false
	return ev
}

// settle hands out what stands unfinished at a pause, if it is a whole by itself: the last event of
// a server that neither ends the line nor the connection.
func (d *decoder) settle() (Event, bool) {
	rest := bytes.TrimSpace(d.buf[d.pos:])
	whole := append(append([]byte(nil), d.data...), bytes.TrimPrefix(rest, []byte("data:"))...)
	whole = bytes.TrimSpace(whole)
	if len(whole) == 0 {
		return Event{}, false
	}
	done := string(whole) == Done
	page := looksLikePage(whole) && whole[len(whole)-1] == '>'
	if !done && !page && (!looksLikeJSON(whole) || !json.Valid(whole)) {
		return Event{}, false
	}
	ev := Event{Name: d.name, Data: whole, Raw: d.raw || page}
	d.data, d.name, d.lines, d.raw = d.data[:0], "", 0, false
	d.pos, d.scan = len(d.buf), len(d.buf)
	return ev, true
}
