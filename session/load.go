package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Report says what a load found: records that could not be read and were passed over, how many
// bytes of a torn last record were cut off, and how many calls had no result.
type Report struct {
	Damaged  []Damage
	Cut      int64
	Repaired int
}

// Damage is a record that was passed over.
type Damage struct {
	Offset int64
	Err    error
}

// InUseError refuses a session that another process has open.
type InUseError struct{ ID string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("session %s is in use by another process", e.ID)
}

// VersionError refuses a log of a format that this program does not know.
type VersionError struct {
	ID      string
	Version int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("session %s has format version %d, this program knows version %d", e.ID, e.Version, formatVersion)
}

// ErrNotSession refuses a file that is no session log.
var ErrNotSession = errors.New("not a session log")

// Open goes on with a session of Options.Dir. It checks every record, cuts a torn last one, passes
// over damaged ones, and gives every open call a result; nothing is executed again. Errors are
// *InUseError, *VersionError, ErrNotSession, fs.ErrNotExist or what the system says.
func Open(id string, opts Options) (*Log, Report, error) {
	if !validID(id) {
		return nil, Report{}, fmt.Errorf("open session: %w", os.ErrNotExist)
	}
	f, err := os.OpenFile(pathOf(opts.Dir, id), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, Report{}, fmt.Errorf("open session: %w", err)
	}
	l := opts.newLog(id)
	l.path, l.store = f.Name(), f
	report, err := l.load(f, opts)
	if err != nil {
		f.Close()
		return nil, report, fmt.Errorf("open session: %w", err)
	}
	return l, report, nil
}

func (l *Log) load(f *os.File, opts Options) (Report, error) {
	if !lock(f) {
		return Report{}, &InUseError{ID: l.id}
	}
	if err := l.readHeader(f); err != nil {
		return Report{}, err
	}
	s, err := survey(f)
	if err != nil {
		return Report{}, err
	}
	report := Report{Damaged: s.damaged, Cut: s.size - s.end}
	if report.Cut > 0 {
		if err := f.Truncate(s.end); err != nil {
			return report, err
		}
	}
	l.size = s.end
	if err := l.replay(f, s); err != nil {
		return report, err
	}
	report.Repaired, err = l.repair(opts)
	if err != nil {
		return report, err
	}
	return report, l.noteDamage(report)
}

// formatVersion is the version of the format that is written.
const formatVersion = 1

func (l *Log) readHeader(f *os.File) error {
	buf := make([]byte, 4<<10)
	n, err := f.ReadAt(buf, 0)
	if err != nil && err != io.EOF {
		return err
	}
	line, _, whole := bytes.Cut(buf[:n], []byte("\n"))
	var h struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if !whole || json.Unmarshal(line, &h) != nil || h.Format != "paicli-session" {
		return ErrNotSession
	}
	if h.Version != formatVersion {
		return &VersionError{ID: l.id, Version: h.Version}
	}
	return nil
}

// surveyed is what the first pass over a log finds.
type surveyed struct {
	size    int64 // of the file
	end     int64 // behind the last whole line
	start   int64 // of the last state of the root thread that stands whole in one record, else of the first record
	damaged []Damage
}

// wholeState stands at the head of a record that carries the whole state.
var wholeState = []byte(`,"agent":"","type":"compacted",`)

// headRoom is more than the fields before a body take.
const headRoom = 160

// survey checks every record without decoding it.
func survey(f *os.File) (surveyed, error) {
	first := int64(len(header))
	s := surveyed{size: first, start: first, end: first}
	err := eachLine(f, s.start, func(at int64, line []byte, whole bool) {
		s.size = at + int64(len(line))
		if !whole {
			return
		}
		s.size++
		s.end = s.size
		if _, err := checkRecord(line); err != nil {
			s.damaged = append(s.damaged, Damage{Offset: at, Err: err})
		} else if bytes.Contains(line[:min(len(line), headRoom)], wholeState) {
			s.start = at
		}
	})
	return s, err
}

// replay decodes what the state follows from.
func (l *Log) replay(f *os.File, s surveyed) error {
	return eachLine(f, s.start, func(_ int64, line []byte, whole bool) {
		if !whole {
			return
		}
		h, err := splitRecord(line)
		if err != nil {
			return // counted by the survey
		}
		l.seq = max(l.seq, h.seq)
		e, err := h.event()
		if err != nil {
			return // of a later version of the program
		}
		l.fold(e.Agent).apply(e.Seq, e.Body)
		l.state.apply(e.Agent, e.Turn, e.Body)
	})
}

// eachLine calls f for every line from an offset on. whole is false for a last line without an end.
func eachLine(r io.ReaderAt, at int64, f func(at int64, line []byte, whole bool)) error {
	buf := make([]byte, 256<<10)
	for {
		n, err := r.ReadAt(buf, at)
		if err != nil && err != io.EOF {
			return err
		}
		block := buf[:n]
		end := bytes.LastIndexByte(block, '\n') + 1
		if end == 0 && n == len(buf) {
			buf = make([]byte, 2*len(buf))
			continue
		}
		for i, line := range records(block[:end]) {
			f(at+int64(i), line, true)
		}
		at += int64(end)
		if err == io.EOF {
			if end < n {
				f(at, block[end:], false)
			}
			return nil
		}
	}
}

// What a repaired call's result tells the model.
const (
	notStarted = "not started: the program ended before this call began"
	notKnown   = "started, result unknown: the program ended while it ran. It was not run again; look at its effects before you repeat it"
)

// repair ends what the last process left open: calls, questions, the turn.
func (l *Log) repair(opts Options) (int, error) {
	repaired := 0
	for agent, f := range l.folds {
		bodies := f.lost(opts.Frame)
		if len(bodies) == 0 {
			continue
		}
		repaired += len(bodies)
		if _, err := l.append(agent, l.state.Turn, bodies); err != nil {
			return repaired, err
		}
	}
	var ends []Body
	for _, a := range l.state.Asks {
		ends = append(ends, &Answered{ID: a.ID})
	}
	if l.state.Running {
		ends = append(ends, &TurnEnded{End: EndInterrupted, Reason: "process_ended"})
	}
	if len(ends) == 0 {
		return repaired, nil
	}
	_, err := l.append("", l.state.Turn, ends)
	return repaired, err
}

// lost is the end of a call whose process is gone.
// lost are the ends of the calls that have no result.
func (f *fold) lost(frame func(tool, text string) string) []Body {
	var bodies []Body
	for _, s := range f.slots {
		if s.result == nil && f.open > 0 {
			bodies = append(bodies, s.lost(frame))
		}
	}
	return bodies
}

func (s *slot) lost(frame func(tool, text string) string) *CallEnded {
	end := &CallEnded{Call: s.call, Name: s.name, Status: StatusInterrupted, Reason: "not_started"}
	text := notStarted
	if s.started {
		end.Status, end.Reason, text = StatusUnknown, "result_unknown", notKnown
	}
	if frame != nil {
		text = frame(s.name, text)
	}
	end.Result.ID, end.Result.Name, end.Result.Text, end.Result.Error = s.id, s.name, text, true
	return end
}

// NoteDamaged is the code of the note that records of the log could not be read.
const NoteDamaged = "log_damaged"

func (l *Log) noteDamage(r Report) error {
	if len(r.Damaged) == 0 {
		return nil
	}
	first := r.Damaged[0]
	_, err := l.append("", l.state.Turn, []Body{&Noted{Code: NoteDamaged, Args: map[string]string{
		"records": fmt.Sprint(len(r.Damaged)), "offset": fmt.Sprint(first.Offset), "error": first.Err.Error(),
	}}})
	return err
}
