package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"paicli/internal/app"
	"paicli/internal/config"
	"paicli/internal/fsx"
	"paicli/internal/i18n"
	"paicli/internal/permission"
	"paicli/session"
)

// policyCommand asks the permission policy. Nothing is run.
func (p *program) policyCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "policy", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		p.help(cmd, nil)
		return nil
	}}
	var q inquiry
	check := &cobra.Command{Use: "check [flags]", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return p.policyCheck(cmd, q)
	}}
	f := check.Flags()
	f.StringVar(&q.command, "command", "", "")
	f.StringVar(&q.path, "path", "", "")
	f.BoolVar(&q.write, "write", false, "")
	f.StringVar(&q.url, "url", "", "")
	f.StringVar(&q.tool, "tool", "", "")
	f.StringVar(&q.args, "args", "{}", "")
	f.BoolVar(&q.asJSON, "json", false, "")
	p.flags.addPermissions(f)
	show := &cobra.Command{Use: "show", Args: noArgs, RunE: func(*cobra.Command, []string) error { return p.policyShow() }}
	p.flags.addPermissions(show.Flags())
	cmd.AddCommand(check, show)
	return cmd
}

// inquiry is what the policy is asked about.
type inquiry struct {
	command, path, url, tool, args string
	write, asJSON                  bool
}

// policyConfig are the settings with the mode of the command line.
func (p *program) policyConfig() (*config.Config, error) {
	if err := p.flags.normalizeMode(); err != nil {
		return nil, err
	}
	return p.config()
}

func (p *program) policyCheck(cmd *cobra.Command, q inquiry) error {
	given := 0
	for _, name := range []string{"command", "path", "url", "tool"} {
		if cmd.Flags().Changed(name) {
			given++
		}
	}
	if given != 1 {
		return misuse(i18n.PolicyOneOf)
	}
	cfg, err := p.policyConfig()
	if err != nil {
		return err
	}
	root, err := p.flags.dirOf()
	if err != nil {
		return err
	}
	in, err := app.NewInspector(app.Options{Config: cfg, Root: root, Environ: os.Environ()})
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := p.inspect(cmd, in, q)
	if err != nil {
		return err
	}
	if q.asJSON {
		enc := json.NewEncoder(p.out)
		enc.SetEscapeHTML(false)
		return enc.Encode(p.answer(r))
	}
	p.printAnswer(r)
	return nil
}

// inspect asks the one question that was given. What no tool would take is denied.
func (p *program) inspect(cmd *cobra.Command, in *app.Inspector, q inquiry) (permission.Report, error) {
	switch changed := cmd.Flags().Changed; {
	case changed("command"):
		return in.Command(q.command), nil
	case changed("url"):
		return in.URL(q.url), nil
	case changed("path"):
		r, err := in.Path(q.path, q.write)
		if err != nil {
			return refusedPath(q, err), nil
		}
		return r, nil
	}
	if !json.Valid([]byte(q.args)) {
		return permission.Report{}, misuse(i18n.ArgBadValue, "--args", q.args)
	}
	r, err := in.Tool(context.Background(), q.tool, json.RawMessage(q.args))
	var unknown *app.UnknownToolError
	if errors.As(err, &unknown) {
		return r, misuse(i18n.ArgUnknownTool, unknown.Name, strings.Join(unknown.Known, ", "))
	}
	if err != nil {
		return refusedPath(q, err), nil
	}
	return r, nil
}

// refusedPath is the report on what no file tool takes.
func refusedPath(q inquiry, err error) permission.Report {
	r := permission.Report{Verdict: "deny", Code: err.Error()}
	switch {
	case q.path == "":
	case q.write:
		r.Access = []session.Access{{Verb: "write", Target: q.path}}
	default:
		r.Access = []session.Access{{Verb: "read", Target: q.path}}
	}
	var outside *fsx.OutsideError
	var private *fsx.PrivateError
	var readOnly *fsx.ReadOnlyError
	switch {
	case errors.As(err, &outside):
		r.Code, r.Detail = permission.CodeOutside, outside.Path
	case errors.As(err, &private):
		r.Code, r.Detail = "private", private.Path
	case errors.As(err, &readOnly):
		r.Code, r.Detail = "read_only", readOnly.Dir
	}
	return r
}

// verdict is the answer as other programs read it; contracts name its fields.
type verdict struct {
	Verdict string  `json:"verdict"`
	Reason  string  `json:"reason"`
	Rule    string  `json:"rule"`
	Effects effects `json:"effects"`
}

type effects struct {
	Commands  []string `json:"commands"`
	Reads     []string `json:"reads"`
	Writes    []string `json:"writes"`
	Deletes   []string `json:"deletes"`
	Network   []string `json:"network"`
	Privilege bool     `json:"privilege"`
	Opaque    bool     `json:"opaque"`
}

func (p *program) answer(r permission.Report) verdict {
	v := verdict{Verdict: r.Verdict, Reason: p.whyOf(r), Rule: r.Rule, Effects: effects{
		Commands: append([]string{}, r.Commands...), Reads: []string{}, Writes: []string{}, Deletes: []string{}, Network: []string{},
		Opaque: r.Opaque,
	}}
	e := &v.Effects
	for _, a := range r.Access {
		switch a.Verb {
		case "read":
			e.Reads = append(e.Reads, a.Target)
		case "write":
			e.Writes = append(e.Writes, a.Target)
		case "delete":
			e.Deletes = append(e.Deletes, a.Target)
		case "net":
			e.Network = append(e.Network, a.Target)
		case "privilege":
			e.Privilege = true
		case "opaque":
			e.Opaque = true
		}
	}
	return v
}

// whyOf words the reason of a report, "" when there is none.
func (p *program) whyOf(r permission.Report) string {
	if r.Detail == "" {
		return p.lang().Why(r.Code)
	}
	return p.lang().Why(r.Code + ": " + r.Detail)
}

func (p *program) printAnswer(r permission.Report) {
	lang := p.lang()
	fmt.Fprintln(p.out, lang.Say(i18n.PolicyVerdict, r.Verdict))
	if why := p.whyOf(r); why != "" {
		fmt.Fprintln(p.out, lang.Say(i18n.PolicyReason, shown(why)))
	}
	if r.Rule != "" {
		fmt.Fprintln(p.out, lang.Say(i18n.PolicyRule, shown(r.Rule)))
	}
	var touches []i18n.Touch
	for _, a := range r.Access {
		touches = append(touches, i18n.Touch{Verb: a.Verb, Target: shown(a.Target)})
	}
	if len(touches) > 0 {
		fmt.Fprintln(p.out, lang.Say(i18n.PolicyEffect, lang.Effect(touches)))
	}
	if len(r.Commands) > 0 {
		fmt.Fprintln(p.out, lang.Say(i18n.PolicyCommands))
	}
	for _, c := range r.Commands {
		fmt.Fprintf(p.out, "  %s\n", shown(c))
	}
}

// policyShow prints the mode, what no rule changes, and the rules with their origin.
func (p *program) policyShow() error {
	cfg, err := p.policyConfig()
	if err != nil {
		return err
	}
	fmt.Fprintln(p.out, p.lang().Say(i18n.PolicyMode, cfg.Mode, p.from(cfg.Origin("mode"))))
	p.showPolicy(cfg)
	return nil
}

// showPolicy prints what holds beside the mode.
func (p *program) showPolicy(cfg *config.Config) {
	lang := p.lang()
	p.indented(lang.Say(i18n.PolicyModes))
	fmt.Fprintln(p.out, lang.Say(i18n.PolicyDeny))
	p.indented(strings.Join(lang.Floors(), "\n"))
	fmt.Fprintln(p.out, lang.Say(i18n.PolicyAsk))
	p.indented(lang.Say(i18n.PolicyAsked))
	rules := cfg.Permissions
	for _, list := range []struct {
		name  string
		rules []config.Rule
	}{{"deny", rules.Deny}, {"ask", rules.Ask}, {"allow", rules.Allow}} {
		if len(list.rules) == 0 {
			continue
		}
		fmt.Fprintln(p.out, lang.Say(i18n.PolicyRules, list.name))
		for _, r := range list.rules {
			fmt.Fprintf(p.out, "  %s  # %s\n", shown(r.Text), p.from(r.From))
		}
	}
	if len(rules.Deny)+len(rules.Ask)+len(rules.Allow) == 0 {
		fmt.Fprintln(p.out, lang.Say(i18n.PolicyNoRules))
	}
}

func (p *program) indented(lines string) {
	for line := range strings.Lines(lines) {
		fmt.Fprintf(p.out, "  %s\n", strings.TrimRight(line, "\n"))
	}
}
