package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
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

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged marks a line whose checksum does not fit.
var errDamaged = errors.New("damaged record")

type envelope struct {
	Seq   int64           `json:"seq"`
	Time  time.Time       `json:"time"`
	Turn  int             `json:"turn"`
	Agent string          `json:"agent"`
	Type  string          `json:"type"`
	Data  json.RawMessage `json:"data"`
}

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
	dst = e.Time.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
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
	sum := crc32.Checksum(buf[start:], castagnoli)
	buf = append(buf, sumOpen...)
	buf = fmt.Appendf(buf, "%08x", sum)
	buf = append(buf, sumClose...)
	return append(buf, '\n')
}

// parseRecord reads one line without its newline.
func parseRecord(line []byte) (Event, error) {
	cut := len(line) - sumLen
	if cut < 1 || !bytes.HasPrefix(line[cut:], []byte(sumOpen)) {
		return Event{}, errDamaged
	}
	want, err := strconv.ParseUint(string(line[cut+len(sumOpen):len(line)-len(sumClose)]), 16, 32)
	if err != nil || uint32(want) != crc32.Checksum(line[:cut], castagnoli) {
		return Event{}, errDamaged
	}
	var env envelope
	if err := json.Unmarshal(line, &env); err != nil {
		return Event{}, fmt.Errorf("decode record: %w", err)
	}
	body, err := newBody(env.Type)
	if err != nil {
		return Event{}, err
	}
	if err := json.Unmarshal(env.Data, body); err != nil {
		return Event{}, fmt.Errorf("decode %s: %w", env.Type, err)
	}
	return Event{Seq: env.Seq, Time: env.Time, Turn: env.Turn, Agent: env.Agent, Body: body}, nil
}
