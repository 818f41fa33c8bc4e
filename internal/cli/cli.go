// Package cli is the command line: flags and subcommands, where input comes from, exit codes and
// the words of errors. What a command does lives below it; this package only reads the wish and
// hands it on.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"paicli/internal/config"
	"paicli/internal/headless"
	"paicli/internal/i18n"
	"paicli/internal/term"
)

// version is set by the linker.
var version = "devel"

// program is one run of the command line: its streams and flags.
type program struct {
	in    *os.File
	out   io.Writer
	err   io.Writer
	flags flags
	root  *cobra.Command
	code  int // exit code of a run that made no error of its own
}

// Main runs the command line and returns the exit code.
func Main(args []string) int {
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	p.root = p.commands()
	p.root.SetArgs(args)
	p.root.SetOut(p.out)
	p.root.SetErr(p.err)
	if err := p.root.Execute(); err != nil {
		p.flags.glance(args)
		return p.failed(err)
	}
	return p.code
}

// usageError is a mistake in flags or arguments: exit code 2, with a pointer to the help.
type usageError struct {
	text i18n.Text
	args []any
}

func (e *usageError) Error() string { return i18n.EN.Say(e.text, e.args...) }

func misuse(t i18n.Text, args ...any) error { return &usageError{t, args} }

// setupError is a run that could not begin: exit code 2, what is missing and what to do.
type setupError struct{ what, hint string }

func (e *setupError) Error() string { return e.what }

// failed words an error, on stderr and, in the JSON formats, as the result object on stdout.
func (p *program) failed(err error) int {
	lang := p.lang()
	what, hint, kind, code := err.Error(), "", "internal", headless.ExitInternal
	var usage *usageError
	var setup *setupError
	var bad *config.Error
	var input *headless.InputError
	switch {
	case errors.As(err, &usage):
		what, hint = lang.Say(usage.text, usage.args...), lang.Say(i18n.ArgSeeHelp, "paicli")
		kind, code = "config", headless.ExitUsage
	case errors.As(err, &setup):
		what, hint, kind, code = setup.what, setup.hint, "config", headless.ExitUsage
	case errors.As(err, &input):
		what, kind, code = lang.Say(i18n.ArgInput, input), "config", headless.ExitUsage
	case errors.As(err, &bad):
		what, kind, code = bad.Say(lang), "config", headless.ExitUsage
	}
	fmt.Fprintf(p.err, "paicli: %s\n", term.Printable(what, true))
	if hint != "" {
		fmt.Fprintln(p.err, term.Printable(hint, true))
	}
	if headless.Format(p.flags.outputFormat).IsJSON() {
		headless.Refuse(p.out, kind, what, hint)
	}
	return code
}

// lang is the language of the screen as far as it can be known: a broken configuration must still
// be reported in the right one.
func (p *program) lang() i18n.Lang {
	cfg, _ := p.config()
	return cfg.Lang()
}

// commands is the table of all commands.
func (p *program) commands() *cobra.Command {
	root := &cobra.Command{
		Use:           "paicli",
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          p.runPrompt,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(p.help)
	root.SetHelpCommand(&cobra.Command{Use: "help", Hidden: true, RunE: func(_ *cobra.Command, args []string) error {
		cmd, _, err := p.root.Find(args)
		if err != nil {
			cmd = p.root
		}
		p.help(cmd, nil)
		return nil
	}})
	p.flags.add(root)
	root.AddCommand(p.versionCommand(), p.modelsCommand(), p.sessionsCommand(), p.doctorCommand(), p.demoCommand(), p.mcpCommand(), p.policyCommand(), p.trustCommand(), p.configCommand(), p.auditCommand(), p.completionCommand())
	root.AddCommand(p.toolCommand())
	return root
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "version",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return p.printVersion()
		},
	}
}

func (p *program) printVersion() error {
	_, err := fmt.Fprintf(p.out, "paicli %s\n", version)
	return err
}

func (p *program) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return p.root.GenBashCompletionV2(p.out, true)
			case "zsh":
				return p.root.GenZshCompletion(p.out)
			case "fish":
				return p.root.GenFishCompletion(p.out, true)
			}
			return p.root.GenPowerShellCompletionWithDesc(p.out)
		},
	}
}
