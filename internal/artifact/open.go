package artifact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxOpen is the largest file that Open makes, in bytes: what comes after it is dropped. Of a text
// so long nobody reads the rest, and the folder of all outputs is held to maxSize.
const maxOpen = 16 << 20

// Open makes a file for an output that is still being written, and gives its path as the model may
// read it. Secrets are taken out line by line.
func (s *Store) Open(tool string) (io.WriteCloser, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, path, err := s.begin(tool)
	if err != nil {
		return nil, "", err
	}
	return &growing{file: f, scrub: s.opts.Scrub, room: maxOpen}, path, nil
}

// growing writes whole lines. It is for one goroutine.
type growing struct {
	file  *os.File
	scrub func([]byte) []byte
	line  []byte // unfinished
	room  int
}

const notice = "\n[… the file is full; what came after this was not kept …]\n"

func (g *growing) Write(p []byte) (int, error) {
	if g.room < 0 {
		return len(p), nil
	}
	g.line = append(g.line, p...)
	end := bytes.LastIndexByte(g.line, '\n') + 1
	if end == 0 && len(g.line) > 64<<10 {
		end = len(g.line)
	}
	err := g.flush(end)
	return len(p), err
}

// flush writes the first n bytes of what waits.
func (g *growing) flush(n int) error {
	if n == 0 {
		return nil
	}
	text := g.scrub(bytes.Clone(g.line[:n]))
	g.line = append(g.line[:0], g.line[n:]...)
	if g.room -= len(text); g.room < 0 {
		text = []byte(notice)
	}
	if _, err := g.file.Write(text); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

func (g *growing) Close() error {
	var err error
	if g.room >= 0 {
		err = g.flush(len(g.line))
	}
	return errors.Join(err, g.file.Close())
}
