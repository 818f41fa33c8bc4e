package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Recent gives the last n entries of a day in the order of the file. Lines that are no entries are
// left out; without a file there are none.
func Recent(dir string, day time.Time, n int) ([]Entry, error) {
	var out []Entry
	err := lines(filepath.Join(dir, day.Format(dayLayout)+extension), func(line []byte, _ bool) bool {
		var e *Entry
		if json.Unmarshal(line, &e) == nil && e != nil {
			out = append(out, *e)
		}
		return true
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	return out[max(0, len(out)-n):], nil
}

// lines calls f for each line of a file, without its end, until f says no. whole is false for a last
// line that has none.
func lines(path string, f func(line []byte, whole bool) bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	for {
		line, err := in.ReadBytes('\n')
		bare, whole := bytes.CutSuffix(line, []byte("\n"))
		if len(line) > 0 && !f(bare, whole) {
			return nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Report is what Verify found.
type Report struct {
	Days    int `json:"days"`
	Entries int `json:"entries"`
	// Earlier says that the chain begins with a line that has one before it: older days are gone.
	Earlier bool    `json:"earlier,omitempty"`
	Torn    []Place `json:"torn,omitempty"`   // unfinished lines that processes left which ended while they wrote
	Broken  *Place  `json:"broken,omitempty"` // the first line that does not fit
}

// Place is a line of a file, from 1. Why is a code: no_entry, changed, order, torn.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Why  string `json:"why"`
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Verify follows the chain through all days up to the first line that does not fit.
func Verify(dir string) (Report, error) {
	v := verifier{}
	days, err := files(dir)
	for _, day := range days {
		if err != nil || v.report.Broken != nil {
			break
		}
		v.day(day)
		err = lines(filepath.Join(dir, day), v.line)
	}
	if err != nil {
		return v.report, fmt.Errorf("read audit log: %w", err)
	}
	if v.torn > 0 && v.whole && v.report.Broken == nil { // a write that is cut off has no end
		v.broken(v.bad)
	}
	return v.report, nil
}

// verifier is on its way along the chain.
type verifier struct {
	report Report
	at     Place
	prev   string // hash of the last line, "" before the first
	torn   int    // length of the line before, which was no entry
	bad    Place  // which that is
	whole  bool   // it had an end
}

func (v *verifier) day(name string) {
	v.report.Days++
	v.at = Place{File: name}
}

// line takes the next line and reports whether to go on. A line that is no entry may be the rest of
// a write that was cut off: then the next entry says how long it is.
func (v *verifier) line(line []byte, whole bool) bool {
	v.at.Line++
	e, err := read(line)
	switch {
	case err != nil && v.torn == 0 && len(line) > 0:
		v.bad, v.torn, v.whole = v.at.is(err.Error()), len(line), whole
		v.report.Torn = append(v.report.Torn, v.at.is("torn"))
		return true
	case v.torn > 0 && v.torn != e.Torn:
		return v.broken(v.bad)
	case err != nil:
		return v.broken(v.at.is(err.Error()))
	case v.torn != e.Torn:
		return v.broken(v.at.is("torn"))
	case v.prev == "":
		v.report.Earlier = e.Prev != start
	case v.prev != e.Prev:
		return v.broken(v.at.is("order"))
	}
	v.report.Entries++
	v.prev, v.torn = e.Hash, 0
	return true
}

func (p Place) is(why string) Place {
	p.Why = strings.ReplaceAll(why, " ", "_")
	return p
}

// broken ends the way. What was taken for torn is not.
func (v *verifier) broken(at Place) bool {
	v.report.Torn = slices.DeleteFunc(v.report.Torn, func(p Place) bool { return p.File == at.File && p.Line == at.Line })
	v.report.Broken = &at
	return false
}

// Last is the number of the last event of a session that has an entry, 0 if none has. Days before
// since are not looked at.
func Last(dir, session string, since time.Time) int64 {
	days, err := files(dir)
	if err != nil {
		return 0
	}
	var last int64
	for _, day := range slices.Backward(days) {
		if day < since.Format(dayLayout) || last > 0 {
			break
		}
		// A day that cannot be read has none.
		_ = lines(filepath.Join(dir, day), func(line []byte, _ bool) bool {
			var e *Entry
			if bytes.Contains(line, []byte(session)) && json.Unmarshal(line, &e) == nil && e != nil && e.Session == session {
				last = max(last, e.Seq)
			}
			return true
		})
	}
	return last
}
