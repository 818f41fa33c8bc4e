package doctor

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"paicli/internal/i18n"
)

func (in Inputs) terminal() Check {
	c := Check{Name: "terminal", Status: OK, Detail: in.say(i18n.DoctorNotTTY), title: i18n.DoctorTerminal}
	if !in.Terminal.TTY {
		return c
	}
	term := in.Getenv("TERM")
	if term == "" && runtime.GOOS != "windows" {
		c.Status, c.Detail, c.Hint = Warn, in.say(i18n.DoctorTermUnset), in.say(i18n.HintTermUnset)
		return c
	}
	c.Detail = in.say(i18n.DoctorTTY, term, in.Terminal.Columns, in.Terminal.Rows, in.colors(term))
	return c
}

// colors says how many colours the terminal claims, by the variables that programs go by.
func (in Inputs) colors(term string) string {
	depth := in.Getenv("COLORTERM")
	switch {
	case in.Getenv("NO_COLOR") != "" || term == "dumb":
		return in.say(i18n.DoctorNoColor)
	case depth == "truecolor" || depth == "24bit":
		return in.say(i18n.DoctorColors, "16777216")
	case strings.Contains(term, "256color"):
		return in.say(i18n.DoctorColors, "256")
	}
	return in.say(i18n.DoctorColors, "16")
}

func (in Inputs) locale() Check {
	c := Check{Name: "locale", Status: OK, title: i18n.DoctorLocale}
	locale := ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale = in.Getenv(name); locale != "" {
			break
		}
	}
	plain := strings.ReplaceAll(strings.ToLower(locale), "-", "")
	if locale == "" {
		locale = in.say(i18n.DoctorUnset)
	}
	lang := in.Lang
	if lang == "" {
		lang = i18n.EN
	}
	if strings.Contains(plain, "utf8") || runtime.GOOS == "windows" {
		c.Detail = in.say(i18n.DoctorUTF8, locale, lang)
		return c
	}
	c.Status, c.Detail, c.Hint = Warn, in.say(i18n.DoctorNotUTF8, locale, lang), in.say(i18n.HintNotUTF8)
	return c
}

func (in Inputs) shell() Check {
	shells := []string{"bash", "sh"}
	if runtime.GOOS == "windows" {
		shells = []string{"powershell", "cmd"}
	}
	return in.program("shell", i18n.DoctorShell, shells, Fail, i18n.HintNoShell)
}

func (in Inputs) git() Check {
	return in.program("git", i18n.DoctorGit, []string{"git"}, Warn, i18n.HintNoGit)
}

// program looks for the first of some programs.
func (in Inputs) program(name string, title i18n.Text, programs []string, missing Status, hint i18n.Text) Check {
	for _, p := range programs {
		if path, err := in.LookPath(p); err == nil {
			return Check{Name: name, Status: OK, Detail: path, title: title}
		}
	}
	return Check{Name: name, Status: missing, Detail: in.say(i18n.DoctorNotFound), Hint: in.say(hint), title: title}
}

// home tries to write where PAICLI_HOME is or would be made.
func (in Inputs) home() Check {
	c := Check{Name: "home", Status: Warn, Detail: in.say(i18n.DoctorUnset), Hint: in.say(i18n.HintHome), title: i18n.DoctorHome}
	if in.Home == "" {
		return c
	}
	f, err := os.CreateTemp(existing(in.Home), ".paicli-doctor-*")
	if err != nil {
		c.Detail = in.say(i18n.DoctorNotWritable, in.Home, err)
		return c
	}
	f.Close()
	os.Remove(f.Name())
	return Check{Name: "home", Status: OK, Detail: in.say(i18n.DoctorWritable, in.Home), title: i18n.DoctorHome}
}

// existing is the deepest folder on the way to a path that exists.
func existing(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
		parent := filepath.Dir(path)
		if parent == path {
			return path
		}
		path = parent
	}
}

func (in Inputs) settings() Check {
	s := in.Settings
	c := Check{Name: "config", Status: OK, Detail: s.File, title: i18n.DoctorConfig}
	if !s.Exists {
		c.Detail = in.say(i18n.DoctorNoConfig, s.File)
	}
	if problems := append(s.Faults[:len(s.Faults):len(s.Faults)], s.Warnings...); len(problems) > 0 {
		lines := make([]string, len(problems))
		for i, p := range problems {
			lines[i] = p.Say(in.Lang)
		}
		c.Status, c.Detail, c.Hint = Warn, strings.Join(lines, "\n"), in.say(i18n.HintConfigReview)
	}
	if len(s.Faults) > 0 {
		c.Status, c.Hint = Fail, in.say(i18n.HintConfigFile)
	}
	return c
}

// keys names the variables that hold a key, and nothing of what is in them.
func (in Inputs) keys() Check {
	c := Check{Name: "keys", Status: OK, title: i18n.DoctorKeys}
	switch {
	case len(in.KeyVars) > 0:
		c.Detail = in.say(i18n.DoctorKeysFound, strings.Join(in.KeyVars, ", "))
	case in.Model.Missing != "":
		c.Status, c.Detail, c.Hint = Warn, in.say(i18n.DoctorNoKeys), in.say(i18n.HintNoKeys)
	default:
		c.Detail = in.say(i18n.DoctorNoKeys)
	}
	return c
}

func (in Inputs) model() Check {
	c := Check{Name: "model", Status: OK, title: i18n.DoctorModel}
	if in.Model.Missing != "" || in.Model.Name == "" {
		c.Status, c.Detail, c.Hint = Fail, in.Model.Missing, in.Model.Hint
		if c.Detail == "" {
			c.Detail = in.say(i18n.DoctorNoModel)
		}
		return c
	}
	c.Detail = in.say(i18n.DoctorModelAt, in.Model.Name, withoutUser(in.Model.URL))
	return c
}

// proxy lists the variables that lead requests another way. A password in them is not shown.
func (in Inputs) proxy() Check {
	c := Check{Name: "proxy", Status: OK, Detail: in.say(i18n.DoctorNoProxy), title: i18n.DoctorProxy}
	var set []string
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"} {
		if v := in.Getenv(name); v != "" {
			set = append(set, name+"="+withoutUser(v))
		}
	}
	if len(set) > 0 {
		c.Detail = strings.Join(set, " ")
	}
	return c
}

// withoutUser takes user and password out of an address.
func withoutUser(s string) string {
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		u.User, u.RawQuery = nil, ""
		return u.String()
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		return s[i+1:]
	}
	return s
}
