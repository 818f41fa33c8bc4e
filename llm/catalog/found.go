package catalog

import (
	"slices"
	"strings"
)

// Found is a provider for which the environment holds a key. Model and BaseURL are empty when the
// environment does not name them.
type Found struct {
	Provider *Provider
	KeyVar   string
	Key      string
	Model    string
	BaseURL  string
}

// FromEnv lists the providers that have a key, in the order in which they are to be tried. getenv
// is os.Getenv or a lookup over files. Besides the key, <PROVIDER>_MODEL and <PROVIDER>_BASE_URL
// count, with the provider's id or the name of the key variable as <PROVIDER>.
func FromEnv(getenv func(string) string) []Found {
	var found []Found
	for _, p := range data() {
		for _, name := range p.Keys {
			key := strings.TrimSpace(getenv(name))
			if key == "" {
				continue
			}
			f := Found{Provider: p, KeyVar: name, Key: key}
			f.Model = firstSet(getenv, p.variables(name, "_MODEL"))
			f.BaseURL = firstSet(getenv, p.variables(name, "_BASE_URL"))
			if f.BaseURL == "" {
				f.BaseURL = p.KeyURLs[name]
			}
			found = append(found, f)
			break
		}
	}
	return found
}

// Variables lists every environment variable that FromEnv may read.
func Variables() []string {
	var names []string
	for _, p := range data() {
		names = append(names, p.Keys...)
		for _, suffix := range []string{"_MODEL", "_BASE_URL"} {
			names = append(names, p.variables("", suffix)...)
		}
	}
	return names
}

// IsKey reports whether an environment variable is the key of a known provider.
func IsKey(name string) bool {
	return slices.ContainsFunc(data(), func(p *Provider) bool { return slices.Contains(p.Keys, name) })
}

// variables lists the names of one setting: after the key that was found, the id, the other keys.
func (p *Provider) variables(keyVar, suffix string) []string {
	var names []string
	add := func(stem string) {
		name := stem + suffix
		for _, n := range names {
			if n == name {
				return
			}
		}
		names = append(names, name)
	}
	if stem, ok := strings.CutSuffix(keyVar, "_API_KEY"); ok {
		add(stem)
	}
	add(strings.ToUpper(p.ID))
	for _, key := range p.Keys {
		add(strings.TrimSuffix(key, "_API_KEY"))
	}
	return names
}

func firstSet(getenv func(string) string, names []string) string {
	for _, name := range names {
		if v := strings.TrimSpace(getenv(name)); v != "" {
			return v
		}
	}
	return ""
}
