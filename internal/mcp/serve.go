// Package mcp offers the tools of a project to other programs over the Model Context Protocol. It is
// the server's side only, and it decides nothing: a call goes through the agent's gates and wraps
// like one of a model, and into the same log.
//
//	in ─► connection ─► tools/call ─► one at a time ─► Agent.Do ─► session log
//	out ◄─ text, images, isError ◄───────────────────────┘
//
// One connection is one session. Calls wait for each other, as those of a model do.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"paicli/agent"
	"paicli/llm"
	"paicli/session"
)

// Options of a server.
type Options struct {
	Agent   *agent.Agent    // its tools, gates and wraps are used; it needs no model
	Thread  *session.Thread // where the calls are logged
	Version string          // of the program
	Root    string          // of the project; clients tell it to their models
	// Scrub takes secrets out of what goes to the client; nil: none. Calls in the log are scrubbed
	// by the log.
	Scrub func([]byte) []byte
}

// Serve answers requests until in ends or ctx does; either ends running calls. Calls that were read
// before in ended have a moment to finish. Only JSON-RPC messages are written to out. The error is
// that of a broken connection or log.
func Serve(ctx context.Context, in io.ReadCloser, out io.Writer, o Options) error {
	return serve(ctx, &sdk.IOTransport{Reader: in, Writer: keepOpen{out}}, o)
}

// keepOpen leaves closing to whoever opened.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

func serve(ctx context.Context, t sdk.Transport, o Options) error {
	inner, err := t.Connect(ctx)
	if err != nil {
		return fmt.Errorf("open connection: %w", err)
	}
	conn := newConnection(inner)
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	s := &server{opts: o, conn: conn, turn: make(chan struct{}, 1)}
	// ctx ends the connection, whose end ends the calls. The library would wait for them instead.
	err = s.sdk().Run(context.WithoutCancel(ctx), conn)
	if err := s.end(ctx); err != nil {
		return fmt.Errorf("log calls: %w", err)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve tools: %w", err)
	}
	return nil
}

// server is one connection.
type server struct {
	opts Options
	conn *connection

	turn   chan struct{} // holds the call that runs; the fields below are that call's
	calls  int
	broken error // the log cannot be written
}

// sdk makes the protocol's side: the list of tools, and one handler for all calls.
func (s *server) sdk() *sdk.Server {
	srv := sdk.NewServer(&sdk.Implementation{Name: "paicli", Version: s.opts.Version}, &sdk.ServerOptions{
		Instructions: "These tools work on the project in " + s.opts.Root + ".",
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	for _, spec := range s.opts.Agent.Specs() {
		tool := &sdk.Tool{Name: spec.Name, Description: spec.Description, InputSchema: json.RawMessage(spec.Schema)}
		srv.AddTool(tool, s.call)
	}
	srv.AddReceivingMiddleware(s.anyTool)
	return srv
}

// anyTool takes every call, also of a tool that does not exist: the answer names those that do,
// which a model can read and an error of the protocol is not.
func (s *server) anyTool(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if call, ok := req.(*sdk.CallToolRequest); ok {
			res, err := s.call(ctx, call)
			if err != nil {
				return nil, err
			}
			return res, nil
		}
		return next(ctx, method, req)
	}
}

// call runs a call when those before it have ended. Its error is that of the log, with which the
// connection ends.
func (s *server) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return result(agent.Output{Status: session.StatusInterrupted, Text: "not started: the request was cancelled"}), nil
	}
	defer func() { <-s.turn }()
	out, err := s.run(ctx, req.Params.Name, string(req.Params.Arguments))
	if err != nil {
		s.broken = err
		s.conn.Close()
		return nil, err
	}
	if s.opts.Scrub != nil {
		out.Text = string(s.opts.Scrub([]byte(out.Text)))
	}
	return result(out), nil
}

// note begins the log of a session, so that a model that goes on with it knows whose calls it reads.
const note = "[mcp] The following tool calls were made by another program, which used these tools as a server."

func (s *server) run(ctx context.Context, name, args string) (agent.Output, error) {
	if s.calls++; s.calls == 1 {
		if _, err := s.opts.Thread.Append(&session.Said{By: session.ByNote, Text: note}); err != nil {
			return agent.Output{}, err
		}
	}
	return s.opts.Agent.Do(ctx, s.opts.Thread, nil, llm.Call{ID: fmt.Sprintf("mcp_%d", s.calls), Name: name, Args: args})
}

// end closes the log of the session. All calls have ended.
func (s *server) end(ctx context.Context) error {
	if s.broken != nil || s.calls == 0 {
		return s.broken
	}
	how := &session.TurnEnded{End: session.EndDone}
	if ctx.Err() != nil {
		how = &session.TurnEnded{End: session.EndInterrupted, Reason: "interrupted"}
	}
	_, err := s.opts.Thread.Append(how)
	return err
}

// result is what the client gets of a call.
func result(out agent.Output) *sdk.CallToolResult {
	res := &sdk.CallToolResult{
		Content: []sdk.Content{&sdk.TextContent{Text: out.Text}},
		IsError: out.Status != session.StatusOK,
	}
	for _, m := range out.Media {
		if strings.HasPrefix(m.MIME, "image/") {
			res.Content = append(res.Content, &sdk.ImageContent{Data: m.Data, MIMEType: m.MIME})
		}
	}
	return res
}
