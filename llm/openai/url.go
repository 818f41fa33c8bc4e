package openai

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

const chatPath = "/chat/completions"

// endpoint is a base URL as a person gave it, made ready to be joined with a path.
type endpoint struct {
	url  url.URL // path without trailing slash and without an endpoint of its own
	bare bool    // a host alone: /v1 may be missing
}

// parseEndpoint takes a base URL in every form in which people paste one: with or without scheme,
// trailing slashes, a doubled /v1, a full endpoint, a query.
func parseEndpoint(base string) (endpoint, error) {
	base = strings.TrimSpace(base)
	if base == "" {
		return endpoint{}, errors.New("no base URL")
	}
	if !strings.Contains(base, "://") {
		base = guessScheme(base) + "://" + base
	}
	u, err := url.Parse(base)
	if err != nil {
		return endpoint{}, errors.New("the base URL cannot be parsed") // its text may hold a key
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return endpoint{}, errors.New("the base URL must begin with http:// or https:// and name a host")
	}
	path := basePath(u.Path)
	u.Path, u.RawPath, u.Fragment, u.RawFragment = path, "", "", ""
	return endpoint{url: *u, bare: path == ""}, nil
}

// basePath cuts slashes, endpoints and doubled versions off the end, as often as there are any.
func basePath(path string) string {
	for {
		short := strings.TrimRight(path, "/")
		for _, end := range []string{"/chat", "/completions", "/models", "/responses", "/embeddings"} {
			short = strings.TrimSuffix(short, end)
		}
		if strings.HasSuffix(short, "/v1/v1") {
			short = strings.TrimSuffix(short, "/v1")
		}
		if short == path {
			return path
		}
		path = short
	}
}

// guessScheme is https, except on this machine and in private networks.
func guessScheme(base string) string {
	host, _, _ := strings.Cut(base, "/")
	if h, err := url.Parse("//" + host); err == nil && nearby(h.Hostname()) {
		return "http"
	}
	return "https"
}

// nearby reports whether a host is this machine or in a private network.
func nearby(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && (a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast())
}

// join is the full URL of a path below the base.
func (e endpoint) join(path string, version bool) string {
	u := e.url
	if version && e.bare {
		u.Path = "/v1"
	}
	u.Path += path
	return u.String()
}

// shown is the URL for errors: without query and user, which may hold a key.
func shown(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	return u.String()
}
