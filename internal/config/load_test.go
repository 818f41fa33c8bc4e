package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paicli/internal/i18n"
)

// place is a home and a project with files, and what Load is told about them.
type place struct {
	t    *testing.T
	opts Options
}

func newPlace(t *testing.T) *place {
	t.Helper()
	base := t.TempDir()
	p := &place{t: t, opts: Options{
		Root:        filepath.Join(base, "project"),
		UserHome:    filepath.Join(base, "home"),
		ProviderKey: func(name string) bool { return name == "DEEPSEEK_API_KEY" },
		ProviderVar: func(name string) bool { return name == "DEEPSEEK_BASE_URL" || name == "OTHER_API_KEY" },
	}}
	p.write("project/README", "")
	p.write("home/.profile", "")
	return p
}

// write makes a file; its name is relative to the folder above home and project.
func (p *place) write(name, content string) {
	p.t.Helper()
	file := filepath.Join(filepath.Dir(p.opts.Root), name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) load() *Config {
	p.t.Helper()
	c, err := Load(p.opts)
	if err != nil {
		p.t.Fatalf("Load: %v", err)
	}
	return c
}

// broken loads what must not load and returns the message.
func (p *place) broken() string {
	p.t.Helper()
	c, err := Load(p.opts)
	if c == nil {
		p.t.Fatal("no Config beside the error")
	}
	var e *Error
	if !errors.As(err, &e) {
		p.t.Fatalf("Load: %v, want *Error", err)
	}
	return e.Say(i18n.EN)
}

func TestDefaults(t *testing.T) {
	p := newPlace(t)
	c := p.load()
	if c.Mode != "auto" || c.Network.IdleTimeout != 2*time.Minute || c.Network.EventTimeout != 10*time.Minute {
		t.Errorf("defaults: %+v", c)
	}
	if want := filepath.Join(p.opts.UserHome, ".paicli"); c.Home != want {
		t.Errorf("Home = %q, want %q", c.Home, want)
	}
	if len(c.Warnings) > 0 {
		t.Errorf("warnings: %v", c.Warnings)
	}
	if got := c.Origin("mode"); got != (Origin{Source: FromDefault}) {
		t.Errorf("origin of mode: %+v", got)
	}
}

func TestFile(t *testing.T) {
	p := newPlace(t)
	p.write("home/.paicli/config.json", `// mine
{
  "$schema": "x",
  "model": "deepseek/deepseek-flash", /* the quick one */
  "mode": "ask",
  "baseUrl": "http://127.0.0.1:8080/v1",
  "ui": {"lang": "zh", "title": false,},
  "env_allow": ["JAVA_HOME"], "env_deny": [],
  "network": {"idleTimeoutMs": 1500},
  "models": {"a/b.c": {"contextWindow": 4096, "images": true, "thinking": "off", "protocol": "openai"}},
  "permissions": {"allow": ["read_file"]}, "hooks": {"x": 1}, "sandbox": "off",
}
`)
	c := p.load()
	if len(c.Warnings) > 0 {
		t.Errorf("warnings: %v", c.Warnings)
	}
	yes := true
	got := Config{Model: c.Model, Mode: c.Mode, BaseURL: c.BaseURL, UI: c.UI, EnvAllow: c.EnvAllow, EnvDeny: c.EnvDeny, Models: c.Models, Network: c.Network}
	want := Config{
		Model: "deepseek/deepseek-flash", Mode: "ask", BaseURL: "http://127.0.0.1:8080/v1", UI: UI{Lang: "zh"},
		EnvAllow: []string{"JAVA_HOME"},
		Models:   map[string]ModelSettings{"a/b.c": {ContextWindow: 4096, Images: &yes, Thinking: "off", Protocol: "openai"}},
		Network:  Network{IdleTimeout: 1500 * time.Millisecond, EventTimeout: 10 * time.Minute},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(Config{}, environment{}, Brought{})); d != "" {
		t.Error(d)
	}
	if o := c.Origin(`models."a/b.c".images`); o.Source != FromFile || o.Line != 10 {
		t.Errorf("origin of images: %+v", o)
	}
	if c.Lang() != i18n.ZH {
		t.Errorf("Lang = %s", c.Lang())
	}
}

func TestPrecedence(t *testing.T) {
	p := newPlace(t)
	p.write("home/.paicli/config.json", `{"model":"m-file","baseUrl":"http://file"}`)
	steps := []struct {
		add   func()
		model string
		from  Source
	}{
		{func() {}, "m-file", FromFile},
		{func() { p.write("home/.env", "PAICLI_MODEL=m-home\n") }, "m-home", FromHomeEnv},
		{func() { p.write("project/.env", "PAICLI_MODEL=m-project\n") }, "m-project", FromProjectEnv},
		{func() { p.opts.Environ = []string{"PAICLI_MODEL=m-env"} }, "m-env", FromEnv},
		{func() { p.opts.Flags.Model = "m-flag" }, "m-flag", FromFlag},
	}
	for _, s := range steps {
		s.add()
		c := p.load()
		if c.Model != s.model || c.Origin("model").Source != s.from {
			t.Errorf("model %q from %+v, want %q from %s", c.Model, c.Origin("model"), s.model, s.from)
		}
	}
}

func TestProjectEnv(t *testing.T) {
	p := newPlace(t)
	p.write("home/.env", "DEEPSEEK_API_KEY=home-key-1\nGLM_BASE_URL=http://mine\n")
	p.write("project/.env", "export DEEPSEEK_API_KEY='project-key'\nFOO_ENV=foo-value\nDEEPSEEK_BASE_URL=http://evil\n"+
		"PAICLI_BASE_URL=http://evil\nOTHER_API_KEY=other-key-1\nPAICLI_HOME=/tmp/evil\nnot a line\n")
	c := p.load()
	for name, want := range map[string]string{
		"DEEPSEEK_API_KEY": "project-key", "GLM_BASE_URL": "http://mine",
		"FOO_ENV": "", "DEEPSEEK_BASE_URL": "", "PAICLI_BASE_URL": "", "OTHER_API_KEY": "",
	} {
		if got := c.Getenv(name); got != want {
			t.Errorf("Getenv(%s) = %q, want %q", name, got, want)
		}
	}
	if c.BaseURL != "" || c.Home != filepath.Join(p.opts.UserHome, ".paicli") {
		t.Errorf("base URL %q, home %q", c.BaseURL, c.Home)
	}
	var keys []string
	for _, w := range c.Warnings {
		keys = append(keys, string(w.Code)+" "+w.Key)
	}
	if d := cmp.Diff([]string{"env_ignored PAICLI_HOME", "untrusted "}, keys); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"home-key-1", "other-key-1", "project-key"}, c.Secrets()); d != "" {
		t.Errorf("secrets: %s", d)
	}
}

func TestGetenvOrder(t *testing.T) {
	p := newPlace(t)
	p.write("home/.env", "A_MODEL=home\nB_MODEL=home\nDEEPSEEK_API_KEY=home\n")
	p.opts.Environ = []string{"A_MODEL=env", "DEEPSEEK_API_KEY=", "=C:=odd"}
	c := p.load()
	for name, want := range map[string]string{"A_MODEL": "env", "B_MODEL": "home", "DEEPSEEK_API_KEY": "", "": ""} {
		if got := c.Getenv(name); got != want {
			t.Errorf("Getenv(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestHomeIsProject: in the person's home ./.env is ~/.env, and .paicli/config.json their own.
func TestHomeIsProject(t *testing.T) {
	p := newPlace(t)
	p.opts.Root = p.opts.UserHome
	p.write("home/.env", "PAICLI_BASE_URL=http://mine\n")
	p.write("home/.paicli/config.json", `{"mode":"plan"}`)
	c := p.load()
	if c.BaseURL != "http://mine" || c.Mode != "plan" || len(c.Warnings) > 0 {
		t.Errorf("base URL %q, mode %q, warnings %v", c.BaseURL, c.Mode, c.Warnings)
	}
}

func TestEnvironment(t *testing.T) {
	p := newPlace(t)
	p.opts.Environ = []string{
		"PAICLI_HOME=own", "PAICLI_BASE_URL=https://user:pass-word@host/v1", "PAICLI_API_KEY=the-key-0", "PAICLI_CONTEXT_WINDOW=32000",
		"PAICLI_AUTO_CLASSIFIER_MODEL=small", "PAICLI_LANG=zh", "GITHUB_TOKEN=ghp_12345678", "SHORT_API_KEY=none",
	}
	c := p.load()
	if c.Home != filepath.Join(p.opts.Root, "own") || c.APIKey != "the-key-0" || c.ContextWindow != 32000 || c.Classifier != "small" || c.Lang() != i18n.ZH {
		t.Errorf("%+v", c)
	}
	if d := cmp.Diff([]string{"ghp_12345678", "pass-word", "the-key-0"}, c.Secrets()); d != "" {
		t.Error(d)
	}
}

func TestOffload(t *testing.T) {
	for _, tt := range []struct {
		env  []string
		want Offload
	}{
		{nil, Offload{}},
		{[]string{"PAICLI_TOOL_OFFLOAD_ENABLED="}, Offload{}},
		{[]string{"PAICLI_TOOL_OFFLOAD_ENABLED=TRUE", "PAICLI_TOOL_OFFLOAD_THRESHOLD_CHARS=2000"}, Offload{Threshold: 2000}},
		{[]string{"PAICLI_TOOL_OFFLOAD_ENABLED=false"}, Offload{Off: true}},
		{[]string{"PAICLI_TOOL_OFFLOAD_ENABLED=0"}, Offload{Off: true}},
	} {
		p := newPlace(t)
		p.opts.Environ = tt.env
		if got := p.load().Offload; got != tt.want {
			t.Errorf("%q: %+v", tt.env, got)
		}
	}
}

func TestNoHome(t *testing.T) {
	c, err := Load(Options{Root: t.TempDir()})
	if err != nil || c.Home != "" || c.File != "" {
		t.Errorf("home %q, file %q, %v", c.Home, c.File, err)
	}
}

func TestLangOrder(t *testing.T) {
	p := newPlace(t)
	p.opts.Environ = []string{"PAICLI_LANG=en", "LANG=C"}
	p.write("home/.paicli/config.json", `{"ui":{"lang":"zh"}}`)
	if got := p.load().Lang(); got != i18n.ZH {
		t.Errorf("config over environment: %s", got)
	}
	p.opts.Flags.Lang = "en"
	if got := p.load().Lang(); got != i18n.EN {
		t.Errorf("flag over config: %s", got)
	}
}

func TestForModel(t *testing.T) {
	p := newPlace(t)
	p.write("home/.paicli/config.json", `{"models":{"m":{"contextWindow":1,"thinking":"low"},"p/m":{"contextWindow":2}}}`)
	c := p.load()
	if d := cmp.Diff(ModelSettings{ContextWindow: 2, Thinking: "low"}, c.ForModel("p", "m")); d != "" {
		t.Error(d)
	}
	p.opts.Environ = []string{"PAICLI_CONTEXT_WINDOW=3"}
	p.opts.Flags.Protocol = "openai"
	if d := cmp.Diff(ModelSettings{ContextWindow: 3, Thinking: "low", Protocol: "openai"}, p.load().ForModel("", "m")); d != "" {
		t.Error(d)
	}
}

func TestWarnings(t *testing.T) {
	tests := []struct {
		name, json, want string
	}{
		{"misspelt", "{\n  \"permisions\": {}\n}", "config.json:2: unknown key permisions; did you mean permissions?"},
		{"swapped letters", `{"mdoel":"x"}`, "unknown key mdoel; did you mean model?"},
		{"case", `{"baseURL":"http://x"}`, "unknown key baseURL; did you mean baseUrl?"},
		{"in a group", `{"ui":{"langg":"zh"}}`, "unknown key ui.langg; did you mean ui.lang?"},
		{"wrong level", `{"lang":"zh"}`, "did you mean ui.lang?"},
		{"of a model", `{"models":{"a/b":{"contextwindow":1}}}`, `unknown key models."a/b".contextwindow; did you mean models."a/b".contextWindow?`},
		{"at top instead of in a model", `{"contextWindow":1}`, `did you mean models."<id>".contextWindow?`},
		{"nothing near", `{"qqqqqqqq":1}`, "config.json:1: unknown key qqqqqqqq"},
		{"an inner unknown", `{"permissions":{"alow":[]}}`, "did you mean permissions.allow?"},
		{"twice", "{\"mode\":\"ask\",\n\"mode\":\"auto\"}", "config.json:2: mode is given twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			p.write("home/.paicli/config.json", tt.json)
			c := p.load()
			if len(c.Warnings) != 1 || !strings.HasSuffix(c.Warnings[0].Say(i18n.EN), tt.want) {
				t.Fatalf("warnings %v, want %q", c.Warnings, tt.want)
			}
			if zh := c.Warnings[0].Say(i18n.ZH); strings.Contains(zh, "%!") || zh == tt.want {
				t.Errorf("Chinese: %q", zh)
			}
		})
	}
}

func TestUntrustedConfig(t *testing.T) {
	p := newPlace(t)
	p.write("project/.paicli/config.json", `{"mode":"ask", broken`)
	c := p.load()
	if len(c.Warnings) != 1 || c.Warnings[0].Code != CodeUntrusted || c.Mode != "auto" {
		t.Errorf("mode %s, warnings %v", c.Mode, c.Warnings)
	}
}

func TestHomeEnvWarnings(t *testing.T) {
	p := newPlace(t)
	p.write("home/.env", "A_MODEL=x\nwhat is this\n")
	p.write("project/.env", "what is this\n")
	c := p.load()
	if len(c.Warnings) != 1 || c.Warnings[0].Code != CodeEnvLine || c.Warnings[0].Line != 2 {
		t.Errorf("warnings %v", c.Warnings)
	}
}

func TestBroken(t *testing.T) {
	tests := []struct {
		name, json string
		env        []string
		flags      Flags
		want       []string
	}{
		{name: "missing value", json: "{\n \"a\": ,\n}", want: []string{"config.json:2: unexpected ','", "(in a)"}},
		{name: "cut", json: "{\n \"ui\": {\"lang\": \"zh\"", want: []string{"config.json:2: the file ends too early", "ui"}},
		{name: "bad mode", json: "{\n\n\"mode\": \"yolo\"}", want: []string{`config.json:3: mode does not take "yolo"; it takes one of auto, plan, ask`}},
		{name: "number for text", json: `{"model": 3}`, want: []string{"config.json:1: model does not take 3; it takes a text"}},
		{name: "empty model", json: `{"model": ""}`, want: []string{"it takes a text"}},
		{name: "text for list", json: `{"env_allow": "A"}`, want: []string{"a list of texts"}},
		{name: "number in list", json: `{"env_allow": ["A", 1]}`, want: []string{"env_allow does not take […]"}},
		{name: "text for object", json: `{"ui": "zh"}`, want: []string{"ui does not take \"zh\"; it takes an object"}},
		{name: "zero clock", json: `{"network":{"idleTimeoutMs":0}}`, want: []string{"network.idleTimeoutMs does not take 0"}},
		{name: "fraction", json: `{"network":{"idleTimeoutMs":1.5}}`, want: []string{"1.5"}},
		{name: "window", json: `{"models":{"x":{"contextWindow":"big"}}}`, want: []string{"models.x.contextWindow", "a whole number"}},
		{name: "no URL", json: `{"baseUrl":"localhost:8080"}`, want: []string{"http://"}},
		{name: "list at top", json: `[]`, want: []string{"an object"}},
		{name: "all at once", json: "{\"mode\":1,\n\"model\":2}", want: []string{":1: mode", ":2: model"}},
		{name: "variable", json: `{}`, env: []string{"PAICLI_CONTEXT_WINDOW=128k"}, want: []string{`PAICLI_CONTEXT_WINDOW does not take "128k"`}},
		{name: "small threshold", env: []string{"PAICLI_TOOL_OFFLOAD_THRESHOLD_CHARS=1999"}, want: []string{`"1999"; it takes a whole number from 2000 up`}},
		{name: "switch", env: []string{"PAICLI_TOOL_OFFLOAD_ENABLED=maybe"}, want: []string{`"maybe"; it takes true or false`}},
		{name: "a key where an address belongs", json: `{}`, env: []string{"PAICLI_BASE_URL=sk-0123456789abcdef"}, want: []string{`"sk-01234…"`}},
		{name: "flag mode", json: `{}`, flags: Flags{Mode: "yolo"}, want: []string{`--mode does not take "yolo"`}},
		{name: "flag lang", json: `{}`, flags: Flags{Lang: "fr"}, want: []string{"--lang"}},
		{name: "flag file", flags: Flags{File: "/does/not/exist.json"}, want: []string{"/does/not/exist.json: cannot be read"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			p.write("home/.paicli/config.json", tt.json)
			p.opts.Environ, p.opts.Flags = tt.env, tt.flags
			got := p.broken()
			for _, part := range tt.want {
				if !strings.Contains(got, part) {
					t.Errorf("%q lacks %q", got, part)
				}
			}
			if strings.Contains(got, "%!") {
				t.Errorf("verbs: %q", got)
			}
		})
	}
}

// TestConfigFlag: --config replaces the person's file.
func TestConfigFlag(t *testing.T) {
	p := newPlace(t)
	p.write("home/.paicli/config.json", `{"mode":"plan"}`)
	p.write("other.json", `{"model":"m"}`)
	p.opts.Flags.File = filepath.Join(filepath.Dir(p.opts.Root), "other.json")
	if c := p.load(); c.Mode != "auto" || c.Model != "m" || c.File != p.opts.Flags.File {
		t.Errorf("mode %q, model %q, file %q", c.Mode, c.Model, c.File)
	}
}

// TestEnvFolder: a Python environment named .env is no file of settings.
func TestEnvFolder(t *testing.T) {
	p := newPlace(t)
	p.write("project/.env/bin/python", "")
	p.write("home/.env/bin/python", "")
	if c := p.load(); len(c.Warnings) > 0 {
		t.Errorf("warnings: %v", c.Warnings)
	}
}
