package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"paicli/internal/charset"
	"paicli/internal/fsx"
)

// maxSearched bounds the size of a file that is searched, in bytes; larger ones are data.
const maxSearched = 2 << 20

// maxShownLine bounds a line of a result, in bytes around the hit.
const maxShownLine = 500

// search is one run of grep_code.
type search struct {
	matcher    *matcher
	only       *fsx.Glob
	context    int
	maxResults int
	perFile    int
	maxChars   int

	named      bool // one file was asked for by its name
	buf        []byte
	hits       []hit
	reasons    []string // why there is more than hits
	skipped    fsx.Skipped
	unsearched []string
}

// hit is a line that matches, with its context as it is shown.
type hit struct {
	path string
	line int
	text string
}

// run searches a directory or one file.
func (s *search) run(ctx context.Context, w *workspace, p fsx.Path) error {
	info, err := w.root.Stat(p)
	if err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	if s.named = !info.IsDir(); s.named {
		err = s.file(short, w, p)
	} else {
		s.skipped, err = w.root.Walk(short, p, func(e fsx.Entry) error {
			if !e.Type.IsRegular() || s.only != nil && !s.only.Match(e.Path) && !s.only.Match(below(p, e.Path)) {
				return nil
			}
			err := s.file(short, w, fsx.Path{Rel: e.Path})
			if err != nil && short.Err() == nil && !errors.Is(err, fs.SkipAll) {
				s.unsearched = append(s.unsearched, e.Path) // one bad file does not end a search
				return nil
			}
			return err
		})
	}
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	if short.Err() != nil && ctx.Err() == nil {
		s.partial(fmt.Sprintf("time=%ds", int(searchTime.Seconds())))
		return nil
	}
	return err
}

// file searches one file. It returns fs.SkipAll when there are results enough.
func (s *search) file(ctx context.Context, w *workspace, p fsx.Path) error {
	f, err := w.root.Open(p)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > maxSearched {
		s.unsearched = append(s.unsearched, p.Rel)
		return err
	}
	buf := bytes.NewBuffer(s.buf[:0])
	_, err = buf.ReadFrom(io.LimitReader(f, maxSearched))
	s.buf = buf.Bytes()
	if err != nil {
		return err
	}
	text, _, err := charset.Show(s.buf)
	switch {
	case errors.Is(err, charset.ErrBinary):
		if s.named {
			return notText(p, err)
		}
		return nil
	case err != nil:
		if found := s.lines(ctx, p.Rel, strings.ToValidUTF8(string(s.buf), "\uFFFD")); found != nil {
			return found
		}
		if len(s.hits) == 0 || s.hits[len(s.hits)-1].path != p.Rel {
			s.unsearched = append(s.unsearched, p.Rel)
		}
		return nil
	}
	return s.lines(ctx, p.Rel, text)
}

// lines finds the lines of a text that match.
func (s *search) lines(ctx context.Context, path, text string) error {
	inFile, line := 0, 1
	for at := 0; ; {
		found, ok := s.matcher.next(ctx, text, at)
		if !ok {
			return ctx.Err()
		}
		line += strings.Count(text[at:found.start], "\n")
		switch {
		case len(s.hits) == s.maxResults:
			s.partial(fmt.Sprintf("max_results=%d", s.maxResults))
			return fs.SkipAll
		case inFile == s.perFile:
			s.partial(fmt.Sprintf("head_limit=%d", s.perFile))
			return nil
		}
		inFile++
		s.hits = append(s.hits, hit{path: path, line: line, text: s.show(text, found, line)})
		if found.end >= len(text) {
			return nil
		}
		at = found.end + 1
		line++
	}
}

// place is a line that matches, and where in it.
type place struct{ start, end, from, to int }

// show writes a line with its context.
func (s *search) show(text string, p place, line int) string {
	var b strings.Builder
	before := lastLines(text[:p.start], s.context)
	for i, l := range before {
		showLine(&b, ' ', line-len(before)+i, shorten(l, 0, 0))
	}
	showLine(&b, '>', line, shorten(text[p.start:p.end], p.from-p.start, p.to-p.start))
	rest := strings.TrimPrefix(text[p.end:], "\n")
	for i := 1; i <= s.context && rest != ""; i++ {
		var l string
		l, rest, _ = strings.Cut(rest, "\n")
		showLine(&b, ' ', line+i, shorten(l, 0, 0))
	}
	return b.String()
}

func showLine(b *strings.Builder, mark byte, n int, text string) {
	fmt.Fprintf(b, "%c%5d | %s\n", mark, n, text)
}

// lastLines are up to n lines before a place.
func lastLines(text string, n int) []string {
	text = strings.TrimSuffix(text, "\n")
	var out []string
	for ; n > 0 && text != ""; n-- {
		i := strings.LastIndexByte(text, '\n')
		out = append([]string{text[i+1:]}, out...)
		text = text[:max(i, 0)]
	}
	return out
}

// shorten cuts a long line to what is around the hit.
func shorten(line string, from, to int) string {
	line = strings.TrimSuffix(line, "\r")
	if len(line) <= maxShownLine {
		return line
	}
	from = max(0, min(from, len(line)))
	to = min(to, from+maxShownLine/2, len(line))
	room := (maxShownLine - (to - from)) / 2
	begin, end := max(0, from-room), min(len(line), to+room)
	out := strings.ToValidUTF8(line[begin:end], "")
	if begin > 0 {
		out = "…" + out
	}
	if end < len(line) {
		out += "…"
	}
	return out
}
