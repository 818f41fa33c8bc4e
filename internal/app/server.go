package app

import (
	"context"
	"io"

	"paicli/agent"
	"paicli/internal/mcp"
)

// Server is the tools of a project for other programs; it needs no model.
type Server struct{ App }

// NewServer wires it. Errors are *UnknownToolError, or what the system says.
func NewServer(opts Options) (*Server, error) {
	s := &Server{App: App{opts: opts, served: true}}
	if err := s.offer(); err != nil {
		return nil, err
	}
	if err := s.openLog(); err != nil {
		return nil, err
	}
	s.wraps = s.around()
	s.record()
	return s, nil
}

// Serve answers requests until in or ctx ends. The connection is one turn of the session.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	return mcp.Serve(ctx, in, out, mcp.Options{
		Agent:   &agent.Agent{Tools: s.tools, Gates: s.policy.Gates(nil), Wraps: s.wraps},
		Thread:  s.Log.Thread("", s.Log.State().Turn+1),
		Version: s.opts.Version,
		Root:    s.opts.Root,
		Scrub:   scrubber(s.opts.Config.Secrets()),
	})
}

// Close ends what runs in the background and the session.
func (s *Server) Close() error {
	s.jobs.Close()
	err := s.Log.Close()
	s.recorded()
	s.tidy.Wait()
	return err
}
