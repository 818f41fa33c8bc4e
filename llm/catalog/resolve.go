package catalog

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"

	"paicli/llm"
)

// Entry is everything needed to talk to one model on one server.
type Entry struct {
	Provider *Provider // nil for a server that is not in the catalogue
	BaseURL  string
	Info     llm.Info
	Quirks   Quirks
}

// Resolve finds the entry for a provider name, a model and a base URL, each of which may be empty.
// The provider decides if given, then the host of the base URL, then the family of the model name.
//
// On a server that the catalogue does not know, a model of a known family is taken to sit behind a
// proxy to its vendor and gets the vendor's quirks, but no price. A model of no known family gets
// no extension field at all. On an aggregator's or local server the quirks are those of the server,
// over what belongs to the model itself.
//
// The error is an *UnknownError for a provider name that does not exist.
func Resolve(provider, model, baseURL string) (Entry, error) {
	vendor := family(model)
	host, err := server(provider, baseURL)
	if err != nil {
		return Entry{}, err
	}
	if host == nil && baseURL == "" && provider == "" {
		host = vendor
	}
	if host == nil {
		return behindProxy(vendor, model, baseURL), nil
	}
	if model == "" {
		model = host.Default
		vendor = family(model)
	}
	e := Entry{Provider: host, BaseURL: baseURL}
	if baseURL == "" && len(host.URLs) > 0 {
		e.BaseURL = host.URLs[0]
	}
	if vendor != nil && vendor != host {
		e.Quirks.merge(vendor.Family.Quirks)
		e.describe(vendor, model)
		e.Info.Prices = nil
	}
	e.apply(host, model)
	if underPlan(host, e.BaseURL) {
		e.Info.Prices = nil
	}
	e.Info.Provider, e.Info.Model = host.ID, model
	return e, nil
}

// server finds the provider that runs the server, nil if it is not known.
func server(provider, baseURL string) (*Provider, error) {
	if provider != "" && provider != Custom {
		return Find(provider)
	}
	return byHost(baseURL), nil
}

func behindProxy(vendor *Provider, model, baseURL string) Entry {
	e := Entry{BaseURL: baseURL}
	if vendor != nil {
		e.apply(vendor, model)
		e.Info.Prices = nil
	}
	e.Info.Provider, e.Info.Model = Custom, model
	return e
}

// apply lays a provider's quirks and what it says of the model over the entry.
func (e *Entry) apply(p *Provider, model string) {
	var special json.RawMessage
	if r := p.rule(baseName(model)); r != nil {
		special = r.Quirks
	}
	e.Quirks.merge(p.Quirks, special)
	e.describe(p, model)
}

// describe takes what p knows of the model. What it does not know stays.
func (e *Entry) describe(p *Provider, model string) {
	if r := p.rule(baseName(model)); r != nil && r.Images {
		e.Info.Images = true
	}
	m := p.model(model)
	if m == nil {
		m = p.model(baseName(model))
	}
	if m == nil {
		return
	}
	e.Info.Window, e.Info.MaxOutput, e.Info.Images, e.Info.Prices = m.Window, m.MaxOutput, m.Images, m.Prices
}

// family finds the vendor whose model this is.
func family(model string) *Provider {
	if model == "" {
		return nil
	}
	for _, p := range data() {
		if matches(p.Family.Match, model) {
			return p
		}
	}
	return nil
}

// byHost finds the provider of a base URL: by host and port, local servers by port on any loopback
// name.
func byHost(baseURL string) *Provider {
	u := parseURL(baseURL)
	if u == nil || u.Hostname() == "" {
		return nil
	}
	host := strings.ToLower(u.Hostname())
	for _, p := range data() {
		for _, known := range p.URLs {
			k, err := url.Parse(known)
			if err != nil {
				continue
			}
			same := k.Hostname() == host || loopback(k.Hostname()) && loopback(host)
			if same && (k.Port() == u.Port() || !loopback(host)) {
				return p
			}
		}
		for _, suffix := range p.Hosts {
			if strings.HasSuffix(host, suffix) {
				return p
			}
		}
	}
	return nil
}

func parseURL(s string) *url.URL {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil
	}
	if !strings.Contains(s, "://") {
		s = "https://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil
	}
	return u
}

func loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

func underPlan(p *Provider, baseURL string) bool {
	for _, prefix := range p.Plans {
		if strings.HasPrefix(strings.TrimRight(baseURL, "/")+"/", prefix) {
			return true
		}
	}
	return false
}
