package fsx

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestWhere(t *testing.T) {
	r := project(t, Options{Home: "state"}, "a.txt", "", ".git/config", "", "state/x", "",
		"cfg", "->.git", "out", "->/nowhere/new.txt", "alias", "->.env", "deep", "->cfg", "mcp", "->.mcp.json",
		"bare/HEAD", "", "bare/objects/", "", "bare/refs/", "", "part/HEAD", "", "part/refs/", "", "far/HEAD", "", "plain/config", "")
	root := r.Dir()
	for name, want := range map[string]Where{
		"a.txt": Inside, ".": Inside, "new/x": Inside, ".gitignore": Inside, ".github/workflows/x.yml": Inside, ".gitattributes": Inside,
		"environment": Inside, ".env.example": Inside, ".ENV.Sample": Inside, "example.env": Inside, "id_rsa.pub": Inside, "src/config": Inside,
		"plain/config": Inside, "part/config": Inside, "far/config": Inside, "vscode/x": Inside, root + "/a.txt": Inside, "keys.go": Inside,
		"...": Inside, "a/...": Inside, "C:": Inside,

		"..": Outside, "../x": Outside, "/etc/passwd": Outside, "out": Outside, filepath.Dir(root): Outside, "/tmp": Outside, "~": Outside, "~/x": Outside,

		".env": Secret, ".ENV": Secret, ".env.local": Secret, "prod.env": Secret, "alias": Secret, "tls/server.key": Secret, "x.PEM": Secret,
		"~/.ssh/id_ed25519": Secret, "/home/u/.aws/credentials": Secret, "/home/u/.docker/config.json": Secret, "/proc/1/environ": Secret,
		"/home/u/.config/gh/hosts.yml": Secret, "/etc/shadow": Secret, "id_rsa": Secret, "/home/u/.netrc": Secret,

		".git": Protected, ".git/config": Protected, ".GIT/hooks/x": Protected, "cfg/config": Protected, "deep/hooks/pre-commit": Protected,
		"sub/.git": Protected, ".git./config": Protected, ".git /config": Protected, ".git::$INDEX_ALLOCATION/x": Protected, "git~1/config": Protected,
		".g\u200cit/config": Protected, ".mcp.j\u017fon": Protected,
		".paicli/config.json": Protected, "state": Protected, "state/sessions/x": Protected, "STATE/x": Protected,
		".mcp.json": Protected, "mcp": Protected, ".vscode/tasks.json": Protected, ".idea/x": Protected, ".envrc": Protected, ".gitmodules": Protected,
		".husky/pre-commit": Protected, "/home/u/.bashrc": Protected, "~/.zshrc": Protected, "/home/u/.local/bin/ls": Protected, "/etc/cron.d/x": Protected,
		"bare/config": Protected, "bare/hooks/x": Protected, "bare/objects/info/alternates": Protected, "part/objects/x": Protected, "far/commondir": Protected,
	} {
		if _, got, err := r.Where(name); got != want || err != nil {
			t.Errorf("Where(%q) = %v, want %v (%v)", name, got, want, err)
		}
	}
	for name, want := range map[string]error{"": ErrBlank, " ": ErrBlank, "a\x00b": ErrNUL} {
		if _, _, err := r.Where(name); !errors.Is(err, want) {
			t.Errorf("Where(%q): %v", name, err)
		}
	}
	for name, want := range map[string]string{"cfg/config": ".git/config", root + "/x": "x", "out": "/nowhere/new.txt", ".": "."} {
		if got, _, _ := r.Where(name); got != want {
			t.Errorf("Where(%q) leads to %q, want %q", name, got, want)
		}
	}
}

// TestWritesToGitInOtherSpellings: what is refused, is refused in every spelling that some file system
// takes for it.
func TestWritesToGitInOtherSpellings(t *testing.T) {
	r := project(t, Options{}, ".git/config", "", "cfg", "->.git")
	for _, name := range []string{".git/x", ".GIT/x", "cfg/x", "sub/.Git/x", ".git./x", ".git /x", "git~1/x", ".gi\u200dt/x", ".PaiCLI/Tool-Outputs/x"} {
		var readOnly *ReadOnlyError
		if _, err := r.Resolve(name, Write); !errors.As(err, &readOnly) {
			t.Errorf("Resolve(%q): %v", name, err)
		}
	}
	for _, name := range []string{".gitignore", ".github/x", "git/x", ".git-x/y", "..foo/...bar..baz", "a.git/x"} {
		if _, err := r.Resolve(name, Write); err != nil {
			t.Errorf("Resolve(%q): %v", name, err)
		}
	}
}
