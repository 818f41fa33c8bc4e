package audit

import (
	"bytes"
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

// Writer appends entries. It may be used by several goroutines, and several processes may have one on
// the same folder.
type Writer struct {
	Dir string
	Now func() time.Time // time.Now if nil
}

const (
	dayLayout = "2006-01-02"
	extension = ".jsonl"
	lockName  = ".lock"
)

// Append writes an entry behind the last one. The folder is made when it is missing; it and its files
// are for their owner only.
func (w *Writer) Append(e Entry) error {
	if err := w.append(e); err != nil {
		return fmt.Errorf("write audit log: %w", err)
	}
	return nil
}

func (w *Writer) append(e Entry) (err error) {
	if err := os.MkdirAll(w.Dir, 0o700); err != nil {
		return err
	}
	l, err := os.OpenFile(filepath.Join(w.Dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer l.Close() // which unlocks it
	lock(l)
	days, err := files(w.Dir)
	if err != nil {
		return err
	}
	name := w.today()
	if n := len(days); n > 0 && days[n-1] > name {
		name = days[n-1] // the clock went back: the chain goes on at its end
	}
	f, err := os.OpenFile(filepath.Join(w.Dir, name), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end, err := w.last(f, days, name)
	if err != nil {
		return err
	}
	e.Torn = end.torn
	line, _, err := e.seal(end.hash)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if end.open {
		line = append([]byte{'\n'}, line...)
	}
	n, err := f.Write(line)
	if err != nil && n > 0 { // what a full disk took of it
		err = errors.Join(err, f.Truncate(end.size))
	}
	return err
}

func (w *Writer) today() string {
	now := w.Now
	if now == nil {
		now = time.Now
	}
	return now().Format(dayLayout) + extension
}

// files lists the days, the oldest first. No folder is no days.
func files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		day, ok := strings.CutSuffix(e.Name(), extension)
		if _, err := time.Parse(dayLayout, day); ok && err == nil && e.Type().IsRegular() {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out, err
}

// tail is where the chain ends.
type tail struct {
	hash string // of the last entry
	torn int    // bytes of an unfinished line behind it
	open bool   // the last line of the file that is written to has no end
	size int64  // of the file
}

// last finds the end of the chain: in the file, or, as long as it has no whole line, in those before
// it.
func (w *Writer) last(f *os.File, days []string, name string) (tail, error) {
	end, err := tailOf(f)
	for _, day := range slices.Backward(days) {
		if err != nil || end.hash != "" {
			break
		}
		if day >= name {
			continue
		}
		var before tail
		before, err = tailOfFile(filepath.Join(w.Dir, day))
		end.hash = before.hash
		if end.torn == 0 {
			end.torn = before.torn
		}
	}
	if end.hash == "" {
		end.hash = start
	}
	return end, err
}

func tailOfFile(path string) (tail, error) {
	f, err := os.Open(path)
	if err != nil {
		return tail{}, err
	}
	defer f.Close()
	return tailOf(f)
}

// tailOf reads a file from its end, as far back as its last whole line begins. Only the end is read,
// so that a long day costs no more than a short one.
func tailOf(f *os.File) (tail, error) {
	info, err := f.Stat()
	if err != nil {
		return tail{}, err
	}
	size := info.Size()
	for want := int64(4 << 10); ; want *= 4 {
		want = min(want, size)
		block := make([]byte, want)
		if _, err := f.ReadAt(block, size-want); err != nil && err != io.EOF {
			return tail{}, err
		}
		end := bytes.LastIndexByte(block, '\n')
		begin := bytes.LastIndexByte(block[:max(end, 0)], '\n')
		if begin < 0 && want < size {
			continue
		}
		rest := block[end+1:]
		t := tail{torn: len(rest), open: len(rest) > 0, size: size}
		if e, err := read(rest); err == nil { // all but its end was written
			t.hash, t.torn = e.Hash, 0
		} else if end >= 0 {
			e, _ := read(block[begin+1 : end])
			t.hash = e.Hash
		}
		return t, nil
	}
}
