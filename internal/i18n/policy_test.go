package i18n

import (
	"strings"
	"testing"
)

// TestWhy: every code of the permission policy has words in both languages that name what it is about.
func TestWhy(t *testing.T) {
	for text, about := range map[string]string{
		"rule: Bash(npx *)": "Bash(npx *)", "mode: ask": "ask", "mode: plan": "plan", "secret: .env": ".env", "protected: .git/config": ".git/config",
		"outside: /etc/x": "/etc/x", "command: runs npx": "npx", "command": "", "unknown": "", "unknown: too wide": "too wide",
		"blocked: 3: not asked for": "not asked for", "WEB_FORBIDDEN": "", "scheme: file:///x": "file:///x", "local: http://localhost": "http://localhost",
		"private: x": "x", "read_only: .git": ".git", "looks": "", "edits": "", "privilege: sudo ls": "", "power_off: reboot": "",
	} {
		en, zh := EN.Why(text), ZH.Why(text)
		if en == text || zh == text || en == zh || !strings.Contains(en, about) || !strings.Contains(zh, about) {
			t.Errorf("%s: %q, %q", text, en, zh)
		}
	}
	for _, text := range []string{"", "why it is asked", "note: a text of a tool", "secret"} {
		if got := ZH.Why(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
