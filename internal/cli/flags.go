package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"paicli/internal/config"
	"paicli/internal/i18n"
	"paicli/internal/permission"
	"paicli/llm/catalog"
)

// flags are the flags of a run, as given.
type flags struct {
	print        bool
	version      bool
	outputFormat string
	inputFormat  string
	model        string
	baseURL      string
	protocol     string
	mode         string
	maxSteps     int
	outFile      string
	schema       string
	partial      bool
	tools        []string
	noTools      bool
	noSession    bool
	goOn         bool // --continue
	resume       string
	fork         string
	forkSession  bool // with --resume or --continue: go on with a copy
	tokens       int
	cost         float64
	timeout      time.Duration
	dir          string
	lang         string
	configFile   string
	quiet        bool
	verbose      bool
	accessible   bool
	bypass       bool
	allow        []string
	deny         []string
	trust        bool

	cfg    *config.Config // loaded once
	cfgErr error
}

// spellings are names of flags that other agents' drivers pass, and ours for them.
var spellings = [...][2]string{
	{"max-turns", "max-steps"},
	{"permission-mode", "mode"},
	{"no-session-persistence", "no-session"},
	{"max-budget-usd", "max-cost"},
	{"allowedTools", "allow"},
	{"allowed-tools", "allow"},
	{"disallowedTools", "deny"},
}

// flagText is the line of a flag in the help.
func flagText(lang i18n.Lang, name string) string {
	var args []any
	switch name {
	case "protocol":
		args = []any{"openai"}
	case "mode":
		args = []any{modeNames}
	}
	return lang.Say(map[string]i18n.Text{
		"print":                    i18n.FlagPrint,
		"output-format":            i18n.FlagOutputFormat,
		"input-format":             i18n.FlagInputFormat,
		"model":                    i18n.FlagModel,
		"base-url":                 i18n.FlagBaseURL,
		"protocol":                 i18n.FlagProtocol,
		"mode":                     i18n.FlagMode,
		"allow":                    i18n.FlagAllow,
		"deny":                     i18n.FlagDeny,
		"trust":                    i18n.FlagTrust,
		"yes":                      i18n.FlagYes,
		"revoke":                   i18n.FlagRevoke,
		"origin":                   i18n.FlagOrigin,
		"max-steps":                i18n.FlagMaxSteps,
		"output-file":              i18n.FlagOutFile,
		"json-schema":              i18n.FlagSchema,
		"include-partial-messages": i18n.FlagPartial,
		"tools":                    i18n.FlagTools,
		"no-tools":                 i18n.FlagNoTools,
		"no-session":               i18n.FlagNoSession,
		"continue":                 i18n.FlagContinue,
		"resume":                   i18n.FlagResume,
		"fork":                     i18n.FlagFork,
		"token-budget":             i18n.FlagTokenBudget,
		"max-cost":                 i18n.FlagMaxCost,
		"timeout":                  i18n.FlagTimeout,
		"all":                      i18n.FlagAll,
		"format":                   i18n.FlagFormat,
		"directory":                i18n.FlagChdir,
		"lang":                     i18n.FlagLang,
		"config":                   i18n.FlagConfigFile,
		"accessible":               i18n.FlagAccessible,
		"quiet":                    i18n.FlagQuiet,
		"verbose":                  i18n.FlagVerbose,
		"version":                  i18n.HelpVersion,
		"help":                     i18n.HelpFlag,
		"json":                     i18n.FlagJSON,
		"command":                  i18n.FlagCommand,
		"verify":                   i18n.FlagVerify,
		"path":                     i18n.FlagPath,
		"write":                    i18n.FlagWrite,
		"url":                      i18n.FlagURL,
		"tool":                     i18n.FlagTool,
		"args":                     i18n.FlagArgs,
	}[name], args...)
}

func (f *flags) add(root *cobra.Command) {
	all := root.PersistentFlags() // every command works in a folder, with settings, in a language
	all.StringVarP(&f.dir, "directory", "C", "", "")
	all.StringVar(&f.lang, "lang", "", "")
	all.StringVar(&f.configFile, "config", "", "")
	all.StringVar(&f.model, "model", "", "")
	all.StringVar(&f.baseURL, "base-url", "", "")
	all.BoolP("help", "h", false, "")
	run := root.Flags()
	run.BoolVarP(&f.print, "print", "p", false, "")
	run.StringVar(&f.outputFormat, "output-format", "text", "")
	run.StringVar(&f.inputFormat, "input-format", "text", "")
	run.StringVar(&f.protocol, "protocol", "", "")
	f.addPermissions(run)
	run.IntVar(&f.maxSteps, "max-steps", 0, "")
	run.StringVarP(&f.outFile, "output-file", "o", "", "")
	run.StringVar(&f.schema, "json-schema", "", "")
	run.BoolVar(&f.partial, "include-partial-messages", false, "")
	run.StringSliceVar(&f.tools, "tools", nil, "")
	run.BoolVar(&f.noTools, "no-tools", false, "")
	run.BoolVar(&f.noSession, "no-session", false, "")
	run.BoolVarP(&f.goOn, "continue", "c", false, "")
	run.StringVarP(&f.resume, "resume", "r", "", "")
	run.StringVar(&f.fork, "fork", "", "")
	run.BoolVar(&f.forkSession, "fork-session", false, "")
	run.MarkHidden("fork-session")
	run.IntVar(&f.tokens, "token-budget", 0, "")
	run.Float64Var(&f.cost, "max-cost", 0, "")
	run.DurationVar(&f.timeout, "timeout", 0, "")
	run.BoolVar(&f.accessible, "accessible", false, "")
	run.BoolVarP(&f.quiet, "quiet", "q", false, "")
	run.BoolVarP(&f.verbose, "verbose", "v", false, "")
	run.BoolVar(&f.version, "version", false, "")
	run.BoolVar(&f.bypass, "dangerously-skip-permissions", false, "")
	run.MarkHidden("dangerously-skip-permissions")
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		for _, s := range spellings {
			if name == s[0] {
				name = s[1]
			}
		}
		return pflag.NormalizedName(name)
	})
}

// addPermissions adds the flags that say what may run.
func (f *flags) addPermissions(set *pflag.FlagSet) {
	set.StringVar(&f.mode, "mode", "", "")
	set.StringArrayVar(&f.allow, "allow", nil, "")
	set.StringArrayVar(&f.deny, "deny", nil, "")
	set.BoolVar(&f.trust, "trust", false, "")
}

// glance looks for the flags that decide how a mistake is reported: the parser stops at the first
// wrong argument and may not have reached them.
func (f *flags) glance(args []string) {
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		switch name {
		case "--lang":
			f.lang, f.cfg = value, nil
		case "--output-format":
			f.outputFormat = value
		}
	}
}

// check refuses values that no run takes, before anything is done.
func (f *flags) check(cmd *cobra.Command) error {
	if f.bypass {
		return misuse(i18n.ArgNoBypass, "--dangerously-skip-permissions")
	}
	if err := f.normalizeMode(); err != nil {
		return err
	}
	formats := []string{"text", "json", "stream-json", "events"}
	if !slices.Contains(formats, f.outputFormat) {
		return misuse(i18n.ArgOneOf, "--output-format", f.outputFormat, strings.Join(formats, ", "))
	}
	if f.inputFormat != "text" && f.inputFormat != "stream-json" {
		return misuse(i18n.ArgOneOf, "--input-format", f.inputFormat, "text, stream-json")
	}
	if f.inputFormat == "stream-json" && f.outputFormat != "stream-json" && f.outputFormat != "events" {
		return misuse(i18n.ArgOneOf, "--output-format", f.outputFormat, "stream-json, events")
	}
	if f.protocol != "" && f.protocol != "openai" {
		return misuse(i18n.ArgOneOf, "--protocol", f.protocol, "openai")
	}
	for name, positive := range map[string]bool{"max-steps": f.maxSteps > 0, "token-budget": f.tokens > 0, "max-cost": f.cost > 0, "timeout": f.timeout > 0} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && !positive {
			return misuse(i18n.ArgNotPositive, "--"+name, flag.Value.String())
		}
	}
	if f.noTools && len(f.tools) > 0 {
		return misuse(i18n.ArgConflict, "--tools", "--no-tools")
	}
	return nil
}

// modeNames are the permission modes, for people.
const modeNames = "auto, ask, plan"

// normalizeMode takes the modes of other agents' drivers for ours.
func (f *flags) normalizeMode() error {
	switch f.mode {
	case "", "auto", "ask", "plan":
	case "acceptEdits":
		f.mode = "auto"
	case "default", "dontAsk":
		f.mode = "ask"
	case "bypassPermissions":
		return misuse(i18n.ArgNoBypass, f.mode)
	default:
		return misuse(i18n.ArgOneOf, "--mode", f.mode, modeNames)
	}
	return nil
}

// isRule checks the syntax of a rule of permission.
func isRule(text string) error {
	_, err := permission.ParseRule(text)
	return err
}

// splitRules takes lists of rules apart, at commas and spaces that are not in the pattern of a rule:
// `execute_command(git log *),read_file`.
func splitRules(lists []string) []string {
	var out []string
	for _, list := range lists {
		depth, start := 0, 0
		for i, c := range list + "," {
			switch {
			case c == '(':
				depth++
			case c == ')' && depth > 0:
				depth--
			case i == len(list), depth == 0 && (c == ',' || unicode.IsSpace(c)):
				if rule := strings.TrimSpace(list[start:i]); rule != "" {
					out = append(out, rule)
				}
				start = min(i+utf8.RuneLen(c), len(list))
			}
		}
	}
	return out
}

// dirOf is the project root: -C or the working directory, absolute and without links.
func (f *flags) dirOf() (string, error) {
	dir := f.dir
	if dir == "" {
		dir = "."
	}
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", misuse(i18n.ArgBadFolder, dir, reason(err))
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return "", misuse(i18n.ArgNotFolder, dir)
	}
	return abs, nil
}

// reason is an error of the system without the verb and path around it.
func reason(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// config loads the settings once.
func (p *program) config() (*config.Config, error) {
	f := &p.flags
	if f.cfg != nil {
		return f.cfg, f.cfgErr
	}
	root, dirErr := f.dirOf()
	home, _ := os.UserHomeDir()
	f.cfg, f.cfgErr = config.Load(config.Options{
		Root: root, UserHome: home, Environ: os.Environ(),
		ProviderKey: catalog.IsKey,
		Rule:        isRule,
		ProviderVar: func(name string) bool { return slices.Contains(catalog.Variables(), name) },
		Flags: config.Flags{
			Model: f.model, BaseURL: f.baseURL, Mode: f.mode, Lang: f.lang, Protocol: f.protocol, File: f.configFile,
			Allow: splitRules(f.allow), Deny: splitRules(f.deny), Trust: f.trust,
		},
	})
	if dirErr != nil {
		f.cfgErr = dirErr
	}
	return f.cfg, f.cfgErr
}

// flagError words what the flag parser complains about.
func flagError(_ *cobra.Command, err error) error {
	s := err.Error()
	if m := regexp.MustCompile(`^unknown (?:shorthand )?flag: (?:'(.)' in )?(\S+)`).FindStringSubmatch(s); m != nil {
		return misuse(i18n.ArgUnknownFlag, m[2])
	}
	if m := regexp.MustCompile(`^flag needs an argument: (?:'(.)' in )?(\S+)`).FindStringSubmatch(s); m != nil {
		return misuse(i18n.ArgNeedsValue, m[2])
	}
	if m := regexp.MustCompile(`^invalid argument "(.*)" for "(.*)" flag`).FindStringSubmatch(s); m != nil {
		return misuse(i18n.ArgBadValue, m[2], m[1])
	}
	return misuse(i18n.ArgOther, s)
}
