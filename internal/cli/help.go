package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"paicli/internal/i18n"
)

// about pairs each command with its line in the list and its own paragraph.
func about(cmd *cobra.Command) (short, long i18n.Text) {
	if cmd.HasParent() && cmd.Parent().HasParent() {
		short = aboutSub(cmd.Parent().Name(), cmd.Name())
		return short, short
	}
	switch cmd.Name() {
	case "paicli":
		return i18n.CLIShort, i18n.CLILong
	case "demo":
		return i18n.CmdDemo, i18n.CmdDemoLong
	case "doctor":
		return i18n.CmdDoctor, i18n.CmdDoctorLong
	case "models":
		return i18n.CmdModels, i18n.CmdModelsLong
	case "sessions":
		return i18n.CmdSessions, i18n.CmdSessionsLong
	case "mcp":
		return i18n.CmdMCP, i18n.CmdMCPLong
	case "policy":
		return i18n.CmdPolicy, i18n.CmdPolicyLong
	case "trust":
		return i18n.CmdTrust, i18n.CmdTrustLong
	case "config":
		return i18n.CmdConfig, i18n.CmdConfigLong
	case "audit":
		return i18n.CmdAudit, i18n.CmdAuditLong
	case "version":
		return i18n.CmdVersion, i18n.CmdVersion
	case "completion":
		return i18n.CmdCompletion, i18n.CmdCompletion
	}
	return i18n.Text{}, i18n.Text{}
}

// aboutSub is about for what stands below a command.
func aboutSub(parent, name string) i18n.Text {
	switch parent + "/" + name {
	case "models/list":
		return i18n.CmdModelsList
	case "models/refresh":
		return i18n.CmdRefresh
	case "sessions/list":
		return i18n.CmdSessionsList
	case "sessions/show":
		return i18n.CmdSessionsShow
	case "sessions/export":
		return i18n.CmdSessionsExport
	case "sessions/rm":
		return i18n.CmdSessionsRm
	case "policy/check":
		return i18n.CmdPolicyCheck
	case "policy/show":
		return i18n.CmdPolicyShow
	case "config/show":
		return i18n.CmdConfigShow
	case "config/path":
		return i18n.CmdConfigPath
	case "config/get":
		return i18n.CmdConfigGet
	case "config/set":
		return i18n.CmdConfigSet
	case "config/check":
		return i18n.CmdConfigCheck
	case "config/schema":
		return i18n.CmdConfigSchema
	case "mcp/serve":
		return i18n.CmdMCPServe
	}
	return i18n.Text{}
}

// help prints what a command does and takes, in the language of the screen.
func (p *program) help(cmd *cobra.Command, _ []string) {
	lang := p.lang()
	_, long := about(cmd)
	fmt.Fprintf(p.out, "%s\n\n%s\n  %s\n", lang.Say(long), lang.Say(i18n.HelpUsage), usageLine(cmd))
	if cmds := visible(cmd); len(cmds) > 0 {
		fmt.Fprintf(p.out, "\n%s\n", lang.Say(i18n.HelpCommands))
		for _, c := range cmds {
			short, _ := about(c)
			fmt.Fprintf(p.out, "  %-12s %s\n", c.Name(), lang.Say(short))
		}
	}
	p.flagList(lang.Say(i18n.HelpFlags), cmd.LocalNonPersistentFlags())
	p.flagList(lang.Say(i18n.HelpGlobal), p.root.PersistentFlags())
	if cmd == p.root {
		fmt.Fprintf(p.out, "\n%s\n", lang.Say(i18n.HelpMore, "paicli"))
	}
}

func usageLine(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return "paicli [flags] [prompt]"
	}
	return strings.TrimSpace(cmd.Parent().CommandPath() + " " + cmd.Use)
}

func visible(cmd *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			out = append(out, c)
		}
	}
	return out
}

func (p *program) flagList(title string, set *pflag.FlagSet) {
	lang := p.lang()
	headed := false
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		if !headed {
			fmt.Fprintf(p.out, "\n%s\n", title)
			headed = true
		}
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		fmt.Fprintf(p.out, "  %-30s %s\n", name, flagText(lang, f.Name))
	})
}
