package sse

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	readSize = 32 << 10
	// drainTime is how long a finished answer waits for the end of its body, without which the
	// connection cannot be used again.
	drainTime = 100 * time.Millisecond
)

// piece is what one read of the body gave.
type piece struct {
	data []byte
	err  error
}

// pump reads a body in a goroutine of its own, so that the reader can wait for bytes, clocks and
// the context at the same time. A piece is valid until the next one is received.
type pump struct {
	pieces chan piece
	quit   chan struct{}
	gone   chan struct{}
	over   bool // the last piece was received
}

func startPump(resp *http.Response) *pump {
	p := &pump{pieces: make(chan piece), quit: make(chan struct{}), gone: make(chan struct{})}
	go p.run(resp)
	return p
}

func (p *pump) run(resp *http.Response) {
	defer close(p.gone)
	body, err := Plain(resp)
	// Two buffers in turn: while one is read into, the other is still in the receiver's hands.
	var bufs [2][]byte
	for i := 0; ; i ^= 1 {
		var n int
		if err == nil {
			if bufs[i] == nil {
				bufs[i] = make([]byte, readSize)
			}
			n, err = body.Read(bufs[i])
		}
		select {
		case p.pieces <- piece{bufs[i][:n], err}:
		case <-p.quit:
			return
		}
		if err != nil {
			return
		}
	}
}

// end stops reading and waits for the goroutine. stop must release a blocked read. After a whole
// answer the body gets a moment to end by itself.
func (p *pump) end(stop func(), whole bool) {
	if whole && !p.over {
		p.drain()
	}
	close(p.quit)
	if !p.over {
		stop()
	}
	<-p.gone
}

func (p *pump) drain() {
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	for !p.over {
		select {
		case got := <-p.pieces:
			p.over = got.err != nil
		case <-limit.C:
			return
		}
	}
}

// Plain is the body of a response without gzip, told by the header or by the first two bytes: relays drop or invent the header.
func Plain(resp *http.Response) (io.Reader, error) {
	coding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	r := bufio.NewReaderSize(resp.Body, readSize)
	head, err := r.Peek(2)
	if err != nil && len(head) == 0 {
		return r, err
	}
	if len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		return gzip.NewReader(r)
	}
	switch coding {
	case "", "identity", "gzip", "x-gzip":
		return r, nil
	}
	return r, &codingError{coding}
}

// codingError tells of a compression that was not asked for.
type codingError struct{ coding string }

func (e *codingError) Error() string {
	return fmt.Sprintf("the answer is compressed with %q, which was not asked for", e.coding)
}
