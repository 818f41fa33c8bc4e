package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"paicli/internal/i18n"
)

// silentPipe is how long an open pipe may send nothing when there is a prompt already.
const silentPipe = 3 * time.Second

// maxStdin bounds what is read from a pipe, in bytes. More does not fit any model's window.
const maxStdin = 8 << 20

// prompt puts together what the user said: the arguments, and what was piped in. With arguments the
// piped text follows in a block of its own; without, it is the prompt.
func (p *program) prompt(args []string) (string, error) {
	words := strings.Join(args, " ")
	switch {
	case words == "-":
		text, err := p.readAll(nil)
		if err == nil && strings.TrimSpace(text) == "" {
			err = misuse(i18n.ArgNoPrompt)
		}
		return text, err
	case strings.TrimSpace(words) != "":
		text, err := p.piped()
		if err != nil || strings.TrimSpace(text) == "" {
			return words, err
		}
		return words + "\n\n<stdin>\n" + strings.TrimRight(text, "\n") + "\n</stdin>", nil
	case isTerminal(p.in):
		return "", misuse(i18n.ArgNoPrompt)
	}
	text, err := p.readAll(nil)
	if err == nil && strings.TrimSpace(text) == "" {
		err = misuse(i18n.ArgNoPrompt)
	}
	return text, err
}

// isTerminal reports whether a stream is a character device: a terminal, or the null device, which
// has nothing to say either.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err != nil || info.Mode()&os.ModeCharDevice != 0
}

// piped reads what is piped in beside a prompt. A pipe that stays silent is left alone, with a note.
func (p *program) piped() (string, error) {
	if isTerminal(p.in) {
		return "", nil
	}
	first := make(chan struct{})
	type read struct {
		text string
		err  error
	}
	done := make(chan read, 1)
	go func() { // ends with the process when the pipe stays silent
		text, err := p.readAll(func() { close(first) })
		done <- read{text, err}
	}()
	timer := time.NewTimer(silentPipe)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.text, r.err
	case <-first:
		r := <-done
		return r.text, r.err
	case <-timer.C:
		fmt.Fprintf(p.err, "paicli: %s\n", p.lang().Say(i18n.NoteSilentStdin, silentPipe))
		return "", nil
	}
}

// readAll reads stdin to its end and calls begun at the first byte.
func (p *program) readAll(begun func()) (string, error) {
	var text strings.Builder
	buf := make([]byte, 64<<10)
	for {
		n, err := p.in.Read(buf)
		if n > 0 && text.Len() == 0 && begun != nil {
			begun()
		}
		text.Write(buf[:n])
		switch {
		case err == io.EOF:
			return strings.ToValidUTF8(text.String(), "\uFFFD"), nil
		case err != nil:
			return "", misuse(i18n.ArgStdin, reason(err))
		case text.Len() > maxStdin:
			return "", misuse(i18n.ArgStdinSize, maxStdin>>20)
		}
	}
}
