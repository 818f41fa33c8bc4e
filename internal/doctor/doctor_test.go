package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"paicli/internal/i18n"
)

type words string

func (w words) Say(lang i18n.Lang) string { return string(lang) + " " + string(w) }

// healthy is a machine on which everything is there.
func healthy(t *testing.T) Inputs {
	return Inputs{
		Lang: i18n.EN, Version: "v1.2.3", Home: t.TempDir(), KeyVars: []string{"DEEPSEEK_API_KEY"},
		Getenv:   env(map[string]string{"TERM": "xterm-256color", "LANG": "C.UTF-8"}),
		Terminal: Terminal{TTY: true, Columns: 120, Rows: 40},
		Settings: Settings{File: "/home/me/.paicli/config.json", Exists: true},
		Model:    Model{Name: "deepseek/deepseek-flash", URL: "https://api.deepseek.com"},
		LookPath: func(name string) (string, error) { return "/usr/bin/" + name, nil },
	}
}

func env(m map[string]string) func(string) string { return func(name string) string { return m[name] } }

func check(t *testing.T, r Report, name string) Check {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no check %s", name)
	return Check{}
}

func TestHealthy(t *testing.T) {
	r := Run(context.Background(), healthy(t))
	for _, c := range r.Checks {
		if c.Status != OK || c.Detail == "" || c.Hint != "" {
			t.Errorf("%+v", c)
		}
	}
	if !r.OK || len(r.Checks) != 11 {
		t.Errorf("OK %v with %d checks", r.OK, len(r.Checks))
	}
}

func TestChecks(t *testing.T) {
	unset := filepath.Join("does", "not", "exist")
	tests := []struct {
		name   string
		change func(in *Inputs)
		check  string
		status Status
		detail string
	}{
		{"no terminal", func(in *Inputs) { in.Terminal = Terminal{} }, "terminal", OK, "not a terminal"},
		{"size and colours", func(in *Inputs) {}, "terminal", OK, "120 columns by 40 rows, 256 colours"},
		{"true colour", func(in *Inputs) { in.Getenv = env(map[string]string{"TERM": "x", "COLORTERM": "truecolor"}) }, "terminal", OK, "16777216"},
		{"NO_COLOR", func(in *Inputs) { in.Getenv = env(map[string]string{"TERM": "x", "NO_COLOR": "1"}) }, "terminal", OK, "no colours"},
		{"control characters", func(in *Inputs) { in.Getenv = env(map[string]string{"TERM": "x\x1b[31m"}) }, "terminal", OK, "x[31m"},
		{"C locale", func(in *Inputs) { in.Getenv = env(map[string]string{"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}) }, "locale", Warn, "C is not UTF-8"},
		{"utf8 spelling", func(in *Inputs) { in.Getenv = env(map[string]string{"LANG": "en_US.utf8"}) }, "locale", OK, "en_US.utf8"},
		{"no home", func(in *Inputs) { in.Home = "" }, "home", Warn, "not set"},
		{"home to be made", func(in *Inputs) { in.Home = filepath.Join(in.Home, unset) }, "home", OK, "writable"},
		{"no programs", func(in *Inputs) { in.LookPath = func(string) (string, error) { return "", os.ErrNotExist } }, "shell", Fail, "not found"},
		{"no git", func(in *Inputs) { in.LookPath = func(n string) (string, error) { return n, gitError(n) } }, "git", Warn, "not found"},
		{"no file", func(in *Inputs) { in.Settings.Exists = false }, "config", OK, "does not exist"},
		{"warnings", func(in *Inputs) { in.Settings.Warnings = []Speaker{words("odd")} }, "config", Warn, "en odd"},
		{"faults", func(in *Inputs) {
			in.Settings.Faults, in.Settings.Warnings = []Speaker{words("bad")}, []Speaker{words("odd")}
		}, "config", Fail, "en bad\nen odd"},
		{"keys by name", func(in *Inputs) { in.KeyVars = []string{"A_API_KEY", "B_API_KEY"} }, "keys", OK, "A_API_KEY, B_API_KEY"},
		{"a custom server needs no key", func(in *Inputs) { in.KeyVars = nil }, "keys", OK, "no key"},
		{"nothing to ask", func(in *Inputs) { in.KeyVars, in.Model = nil, Model{Missing: "no key is set"} }, "keys", Warn, "no key"},
		{"no model", func(in *Inputs) { in.Model = Model{Missing: "no key is set", Hint: "set one"} }, "model", Fail, "no key is set"},
		{"address with a password", func(in *Inputs) { in.Model.URL = "https://me:pass@host/v1?key=abc" }, "model", OK, "https://host/v1"},
		{"proxy", func(in *Inputs) {
			in.Getenv = env(map[string]string{"HTTPS_PROXY": "http://me:pass@proxy:3128", "no_proxy": "localhost"})
		}, "proxy", OK, "HTTPS_PROXY=http://proxy:3128 no_proxy=localhost"},
		{"proxy without a scheme", func(in *Inputs) { in.Getenv = env(map[string]string{"http_proxy": "me:pass@proxy:3128"}) }, "proxy", OK, "http_proxy=proxy:3128"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := healthy(t)
			tt.change(&in)
			r := Run(context.Background(), in)
			c := check(t, r, tt.check)
			if c.Status != tt.status || !strings.Contains(c.Detail, tt.detail) || strings.Contains(c.Detail, "pass@") {
				t.Errorf("%+v, want %s with %q", c, tt.status, tt.detail)
			}
			if c.Status != OK && c.Hint == "" {
				t.Errorf("%s has no hint", c.Name)
			}
			if tt.status == Fail && r.OK {
				t.Error("the report is OK although a check failed")
			}
		})
	}
}

func gitError(name string) error {
	if name == "git" {
		return os.ErrNotExist
	}
	return nil
}

func TestReadOnlyHome(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("the owner may write everywhere")
	}
	in := healthy(t)
	if err := os.Chmod(in.Home, 0o500); err != nil {
		t.Fatal(err)
	}
	if c := check(t, Run(context.Background(), in), "home"); c.Status != Warn {
		t.Errorf("%+v", c)
	}
}

func TestHomeIsLeftAsItWas(t *testing.T) {
	in := healthy(t)
	Run(context.Background(), in)
	entries, err := os.ReadDir(in.Home)
	if err != nil || len(entries) > 0 {
		t.Errorf("%v left behind, %v", entries, err)
	}
}

func TestProbe(t *testing.T) {
	in := healthy(t)
	in.Target = "deepseek"
	in.Probe = func(ctx context.Context) (string, string, error) {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("the probe has no deadline")
		}
		return "3 models", "", nil
	}
	if c := check(t, Run(context.Background(), in), "server"); c.Status != OK || !strings.Contains(c.Detail, "deepseek answered in") || !strings.Contains(c.Detail, "3 models") {
		t.Errorf("%+v", c)
	}
	in.Probe = func(context.Context) (string, string, error) { return "", "check the key", errors.New("not accepted") }
	r := Run(context.Background(), in)
	if c := check(t, r, "server"); c.Status != Fail || c.Hint != "check the key" || !strings.Contains(c.Detail, "not accepted") || r.OK {
		t.Errorf("%+v", c)
	}
}

func TestRender(t *testing.T) {
	in := healthy(t)
	in.Settings.Warnings = []Speaker{words("<odd>"), words("more")}
	r := Run(context.Background(), in)
	var en, zh, js bytes.Buffer
	if err := errors.Join(r.Text(&en, i18n.EN), r.Text(&zh, i18n.ZH), r.JSON(&js)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"[ok] git: /usr/bin/git\n", "[warning] settings: en <odd>\n    en more\n    what to do: ", "10 ok, 1 warnings, 0 failed\n"} {
		if !strings.Contains(en.String(), want) {
			t.Errorf("no %q in\n%s", want, en.String())
		}
	}
	if !strings.Contains(zh.String(), "[警告] 设置：") {
		t.Errorf("Chinese:\n%s", zh.String())
	}
	var back struct {
		OK     bool
		Checks []struct{ Name, Status, Detail, Hint string }
	}
	if err := json.Unmarshal(js.Bytes(), &back); err != nil || !back.OK || len(back.Checks) != 11 || !strings.Contains(js.String(), "<odd>") {
		t.Errorf("%v\n%s", err, js.String())
	}
}
