package headless

import (
	"fmt"
	"io"
	"strings"
	"time"

	"paicli/agent"
	"paicli/internal/command"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/llm"
	"paicli/session"
)

// textPainter prints the answer on stdout, and on stderr a line for each call and what the model
// says between them.
type textPainter struct {
	opts Options
	out  io.Writer
	err  io.Writer
	mark string
}

func newTextPainter(opts Options) *textPainter {
	p := &textPainter{opts: opts, out: opts.Out, err: opts.Err, mark: "•"}
	if opts.ASCII {
		p.mark = "*"
	}
	if opts.Quiet {
		p.err = io.Discard
	}
	return p
}

func (p *textPainter) begin() error { return nil }

func (p *textPainter) say(t i18n.Text, args ...any) string { return p.opts.Lang.Say(t, args...) }

// note prints one line of progress. Progress that cannot be printed is not worth ending the run.
func (p *textPainter) note(s string) { fmt.Fprintf(p.err, "%s %s\n", p.mark, term.Printable(s, false)) }

func (p *textPainter) event(e session.Event) error {
	switch b := e.Body.(type) {
	case *session.Streamed:
		if n := b.Retry; n != nil {
			what, _ := p.opts.Explain(&n.Failure, false)
			wait := (time.Duration(n.Wait) * time.Millisecond).Round(100 * time.Millisecond)
			p.note(p.say(i18n.RunRetry, n.Attempt, n.Attempts, wait, what))
		}
	case *session.Replied:
		if text := strings.TrimSpace(b.Message.Text()); text != "" && b.Finish == llm.FinishCalls {
			fmt.Fprintln(p.err, term.Printable(text, true))
		}
	case *session.CallEnded:
		p.call(b)
	case *session.Noted:
		if b.Code == agent.NoteCallText {
			p.note(p.say(i18n.NoteCallText))
		}
	}
	return nil
}

// call prints the line of a call, and with -v what it changed or printed.
func (p *textPainter) call(b *session.CallEnded) {
	object := term.Printable(b.Title, false)
	if b.Reason != "" {
		object = strings.TrimPrefix(object+" ("+term.Printable(b.Reason, false)+")", " ")
	}
	p.note(p.say(i18n.CallText(string(b.Status)), b.Name, object))
	if !p.opts.Verbose || b.Detail == nil {
		return
	}
	if text := detailText(b.Detail); text != "" {
		fmt.Fprintln(p.err, indent(term.Printable(text, true)))
	}
}

// detailText draws a display shape as plain text.
func detailText(d *session.Detail) string {
	switch d.Shape {
	case session.ShapeDiff:
		return strings.TrimRight(d.Diff.Unified, "\n")
	case session.ShapeTerminal:
		return strings.TrimRight(d.Terminal.Output, "\n")
	case session.ShapeText:
		return strings.TrimRight(d.Text, "\n")
	case session.ShapeTodo:
		var lines []string
		for _, t := range d.Todo {
			lines = append(lines, i18n.TodoMark(t.Status)+" "+t.Content)
		}
		return strings.Join(lines, "\n")
	}
	return ""
}

func indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

func (p *textPainter) end(r *result) error {
	switch r.ended.End {
	case session.EndDone, session.EndPartial:
		answer := r.Result
		if r.Structured != nil { // without a fence around it
			answer = string(r.Structured)
		}
		if answer != "" {
			if _, err := fmt.Fprintln(p.out, strings.TrimRight(term.Printable(answer, true), "\n")); err != nil {
				return err
			}
		}
	case session.EndFailed, session.EndInterrupted, session.EndRefused:
		if strings.TrimSpace(r.Result) != "" {
			fmt.Fprintln(p.opts.Err, indent(term.Printable(r.Result, true)))
		}
	}
	p.why(r)
	if r.tokens.Known {
		p.note(p.say(i18n.RunUsage, r.requests, r.tokens.Input, r.tokens.Cached, r.tokens.Output, p.cost(r.Cost)))
	}
	return nil
}

// cost writes an amount as people do, or that no price is known.
func (p *textPainter) cost(m llm.Money) string {
	costs := map[string]float64{}
	if m.Currency != "" {
		costs[m.Currency] = m.Amount
	}
	return command.Cost(p.opts.Lang, p.opts.ASCII, costs)
}

// why says on stderr, also with -q, what was not allowed and why the run ended before the model was
// done.
func (p *textPainter) why(r *result) {
	line := func(s string) { fmt.Fprintf(p.opts.Err, "paicli: %s\n", s) }
	for _, d := range r.Denials {
		if p.opts.Quiet { // else it was told when it happened
			line(p.say(i18n.RunCallDenied, term.Printable(d.Tool, false), term.Printable(d.Reason, false)))
		}
	}
	if r.failure != "" {
		line(term.Printable(r.failure, false))
		line(term.Printable(r.hint, false))
	}
	if text := p.opts.Lang.Limit(r.ended.Reason, r.ended.Steps); text != "" {
		line(text)
	}
}
