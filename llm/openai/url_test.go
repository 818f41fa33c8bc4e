package openai

import (
	"net/url"
	"strings"
	"testing"
)

func TestJoinedURL(t *testing.T) {
	const want = "https://llm.example.test/v1/chat/completions"
	for in, want := range map[string]string{
		"https://llm.example.test/v1":                   want,
		"https://llm.example.test/v1/":                  want,
		"https://llm.example.test/v1//":                 want,
		" https://llm.example.test/v1\n":                want,
		"https://llm.example.test/v1/chat/completions":  want,
		"https://llm.example.test/v1/chat/completions/": want,
		"https://llm.example.test/v1/models":            want,
		"https://llm.example.test/v1/v1":                want,
		"https://llm.example.test/v1/v1/":               want,
		"llm.example.test/v1":                           want,
		"https://llm.example.test/v1#x":                 want,
		"https://llm.example.test":                      "https://llm.example.test/chat/completions",
		"https://llm.example.test/":                     "https://llm.example.test/chat/completions",
		"localhost:11434/v1":                            "http://localhost:11434/v1/chat/completions",
		"192.168.1.5:8000/v1":                           "http://192.168.1.5:8000/v1/chat/completions",
		"https://api.z.ai/api/coding/paas/v4":           "https://api.z.ai/api/coding/paas/v4/chat/completions",
		"https://x.test/v1?api-version=2026-01-01":      "https://x.test/v1/chat/completions?api-version=2026-01-01",
		"https://x.test/openai/v1/responses?a=b":        "https://x.test/openai/v1/chat/completions?a=b",
	} {
		e, err := parseEndpoint(in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if got := e.join(chatPath, false); got != want {
			t.Errorf("%q gave %s, want %s", in, got, want)
		}
		if e.bare != (e.url.Path == "") {
			t.Errorf("%q: bare is %v", in, e.bare)
		}
	}
	for _, bad := range []string{"", " ", "ftp://x", "https://", "http://[::1", "file:///etc/passwd"} {
		if e, err := parseEndpoint(bad); err == nil {
			t.Errorf("%q was taken as %+v", bad, e)
		}
	}
}

func TestShownURLHasNoSecrets(t *testing.T) {
	if got := shown("https://u:secret@h.test/v1/chat?key=secret#secret"); got != "https://h.test/v1/chat" {
		t.Errorf("got %s", got)
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{"https://h.test/v1/", "h", "h:1/v1/v1", "https://h.test/chat/completions/chat/completions?x", "http://[::1]:8080", "//", "https://h/%2fv1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := parseEndpoint(s)
		if err != nil {
			return
		}
		joined := e.join(chatPath, true)
		u, err := url.Parse(joined)
		if err != nil || !strings.HasSuffix(u.Path, chatPath) || strings.HasSuffix(u.Path, chatPath+chatPath) {
			t.Fatalf("%q gave %q: %v", s, joined, err)
		}
		again, err := parseEndpoint(joined)
		if err != nil || again.join(chatPath, false) != joined && !e.bare {
			t.Fatalf("%q gave %q, and that %q", s, joined, again.join(chatPath, false))
		}
	})
}
