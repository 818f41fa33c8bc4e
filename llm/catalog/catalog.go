// Package catalog is what PaiCLI knows of model providers as data: base URLs, key variables,
// models with window and price, and the quirks of each server and model. It finds the entry for a
// provider, a base URL or a model name. It sends no requests, except for the probe of local servers
// that Local makes when asked to, and it reads no environment by itself.
package catalog

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"paicli/llm"
)

//go:embed providers.json
var source []byte

// Custom is the provider id of a server that is not in the catalogue.
const Custom = "custom"

// Provider is one vendor or server program.
type Provider struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"` // for people
	Aliases   []string          `json:"aliases"`
	Console   string            `json:"console"` // page on which a person gets a key
	URLs      []string          `json:"urls"`    // Chat Completions base URLs, the default first
	Hosts     []string          `json:"hosts"`   // further hosts as suffixes, with a leading dot
	Plans     []string          `json:"plans"`   // URL prefixes where a subscription pays, not the token
	Anthropic string            `json:"anthropic"`
	Responses string            `json:"responses"`
	Keys      []string          `json:"keys"`     // environment variables, the first set one counts
	KeyURLs   map[string]string `json:"key_urls"` // base URL that belongs to a key variable
	Default   string            `json:"default"`  // model id; empty where every user has other models
	Local     bool              `json:"local"`    // a server program on this machine
	Family    Family            `json:"family"`
	Quirks    json.RawMessage   `json:"quirks"`
	Rules     []Rule            `json:"rules"`
	Models    []Model           `json:"models"`
}

// Family says which model names are the vendor's own, and the part of its quirks that belongs to
// the models and holds wherever they are served.
type Family struct {
	Match  []string        `json:"match"`
	Quirks json.RawMessage `json:"quirks"`
}

// Rule changes the quirks for models whose name matches one of the patterns. Only the first rule
// that matches counts.
type Rule struct {
	Match  []string        `json:"match"`
	Images bool            `json:"images"`
	Quirks json.RawMessage `json:"quirks"`
}

// Model is one model of a provider. Source says where the price was read: doc (vendor), cat (public
// catalogue), art (article), iss (issue thread).
type Model struct {
	ID        string      `json:"id"`
	Window    int         `json:"window"`
	MaxOutput int         `json:"max_output"`
	Images    bool        `json:"images"`
	Prices    *llm.Prices `json:"prices"`
	Source    string      `json:"source"`
}

var data = sync.OnceValue(func() []*Provider {
	var file struct {
		AsOf      string      `json:"as_of"`
		Providers []*Provider `json:"providers"`
	}
	if err := json.Unmarshal(source, &file); err != nil {
		panic(fmt.Sprintf("catalog: providers.json: %v", err))
	}
	for _, p := range file.Providers {
		for _, m := range p.Models {
			if m.Prices != nil && m.Prices.AsOf == "" {
				m.Prices.AsOf = file.AsOf
			}
		}
	}
	return file.Providers
})

// Providers lists all entries in the order in which keys are looked for. The entries are shared and
// must not be changed.
func Providers() []*Provider { return slices.Clone(data()) }

// Find returns the provider with this id or alias.
func Find(name string) (*Provider, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, p := range data() {
		if p.ID == name || slices.Contains(p.Aliases, name) {
			return p, nil
		}
	}
	return nil, &UnknownError{Name: name, Nearest: nearest(name)}
}

// UnknownError says that there is no provider of this name. Nearest is the id that looks most like
// it, or empty.
type UnknownError struct{ Name, Nearest string }

func (e *UnknownError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("unknown provider %q", e.Name)
	}
	return fmt.Sprintf("unknown provider %q, did you mean %s", e.Name, e.Nearest)
}

// Split takes a full model name apart: "kimi/kimi-k2.6" gives both parts, and a name whose first
// part is no provider ("openai-mirror/foo", "foo") gives an empty provider and the whole name.
func Split(name string) (provider, model string) {
	first, rest, ok := strings.Cut(name, "/")
	if !ok {
		return "", name
	}
	if first == Custom {
		return first, rest
	}
	if p, err := Find(first); err == nil {
		return p.ID, rest
	}
	return "", name
}

// model finds a listed model, whatever the case of its name.
func (p *Provider) model(id string) *Model {
	for i := range p.Models {
		if strings.EqualFold(p.Models[i].ID, id) {
			return &p.Models[i]
		}
	}
	return nil
}

func (p *Provider) rule(model string) *Rule {
	for i := range p.Rules {
		if matches(p.Rules[i].Match, model) {
			return &p.Rules[i]
		}
	}
	return nil
}

// matches reports whether the name, in lower case and without the vendor's path before it, fits one
// of the patterns. A pattern is text with any number of * in it.
func matches(patterns []string, name string) bool {
	name = baseName(name)
	return slices.ContainsFunc(patterns, func(p string) bool { return glob(p, name) })
}

// baseName cuts what aggregators put before a model's name: z-ai/glm-5.3, models/gemini-3.8-flash.
func baseName(model string) string {
	return strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
}

func glob(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// nearest is the id or alias with the smallest edit distance, if that is at most two.
func nearest(name string) string {
	best, at := "", 3
	for _, p := range data() {
		for _, id := range append([]string{p.ID}, p.Aliases...) {
			if d := distance(name, id); d < at {
				best, at = p.ID, d
			}
		}
	}
	return best
}

// distance counts the insertions, deletions and replacements between two short names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
