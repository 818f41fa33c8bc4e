// Package config is the settings: one struct, one loader, and the sources in one order, lowest
// first:
//
//	defaults → config.json in PAICLI_HOME → .paicli/config.json → ~/.env, ./.env → environment → flags
//
// What came with the project (see Brought) counts only while the person's file has the hash of just
// this content, and .paicli/config.json may only tighten. From an untrusted ./.env only keys of known
// providers and PAICLI_MODEL count.
//
// It reads and checks; it does not know what a provider or a model is (that is the catalogue's), nor
// the syntax of a rule, and never writes to the environment, so nothing of a .env file reaches a child
// process. The person's file is changed only by Edit and what is built on it, which keep its comments
// and order.
package config

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"paicli/internal/i18n"
)

// Config is the loaded settings. It is not changed after Load and may be read by several goroutines.
type Config struct {
	Home          string // PAICLI_HOME, absolute; "" when neither it nor the person's home is known
	File          string // the file of settings that was looked for, whether it exists or not
	Model         string // [provider/]model, "" = the provider's default
	Mode          string // auto, plan or ask
	Permissions   Permissions
	BaseURL       string // of any OpenAI-compatible server
	APIKey        string // PAICLI_API_KEY: the key for BaseURL
	Protocol      string // --protocol, "" = not said
	ContextWindow int    // PAICLI_CONTEXT_WINDOW in tokens, 0 = not said
	Classifier    string // PAICLI_AUTO_CLASSIFIER_MODEL
	UI            UI
	EnvAllow      []string // variables that children get beside the usual ones
	EnvDeny       []string // variables that children never get
	Models        map[string]ModelSettings
	Network       Network
	Offload       Offload
	Brought       Brought // what the project brings along
	Trusted       bool    // all of it counts

	// Warnings are problems that stop nothing, in the order of the sources.
	Warnings []Problem

	origins map[string]Origin
	raw     map[string]string    // the values as JSON, by key
	under   map[string][]Setting // what lower sources said
	entries map[string]entry     // projects."<root>" of the person's file
	env     environment
}

// UI is how the program looks.
type UI struct {
	Lang string // en, zh or "" = by the environment
}

// ModelSettings is what a person says about one model. Zero values mean the catalogue's.
type ModelSettings struct {
	ContextWindow int    // tokens
	Images        *bool  // whether the model takes images
	Thinking      string // on, off, low, medium, high or max
	Protocol      string // openai, responses, anthropic or react
}

// Network holds the two clocks that end a silent answer.
type Network struct {
	IdleTimeout  time.Duration // no byte at all, 120 s
	EventTimeout time.Duration // no event of the model, keep-alives aside, 10 min
}

// Offload says how tool results that are too long for a message are kept in files.
type Offload struct {
	Off       bool // PAICLI_TOOL_OFFLOAD_ENABLED=false
	Threshold int  // PAICLI_TOOL_OFFLOAD_THRESHOLD_CHARS in characters, 0 = not said
}

// MinThreshold is the least value of Offload.Threshold, as the original PaiCLI has it.
const MinThreshold = 2000

// Source is a kind of place where a value can come from.
type Source string

// The sources, lowest first.
const (
	FromDefault    Source = "default"
	FromFile       Source = "config"       // config.json
	FromEntry      Source = "user_project" // projects."<root>" in config.json
	FromProject    Source = "project"      // .paicli/config.json of a trusted project
	FromHomeEnv    Source = "home_env"     // ~/.env
	FromProjectEnv Source = "project_env"  // ./.env
	FromEnv        Source = "environment"
	FromFlag       Source = "flag"
)

// Origin is where a value came from: File and Line for files, Name for a variable or flag.
type Origin struct {
	Source Source `json:"source"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Name   string `json:"name,omitempty"`
}

func defaults() *Config {
	return &Config{
		Mode:    "auto",
		Models:  map[string]ModelSettings{},
		Network: Network{IdleTimeout: 2 * time.Minute, EventTimeout: 10 * time.Minute},
		origins: map[string]Origin{},
		under:   map[string][]Setting{},
		raw: map[string]string{
			"mode": `"auto"`, "network.idleTimeoutMs": "120000", "network.eventTimeoutMs": "600000",
		},
		entries: map[string]entry{},
	}
}

// put notes the value of a key and where it came from.
func (c *Config) put(key, json string, from Origin) {
	if old, ok := c.origins[key]; ok {
		c.under[key] = append([]Setting{{Key: key, JSON: c.raw[key], From: old}}, c.under[key]...)
	}
	c.raw[key], c.origins[key] = json, from
}

// Origin says where the value of a key (as written in config.json, such as `ui.lang`) came from.
func (c *Config) Origin(key string) Origin {
	if o, ok := c.origins[key]; ok {
		return o
	}
	return Origin{Source: FromDefault}
}

// Lang is the language of the screen: flag, then ui.lang, then the environment.
func (c *Config) Lang() i18n.Lang { return i18n.Detect(c.UI.Lang, c.Getenv) }

// Getenv looks a variable up in the environment, then ./.env (if it counts there), then ~/.env. A
// variable that is set to nothing hides the files' one.
func (c *Config) Getenv(name string) string { return c.env.get(name) }

// ForModel is what the settings say about a model: the entry "provider/model" over the entry
// "model", and PAICLI_CONTEXT_WINDOW and --protocol over both.
func (c *Config) ForModel(provider, model string) ModelSettings {
	out := c.Models[model]
	if provider != "" {
		out = out.over(c.Models[provider+"/"+model])
	}
	return out.over(ModelSettings{ContextWindow: c.ContextWindow, Protocol: c.Protocol})
}

// over returns m with everything that top says put over it.
func (m ModelSettings) over(top ModelSettings) ModelSettings {
	if top.ContextWindow != 0 {
		m.ContextWindow = top.ContextWindow
	}
	if top.Images != nil {
		m.Images = top.Images
	}
	if top.Thinking != "" {
		m.Thinking = top.Thinking
	}
	if top.Protocol != "" {
		m.Protocol = top.Protocol
	}
	return m
}

// shortestSecret is the least length of a value that is taken for a secret. Dummy keys of local
// servers ("none", "ollama") are shorter; replacing them everywhere would spoil ordinary text.
const shortestSecret = 8

// Secrets lists the values that must not show up in logs, messages and child processes: everything
// in the environment and the .env files whose name says key, token, secret or password, hidden and
// uncounted ones too.
func (c *Config) Secrets() []string {
	out := c.env.secrets()
	if _, after, ok := strings.Cut(c.BaseURL, "://"); ok {
		if user, _, ok := strings.Cut(after, "@"); ok && !strings.Contains(user, "/") {
			_, password, _ := strings.Cut(user, ":")
			out = append(out, password)
		}
	}
	out = slices.DeleteFunc(out, func(s string) bool { return utf8.RuneCountInString(s) < shortestSecret })
	slices.Sort(out)
	return slices.Compact(out)
}
