package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"paicli/internal/app"
	"paicli/internal/headless"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/session"
)

// sessionsCommand looks at what earlier runs left.
func (p *program) sessionsCommand() *cobra.Command {
	var all, asJSON bool
	var format, file string
	list := func(*cobra.Command, []string) error { return p.listSessions(all, asJSON) }
	cmd := &cobra.Command{Use: "sessions", Args: noArgs, RunE: list}
	cmd.PersistentFlags().BoolVar(&all, "all", false, "")
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "")
	export := &cobra.Command{Use: "export ID", Args: oneID, RunE: func(_ *cobra.Command, args []string) error {
		return p.exportSession(args[0], format, file)
	}}
	export.Flags().StringVar(&format, "format", "md", "")
	export.Flags().StringVarP(&file, "output-file", "o", "", "")
	cmd.AddCommand(
		&cobra.Command{Use: "list", Args: noArgs, RunE: list},
		&cobra.Command{Use: "show ID", Args: oneID, RunE: func(_ *cobra.Command, args []string) error { return p.exportSession(args[0], "md", "") }},
		export,
		&cobra.Command{Use: "rm ID...", Args: cobra.MinimumNArgs(1), RunE: func(_ *cobra.Command, args []string) error { return p.removeSessions(args) }},
	)
	return cmd
}

func oneID(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return misuse(i18n.ArgMissing, "ID")
	case 1:
		return nil
	}
	return misuse(i18n.ArgTooMany, strings.Join(args[1:], " "))
}

func (p *program) listSessions(all, asJSON bool) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	root := ""
	if !all {
		if root, err = p.flags.dirOf(); err != nil {
			return err
		}
	}
	infos, err := session.List(app.SessionDir(cfg), root)
	if err != nil {
		return err
	}
	if asJSON {
		if infos == nil {
			infos = []session.Info{}
		}
		return headless.WriteLine(p.out, infos)
	}
	if len(infos) == 0 {
		fmt.Fprintf(p.err, "%s\n", p.lang().Say(i18n.SessionNone))
	}
	for _, i := range infos {
		where := ""
		if all {
			where = "  " + term.Printable(i.Root, false)
		}
		fmt.Fprintf(p.out, "%s  %s  %s%s\n", i.ID, i.Modified.Local().Format("2006-01-02 15:04"), term.Printable(i.Title, false), where)
	}
	return nil
}

// exportSession writes a session to stdout or a file.
func (p *program) exportSession(id, format, file string) (err error) {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if format != "md" && format != "json" {
		return misuse(i18n.ArgOneOf, "--format", format, "md, json")
	}
	dir := app.SessionDir(cfg)
	info, err := session.Stat(dir, id)
	if err != nil {
		return p.sessionError(id, err)
	}
	out := p.out
	if file != "" {
		f, err := os.Create(file)
		if err != nil {
			return misuse(i18n.ArgWriteFile, file, reason(err))
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = f
	}
	if format == "json" {
		return exportJSON(out, dir, info)
	}
	t := &headless.Transcript{Out: out, Lang: p.lang()}
	t.Head(info)
	var failed error
	err = session.ReadAll(dir, id, func(e session.Event, err error) bool {
		if err != nil {
			p.note(i18n.SessionDamaged, 1)
			return true
		}
		failed = t.Event(e)
		return failed == nil
	})
	return errors.Join(err, failed)
}

// exportJSON writes one document: what is known of the session, and its events.
func exportJSON(out io.Writer, dir string, info session.Info) error {
	head, err := json.Marshal(info)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "{\"session\":%s,\"events\":[", head); err != nil {
		return err
	}
	comma := "\n"
	var failed error
	err = session.ReadAll(dir, info.ID, func(e session.Event, err error) bool {
		if err != nil {
			return true
		}
		var line []byte
		if line, failed = json.Marshal(e); failed == nil {
			_, failed = fmt.Fprintf(out, "%s%s", comma, line)
		}
		comma = ",\n"
		return failed == nil
	})
	_, last := fmt.Fprintln(out, "\n]}")
	return errors.Join(err, failed, last)
}

func (p *program) removeSessions(ids []string) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := session.Remove(app.SessionDir(cfg), id); err != nil {
			return p.sessionError(id, err)
		}
		fmt.Fprintln(p.out, p.lang().Say(i18n.SessionRemoved, id))
	}
	return nil
}

// sessionError words why a session cannot be used; another error stays as it is.
func (p *program) sessionError(id string, err error) error {
	lang := p.lang()
	var inUse *session.InUseError
	var version *session.VersionError
	switch {
	case errors.As(err, &inUse):
		return &setupError{lang.Say(i18n.SessionInUse, inUse.ID), lang.Say(i18n.SessionInUseHint, inUse.ID)}
	case errors.As(err, &version):
		return &setupError{lang.Say(i18n.SessionVersion, version.ID, version.Version), lang.Say(i18n.SessionVersHint)}
	case errors.Is(err, session.ErrNotSession):
		return &setupError{lang.Say(i18n.SessionForeign, id), lang.Say(i18n.SessionListHint)}
	case errors.Is(err, fs.ErrNotExist):
		return &setupError{lang.Say(i18n.SessionNotFound, id), lang.Say(i18n.SessionListHint)}
	}
	return err
}

// sessionOptions reads the flags that choose a session.
func (p *program) sessionOptions(root string) (app.SessionOptions, error) {
	f := &p.flags
	so := app.SessionOptions{None: f.noSession, Resume: f.resume, Fork: f.forkSession}
	chosen := 0
	for _, set := range []bool{f.goOn, f.resume != "", f.fork != "", f.noSession} {
		if set {
			chosen++
		}
	}
	if chosen > 1 {
		return so, misuse(i18n.ArgConflict, "--continue, --resume, --fork", "--no-session")
	}
	if f.fork != "" {
		so.Resume, so.Fork = f.fork, true
	}
	if !f.goOn {
		return so, nil
	}
	cfg, err := p.config()
	if err != nil {
		return so, err
	}
	last, err := session.Newest(app.SessionDir(cfg), root)
	if errors.Is(err, fs.ErrNotExist) {
		return so, &setupError{p.lang().Say(i18n.SessionNone), p.lang().Say(i18n.SessionNoneHint)}
	}
	so.Resume = last.ID
	return so, err
}
