package session

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"strconv"
	"sync"
	"time"
)

// header is the first line of a log file: what it is and the version of its format.
const header = `{"format":"paicli-session","version":1}` + "\n"

// A record is one line: the envelope, closed by a checksum over everything before it.
//
//	{"seq":7,"time":"…","turn":1,"agent":"","type":"said","data":{…},"sum":"9c1e02ab"}
const (
	sumOpen  = `,"sum":"`
	sumClose = `"}`
	sumLen   = len(sumOpen) + 8 + len(sumClose)
)

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// errDamaged marks a line whose checksum does not fit.
var errDamaged = errors.New("damaged record")

// timeLayout is how times are written, always in UTC.
const timeLayout = "2006-01-02T15:04:05.000Z"

// appendEnvelope appends the event as JSON without the closing brace, so that a checksum or a brace
// can follow.
func appendEnvelope(dst []byte, e Event) ([]byte, error) {
	data, err := marshal(e.Body)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", e.Body.kind(), err)
	}
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendInt(dst, e.Seq, 10)
	dst = append(dst, `,"time":"`...)
	dst = e.Time.UTC().AppendFormat(dst, timeLayout)
	dst = append(dst, `","turn":`...)
	dst = strconv.AppendInt(dst, int64(e.Turn), 10)
	dst = append(dst, `,"agent":`...)
	dst = strconv.AppendQuote(dst, e.Agent)
	dst = append(dst, `,"type":"`...)
	dst = append(dst, e.Body.kind()...)
	dst = append(dst, `","data":`...)
	return append(dst, data...), nil
}

// marshal encodes without HTML escapes: the log is read by people and grep.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

// MarshalJSON gives the envelope without a checksum.
func (e Event) MarshalJSON() ([]byte, error) {
	b, err := appendEnvelope(nil, e)
	if err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}

// seal closes the open envelope that begins at start and makes it a record line.
func seal(buf []byte, start int) []byte {
	sum := crc32.Checksum(buf[start:], castagnoli())
	buf = append(buf, sumOpen...)
	buf = fmt.Appendf(buf, "%08x", sum)
	buf = append(buf, sumClose...)
	return append(buf, '\n')
}

// records gives the lines of a block, without their ends, and where each begins. A damaged line that
// two records share, because the end of the first was hit, counts as two.
func records(block []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		at := 0
		for line := range bytes.Lines(block) {
			for rest := line[:len(line)-1]; ; {
				end := seam(rest)
				if !yield(at, rest[:end]) {
					return
				}
				at += end + 1
				if end == len(rest) {
					break
				}
				rest = rest[end+1:]
			}
		}
	}
}

// seam is where the first record of a line ends: the byte that stands there was a line's end. What
// looks like one inside of a record has a whole record on neither side.
func seam(line []byte) int {
	first := len(line)
	for from := 0; ; {
		i := bytes.Index(line[from:], []byte(sumOpen))
		end := from + i + sumLen
		if i < 0 || end >= len(line) {
			return first
		}
		from += i + 1
		switch {
		case !bytes.HasPrefix(line[end+1:], []byte(`{"seq":`)):
		case isRecord(line):
			return len(line)
		case isRecord(line[:end]), isRecord(line[end+1:]):
			return end
		default:
			first = min(first, end)
		}
	}
}

func isRecord(line []byte) bool {
	_, err := checkRecord(line)
	return err == nil
}

// recordHead is a record whose checksum fits and whose body is not decoded.
type recordHead struct {
	seq   int64
	turn  int
	time  string
	agent string
	kind  string
	data  []byte
}

// checkRecord tests the checksum of one line without its newline and returns what it covers.
func checkRecord(line []byte) ([]byte, error) {
	cut := len(line) - sumLen
	if cut < 1 || string(line[cut:cut+len(sumOpen)]) != sumOpen {
		return nil, errDamaged
	}
	var sum [4]byte
	var text [8]byte
	binary.BigEndian.PutUint32(sum[:], crc32.Checksum(line[:cut], castagnoli()))
	hex.Encode(text[:], sum[:])
	if string(line[cut+len(sumOpen):]) != string(text[:])+sumClose {
		return nil, errDamaged
	}
	return line[:cut], nil
}

// splitRecord checks one line and takes it apart. The layout is fixed, since only appendEnvelope
// writes it.
func splitRecord(line []byte) (h recordHead, err error) {
	rest, err := checkRecord(line)
	if err != nil {
		return h, err
	}
	for _, field := range []struct {
		key  string
		stop string
		into func(value string) error
	}{
		{`{"seq":`, `,`, func(v string) (err error) { h.seq, err = strconv.ParseInt(v, 10, 64); return err }},
		{`"time":"`, `",`, func(v string) error { h.time = v; return nil }},
		{`"turn":`, `,`, func(v string) (err error) { h.turn, err = strconv.Atoi(v); return err }},
		{`"agent":"`, `",`, func(v string) error { h.agent = v; return nil }},
		{`"type":"`, `",`, func(v string) error { h.kind = v; return nil }},
	} {
		after, ok := bytes.CutPrefix(rest, []byte(field.key))
		end := bytes.Index(after, []byte(field.stop))
		if !ok || end < 0 || field.into(string(after[:end])) != nil {
			return h, errDamaged
		}
		rest = after[end+len(field.stop):]
	}
	data, ok := bytes.CutPrefix(rest, []byte(`"data":`))
	if !ok {
		return h, errDamaged
	}
	h.data = data
	return h, nil
}

// parseRecord reads one line without its newline.
func parseRecord(line []byte) (Event, error) {
	h, err := splitRecord(line)
	if err != nil {
		return Event{}, err
	}
	return h.event()
}

// event decodes the body.
func (h *recordHead) event() (Event, error) {
	at, err := time.Parse(timeLayout, h.time)
	if err != nil {
		return Event{}, errDamaged
	}
	body, err := newBody(h.kind)
	if err != nil {
		return Event{}, err
	}
	if err := json.Unmarshal(h.data, body); err != nil {
		return Event{}, fmt.Errorf("decode %s: %w", h.kind, err)
	}
	return Event{Seq: h.seq, Time: at, Turn: h.turn, Agent: h.agent, Body: body}, nil
}
