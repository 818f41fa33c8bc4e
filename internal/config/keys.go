package config

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"paicli/internal/i18n"
)

// key is one setting of config.json. path has its names, `*` standing for any. set puts the value in
// and reports whether it was of the right form; a key without set belongs to a subject that this
// version does not have: it is accepted and has no effect.
type key struct {
	path  []string
	want  i18n.Text
	words []string // with WantOneOf
	set   func(in *target, names []string, n node) bool
	// project says whether this value counts in the file of a trusted project, which may only
	// tighten what the person has set. nil = never.
	project func(c *Config, n node) bool
	// get is the value where several sources add up; nil = the text of the last one is it.
	get func(c *Config) []string
}

// target is what the values of one file go into.
type target struct {
	*Config
	file string
	from Source
	rule func(text string) error // nil = any text is a rule
}

func keys() []key {
	known := []key{
		mode(),
		choice("ui.lang", langs(), func(c *Config) *string { return &c.UI.Lang }),
		{path: names("model"), want: i18n.WantText, set: func(in *target, _ []string, n node) bool {
			in.Model = n.text
			return n.kind == kindText && n.text != ""
		}},
		{path: names("baseUrl"), want: i18n.WantURL, set: func(in *target, _ []string, n node) bool {
			in.BaseURL = n.text
			return n.kind == kindText && isURL(n.text)
		}},
		list("env_allow", nil, func(c *Config) *[]string { return &c.EnvAllow }),
		list("env_deny", always, func(c *Config) *[]string { return &c.EnvDeny }),
		millis("network.idleTimeoutMs", func(c *Config) *time.Duration { return &c.Network.IdleTimeout }),
		millis("network.eventTimeoutMs", func(c *Config) *time.Duration { return &c.Network.EventTimeout }),
	}
	known = slices.Concat(known, ruleKeys(), modelKeys())
	for _, path := range []string{
		"sandbox", "toolExposure", "notify", "statusLine.command", "ui.title", "ui.ambiguousWidth", "ui.diff", "ui.theme",
		"mcp.startTimeoutMs", "mcp.toolTimeoutMs",
	} {
		known = append(known, key{path: names(path)})
	}
	return append(known, key{path: names("$schema"), project: always}, key{path: names("hooks"), project: always})
}

func always(*Config, node) bool { return true }

// mode is the permission mode. A project may ask for a stricter one.
func mode() key {
	k := choice("mode", modes(), func(c *Config) *string { return &c.Mode })
	k.project = func(c *Config, n node) bool { return !n.oneOf(modes()) || strictness(n.text) >= strictness(c.Mode) }
	return k
}

// strictness orders the modes: auto runs what is harmless, ask leaves every change to a person, plan
// changes nothing.
func strictness(mode string) int { return slices.Index([]string{"auto", "ask", "plan"}, mode) }

// modelKeys are the settings below models."<id>".
func modelKeys() []key {
	thinking := []string{"on", "off", "low", "medium", "high", "max"}
	return []key{
		ofModel("contextWindow", i18n.WantCount, nil, func(m *ModelSettings, n node) bool {
			var ok bool
			m.ContextWindow, ok = n.count()
			return ok
		}),
		ofModel("images", i18n.WantBool, nil, func(m *ModelSettings, n node) bool {
			yes := n.raw == "true"
			m.Images = &yes
			return n.kind == kindBool
		}),
		ofModel("thinking", i18n.WantOneOf, thinking, func(m *ModelSettings, n node) bool {
			m.Thinking = n.text
			return n.oneOf(thinking)
		}),
		ofModel("protocol", i18n.WantOneOf, protocols(), func(m *ModelSettings, n node) bool {
			m.Protocol = n.text
			return n.oneOf(protocols())
		}),
	}
}

func modes() []string     { return []string{"auto", "plan", "ask"} }
func langs() []string     { return []string{"en", "zh"} }
func protocols() []string { return []string{"openai", "responses", "anthropic", "react"} }

func ofModel(name string, want i18n.Text, words []string, set func(*ModelSettings, node) bool) key {
	return key{path: []string{"models", "*", name}, want: want, words: words, set: func(in *target, names []string, n node) bool {
		m := in.Models[names[1]]
		ok := set(&m, n)
		if ok {
			in.Models[names[1]] = m
		}
		return ok
	}}
}

func choice(path string, words []string, field func(*Config) *string) key {
	return key{path: names(path), want: i18n.WantOneOf, words: words, set: func(in *target, _ []string, n node) bool {
		*field(in.Config) = n.text
		return n.oneOf(words)
	}}
}

// list is a list of texts. Those of several files add up.
func list(path string, project func(*Config, node) bool, field func(*Config) *[]string) key {
	get := func(c *Config) []string { return *field(c) }
	return key{path: names(path), want: i18n.WantList, project: project, get: get, set: func(in *target, _ []string, n node) bool {
		var out []string
		for _, item := range n.items {
			if item.kind != kindText {
				return false
			}
			out = append(out, item.text)
		}
		*field(in.Config) = append(*field(in.Config), out...)
		return n.kind == kindList
	}}
}

func millis(path string, field func(*Config) *time.Duration) key {
	return key{path: names(path), want: i18n.WantMillis, set: func(in *target, _ []string, n node) bool {
		ms, ok := n.count()
		*field(in.Config) = time.Duration(ms) * time.Millisecond
		return ok
	}}
}

func names(path string) []string { return strings.Split(path, ".") }

func (n node) oneOf(words []string) bool {
	if n.kind != kindText {
		return false
	}
	return slices.Contains(words, n.text)
}

// count reads a whole number from 1 up.
func (n node) count() (int, bool) {
	if n.kind != kindNumber {
		return 0, false
	}
	return parseCount(n.raw)
}

func parseCount(s string) (int, bool) {
	v, err := strconv.ParseInt(s, 10, 32)
	return int(v), err == nil && v > 0
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// match reports how a path fits the key: as the whole of it, as the beginning of it, or not.
func (k key) match(path []string) (whole, part bool) {
	if len(path) > len(k.path) {
		return false, false
	}
	for i, name := range path {
		if k.path[i] != "*" && k.path[i] != name {
			return false, false
		}
	}
	return len(path) == len(k.path), len(path) < len(k.path)
}
