package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"paicli/internal/app"
	"paicli/internal/headless"
	"paicli/internal/i18n"
)

// mcpCommand is what PaiCLI does with the Model Context Protocol.
func (p *program) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "mcp", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		p.help(cmd, nil)
		return nil
	}}
	serve := &cobra.Command{Use: "serve [flags]", Args: noArgs, RunE: func(*cobra.Command, []string) error { return p.serveTools() }}
	f := serve.Flags()
	f.StringSliceVar(&p.flags.tools, "tools", nil, "")
	p.flags.addPermissions(f)
	f.BoolVar(&p.flags.noSession, "no-session", false, "")
	f.BoolVarP(&p.flags.quiet, "quiet", "q", false, "")
	cmd.AddCommand(serve)
	return cmd
}

// serveTools offers the tools to one client on stdin and stdout. Everything for people is on stderr.
func (p *program) serveTools() error {
	opts, err := p.serveOptions()
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(context.Background())
	defer stop()
	s, err := app.NewServer(opts)
	if err != nil {
		return p.explainSetup(ctx, opts, err)
	}
	defer s.Close()
	p.notes(&s.App)
	if err := s.Serve(ctx, io.NopCloser(p.in), p.out); err != nil {
		fmt.Fprintf(p.err, "paicli: %s\n", p.lang().Say(i18n.RunMCPBroken, reason(err)))
		p.code = headless.ExitFailed
	}
	if cause := (*headless.ExitCause)(nil); errors.As(context.Cause(ctx), &cause) {
		p.code = cause.Code
	}
	return nil
}

// serveOptions reads the settings that hold for the tools.
func (p *program) serveOptions() (app.Options, error) {
	if err := p.flags.normalizeMode(); err != nil {
		return app.Options{}, err
	}
	cfg, err := p.config()
	if err != nil {
		return app.Options{}, err
	}
	p.warn(cfg)
	root, err := p.flags.dirOf()
	return app.Options{
		Config: cfg, Root: root, Version: version, Environ: os.Environ(),
		AuditFailed: p.auditFailed,
		Tools:       p.flags.tools, Session: app.SessionOptions{None: p.flags.noSession},
	}, err
}
