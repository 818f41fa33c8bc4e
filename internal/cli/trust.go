package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"paicli/internal/config"
	"paicli/internal/headless"
	"paicli/internal/i18n"
	"paicli/internal/term"
)

// trustCommand shows what a project brings along and remembers the person's consent.
func (p *program) trustCommand() *cobra.Command {
	var yes, revoke, asJSON bool
	cmd := &cobra.Command{
		Use: "trust [DIR]",
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return misuse(i18n.ArgTooMany, strings.Join(args[1:], " "))
			case yes && revoke:
				return misuse(i18n.ArgConflict, "--yes", "--revoke")
			case len(args) == 1:
				p.flags.dir = args[0]
			}
			cfg, err := p.config()
			if bad := (*config.Error)(nil); err != nil && !errors.As(err, &bad) {
				return err
			}
			if revoke {
				return p.revoke(cfg, asJSON)
			}
			return p.decide(cfg, yes, asJSON)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "")
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	return cmd
}

func (p *program) revoke(cfg *config.Config, asJSON bool) error {
	if err := p.keepTrust(cfg, ""); err != nil {
		return err
	}
	if asJSON {
		return p.trustJSON(cfg, false)
	}
	fmt.Fprintln(p.out, p.lang().Say(i18n.TrustRevoked, shown(cfg.Brought.Root)))
	return nil
}

// decide shows what there is and takes the person's word on it: --yes, or an answer in the terminal.
func (p *program) decide(cfg *config.Config, yes, asJSON bool) error {
	yes = yes && cfg.Brought.Hash != "" && !cfg.Trusted
	if asJSON {
		if yes {
			if err := p.keepTrust(cfg, cfg.Brought.Hash); err != nil {
				return err
			}
		}
		return p.trustJSON(cfg, yes || cfg.Trusted)
	}
	lang := p.lang()
	fmt.Fprint(p.out, p.brought(cfg.Brought))
	switch {
	case cfg.Brought.TooMuch:
		return &setupError{what: lang.Say(i18n.TrustTooMuch)}
	case len(cfg.Brought.Items) == 0:
		return nil
	case cfg.Trusted:
		fmt.Fprintln(p.out, lang.Say(i18n.TrustAlready))
		return nil
	case !yes && !p.terminals():
		return &setupError{lang.Say(i18n.TrustNobody), lang.Say(i18n.TrustYesHint)}
	case !yes && !p.agreed(i18n.TrustAsk):
		fmt.Fprintln(p.out, lang.Say(i18n.TrustNotNow))
		p.code = headless.ExitFailed
		return nil
	}
	if err := p.keepTrust(cfg, cfg.Brought.Hash); err != nil {
		return err
	}
	fmt.Fprintln(p.out, lang.Say(i18n.TrustDone))
	return nil
}

// keepTrust writes the person's word into their file.
func (p *program) keepTrust(cfg *config.Config, hash string) error {
	return p.wrote(cfg, config.SetTrust(cfg.File, cfg.Brought.Root, hash))
}

// wrote words why the person's file could not be written.
func (p *program) wrote(cfg *config.Config, err error) error {
	bad := (*config.Error)(nil)
	switch {
	case err == nil, errors.As(err, &bad):
		return err
	case errors.Is(err, config.ErrNoHome):
		return &setupError{what: p.lang().Say(i18n.SetupNoHome)}
	}
	return &setupError{what: p.lang().Say(i18n.ConfigUnwritable, cfg.File, reason(err))}
}

// terminals reports whether a person can read and answer.
func (p *program) terminals() bool {
	out, ok := p.out.(*os.File)
	return ok && term.IsTerminal(p.in) && term.IsTerminal(out)
}

// agreed asks one question in the terminal. No answer is a no.
func (p *program) agreed(question i18n.Text) bool {
	fmt.Fprint(p.out, p.lang().Say(question))
	switch strings.ToLower(strings.TrimSpace(p.readLine())) {
	case "1", "y", "yes":
		return true
	}
	return false
}

// readLine reads a line and nothing beyond it, which is for whoever reads next.
func (p *program) readLine() string {
	var line []byte
	b := make([]byte, 1)
	for {
		n, err := p.in.Read(b)
		if n == 0 || err != nil || b[0] == '\n' {
			return string(line)
		}
		line = append(line, b[0])
	}
}

// brought words what the project brings along. Whatever came with the project is shown with its
// control characters visible, and command lines in full.
func (p *program) brought(b config.Brought) string {
	lang := p.lang()
	if len(b.Items) == 0 {
		return lang.Say(i18n.TrustNothing, shown(b.Root)) + "\n"
	}
	var out strings.Builder
	fmt.Fprintln(&out, lang.Say(i18n.TrustBrings, shown(b.Root)))
	for _, item := range b.Items {
		fmt.Fprintf(&out, "  %s\n", lang.Say(i18n.TrustItem, shown(item.Path), lang.Say(kindText(item.Kind))))
		for _, v := range item.Values {
			fmt.Fprintf(&out, "    %s\n", shown(p.mask(v)))
		}
		for _, r := range item.Runs {
			if r.Line != "" {
				fmt.Fprintf(&out, "    %s\n", lang.Say(i18n.TrustStarts, shown(r.Name), shown(r.Line)))
			}
			if r.URL != "" {
				fmt.Fprintf(&out, "    %s\n", lang.Say(i18n.TrustConnects, shown(r.Name), shown(p.mask(r.URL))))
			}
			if len(r.Env) > 0 {
				fmt.Fprintf(&out, "      %s\n", lang.Say(i18n.TrustSets, shown(strings.Join(r.Env, ", "))))
			}
		}
	}
	return out.String()
}

func kindText(k config.Kind) i18n.Text {
	switch k {
	case config.KindEnv:
		return i18n.TrustEnv
	case config.KindMCP:
		return i18n.TrustMCP
	case config.KindSkill:
		return i18n.TrustSkill
	case config.KindCommand:
		return i18n.TrustCommand
	case config.KindAgent:
		return i18n.TrustAgent
	}
	return i18n.TrustSettings
}

// shown writes everything that a terminal would not show as itself as an escape.
func shown(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if strconv.IsGraphic(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// trustJSON prints the same for programs.
func (p *program) trustJSON(cfg *config.Config, trusted bool) error {
	type run struct {
		Name    string   `json:"name"`
		Command string   `json:"command,omitempty"`
		URL     string   `json:"url,omitempty"`
		Env     []string `json:"env,omitempty"`
	}
	type item struct {
		Path   string      `json:"path"`
		Kind   config.Kind `json:"kind"`
		Values []string    `json:"values,omitempty"`
		Runs   []run       `json:"runs,omitempty"`
	}
	items := []item{}
	for _, i := range cfg.Brought.Items {
		one := item{Path: i.Path, Kind: i.Kind}
		for _, v := range i.Values {
			one.Values = append(one.Values, p.mask(v))
		}
		for _, r := range i.Runs {
			one.Runs = append(one.Runs, run{r.Name, r.Line, p.mask(r.URL), r.Env})
		}
		items = append(items, one)
	}
	return json.NewEncoder(p.out).Encode(map[string]any{
		"root": cfg.Brought.Root, "trusted": trusted, "hash": cfg.Brought.Hash, "too_much": cfg.Brought.TooMuch, "items": items,
	})
}

// askTrust puts the question at the start of a conversation in the terminal, and loads the settings
// again after a yes.
func (p *program) askTrust(cfg *config.Config) (*config.Config, error) {
	if cfg.Trusted || cfg.Brought.Hash == "" || cfg.File == "" {
		return cfg, nil
	}
	fmt.Fprint(p.out, p.brought(cfg.Brought))
	if !p.agreed(i18n.TrustDialog) {
		return cfg, nil
	}
	if err := p.keepTrust(cfg, cfg.Brought.Hash); err != nil {
		return nil, err
	}
	p.flags.cfg = nil
	return p.config()
}
