package app

import (
	"fmt"
	"slices"
	"strings"

	"paicli/internal/config"
	"paicli/llm"
	"paicli/llm/catalog"
	"paicli/llm/openai"
)

// Choice is the model that the settings lead to, and the way to it.
type Choice struct {
	Entry catalog.Entry
	Key   string
	// KeyVars are the variables that may hold the key; Console is where to get one.
	KeyVars []string
	Console string

	thinking llm.Thinking
}

// NoModelCode says why no model could be chosen.
type NoModelCode string

// The reasons.
const (
	NoProvider      NoModelCode = "no_provider"      // nothing is configured at all
	NoKey           NoModelCode = "no_key"           // the provider is known, its key is missing
	NoModelName     NoModelCode = "no_model"         // a base URL without a model
	UnknownProvider NoModelCode = "unknown_provider" // no provider of this name
	NoProtocol      NoModelCode = "no_protocol"      // a protocol that is not spoken yet
)

// NoModelError says that the settings lead to no model, and what is missing.
type NoModelError struct {
	Code    NoModelCode
	Name    string   // of the provider or the base URL
	Nearest string   // with UnknownProvider: the one probably meant
	KeyVars []string // with NoKey
	Console string   // with NoKey: where to get one
}

func (e *NoModelError) Error() string { return fmt.Sprintf("%s %s", e.Code, e.Name) }

// Choose finds the model: a base URL decides if there is one, then the provider in the model's name,
// then the first provider that has a key (one that lists the model is preferred).
func Choose(cfg *config.Config) (Choice, error) {
	c, err := ChooseServer(cfg)
	if err == nil && c.Entry.Info.Model == "" {
		name := c.Name()
		if name == "" {
			name = cfg.BaseURL
		}
		return Choice{}, &NoModelError{Code: NoModelName, Name: name}
	}
	return c, err
}

// ChooseServer is Choose for who wants to ask the server, for which a model need not be named.
func ChooseServer(cfg *config.Config) (Choice, error) {
	if cfg.BaseURL != "" {
		return customServer(cfg)
	}
	provider, model := catalog.Split(cfg.Model)
	found := catalog.FromEnv(cfg.Getenv)
	if provider != "" {
		return named(cfg, provider, model, found)
	}
	if len(found) == 0 {
		return Choice{}, missing(model)
	}
	f := found[0]
	if i := slices.IndexFunc(found, func(f catalog.Found) bool { return lists(f.Provider, model) }); i >= 0 {
		f = found[i]
	}
	return fromKey(cfg, f, model)
}

// missing is the error when no key is set. A model's name tells whose key it would be.
func missing(model string) error {
	if e, err := catalog.Resolve("", model, ""); model != "" && err == nil && e.Provider != nil {
		return noKey(e.Provider)
	}
	return &NoModelError{Code: NoProvider}
}

func noKey(p *catalog.Provider) error {
	return &NoModelError{Code: NoKey, Name: p.Name, KeyVars: p.Keys, Console: p.Console}
}

func lists(p *catalog.Provider, model string) bool {
	return slices.ContainsFunc(p.Models, func(m catalog.Model) bool { return strings.EqualFold(m.ID, model) })
}

// named is a model of a provider that was named. Local servers need no key.
func named(cfg *config.Config, provider, model string, found []catalog.Found) (Choice, error) {
	if i := slices.IndexFunc(found, func(f catalog.Found) bool { return f.Provider.ID == provider }); i >= 0 {
		return fromKey(cfg, found[i], model)
	}
	p, err := catalog.Find(provider)
	if err != nil {
		return Choice{}, Unknown(err)
	}
	if !p.Local {
		return Choice{}, noKey(p)
	}
	return fromKey(cfg, catalog.Found{Provider: p}, model)
}

func fromKey(cfg *config.Config, f catalog.Found, model string) (Choice, error) {
	if model == "" {
		model = f.Model
	}
	e, err := catalog.Resolve(f.Provider.ID, model, f.BaseURL)
	if err != nil {
		return Choice{}, Unknown(err)
	}
	return finish(cfg, Choice{Entry: e, Key: f.Key})
}

// customServer is any OpenAI-compatible server. When the catalogue knows its host, the provider's
// own key is used too; PAICLI_API_KEY goes first.
func customServer(cfg *config.Config) (Choice, error) {
	provider, model := catalog.Split(cfg.Model)
	name := cfg.Model
	if provider == catalog.Custom {
		name = model
	}
	e, err := catalog.Resolve("", name, cfg.BaseURL)
	if err == nil && provider != "" && e.Provider != nil && e.Provider.ID == provider {
		e, err = catalog.Resolve(provider, model, cfg.BaseURL)
	}
	if err != nil {
		return Choice{}, Unknown(err)
	}
	c := Choice{Entry: e, Key: cfg.APIKey}
	if c.Key == "" && e.Provider != nil {
		for _, f := range catalog.FromEnv(cfg.Getenv) {
			if f.Provider == e.Provider {
				c.Key = f.Key
			}
		}
	}
	return finish(cfg, c)
}

// finish puts the settings for the model over the catalogue's.
func finish(cfg *config.Config, c Choice) (Choice, error) {
	info := &c.Entry.Info
	s := cfg.ForModel(info.Provider, info.Model)
	if s.Protocol != "" && s.Protocol != "openai" {
		return Choice{}, &NoModelError{Code: NoProtocol, Name: s.Protocol}
	}
	if s.ContextWindow > 0 {
		info.Window = s.ContextWindow
	}
	if s.Images != nil {
		info.Images = *s.Images
	}
	switch s.Thinking {
	case "on", "off":
		c.thinking.Mode = llm.ThinkingMode(s.Thinking)
	case "low", "medium", "high", "max":
		c.thinking = llm.Thinking{Mode: llm.ThinkingOn, Effort: s.Thinking}
	}
	c.KeyVars = []string{"PAICLI_API_KEY"}
	if p := c.Entry.Provider; p != nil && len(p.Keys) > 0 {
		c.KeyVars, c.Console = p.Keys, p.Console
	}
	return c, nil
}

// Unknown turns the catalogue's error into ours.
func Unknown(err error) error {
	if u, ok := err.(*catalog.UnknownError); ok {
		return &NoModelError{Code: UnknownProvider, Name: u.Name, Nearest: u.Nearest}
	}
	return err
}

// Name is what people call the provider.
func (c Choice) Name() string {
	if p := c.Entry.Provider; p != nil {
		return p.Name
	}
	return ""
}

// client is the wire to the chosen model.
func (c Choice) client(opts Options) *openai.Client {
	return openai.New(openai.Options{
		BaseURL: c.Entry.BaseURL, Key: c.Key, Model: c.Entry.Info.Model,
		Info: c.Entry.Info, Quirks: c.Entry.Quirks,
		IdleTimeout: opts.Config.Network.IdleTimeout, EventTimeout: opts.Config.Network.EventTimeout,
		UserAgent: "paicli/" + opts.Version,
	})
}

// Client is the wire to the chosen model without a conversation: for doctor and models.
func (c Choice) Client(cfg *config.Config, version string) *openai.Client {
	return c.client(Options{Config: cfg, Version: version})
}
