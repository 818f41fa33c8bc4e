package openai

import (
	"regexp"
	"strings"
	"testing"
)

func TestWireName(t *testing.T) {
	valid := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	long := strings.Repeat("very_long_name_", 8)
	seen := map[string]string{}
	for _, name := range []string{"bash", "mcp__a__b", "a.b", "a_b", "a/b", "", "9lives", "_x", "工具", long, long + "1", long[:64], strings.Repeat("é", 70)} {
		w := wireName(name)
		if !valid.MatchString(w) || w != wireName(name) {
			t.Errorf("%q became %q", name, w)
		}
		if other, ok := seen[w]; ok {
			t.Errorf("%q and %q are both %q", name, other, w)
		}
		seen[w] = name
	}
	if wireName("read_file") != "read_file" {
		t.Error("a good name was changed")
	}
}

func TestIDMap(t *testing.T) {
	for _, c := range []struct {
		style, id string
		pattern   string
	}{
		{"", "call_1", `^call_1$`},
		{"", "functions.bash:0", `^call_[0-9a-f]{24}$`},
		{"", strings.Repeat("x", 41), `^call_[0-9a-f]{24}$`},
		{"", "", `^call_[0-9a-f]{24}$`},
		{"kimi", "functions.bash:0", `^functions\.bash:0$`},
		{"kimi", "call_1", `^call_1$`},
		{"kimi", "", `^functions\.bash:0$`},
		{"kimi", "a b", `^call_[0-9a-f]{24}$`},
		{"mistral", "call_1", `^[a-z0-9]{9}$`},
		{"mistral", "abcDEF123", `^abcDEF123$`},
	} {
		first := newIDMap(c.style).assign(c.id, "bash")
		if !regexp.MustCompile(c.pattern).MatchString(first) || first != newIDMap(c.style).assign(c.id, "bash") {
			t.Errorf("%s %q became %q", c.style, c.id, first)
		}
		m := newIDMap(c.style)
		if a, b := m.assign(c.id, "bash"), m.assign(c.id, "bash"); a == b {
			t.Errorf("%s %q twice is %q twice", c.style, c.id, a)
		}
	}
}
