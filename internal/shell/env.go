package shell

import (
	"slices"
	"strings"
)

// EnvRules say what the environment of a child must not have, beside what is never there, and what
// it has nevertheless.
type EnvRules struct {
	Allow  []string // names that stay in spite of how they are called
	Deny   []string // names that go, also when they are allowed
	Values []string // secrets: a variable whose value has one in it goes unless it is allowed
}

// Environ makes the environment of a child from base (lines NAME=value). What holds secrets by its
// name goes, and what changes how every program is loaded or every shell begins: it would run code
// that nobody has seen in the command. Programs are told that nobody is there to page, edit or type
// for.
func Environ(base []string, rules EnvRules) []string {
	out := make([]string, 0, len(base)+16)
	locale := false
	for _, line := range base {
		name, value, ok := strings.Cut(line, "=")
		if !ok || name == "" || rules.drops(name, value) {
			continue
		}
		locale = locale || value != "" && (name == "LANG" || name == "LC_ALL" || name == "LC_CTYPE")
		out = append(out, line)
	}
	if !locale {
		out = append(out, "LC_ALL=C.UTF-8")
	}
	for _, line := range quiet() {
		if name, _, _ := strings.Cut(line, "="); !slices.Contains(rules.Allow, name) || rules.denied(name) {
			out = append(out, line)
		}
	}
	return out
}

func (r EnvRules) drops(name, value string) bool {
	switch {
	case r.denied(name):
		return true
	case slices.Contains(r.Allow, name):
		return false
	case isSecret(name) || isLoader(name) || isQuiet(name):
		return true
	}
	return slices.ContainsFunc(r.Values, func(s string) bool { return s != "" && strings.Contains(value, s) })
}

func (r EnvRules) denied(name string) bool {
	return slices.ContainsFunc(r.Deny, func(d string) bool { return strings.EqualFold(name, d) })
}

// quiet are the variables that keep programs from asking.
func quiet() []string {
	return []string{
		"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat",
		"EDITOR=false", "VISUAL=false", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false",
		"GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "SSH_ASKPASS_REQUIRE=never",
		"DEBIAN_FRONTEND=noninteractive", "PIP_NO_INPUT=1",
	}
}

// isQuiet reports whether Environ sets the variable itself, or whether it opens windows to ask.
func isQuiet(name string) bool {
	return name == "GIT_ASKPASS" || name == "SSH_ASKPASS" || name == "SUDO_ASKPASS" ||
		slices.ContainsFunc(quiet(), func(line string) bool { return strings.HasPrefix(line, name+"=") })
}

// isLoader reports whether a variable puts code into every program or shell.
func isLoader(name string) bool {
	switch name {
	case "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND":
		return true
	}
	for _, start := range []string{"LD_", "DYLD_", "BASH_FUNC_"} {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}

// isSecret reports whether a variable's name says that its value is a secret.
func isSecret(name string) bool {
	name = strings.ToUpper(name)
	switch name {
	case "AUTHORIZATION", "TOKEN", "SECRET", "APIKEY", "API_KEY":
		return true
	}
	if strings.HasSuffix(name, "PUBLIC_KEY") {
		return false
	}
	for _, end := range []string{"_KEY", "_APIKEY", "_TOKEN", "_SECRET", "PASSWORD", "PASSWD", "PASSPHRASE"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	for _, part := range []string{"PRIVATE_KEY", "SECRET_ACCESS_KEY", "CLIENT_SECRET"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
