package headless

import (
	"fmt"
	"io"
	"strings"

	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/session"
)

// Transcript writes a session as Markdown: the words of both sides, a line for each call, and what
// it changed or printed.
type Transcript struct {
	Out  io.Writer
	Lang i18n.Lang
	err  error
}

// Head writes the title and where the session comes from.
func (t *Transcript) Head(info session.Info) {
	title := info.Title
	if title == "" {
		title = info.ID
	}
	t.print("# %s\n\n%s\n", term.Printable(title, false),
		t.Lang.Say(i18n.SessionAbout, info.ID, info.Root, info.Started.Local().Format("2006-01-02 15:04")))
}

// Event writes one event and returns the first error of the writer.
func (t *Transcript) Event(e session.Event) error {
	switch b := e.Body.(type) {
	case *session.Said:
		if b.By == session.ByUser {
			t.print("\n## %s\n\n%s\n", t.Lang.Say(i18n.SessionYou), text(b.Text))
		}
	case *session.Replied:
		if words := strings.TrimSpace(b.Message.Text()); words != "" {
			t.print("\n## %s\n\n%s\n", t.Lang.Say(i18n.SessionModel), text(words))
		}
	case *session.CallEnded:
		t.call(b)
	case *session.TurnEnded:
		if b.End != session.EndDone {
			t.print("\n*%s*\n", t.Lang.Say(i18n.SessionTurnEnded, string(b.End), b.Reason))
		}
	}
	return t.err
}

func (t *Transcript) call(b *session.CallEnded) {
	object := term.Printable(b.Title, false)
	if b.Reason != "" {
		object = strings.TrimPrefix(object+" ("+term.Printable(b.Reason, false)+")", " ")
	}
	t.print("\n- %s\n", t.Lang.Say(i18n.CallText(string(b.Status)), "`"+term.Printable(b.Name, false)+"`", object))
	if b.Detail == nil {
		return
	}
	words := detailText(b.Detail)
	if words == "" {
		return
	}
	kind := ""
	if b.Detail.Shape == session.ShapeDiff {
		kind = "diff"
	}
	fence := fenceFor(words)
	t.print("\n%s%s\n%s\n%s\n", fence, kind, term.Printable(words, true), fence)
}

// fenceFor is a code fence longer than any in the text.
func fenceFor(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence
}

func text(s string) string { return strings.TrimSpace(term.Printable(s, true)) }

func (t *Transcript) print(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.Out, format, args...)
	}
}
