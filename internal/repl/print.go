package repl

import (
	"fmt"
	"strings"

	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/session"
)

// Styles, as parameters of SGR: only such as follow the terminal's own colours.
const (
	dim   = "2"
	bold  = "1"
	red   = "31"
	green = "32"
)

func (l *loop) styled(sgr, text string) string {
	if !l.opts.Color || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[m"
}

// stream prints a piece of an answer. Its lines end where the model ends them.
func (l *loop) stream(text string) {
	text = term.Printable(strings.ToValidUTF8(text, "\uFFFD"), true)
	if text == "" {
		return
	}
	l.out.Write(text)
	l.column = !strings.HasSuffix(text, "\n")
}

// endLine ends an unfinished line of the output.
func (l *loop) endLine() {
	if l.column {
		l.out.Write("\n")
		l.column = false
	}
}

// line prints one or more whole lines.
func (l *loop) line(text string) {
	l.endLine()
	l.out.Write(strings.TrimRight(text, "\n") + "\n")
}

func (l *loop) mark() string {
	if l.opts.ASCII {
		return "*"
	}
	return "•"
}

// note prints one line of progress.
func (l *loop) note(text string) { l.line(l.mark() + " " + text) }

// echo prints what was entered. On plain lines it stands there already.
func (l *loop) echo(d term.Draft) {
	if l.opts.Plain && l.replay == nil {
		return
	}
	lines := strings.Split(strings.Trim(d.Shown(), "\n"), "\n")
	l.line(l.styled(bold, "> "+masked(lines[0])))
	for _, line := range lines[1:] {
		l.line(l.styled(bold, "  "+masked(line)))
	}
}

// greet prints the first screen: what this is, and the few keys one must know.
func (l *loop) greet() {
	s := l.session
	l.line(l.styled(bold, "PaiCLI "+l.opts.Version) + "  " + s.Model.Name + "  " + term.Printable(s.Root, false))
	hint := i18n.ReplHint
	if l.opts.Plain {
		hint = i18n.ReplHintPlain
	}
	l.line(l.styled(dim, l.say(hint)))
	l.out.Write("\n")
}

// farewell says how to go on with the session, if it holds anything.
func (l *loop) farewell() {
	l.endLine()
	if l.session.Kept && l.totals.Requests > 0 {
		l.line(l.styled(dim, l.say(i18n.ReplResume, l.session.ID)))
	}
}

// printCall prints a call that has ended: its object, how it went, and what it changed or printed.
func (l *loop) printCall(b *session.CallEnded) {
	object := term.Printable(b.Title, false)
	about := term.Printable(b.Reason, false)
	if about == "" {
		about = l.summary(b.Detail)
	}
	if about != "" {
		object = strings.TrimPrefix(object+" ("+about+")", " ")
	}
	text := l.say(i18n.CallText(string(b.Status)), term.Printable(b.Name, false), object)
	if b.Status != session.StatusOK {
		text = l.styled(red, text)
	}
	l.note(text)
	for _, line := range l.detail(b.Detail, detailLines) {
		l.line("    " + line)
	}
}

// summary is a few words about a result.
func (l *loop) summary(d *session.Detail) string {
	switch {
	case d == nil:
		return ""
	case d.Shape == session.ShapeDiff:
		return fmt.Sprintf("+%d -%d", d.Diff.Added, d.Diff.Removed)
	case d.Shape == session.ShapeMatches:
		return l.say(i18n.ReplMatches, d.Matches.Count, d.Matches.Files)
	case d.Shape == session.ShapeFiles && d.Files.Last > 0:
		return l.say(i18n.ReplLines, d.Files.First, d.Files.Last)
	case d.Shape == session.ShapeFiles:
		return l.say(i18n.ReplFiles, len(d.Files.Paths)+d.Files.More)
	case d.Shape == session.ShapeTerminal && d.Terminal.Signal != "":
		return l.say(i18n.ReplSignal, d.Terminal.Signal)
	case d.Shape == session.ShapeTerminal && d.Terminal.Exit != 0:
		return l.say(i18n.ReplExit, d.Terminal.Exit)
	}
	return ""
}

const (
	// detailLines is how many lines of a change are shown.
	detailLines = 40
	// previewLines is how many of one that a person is asked about.
	previewLines = 20
	// outputLines is how many lines of a command's output or another text are shown.
	outputLines = 8
)

// detail draws a shape as lines that are safe to print. most bounds a diff; 0 means all of it.
func (l *loop) detail(d *session.Detail, most int) []string {
	if d == nil {
		return nil
	}
	switch d.Shape {
	case session.ShapeDiff:
		return l.diff(d.Diff, most)
	case session.ShapeTerminal:
		all := split(d.Terminal.Output)
		shown := all[max(len(all)-outputLines, 0):]
		if more := max(d.Terminal.Lines, len(all)) - len(shown); more > 0 {
			shown = append([]string{l.styled(dim, l.say(i18n.RunMoreLines, more))}, shown...)
		}
		return shown
	case session.ShapeTodo:
		return todo(d.Todo)
	case session.ShapeText:
		all := split(d.Text)
		if more := len(all) - outputLines; more > 0 && most > 0 {
			return append(all[:outputLines:outputLines], l.styled(dim, l.say(i18n.RunMoreLines, more)))
		}
		return all
	}
	return nil
}

// todo draws a list of steps.
func todo(items []session.Todo) []string {
	var lines []string
	for _, t := range items {
		lines = append(lines, i18n.TodoMark(t.Status)+" "+visible(t.Content))
	}
	return lines
}

// split is a text as printable lines.
func split(text string) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = term.Printable(overwritten(line), true)
	}
	return lines
}
