package i18n_test

import (
	"strings"
	"testing"
	"time"

	"paicli/internal/i18n"
	"paicli/llm"
)

// kinds is every class of model error, so that a new one needs words.
var kinds = []llm.ErrorKind{
	llm.ErrAuth, llm.ErrRateLimit, llm.ErrQuota, llm.ErrOverloaded, llm.ErrContextOverflow,
	llm.ErrPayloadTooLarge, llm.ErrInvalidRequest, llm.ErrContentFilter, llm.ErrNetwork,
	llm.ErrStall, llm.ErrServer, llm.ErrBadStream, llm.ErrEmpty, llm.ErrConfig, "internal",
}

func TestFailureKinds(t *testing.T) {
	seen := map[string]llm.ErrorKind{}
	for _, kind := range kinds {
		for _, lang := range []i18n.Lang{i18n.EN, i18n.ZH} {
			what, hint := lang.Failure(i18n.Failure{
				Kind: string(kind), Status: 499, Provider: "Acme", URL: "https://acme.example/v1", Detail: "their words",
			})
			if what == "" || hint == "" {
				t.Errorf("%s %s: %q, %q", kind, lang, what, hint)
			}
			for _, part := range []string{"Acme", "499", "their words"} {
				if !strings.Contains(what, part) {
					t.Errorf("%s %s: %q does not name %q", kind, lang, what, part)
				}
			}
			if other, ok := seen[what]; ok {
				t.Errorf("%s and %s have the same words %q", kind, other, what)
			}
			seen[what] = kind
			if strings.Contains(what+hint, "%!") {
				t.Errorf("%s %s: bad verbs in %q, %q", kind, lang, what, hint)
			}
		}
	}
}

func TestFailureHints(t *testing.T) {
	now := time.Date(2026, 11, 30, 14, 50, 0, 0, time.UTC)
	tests := []struct {
		name string
		f    i18n.Failure
		en   []string // parts of what + hint
		zh   []string
	}{
		{"auth names variables and page",
			i18n.Failure{Kind: "auth", Provider: "Acme", KeyVars: []string{"ACME_API_KEY"}, KeyURL: "https://acme.example/keys"},
			[]string{"ACME_API_KEY", "https://acme.example/keys"}, []string{"ACME_API_KEY", "https://acme.example/keys"}},
		{"auth of a custom server",
			i18n.Failure{Kind: "auth", URL: "http://10.0.0.1:8000/v1"},
			[]string{"10.0.0.1:8000", "PAICLI_API_KEY"}, []string{"10.0.0.1:8000", "PAICLI_API_KEY"}},
		{"rate limit says when",
			i18n.Failure{Kind: "rate_limit", RetryAfter: 10 * time.Minute, Now: now},
			[]string{"Come back at 15:00:00", "10m0s"}, []string{"15:00:00"}},
		{"a reset on another day has its date",
			i18n.Failure{Kind: "rate_limit", RetryAfter: 24 * time.Hour, Now: now},
			[]string{"2026-12-01 14:50"}, []string{"2026-12-01 14:50"}},
		{"rate limit without a time",
			i18n.Failure{Kind: "rate_limit", Now: now}, []string{"Wait a minute"}, []string{"等待一分钟"}},
		{"quota page",
			i18n.Failure{Kind: "quota", KeyURL: "https://acme.example/pay"}, []string{"https://acme.example/pay"}, []string{"https://acme.example/pay"}},
		{"quota that resets",
			i18n.Failure{Kind: "quota", RetryAfter: time.Hour, Now: now}, []string{"15:50:00"}, []string{"15:50:00"}},
		{"network without a proxy",
			i18n.Failure{Kind: "network", URL: "https://acme.example"}, []string{"failed", "set HTTPS_PROXY"}, []string{"失败", "HTTPS_PROXY"}},
		{"network through a proxy",
			i18n.Failure{Kind: "network", URL: "https://acme.example", ProxyVar: "https_proxy"}, []string{"through the proxy in https_proxy"}, []string{"https_proxy"}},
		{"stall", i18n.Failure{Kind: "stall"}, []string{"timed out", "network.idleTimeoutMs"}, []string{"超时", "network.idleTimeoutMs"}},
		{"broken off after text",
			i18n.Failure{Kind: "bad_stream", Visible: true}, []string{"is kept", "nothing that"}, []string{"保留", "没有执行"}},
		{"overflow", i18n.Failure{Kind: "context_overflow"}, []string{"PAICLI_CONTEXT_WINDOW"}, []string{"PAICLI_CONTEXT_WINDOW"}},
		{"no model server", i18n.Failure{Kind: "config", URL: "https://acme.example/login"}, []string{"https://acme.example/login", "paicli doctor"}, []string{"base URL"}},
		{"a kind from elsewhere", i18n.Failure{Kind: "something"}, []string{"bug"}, []string{"缺陷"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, i18n.EN, tt.f, tt.en)
			check(t, i18n.ZH, tt.f, tt.zh)
		})
	}
}

func check(t *testing.T, lang i18n.Lang, f i18n.Failure, parts []string) {
	t.Helper()
	what, hint := lang.Failure(f)
	for _, part := range parts {
		if !strings.Contains(what+"\n"+hint, part) {
			t.Errorf("%s: %q lacks %q", lang, what+"\n"+hint, part)
		}
	}
}
