// Package audit keeps a record of every call that a model wanted to make: what it was, whether it ran,
// who decided, and what came of it. It reads the session's log and appends to a file a day, in which
// each line holds the hash of the one before it, over all processes and days.
//
//	session log ─► Follow ─► Entry ─► Writer ─► audit/2026-11-30.jsonl ─► Recent, Verify
//
// It decides nothing and is no session: results are not in it. The chain shows that a line was
// changed, taken out or put in; it has no key, so whoever can write all the files can make another
// one, and lines cut off at the very end leave no trace.
package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// Outcome is what became of a call.
type Outcome string

// The outcomes.
const (
	Allowed Outcome = "allow"
	Denied  Outcome = "deny"
	Failed  Outcome = "error" // it was allowed, or could not even be judged, and gave no result
)

// Entry is one call. Prev and Hash are the Writer's.
type Entry struct {
	Time     string  `json:"time"` // of its end, UTC
	Session  string  `json:"session"`
	Turn     int     `json:"turn"`
	Agent    string  `json:"agent,omitempty"`
	Seq      int64   `json:"seq"` // of the event in the session's log
	Tool     string  `json:"tool"`
	Args     string  `json:"args"` // redacted, and of an allowed call cut
	Outcome  Outcome `json:"outcome"`
	Status   string  `json:"status"` // as in the session's log: ok, error, denied, timeout, …
	Reason   string  `json:"reason,omitempty"`
	Approver string  `json:"approver"` // user, policy, rule, mode, classifier, nobody, none
	Millis   int64   `json:"ms"`
	Mode     string  `json:"mode,omitempty"`
	CWD      string  `json:"cwd,omitempty"`
	// Torn is the length of an unfinished line before this one, in bytes: what a process left that
	// ended while it wrote.
	Torn int    `json:"torn,omitempty"`
	Prev string `json:"prev"`           // hash of the line before
	Hash string `json:"hash,omitempty"` // SHA-256 of the line up to this field, in hexadecimal
}

const timeLayout = "2006-01-02T15:04:05.000Z"

func stamp(t time.Time) string { return t.UTC().Format(timeLayout) }

// start is what the very first line has in place of a hash.
var start = strings.Repeat("0", 2*sha256.Size)

const hashOpen, hashClose = `,"hash":"`, `"}`

// seal writes an entry as a line without its end.
func (e Entry) seal(prev string) (line []byte, hash string, err error) {
	e.Prev, e.Hash = prev, ""
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, "", err
	}
	line = bytes.TrimSuffix(buf.Bytes(), []byte("}\n"))
	hash = sum(line)
	return append(append(append(line, hashOpen...), hash...), hashClose...), hash, nil
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// What is wrong with a line.
var (
	errNoEntry = errors.New("no entry")
	errChanged = errors.New("changed")
)

// read reads a line without its end and checks its hash.
func read(line []byte) (Entry, error) {
	var e *Entry
	if err := json.Unmarshal(line, &e); err != nil || e == nil {
		return Entry{}, errNoEntry
	}
	body := len(line) - len(hashOpen) - 2*sha256.Size - len(hashClose)
	if body < 0 || string(line[body:]) != hashOpen+e.Hash+hashClose || sum(line[:body]) != e.Hash {
		return *e, errChanged
	}
	return *e, nil
}
