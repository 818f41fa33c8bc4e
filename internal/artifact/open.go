package artifact

import (
	"errors"
	"fmt"
	"io"
	"os"

	"paicli/internal/secret"
)

// maxOpen is the largest file that Open makes, in bytes: what comes after it is dropped. Of a text
// so long nobody reads the rest, and the folder of all outputs is held to maxSize.
const maxOpen = 16 << 20

// Open makes a file for an output that is still being written, and gives its path as the model may
// read it. Secrets are taken out, also those that come in two pieces.
func (s *Store) Open(tool string) (io.WriteCloser, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, path, err := s.begin(tool)
	if err != nil {
		return nil, "", err
	}
	g := &growing{file: f, room: maxOpen}
	g.clean = s.opts.Secrets.Stream(g.put)
	return g, path, nil
}

// growing is for one goroutine.
type growing struct {
	file  *os.File
	clean *secret.Stream
	room  int
	err   error // of the last write
}

const notice = "\n[… the file is full; what came after this was not kept …]\n"

func (g *growing) Write(p []byte) (int, error) {
	if g.room >= 0 {
		g.clean.Write(string(p))
	}
	return len(p), g.failed()
}

// put writes clean text, as far as there is room.
func (g *growing) put(text string) {
	if g.room < 0 {
		return
	}
	if g.room -= len(text); g.room < 0 {
		text = notice
	}
	if _, err := g.file.WriteString(text); err != nil {
		g.err = err
	}
}

func (g *growing) failed() error {
	if g.err != nil {
		return fmt.Errorf("write output: %w", g.err)
	}
	return nil
}

func (g *growing) Close() error {
	g.clean.Close()
	return errors.Join(g.failed(), g.file.Close())
}
