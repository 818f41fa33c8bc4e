package headless

import (
	"io"

	"paicli/session"
)

// eventPainter prints the session's own events, one a line, live pieces included. The last line is
// the result.
type eventPainter struct{ out io.Writer }

func (p *eventPainter) begin() error                { return nil }
func (p *eventPainter) event(e session.Event) error { return WriteLine(p.out, e) }
func (p *eventPainter) end(r *result) error         { return WriteLine(p.out, r) }
