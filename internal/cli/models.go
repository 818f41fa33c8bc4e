package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"paicli/internal/app"
	"paicli/internal/config"
	"paicli/internal/headless"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/llm"
	"paicli/llm/catalog"
)

// modelsCommand lists what the catalogue knows, or asks the chosen server for its own list.
func (p *program) modelsCommand() *cobra.Command {
	var asJSON bool
	list := func(*cobra.Command, []string) error { return p.listModels(asJSON) }
	cmd := &cobra.Command{Use: "models", Args: noArgs, RunE: list}
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "")
	cmd.AddCommand(
		&cobra.Command{Use: "list", Args: noArgs, RunE: list},
		&cobra.Command{Use: "refresh", Args: noArgs, RunE: func(*cobra.Command, []string) error { return p.refreshModels(asJSON) }},
	)
	return cmd
}

// modelRow is a model as `models --json` prints it.
type modelRow struct {
	Provider  string      `json:"provider"`
	Model     string      `json:"model"`
	Window    int         `json:"context_window,omitempty"`
	MaxOutput int         `json:"max_output,omitempty"`
	Images    bool        `json:"images"`
	Prices    *llm.Prices `json:"prices,omitempty"`
	Key       string      `json:"key_variable,omitempty"` // the variable that is set
	Default   bool        `json:"default,omitempty"`
}

func (p *program) listModels(asJSON bool) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	found := catalog.FromEnv(cfg.Getenv)
	rows := []modelRow{}
	for _, pr := range catalog.Providers() {
		if !asJSON {
			p.providerLine(pr, keyOf(found, pr))
		}
		for _, m := range pr.Models {
			row := modelRow{
				Provider: pr.ID, Model: m.ID, Window: m.Window, MaxOutput: m.MaxOutput, Images: m.Images,
				Prices: m.Prices, Key: keyOf(found, pr), Default: m.ID == pr.Default,
			}
			rows = append(rows, row)
			if !asJSON {
				p.modelLine(row)
			}
		}
	}
	if asJSON {
		return headless.WriteLine(p.out, rows)
	}
	p.chosenLine(cfg)
	return nil
}

func keyOf(found []catalog.Found, pr *catalog.Provider) string {
	if i := slices.IndexFunc(found, func(f catalog.Found) bool { return f.Provider == pr }); i >= 0 {
		return found[i].KeyVar
	}
	return ""
}

// providerLine names a provider, its id for --model, and whether its key is set.
func (p *program) providerLine(pr *catalog.Provider, keyVar string) {
	lang := p.lang()
	key := ""
	switch {
	case keyVar != "":
		key = lang.Say(i18n.ModelsKeySet, keyVar)
	case len(pr.Keys) > 0:
		key = strings.Join(pr.Keys, " / ") + " " + lang.Say(i18n.ModelsKeyNone)
	}
	fmt.Fprintf(p.out, "%s  (%s)  %s\n", pr.Name, pr.ID, key)
}

func (p *program) modelLine(m modelRow) {
	mark := ""
	if m.Default {
		mark = p.lang().Say(i18n.ModelsDefault)
	}
	fmt.Fprintf(p.out, "  %-28s %9s  %-28s %s\n", term.Printable(m.Model, false), tokens(m.Window), p.price(m.Prices), mark)
}

func (p *program) price(pr *llm.Prices) string {
	if pr == nil {
		return p.lang().Say(i18n.RunNoPrice)
	}
	s := number(pr.Base.Input) + " / " + number(pr.Base.Output)
	if pr.Base.Cached > 0 {
		s += " / " + number(pr.Base.Cached)
	}
	return s + " " + pr.Currency
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// tokens writes a window as people do: 128K, 1M.
func tokens(n int) string {
	switch {
	case n <= 0:
		return "?"
	case n >= 1_000_000:
		return number(float64(n/100_000)/10) + "M"
	}
	return strconv.Itoa(n/1000) + "K"
}

// chosenLine closes the list: what the prices mean, and which model a run would use.
func (p *program) chosenLine(cfg *config.Config) {
	lang := p.lang()
	fmt.Fprintf(p.out, "\n%s\n", lang.Say(i18n.ModelsPrice))
	if c, err := app.Choose(cfg); err == nil {
		fmt.Fprintf(p.out, "%s: %s\n", lang.Say(i18n.ModelsChosen), c.Entry.Info.Name())
	}
}

// refreshModels asks the chosen server which models it offers.
func (p *program) refreshModels(asJSON bool) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(context.Background())
	defer stop()
	c, err := app.ChooseServer(cfg)
	if err != nil {
		return p.explainSetup(ctx, app.Options{}, err)
	}
	models, err := c.Client(cfg, version).Models(ctx)
	if err != nil {
		return p.serverError(err)
	}
	if len(models) == 0 {
		return &setupError{p.lang().Say(i18n.ModelsNone), ""}
	}
	rows := []modelRow{}
	for _, m := range models {
		e, err := catalog.Resolve(c.Entry.Info.Provider, m.Model, c.Entry.BaseURL)
		if err != nil {
			return err
		}
		row := modelRow{
			Provider: m.Provider, Model: m.Model, Window: cmp.Or(m.Window, e.Info.Window),
			MaxOutput: cmp.Or(m.MaxOutput, e.Info.MaxOutput), Images: e.Info.Images, Prices: e.Info.Prices,
		}
		rows = append(rows, row)
		if !asJSON {
			p.modelLine(row)
		}
	}
	if asJSON {
		return headless.WriteLine(p.out, rows)
	}
	return nil
}

// noArgs refuses arguments in our words.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return misuse(i18n.ArgTooMany, strings.Join(args, " "))
	}
	return nil
}
