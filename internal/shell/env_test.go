package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnviron(t *testing.T) {
	tests := []struct {
		name  string
		base  []string
		rules EnvRules
		want  []string // without the quiet settings
	}{
		{"secrets by name", []string{
			"PATH=/bin", "JAVA_HOME=/j", "DEEPSEEK_API_KEY=x", "ANTHROPIC_AUTH_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x",
			"DATABASE_PASSWORD=x", "PGPASSWORD=x", "github_token=x", "MY_AGENT_PROVIDER_KEY=x", "TLS_PRIVATE_KEY_PEM=x",
			"AUTHORIZATION=x", "CLIENT_SECRET_ID=x", "KEYBOARD=us", "TOKENIZERS=1", "SSH_PUBLIC_KEY=x", "LANG=de_DE.UTF-8", "broken",
		}, EnvRules{}, []string{"PATH=/bin", "JAVA_HOME=/j", "KEYBOARD=us", "TOKENIZERS=1", "SSH_PUBLIC_KEY=x", "LANG=de_DE.UTF-8"}},
		{"loaders", []string{
			"LD_PRELOAD=/x.so", "LD_LIBRARY_PATH=/x", "DYLD_INSERT_LIBRARIES=x", "BASH_ENV=x", "BASH_FUNC_git%%=() { :; }", "LDFLAGS=-s", "LC_ALL=C",
		}, EnvRules{}, []string{"LDFLAGS=-s", "LC_ALL=C"}},
		{"no locale", []string{"LANG="}, EnvRules{}, []string{"LANG=", "LC_ALL=C.UTF-8"}},
		{"a pager", []string{"PAGER=less", "LC_ALL=C"}, EnvRules{}, []string{"LC_ALL=C"}},
		{"allowed and denied", []string{"A_TOKEN=1", "B_TOKEN=2", "LD_LIBRARY_PATH=/l", "JAVA_HOME=/j", "EDITOR=ed", "LC_ALL=C"},
			EnvRules{Allow: []string{"A_TOKEN", "B_TOKEN", "LD_LIBRARY_PATH", "EDITOR"}, Deny: []string{"b_token", "JAVA_HOME"}},
			[]string{"A_TOKEN=1", "LD_LIBRARY_PATH=/l", "EDITOR=ed", "LC_ALL=C"}},
		{"a secret's value under another name", []string{"COPY=see sk-1!", "KEPT=sk-1", "OTHER=sk-2", "LC_ALL=C"},
			EnvRules{Values: []string{"sk-1", ""}, Allow: []string{"KEPT"}}, []string{"KEPT=sk-1", "OTHER=sk-2", "LC_ALL=C"}},
	}
	for _, tt := range tests {
		got := slices.DeleteFunc(Environ(tt.base, tt.rules), func(line string) bool { return slices.Contains(quiet(), line) })
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	for _, line := range []string{"PAGER=cat", "GIT_PAGER=cat", "EDITOR=false", "VISUAL=false", "GIT_EDITOR=false", "GIT_TERMINAL_PROMPT=0"} {
		if got := Environ([]string{"PAGER=less"}, EnvRules{}); !slices.Contains(got, line) {
			t.Errorf("%s is not in %s", line, strings.Join(got, " "))
		}
	}
}
