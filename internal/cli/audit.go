package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"paicli/internal/app"
	"paicli/internal/audit"
	"paicli/internal/headless"
	"paicli/internal/i18n"
	"paicli/internal/term"
)

// auditShown is how many calls are shown when nobody says how many.
const auditShown = 20

// auditCommand looks at the record of calls.
func (p *program) auditCommand() *cobra.Command {
	var verify, asJSON bool
	cmd := &cobra.Command{Use: "audit [N]", Args: cobra.ArbitraryArgs, RunE: func(_ *cobra.Command, args []string) error {
		n, err := auditCount(args)
		switch {
		case err != nil:
			return err
		case verify && len(args) > 0:
			return misuse(i18n.ArgConflict, "N", "--verify")
		case verify:
			return p.verifyAudit(asJSON)
		}
		return p.showAudit(n, asJSON)
	}}
	cmd.Flags().BoolVar(&verify, "verify", false, "")
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	return cmd
}

func auditCount(args []string) (int, error) {
	switch len(args) {
	case 0:
		return auditShown, nil
	case 1:
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 {
			return 0, misuse(i18n.ArgBadValue, "N", args[0])
		}
		return n, nil
	}
	return 0, misuse(i18n.ArgTooMany, strings.Join(args[1:], " "))
}

// auditDir is the folder of the record.
func (p *program) auditDir() (string, error) {
	cfg, err := p.config()
	if err != nil {
		return "", err
	}
	dir := app.AuditDir(cfg)
	if dir == "" {
		return "", &setupError{p.lang().Say(i18n.AuditOff), p.lang().Say(i18n.SetupNoHome)}
	}
	return dir, nil
}

func (p *program) showAudit(n int, asJSON bool) error {
	dir, err := p.auditDir()
	if err != nil {
		return err
	}
	entries, err := audit.Recent(dir, time.Now(), n)
	if err != nil {
		return err
	}
	if asJSON {
		if entries == nil {
			entries = []audit.Entry{}
		}
		return headless.WriteLine(p.out, entries)
	}
	if len(entries) == 0 {
		p.note(i18n.AuditNone)
		return nil
	}
	_, err = fmt.Fprintln(p.out, auditLines(entries))
	return err
}

// auditLines draws calls, one a line: when, outcome, who decided, tool, arguments, why.
func auditLines(entries []audit.Entry) string {
	var b strings.Builder
	for i, e := range entries {
		if i > 0 {
			b.WriteByte('\n')
		}
		at := e.Time
		if t, err := time.Parse(time.RFC3339, e.Time); err == nil {
			at = t.Local().Format(time.TimeOnly)
		}
		fmt.Fprintf(&b, "%s  %-5s  %-10s  %s  %s", term.Printable(at, false), term.Printable(string(e.Outcome), false),
			term.Printable(e.Approver, false), term.Printable(e.Tool, false), term.Printable(e.Args, false))
		if e.Reason != "" {
			fmt.Fprintf(&b, "  (%s)", term.Printable(e.Reason, false))
		}
	}
	return b.String()
}

// verifyAudit checks the record of all days. The exit code says whether it is as it was written.
func (p *program) verifyAudit(asJSON bool) error {
	dir, err := p.auditDir()
	if err != nil {
		return err
	}
	r, err := audit.Verify(dir)
	if err != nil {
		return err
	}
	if r.Broken != nil {
		p.code = headless.ExitFailed
	}
	if asJSON {
		return headless.WriteLine(p.out, r)
	}
	for _, at := range r.Torn {
		p.note(i18n.AuditTorn, at)
	}
	if r.Earlier {
		p.note(i18n.AuditEarlier)
	}
	if r.Broken != nil {
		p.note(brokenText(r.Broken.Why), r.Broken)
		return nil
	}
	_, err = fmt.Fprintln(p.out, p.lang().Say(i18n.AuditIntact, r.Entries, r.Days))
	return err
}

// brokenText words why a line does not fit.
func brokenText(why string) i18n.Text {
	switch why {
	case "order":
		return i18n.AuditOrder
	case "no_entry":
		return i18n.AuditNoEntry
	case "torn":
		return i18n.AuditWrongEnd
	}
	return i18n.AuditChanged
}

// auditFailed tells that calls are not recorded. The work goes on.
func (p *program) auditFailed(err error) { p.note(i18n.AuditFailed, reason(err)) }
