package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"paicli/internal/app"
	"paicli/internal/audit"
	"paicli/internal/command"
	"paicli/internal/config"
	"paicli/internal/headless"
	"paicli/internal/i18n"
	"paicli/internal/repl"
	"paicli/internal/term"
	"paicli/llm/catalog"
	"paicli/session"
)

// atTerminal reports whether a person sits at both ends and wants to talk.
func (p *program) atTerminal() bool {
	out, ok := p.out.(*os.File)
	f := &p.flags
	return ok && !f.print && f.outputFormat == "text" && f.inputFormat == "text" && f.outFile == "" &&
		term.IsTerminal(p.in) && term.IsTerminal(out)
}

// interactive runs the front end in the terminal until the person leaves. first is a prompt to begin
// with, "" for none.
func (p *program) interactive(cfg *config.Config, root, first string) error {
	opts, err := p.options(cfg, root)
	if err != nil {
		return err
	}
	opts.Attended = true
	lost := make(chan error, 1) // the screen belongs to the front end until it ends
	opts.AuditFailed = func(err error) {
		select {
		case lost <- err:
		default: // of an earlier session of this run
		}
	}
	// Ctrl+C is a key here; the front end takes that signal itself.
	ctx, stop := untilOneOf(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	t := &talk{p: p, cfg: cfg, opts: opts}
	s, err := t.begin()
	if err != nil {
		return p.explainSetup(ctx, opts, err)
	}
	defer func() { t.app.Close() }()
	p.notes(t.app)
	cut, err := repl.Run(ctx, p.in, p.out.(*os.File), t.screen(s, first))
	select {
	case err := <-lost:
		p.auditFailed(err)
	default:
	}
	var cause *headless.ExitCause
	switch {
	case errors.As(context.Cause(ctx), &cause):
		p.code = cause.Code
		return nil
	case cut:
		p.code = exitInterrupted
	}
	return err
}

// exitInterrupted is the exit code when a person left while a turn was running.
const exitInterrupted = 130

// talk is one run of the front end: the sessions that come one after the other in it.
type talk struct {
	p    *program
	cfg  *config.Config
	opts app.Options
	app  *app.App // of the session that is open
}

// screen says how the front end looks and what it may call.
func (t *talk) screen(s repl.Session, first string) repl.Options {
	getenv := os.Getenv
	plain := t.p.flags.accessible || getenv("ACCESSIBLE") != "" || getenv("TERM") == "dumb"
	o := repl.Options{
		Session: s, Version: version, Lang: t.p.lang(), First: first, Plain: plain,
		ASCII: plain || !utf8Locale(getenv), Color: !plain && getenv("NO_COLOR") == "",
		Desk: t, Fresh: t.fresh, Explain: t.p.explain,
	}
	if t.cfg.Home != "" {
		o.History = filepath.Join(t.cfg.Home, "history")
	}
	return o
}

// begin opens the session that the options ask for.
func (t *talk) begin() (repl.Session, error) {
	a, err := app.New(t.opts)
	if err != nil {
		return repl.Session{}, err
	}
	t.app = a
	return repl.Session{
		Conv: a.Conv, ID: a.Log.ID(), Kept: a.Log.Path() != "", Root: t.opts.Root, Model: modelOf(a.Choice),
		Mode: a.Mode(),
	}, nil
}

// fresh begins a new session and closes the one before it.
func (t *talk) fresh() (repl.Session, error) {
	old := t.app
	t.opts.Session.Resume, t.opts.Session.Fork = "", false
	s, err := t.begin()
	if err != nil {
		return s, err
	}
	return s, old.Close()
}

func modelOf(c app.Choice) command.Model {
	return command.Model{Name: c.Entry.Info.Name(), Window: c.Entry.Info.Window}
}

// Models lists the models of the providers that have a key here.
func (t *talk) Models() []string {
	var names []string
	for _, f := range catalog.FromEnv(t.cfg.Getenv) {
		for _, m := range f.Provider.Models {
			names = append(names, f.Provider.ID+"/"+m.ID)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Choose finds a model by name, with the settings as they are otherwise.
func (t *talk) Choose(name string) (command.Model, string) {
	cfg := *t.cfg
	cfg.Model = name
	c, err := app.Choose(&cfg)
	if err == nil {
		return modelOf(c), ""
	}
	var none *app.NoModelError
	if !errors.As(err, &none) {
		return command.Model{}, err.Error()
	}
	setup := t.p.noModel(none)
	return command.Model{}, setup.what + "\n" + setup.hint
}

// Audit shows the last n calls of today.
func (t *talk) Audit(n int) string {
	dir, err := t.p.auditDir()
	if err != nil {
		return err.Error()
	}
	entries, err := audit.Recent(dir, time.Now(), n)
	switch {
	case err != nil:
		return err.Error()
	case len(entries) == 0:
		return t.p.lang().Say(i18n.AuditNone)
	}
	return auditLines(entries)
}

// Policy shows what holds in a mode.
func (t *talk) Policy(mode string) string {
	var text strings.Builder
	p := *t.p
	p.out = &text
	fmt.Fprintln(&text, p.lang().Say(i18n.SlashModeIs, mode))
	p.showPolicy(t.cfg)
	return text.String()
}

// Sessions lists those of this folder.
func (t *talk) Sessions() ([]session.Info, error) {
	return session.List(app.SessionDir(t.cfg), t.opts.Root)
}
