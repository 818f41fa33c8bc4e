package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"

	"paicli/agent"
	"paicli/internal/app"
	"paicli/internal/config"
	"paicli/internal/doctor"
	"paicli/internal/headless"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/llm"
	"paicli/llm/catalog"
)

// doctorCommand reports on the environment, and on a server when one is named.
func (p *program) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor [PROVIDER|URL]",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return misuse(i18n.ArgTooMany, strings.Join(args[1:], " "))
			}
			return p.doctor(strings.Join(args, ""), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	return cmd
}

func (p *program) doctor(target string, asJSON bool) error {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	cfg, err := p.config()
	in := doctor.Inputs{
		Lang: cfg.Lang(), Version: version, Getenv: cfg.Getenv, Home: cfg.Home,
		Terminal: terminal(), Settings: settings(cfg, err), Model: p.doctorModel(ctx, cfg),
	}
	for _, f := range catalog.FromEnv(cfg.Getenv) {
		in.KeyVars = append(in.KeyVars, f.KeyVar)
	}
	if target != "" {
		in.Target = target
		in.Probe = func(ctx context.Context) (string, string, error) { return p.probe(ctx, cfg, target) }
	}
	report := doctor.Run(ctx, in)
	if !report.OK {
		p.code = headless.ExitFailed
	}
	if asJSON {
		return report.JSON(p.out)
	}
	var text strings.Builder
	if err := report.Text(&text, cfg.Lang()); err != nil {
		return err
	}
	_, err = fmt.Fprint(p.out, term.Printable(text.String(), true)) // servers say a part of it
	return err
}

func terminal() doctor.Terminal {
	fd := int(os.Stdout.Fd())
	columns, rows, err := xterm.GetSize(fd)
	return doctor.Terminal{TTY: err == nil && xterm.IsTerminal(fd), Columns: columns, Rows: rows}
}

func settings(cfg *config.Config, err error) doctor.Settings {
	s := doctor.Settings{File: cfg.File}
	if _, statErr := os.Stat(cfg.File); statErr == nil {
		s.Exists = true
	}
	var bad *config.Error
	if errors.As(err, &bad) {
		for _, problem := range bad.Problems {
			s.Faults = append(s.Faults, problem)
		}
	}
	for _, w := range cfg.Warnings {
		s.Warnings = append(s.Warnings, w)
	}
	return s
}

// doctorModel is the model that a run would use, or why there is none. Nothing is asked of the
// network for it.
func (p *program) doctorModel(ctx context.Context, cfg *config.Config) doctor.Model {
	c, err := app.Choose(cfg)
	if err == nil {
		return doctor.Model{Name: c.Entry.Info.Name(), URL: c.Entry.BaseURL}
	}
	m := doctor.Model{Missing: err.Error()}
	var none *app.NoModelError
	if errors.As(err, &none) {
		setup := p.noModel(none)
		m.Missing, m.Hint = setup.what, setup.hint
	}
	return m
}

// probe sends one small question to a provider or an address.
func (p *program) probe(ctx context.Context, cfg *config.Config, target string) (detail, hint string, err error) {
	c, err := p.target(cfg, target)
	if err != nil {
		return "", "", err
	}
	reply, err := llm.Collect(c.Client(cfg, version).Stream(ctx, &llm.Request{
		Messages: []llm.Message{llm.Text(llm.RoleUser, "Answer with the word ok.")},
		Limits:   llm.Limits{MaxOutput: probeTokens},
	}), nil)
	if e := llm.AsError(err); e != nil && e.Kind == llm.ErrEmpty {
		err = nil // it thought until the limit: it answers all the same
	}
	if err != nil {
		what, hint := p.explain(agent.Failure(err), false)
		return "", hint, errors.New(what)
	}
	return c.Entry.Info.Name() + " " + reply.Model, "", nil
}

// probeTokens lets a thinking model come to a word.
const probeTokens = 200

// target is the model to probe: on a URL the model of the settings, or the first that the server
// lists; for a provider its default.
func (p *program) target(cfg *config.Config, target string) (app.Choice, error) {
	wish := *cfg
	if !strings.Contains(target, "://") {
		provider, err := catalog.Find(target)
		if err != nil {
			return app.Choice{}, p.explainSetup(context.Background(), app.Options{}, app.Unknown(err))
		}
		wish.BaseURL, wish.Model = "", provider.ID+"/"
		if chosen, model := catalog.Split(cfg.Model); chosen == provider.ID {
			wish.Model += model
		}
	} else if wish.BaseURL != target {
		wish.BaseURL = target
	}
	c, err := app.ChooseServer(&wish)
	if err != nil {
		return c, p.explainSetup(context.Background(), app.Options{}, err)
	}
	return c, nil
}
