package mcp

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// graceEOF is how long calls that were read before the end of the input may go on: enough for the
// answers to a file of requests, short enough for a client that went away.
const graceEOF = time.Second

// connection counts what is open, so that the end of the input does not cut off answers. The library
// ends all calls when Read tells it of the end, and writes nothing after that.
type connection struct {
	sdk.Connection
	closed chan struct{}

	mu      sync.Mutex
	open    int           // requests without an answer
	waiting chan struct{} // closed when open falls to 0; nil while nobody waits
	ended   bool          // closed is closed
}

func newConnection(inner sdk.Connection) *connection {
	return &connection{Connection: inner, closed: make(chan struct{})}
}

// Connect makes it the transport of its own connection.
func (c *connection) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// Read passes requests on. At the end of the input it waits for the answers to what was read.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && err == nil && req.IsCall() {
		c.add(1)
	}
	if errors.Is(err, io.EOF) {
		c.drain()
	}
	return msg, err
}

// Write passes answers on.
func (c *connection) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if _, ok := msg.(*jsonrpc.Response); ok {
		c.add(-1)
	}
	return err
}

// Close ends the connection at once. It may be called more than once.
func (c *connection) Close() error {
	c.mu.Lock()
	if !c.ended {
		c.ended = true
		close(c.closed)
	}
	c.mu.Unlock()
	return c.Connection.Close()
}

func (c *connection) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open += n; c.open == 0 && c.waiting != nil {
		close(c.waiting)
		c.waiting = nil
	}
}

// drain waits until every request has its answer, but not for long.
func (c *connection) drain() {
	c.mu.Lock()
	if c.open == 0 {
		c.mu.Unlock()
		return
	}
	done := make(chan struct{})
	c.waiting = done
	c.mu.Unlock()
	timer := time.NewTimer(graceEOF)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-c.closed:
	}
}
