package i18n

import (
	"net/url"
	"strings"
	"time"
)

// Failure is what is known of a failed model call, as plain values, so that every front end words it
// the same way. Only Kind is needed.
type Failure struct {
	Kind       string // an error kind of the output formats: auth, rate_limit, …
	Status     int    // HTTP status, 0 = none
	Detail     string // the provider's own words
	Provider   string // display name, "" for a custom server
	URL        string // where the request went
	RetryAfter time.Duration
	Now        time.Time // when the error came; with RetryAfter it gives the time to come back
	KeyVars    []string  // variables that may hold the key; empty = PAICLI_API_KEY
	KeyURL     string    // page where keys are made and accounts topped up, if known
	ProxyVar   string    // variable that names the proxy in use, if any
	Visible    bool      // part of the answer was shown before the break
}

// Failure says what happened (with status and the provider's own words) and what to do next.
func (l Lang) Failure(f Failure) (what, hint string) {
	text, hint := l.failure(f)
	what = l.Say(text, l.who(f))
	if f.Status != 0 {
		what += l.Say(ErrStatus, f.Status)
	}
	if f.Detail != "" {
		what += l.Say(ErrDetail, f.Detail)
	}
	if f.Visible {
		hint = l.Say(HintKept) + l.space() + hint
	}
	return what, hint
}

// failure picks the text of the kind and words its hint.
func (l Lang) failure(f Failure) (Text, string) {
	switch f.Kind {
	case "auth":
		return ErrAuth, l.authHint(f)
	case "rate_limit":
		return ErrRateLimit, l.waitHint(f, HintRateLimit)
	case "quota":
		return ErrQuota, l.quotaHint(f)
	case "overloaded":
		return ErrOverloaded, l.waitHint(f, HintOverloaded)
	case "context_overflow":
		return ErrContextOverflow, l.Say(HintContextOverflow)
	case "payload_too_large":
		return ErrPayloadTooLarge, l.Say(HintPayloadTooLarge)
	case "invalid_request":
		return ErrInvalidRequest, l.Say(HintInvalidRequest)
	case "content_filter":
		return ErrContentFilter, l.Say(HintContentFilter)
	case "network":
		return ErrNetwork, l.networkHint(f)
	case "stall":
		return ErrStall, l.Say(HintStall)
	case "server":
		return ErrServer, l.waitHint(f, HintServer)
	case "bad_stream":
		return ErrBadStream, l.Say(HintBadStream)
	case "empty":
		return ErrEmpty, l.Say(HintEmpty)
	case "config":
		return ErrConfig, l.Say(HintConfig, f.URL)
	}
	return ErrInternal, l.Say(HintInternal)
}

func (l Lang) authHint(f Failure) string {
	vars := strings.Join(f.KeyVars, " / ")
	if vars == "" {
		vars = "PAICLI_API_KEY"
	}
	if f.KeyURL != "" {
		return l.Say(HintAuthURL, vars, f.KeyURL)
	}
	return l.Say(HintAuth, vars)
}

func (l Lang) quotaHint(f Failure) string {
	if f.RetryAfter > 0 {
		return l.waitHint(f, HintQuota)
	}
	if f.KeyURL != "" {
		return l.Say(HintQuotaURL, f.KeyURL)
	}
	return l.Say(HintQuota)
}

// waitHint says when to come back if the server told, else the other text.
func (l Lang) waitHint(f Failure, other Text) string {
	if f.RetryAfter <= 0 || f.Now.IsZero() {
		return l.Say(other)
	}
	at := f.Now.Add(f.RetryAfter)
	layout := "15:04:05"
	if f.RetryAfter > 12*time.Hour {
		layout = "2006-01-02 15:04"
	}
	return l.Say(HintComeBack, at.Format(layout), f.RetryAfter.Round(time.Second))
}

func (l Lang) networkHint(f Failure) string {
	if f.ProxyVar != "" {
		return l.Say(HintNetworkProxy, f.URL, f.ProxyVar)
	}
	return l.Say(HintNetwork, f.URL)
}

// who names the provider, else the server's host.
func (l Lang) who(f Failure) string {
	if f.Provider != "" {
		return f.Provider
	}
	if u, err := url.Parse(f.URL); err == nil && u.Host != "" {
		return u.Host
	}
	return l.Say(ErrServed)
}

// space is what stands between two sentences.
func (l Lang) space() string {
	if l == ZH {
		return ""
	}
	return " "
}
