package shell

import "strings"

// Environ makes the environment of a child from base (lines NAME=value): secrets and the names in
// deny are left out, and programs are told that nobody is there to page, edit or type for.
func Environ(base, deny []string) []string {
	out := make([]string, 0, len(base)+8)
	locale := false
	for _, line := range base {
		name, value, ok := strings.Cut(line, "=")
		if !ok || name == "" || isSecret(name) || denied(name, deny) || isQuiet(name) {
			continue
		}
		locale = locale || value != "" && (name == "LANG" || name == "LC_ALL" || name == "LC_CTYPE")
		out = append(out, line)
	}
	if !locale {
		out = append(out, "LC_ALL=C.UTF-8")
	}
	return append(out, "PAGER=cat", "GIT_PAGER=cat", "EDITOR=false", "VISUAL=false", "GIT_EDITOR=false", "GIT_TERMINAL_PROMPT=0")
}

// isQuiet reports whether Environ sets the variable itself.
func isQuiet(name string) bool {
	switch name {
	case "PAGER", "GIT_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_TERMINAL_PROMPT":
		return true
	}
	return false
}

func denied(name string, deny []string) bool {
	for _, d := range deny {
		if strings.EqualFold(name, d) {
			return true
		}
	}
	return false
}

// isSecret reports whether a variable's name says that its value is a secret.
func isSecret(name string) bool {
	name = strings.ToUpper(name)
	if name == "AUTHORIZATION" {
		return true
	}
	for _, end := range []string{"_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD"} {
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
