package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"paicli/agent"
	"paicli/internal/fsx"
	"paicli/internal/headless"
	"paicli/internal/i18n"
	"paicli/tool"
)

// toolCommand runs one of the tools that only read, without a model: for comparisons and for looking
// at what a model gets. It reads no settings.
func (p *program) toolCommand() *cobra.Command {
	var args string
	var uncapped bool
	cmd := &cobra.Command{Use: "tool NAME [flags]", Args: cobra.ArbitraryArgs, Hidden: true, RunE: func(_ *cobra.Command, names []string) error {
		return p.runTool(strings.Join(names, " "), args, uncapped)
	}}
	cmd.Flags().StringVar(&args, "args", "{}", "")
	cmd.Flags().BoolVar(&uncapped, "uncapped", false, "")
	return cmd
}

func (p *program) runTool(name, args string, uncapped bool) error {
	if !json.Valid([]byte(args)) {
		return misuse(i18n.ArgOneOf, "--args", args, "JSON")
	}
	dir, err := p.flags.dirOf()
	if err != nil {
		return err
	}
	root, err := fsx.Open(dir, fsx.Options{Home: stateDir()})
	if err != nil {
		return err
	}
	defer root.Close()
	t := tool.Reader(name, root, uncapped)
	if t == nil {
		return misuse(i18n.ArgOneOf, "tool", name, "glob_files, grep_code, list_dir, read_file")
	}
	ctx, stop := untilSignal(context.Background())
	defer stop()
	call := &agent.Call{Name: name, Args: json.RawMessage(args), Tool: t}
	if call.Intent, err = t.Intent(ctx, call.Args); err == nil {
		var out agent.Output
		if out, err = t.Run(ctx, call); err == nil {
			_, err = fmt.Fprintln(p.out, out.Text)
			return err
		}
	}
	fmt.Fprintf(p.err, "paicli: %s\n", reason(err))
	p.code = headless.ExitFailed
	return nil
}

// stateDir is the directory of the program's own state, as the environment has it; the settings,
// which may say more, are not read.
func stateDir() string {
	if dir := os.Getenv("PAICLI_HOME"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".paicli")
}
