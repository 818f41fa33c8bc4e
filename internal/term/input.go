package term

import (
	"bytes"
	"io"
	"time"
)

const (
	// escWait is how long a lone ESC waits for the rest of a sequence.
	escWait = 50 * time.Millisecond
	// pasteWait is how long a paste may pause before what is there is taken. A paste comes in
	// many reads; its end is looked for in all of them together.
	pasteWait = 10 * time.Millisecond
)

// Keys reads a terminal and sends the keys of each read together. The channel is closed at the end
// of input. The goroutine that reads ends with the process: a read from a terminal cannot be called
// off.
func Keys(r io.Reader) <-chan []Key {
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		for {
			buf := make([]byte, 32<<10)
			n, err := r.Read(buf)
			if n > 0 {
				chunks <- buf[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	out := make(chan []Key)
	go decodeAll(chunks, out)
	return out
}

// decodeAll decodes chunks until they end.
func decodeAll(chunks <-chan []byte, out chan<- []Key) {
	defer close(out)
	var d Decoder
	var held []byte // of a paste, not yet decoded
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	send := func(keys []Key) {
		if len(keys) > 0 {
			out <- keys
		}
	}
	for {
		select {
		case b, ok := <-chunks:
			if !ok {
				send(append(d.Feed(held), d.Flush()...))
				return
			}
			if held = append(held, b...); d.Pasting() || beginsPaste(held) {
				timer.Reset(pasteWait)
				continue
			}
			send(d.Feed(held))
			held = nil
		case <-timer.C:
			if held == nil {
				send(d.Flush())
				continue
			}
			send(d.Feed(held))
			held = nil
		}
		timer.Stop()
		if d.Waiting() {
			timer.Reset(escWait)
		}
	}
}

// beginsPaste reports whether a paste begins in the bytes.
func beginsPaste(b []byte) bool { return bytes.Contains(b, pasteBegin) }
