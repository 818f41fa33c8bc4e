package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitKey(t *testing.T) {
	for name, want := range map[string][]string{
		"mode":                      {"mode"},
		"ui.lang":                   {"ui", "lang"},
		`models."a/b.c".images`:     {"models", "a/b.c", "images"},
		`projects."/x \"y\"".trust`: {"projects", `/x "y"`, "trust"},
		`models."".images`:          {"models", "", "images"},
		"":                          nil,
		`models."a`:                 nil,
		`models."a"b`:               nil,
	} {
		got, ok := splitKey(name)
		if ok != (want != nil) || ok && cmp.Diff(want, got) != "" {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}

// FuzzKey: a key that was read and is written again names the same.
func FuzzKey(f *testing.F) {
	for _, s := range []string{"mode", `models."a/b".images`, `a."".b`, `"\u00e9".x`, "..", `"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		path, ok := splitKey(strings.ToValidUTF8(name, "?"))
		if !ok {
			return
		}
		again, ok := splitKey(join(path))
		if !ok || cmp.Diff(path, again) != "" {
			t.Errorf("%q is %q, and as %q is %q (%v)", name, path, join(path), again, ok)
		}
	})
}

// TestSet: a value is JSON, or a text where the key takes one; what the key does not take is not
// written.
func TestSet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	rule := func(s string) error {
		if s == "bad" {
			return os.ErrInvalid
		}
		return nil
	}
	for _, tt := range []struct{ key, text, want, fault string }{
		{key: "mode", text: "ask", want: `"ask"`},
		{key: "model", text: "7", want: `"7"`},
		{key: "model", text: `"x"`, want: `"x"`},
		{key: "network.idleTimeoutMs", text: "90", want: "90"},
		{key: `models."a/b".images`, text: "true", want: "true"},
		{key: "env_deny", text: `["A", "B"]`, want: `["A","B"]`},
		{key: "permissions.allow", text: `["a"]`, want: `["a"]`},
		{key: "mode", text: "null", want: "null"},
		{key: "sandbox", text: "auto", want: `"auto"`},
		{key: "network.idleTimeoutMs", text: "soon", fault: "milliseconds"},
		{key: "mode", text: "yolo", fault: `mode does not take "yolo"; it takes one of auto`},
		{key: "permissions.deny", text: `["a", "bad"]`, fault: `does not take "bad"; it takes a rule`},
		{key: "permissions.deny", text: "a", fault: "a list of rules"},
		{key: "mod", text: "x", fault: "unknown key mod; did you mean mode?"},
		{key: "ui", text: "{}", fault: "unknown key ui"},
		{key: `"`, text: "{}", fault: "unknown key"},
	} {
		before, _ := os.ReadFile(file)
		got, err := Set(file, tt.key, tt.text, rule)
		switch {
		case tt.fault == "" && (err != nil || got != tt.want):
			t.Errorf("%s %s: %s, %v", tt.key, tt.text, got, err)
		case tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)):
			t.Errorf("%s %s: %v", tt.key, tt.text, err)
		}
		if after, _ := os.ReadFile(file); tt.fault != "" && string(after) != string(before) {
			t.Errorf("%s %s was written", tt.key, tt.text)
		}
	}
}

// TestSchema: every key of the table is in it, and it is JSON.
func TestSchema(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	for _, k := range keys() {
		at := root
		for _, name := range k.path {
			members, _ := at["properties"].(map[string]any)
			next, ok := members[name].(map[string]any)
			if name == "*" {
				next, ok = at["additionalProperties"].(map[string]any)
			}
			if !ok {
				t.Errorf("%s is not in the schema", k.name())
				break
			}
			at = next
		}
	}
}

// TestSettings: what holds, where it comes from and what it hides.
func TestSettings(t *testing.T) {
	p := newPlace(t)
	p.write("home/.paicli/config.json", `{"model": "low", "env_deny": ["A"], "permissions": {"ask": ["x"]}, "projects": {"/other": {"trust": "t"}}}`)
	p.write("project/.paicli/config.json", `{"env_deny": ["B"]}`)
	p.opts.Flags.Trust, p.opts.Flags.Model = true, "high"
	var got []string
	for _, s := range p.load().Settings() {
		line := s.Key + "=" + s.JSON + " " + string(s.From.Source)
		for _, u := range s.Under {
			line += " over " + u.JSON + " " + string(u.From.Source)
		}
		got = append(got, line)
	}
	want := []string{
		`env_deny=["A","B"] project over ["A"] config`,
		`mode="auto" default`,
		`model="high" flag over "low" config`,
		"network.eventTimeoutMs=600000 default",
		"network.idleTimeoutMs=120000 default",
		`permissions.ask="x" config`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
