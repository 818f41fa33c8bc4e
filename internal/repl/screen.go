package repl

import (
	"bufio"
	"io"
	"os"
	"strings"

	"paicli/internal/i18n"
	"paicli/internal/term"
)

// inline draws the prompt below the output, in place.
type inline struct {
	region *term.Region
	term   *term.Terminal // nil in tests
	size   func() (columns, rows int)
	lang   i18n.Lang
	dim    string
}

func newInline(t *term.Terminal, out io.Writer, opts Options) *inline {
	s := &inline{region: term.NewRegion(out, t.Size), term: t, size: t.Size, lang: opts.Lang}
	if opts.Color {
		s.dim = dim
	}
	return s
}

func (s *inline) Write(text string) { s.region.Write(text) }

func (s *inline) Draw(b below) error {
	cols, rows := s.size()
	l := b.editor.Layout(b.prompt, cols, max(rows/3, 3))
	all := b.rows
	for _, text := range b.choices {
		for _, row := range term.Wrap(text, max(cols-1, 1)) {
			all = append(all, term.Row{Text: row})
		}
	}
	if b.hint.Text != "" {
		for _, row := range term.Wrap(b.hint.Text, max(cols-1, 1)) {
			all = append(all, term.Row{Text: row, SGR: b.hint.SGR})
		}
	}
	if l.Above+l.Below > 0 {
		all = append(all, term.Row{Text: s.lang.Say(i18n.ReplPartOutside, l.Above, l.Below), SGR: s.dim})
	}
	at := len(all) + l.Row
	for _, text := range l.Rows {
		all = append(all, term.Row{Text: text})
	}
	if b.foot.Text != "" {
		all = append(all, b.foot)
	}
	return s.region.Draw(all, at, l.Before)
}

func (s *inline) Close() error {
	err := s.region.Close()
	if s.term != nil {
		return s.term.Close()
	}
	return err
}

// Suspend stops the program as Ctrl+Z does.
func (s *inline) Suspend() error {
	if err := s.region.Close(); err != nil {
		return err
	}
	return s.term.Suspend()
}

func (s *inline) Clear() error { return s.region.Clear() }

// plain prints lines and reads lines; the terminal edits them.
type plain struct {
	w       io.Writer
	midLine bool   // the output stands inside a line
	asked   string // the prompt that stands behind the output
}

func (s *plain) Write(text string) {
	if text == "" {
		return
	}
	if s.asked != "" { // the person has not answered: the output begins a line of its own
		s.asked, text = "", "\n"+text
	}
	s.midLine = !strings.HasSuffix(text, "\n")
	io.WriteString(s.w, text)
}

func (s *plain) Draw(b below) error {
	if !b.ready || s.midLine || s.asked == b.prompt {
		return nil
	}
	s.asked = b.prompt
	_, err := io.WriteString(s.w, b.prompt)
	return err
}

// entered says that the person ended the line.
func (s *plain) entered() { s.asked, s.midLine = "", false }

func (s *plain) Close() error {
	if s.asked != "" || s.midLine {
		s.entered()
		_, err := io.WriteString(s.w, "\n")
		return err
	}
	return nil
}

// lines reads lines as keys: the text, and Return. Its goroutine ends with the process: a read from
// a terminal cannot be called off.
func lines(in *os.File) <-chan []term.Key {
	out := make(chan []term.Key)
	go func() {
		defer close(out)
		r := bufio.NewReader(in)
		for {
			text, err := r.ReadString('\n')
			keys := []term.Key{{Code: term.Text, Text: strings.TrimRight(strings.ToValidUTF8(text, "\uFFFD"), "\r\n")}}
			if strings.HasSuffix(text, "\n") {
				keys = append(keys, term.Key{Code: term.Enter})
			}
			if text != "" {
				out <- keys
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}
