package openai

import (
	"context"
	"io"
	"net/http"
	"strings"

	"paicli/llm"
)

// slipError is a call that the server refused because it could not parse what its own model wrote,
// with what the model wrote.
type slipError struct {
	err        *llm.Error
	generation string
}

func (e *slipError) Error() string { return e.err.Error() }

func (e *slipError) Unwrap() error { return e.err }

// regain reads the calls out of the text that the server could not parse. Without a complete call
// to an offered tool the error stands.
func (c *Client) regain(ctx context.Context, tools []llm.ToolSpec, slip *slipError) (*llm.Reply, error) {
	b := appendString([]byte(`data: {"choices":[{"index":0,"delta":{"content":`), slip.generation)
	b = append(b, `},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n"...)
	resp := &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"text/event-stream"}},
		Body:       io.NopCloser(strings.NewReader(string(b))),
	}
	reply, err := readReply(ctx, resp, c.reading(tools, func() {}), func(llm.Delta) bool { return true })
	if err != nil || len(reply.Message.Calls()) == 0 {
		return nil, slip.err
	}
	return reply, nil
}
