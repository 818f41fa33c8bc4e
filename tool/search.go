package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"paicli/internal/charset"
	"paicli/internal/fsx"
	lines "paicli/internal/search"
)

// maxSearched bounds the size of a file that is searched, in bytes; larger ones are data.
const maxSearched = 2 << 20

// maxShownLine bounds a line of a result, in bytes around the hit.
const maxShownLine = 500

// search is one run of grep_code: what is asked for, and what was found.
type search struct {
	pattern    *lines.Pattern
	only       *fsx.Glob
	context    int
	maxResults int
	perFile    int
	maxChars   int

	hits       []hit
	reasons    []string // why there is more than hits
	skipped    fsx.Skipped
	unsearched []string
	hides      func(*fsx.Item) bool
	hidden     []string    // files that it passed over
	looked     atomic.Bool // at any file
}

// hit is a line that matches, with its context as it is shown.
type hit struct {
	path string
	line int
	text string
}

// fileHits are the hits in one file.
type fileHits struct {
	path       string
	hits       []hit
	more       bool // than were wanted of one file
	unsearched bool // the pattern may be in it nevertheless
	hidden     bool // it was not searched because of what it is
}

// run searches a directory or one file.
func (s *search) run(ctx context.Context, w *workspace, p fsx.Path) error {
	info, err := w.root.Stat(p)
	if err != nil {
		return err
	}
	short, cancel := w.inTime(ctx)
	defer cancel()
	if info.IsDir() {
		s.skipped, err = fsx.Walk(short, w.root, p, s.visit(short, p))
	} else {
		err = s.named(short, w, p)
	}
	if short.Err() != nil && ctx.Err() == nil {
		s.partial(fmt.Sprintf("time=%ds", int(searchTime.Seconds())))
		return nil
	}
	return err
}

// visit searches the files of a walk.
func (s *search) visit(ctx context.Context, start fsx.Path) fsx.Visit[fileHits] {
	return fsx.Visit[fileHits]{
		Look: func() func(*fsx.Item) (fileHits, bool) {
			r := s.reader()
			return func(f *fsx.Item) (fileHits, bool) {
				if !f.Type().IsRegular() || s.only != nil && !s.only.MatchFile(f, start) {
					return fileHits{}, false
				}
				if s.hides != nil && s.hides(f) {
					return fileHits{path: f.Path(), hidden: true}, true
				}
				return r.item(ctx, f)
			}
		},
		Take: s.take,
	}
}

// named searches the one file that was asked for by its name.
func (s *search) named(ctx context.Context, w *workspace, p fsx.Path) error {
	f, err := w.root.Open(p)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSearched+1))
	if err != nil {
		return err
	}
	if len(data) > maxSearched {
		s.take(fileHits{path: p.Rel, unsearched: true})
		return nil
	}
	s.look()
	found, err := s.reader().data(ctx, p.Rel, data)
	if err != nil {
		return notText(p, err)
	}
	s.take(found)
	return ctx.Err()
}

// take adds what was found in a file. It is false when there are results enough.
func (s *search) take(f fileHits) bool {
	if f.unsearched {
		s.unsearched = append(s.unsearched, f.path)
	}
	if f.hidden {
		s.hidden = append(s.hidden, f.path)
	}
	for _, h := range f.hits {
		if len(s.hits) == s.maxResults {
			s.partial(fmt.Sprintf("max_results=%d", s.maxResults))
			return false
		}
		s.hits = append(s.hits, h)
	}
	if f.more {
		s.partial(fmt.Sprintf("head_limit=%d", s.perFile))
	}
	return true
}

// reader searches files, one after the other.
type reader struct {
	*search
	matcher *lines.Matcher
	text    []byte
}

func (s *search) reader() *reader { return &reader{search: s, matcher: s.pattern.Matcher()} }

// item searches a file of a walk. One bad file does not end a search.
func (r *reader) item(ctx context.Context, f *fsx.Item) (fileHits, bool) {
	data, err := f.Read(maxSearched)
	if err != nil {
		return fileHits{path: f.Path(), unsearched: true}, true
	}
	r.look()
	if r.matcher.Absent(data) && !mayBeWide(data) {
		return fileHits{}, false
	}
	found, err := r.data(ctx, f.Path(), data)
	return found, err == nil && (len(found.hits) > 0 || found.unsearched)
}

// look remembers that a file was looked at.
func (s *search) look() {
	if !s.looked.Load() {
		s.looked.Store(true)
	}
}

// wideHead is how much of a file decides whether it may be UTF-16, in bytes.
const wideHead = 64 << 10

// mayBeWide reports whether a file may be in UTF-16, where ASCII is not written as ASCII.
func mayBeWide(data []byte) bool {
	head := data[:min(len(data), wideHead)]
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) || bytes.IndexByte(head, 0) >= 0
}

// data searches the bytes of a file. Its error is charset.ErrBinary.
func (r *reader) data(ctx context.Context, path string, data []byte) (fileHits, error) {
	text, _, err := charset.Show(data)
	if errors.Is(err, charset.ErrBinary) {
		return fileHits{}, err
	}
	if err != nil { // ASCII in it can be told all the same
		text = strings.ToValidUTF8(string(data), "\uFFFD")
	}
	r.text = append(r.text[:0], text...)
	found := r.lines(ctx, path)
	found.unsearched = err != nil && len(found.hits) == 0
	return found, nil
}

// lines finds the lines of the text that match.
func (r *reader) lines(ctx context.Context, path string) fileHits {
	found := fileHits{path: path}
	matching := r.matcher.Search(r.text)
	n, counted := 1, 0
	for {
		line, ok := matching.Next(ctx)
		if !ok {
			return found
		}
		if len(found.hits) == r.perFile {
			found.more = true
			return found
		}
		n += bytes.Count(r.text[counted:line.Start], []byte("\n"))
		counted = line.Start
		found.hits = append(found.hits, hit{path: path, line: n, text: r.show(ctx, line, n)})
	}
}

// show writes a line with its context.
func (r *reader) show(ctx context.Context, l lines.Line, n int) string {
	var b strings.Builder
	before := lastLines(r.text[:l.Start], r.context)
	for i, line := range before {
		showLine(&b, ' ', n-len(before)+i, shorten(line, 0, 0))
	}
	line, from, to := r.text[l.Start:l.End], 0, 0
	if len(line) > maxShownLine {
		from, to = r.matcher.Locate(ctx, line)
	}
	showLine(&b, '>', n, shorten(string(line), from, to))
	rest := bytes.TrimPrefix(r.text[l.End:], []byte("\n"))
	for i := 1; i <= r.context && len(rest) > 0; i++ {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		showLine(&b, ' ', n+i, shorten(string(line), 0, 0))
	}
	return b.String()
}

func showLine(b *strings.Builder, mark byte, n int, text string) {
	fmt.Fprintf(b, "%c%5d | %s\n", mark, n, text)
}

// lastLines are up to n lines before a place.
func lastLines(text []byte, n int) []string {
	text = bytes.TrimSuffix(text, []byte("\n"))
	var out []string
	for ; n > 0 && len(text) > 0; n-- {
		i := bytes.LastIndexByte(text, '\n')
		out = append([]string{string(text[i+1:])}, out...)
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
