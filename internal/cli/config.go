package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"paicli/internal/config"
	"paicli/internal/headless"
	"paicli/internal/i18n"
)

// configCommand shows, checks and changes settings.
func (p *program) configCommand() *cobra.Command {
	var origin, asJSON bool
	cmd := &cobra.Command{Use: "config", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		p.help(cmd, nil)
		return nil
	}}
	show := &cobra.Command{Use: "show", Args: noArgs, RunE: func(*cobra.Command, []string) error { return p.showConfig(origin) }}
	show.Flags().BoolVar(&origin, "origin", false, "")
	check := &cobra.Command{Use: "check", Args: noArgs, RunE: func(*cobra.Command, []string) error { return p.checkConfig(asJSON) }}
	check.Flags().BoolVar(&asJSON, "json", false, "")
	cmd.AddCommand(
		show, check,
		&cobra.Command{Use: "path", Args: noArgs, RunE: func(*cobra.Command, []string) error { return p.configPath() }},
		&cobra.Command{Use: "get KEY", Args: exactly("KEY"), RunE: func(_ *cobra.Command, args []string) error { return p.getConfig(args[0]) }},
		&cobra.Command{Use: "set KEY VALUE", Args: exactly("KEY", "VALUE"), RunE: func(_ *cobra.Command, args []string) error {
			return p.setConfig(args[0], args[1])
		}},
		&cobra.Command{Use: "schema", Args: noArgs, RunE: func(*cobra.Command, []string) error {
			_, err := p.out.Write(config.Schema())
			return err
		}},
	)
	return cmd
}

// exactly takes the named arguments.
func exactly(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return misuse(i18n.ArgMissing, names[len(args)])
		case len(args) > len(names):
			return misuse(i18n.ArgTooMany, strings.Join(args[len(names):], " "))
		}
		return nil
	}
}

// showConfig lists what holds, also when a part could not be read, which is then said.
func (p *program) showConfig(origin bool) error {
	cfg, err := p.config()
	for _, s := range cfg.Settings() {
		if !origin {
			fmt.Fprintf(p.out, "%s = %s\n", s.Key, shown(p.mask(s.JSON)))
			continue
		}
		fmt.Fprintf(p.out, "%s = %s  # %s\n", s.Key, shown(p.mask(s.JSON)), p.from(s.From))
		for _, u := range s.Under {
			fmt.Fprintf(p.out, "  %s\n", p.lang().Say(i18n.ConfigOver, shown(p.mask(u.JSON)), p.from(u.From)))
		}
	}
	if err == nil {
		p.warn(cfg)
	}
	return err
}

// from says where a value comes from.
func (p *program) from(o config.Origin) string {
	switch {
	case o.Source == config.FromDefault:
		return p.lang().Say(i18n.ConfigDefault)
	case o.File == "":
		return o.Name
	case o.Name != "":
		return fmt.Sprintf("%s:%d %s", shown(o.File), o.Line, o.Name)
	}
	return fmt.Sprintf("%s:%d", shown(o.File), o.Line)
}

// warn says on stderr what is odd in the settings.
func (p *program) warn(cfg *config.Config) {
	for _, w := range cfg.Warnings {
		fmt.Fprintf(p.err, "paicli: %s\n", w.Say(cfg.Lang()))
	}
}

func (p *program) configPath() error {
	cfg, _ := p.config()
	if cfg.File == "" {
		return p.wrote(cfg, config.ErrNoHome)
	}
	_, err := fmt.Fprintln(p.out, cfg.File)
	return err
}

// getConfig prints one value: a text without quotes, anything else as JSON. What is not set is exit
// code 1.
func (p *program) getConfig(name string) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	s, ok, err := cfg.Get(name)
	if err != nil {
		return err
	}
	if !ok {
		p.code = headless.ExitFailed
		return nil
	}
	text := s.JSON
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal([]byte(s.JSON), &text); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(p.out, p.mask(text))
	return err
}

func (p *program) setConfig(name, text string) error {
	cfg, err := p.config()
	if bad := (*config.Error)(nil); err != nil && !errors.As(err, &bad) {
		return err
	}
	value, err := config.Set(cfg.File, name, text, isRule)
	if err != nil {
		return p.wrote(cfg, err)
	}
	_, err = fmt.Fprintf(p.out, "%s = %s  # %s\n", name, shown(p.mask(value)), cfg.File)
	return err
}

// checkConfig says what is wrong. Warnings alone are exit code 0.
func (p *program) checkConfig(asJSON bool) error {
	cfg, err := p.config()
	var bad *config.Error
	if err != nil && !errors.As(err, &bad) {
		return err
	}
	type problem struct {
		Severity string `json:"severity"`
		config.Problem
		Message string `json:"message"`
	}
	problems := []problem{}
	add := func(severity string, list []config.Problem) {
		for _, one := range list {
			one.Got = p.mask(one.Got)
			problems = append(problems, problem{severity, one, p.mask(one.Say(cfg.Lang()))})
		}
	}
	if bad != nil {
		add("error", bad.Problems)
		p.code = headless.ExitUsage
	}
	add("warning", cfg.Warnings)
	if asJSON {
		return json.NewEncoder(p.out).Encode(map[string]any{"ok": bad == nil, "file": cfg.File, "problems": problems})
	}
	for _, one := range problems {
		fmt.Fprintln(p.out, shown(one.Message))
	}
	if len(problems) == 0 {
		fmt.Fprintln(p.out, p.lang().Say(i18n.ConfigFine, cfg.File))
	}
	return nil
}

// mask hides what must not be shown: known secrets, passwords in addresses and what looks like a key.
func (p *program) mask(text string) string {
	cfg, _ := p.config()
	for _, secret := range cfg.Secrets() {
		text = strings.ReplaceAll(text, secret, "…")
	}
	text = regexp.MustCompile(`(://)[^/@\s"]+@`).ReplaceAllString(text, "${1}…@")
	return regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{4,}`).ReplaceAllString(text, "sk-…")
}
