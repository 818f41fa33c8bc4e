package config

import (
	"runtime"
	"strings"
)

// value is a variable with the place it was set at.
type value struct {
	text   string
	origin Origin
}

// environment is the variables of the process and of the .env files, the process first.
type environment struct {
	layers    []map[string]value // highest first
	uncounted []string           // secrets of ./.env that do not count but must not leak either
}

// processEnv makes a layer of NAME=value strings.
func processEnv(environ []string) map[string]value {
	layer := make(map[string]value, len(environ))
	for _, entry := range environ {
		// On Windows there are variables such as `=C:`.
		if name, text, ok := strings.Cut(entry, "="); ok && name != "" {
			name = variableKey(name)
			layer[name] = value{text, Origin{Source: FromEnv, Name: name}}
		}
	}
	return layer
}

// variableKey folds the case of a name where the system does.
func variableKey(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

func (e environment) lookup(name string) (value, bool) {
	name = variableKey(name)
	for _, layer := range e.layers {
		if v, ok := layer[name]; ok {
			return v, v.text != ""
		}
	}
	return value{}, false
}

func (e environment) get(name string) string {
	v, _ := e.lookup(name)
	return v.text
}

// secrets lists the values of all variables with telling names.
func (e environment) secrets() []string {
	out := append([]string(nil), e.uncounted...)
	for _, layer := range e.layers {
		for name, v := range layer {
			if isSecretName(name) {
				out = append(out, v.text)
			}
		}
	}
	return out
}

// isSecretName reports whether a variable with this name holds a secret. The list is the one by
// which the original PaiCLI cleans the environment of commands, with _TOKEN in general and plain
// passwords beside it.
func isSecretName(name string) bool {
	name = strings.ToUpper(name)
	for _, suffix := range []string{"API_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "PRIVATE_KEY", "ACCESS_KEY"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return strings.Contains(name, "CLIENT_SECRET") || name == "AUTHORIZATION" || name == "PASSWORD"
}
