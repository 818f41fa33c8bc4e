package fsx

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Where says what kind of place a path leads to. A greater one asks for more care.
type Where int

// The kinds of places.
const (
	Inside    Where = iota // the project
	Outside                // anywhere else
	Secret                 // credentials: keys, passwords, .env
	Protected              // settings that make programs run code, and the program's own state
)

// Where judges a path, relative to the project or absolute, by the place that it really leads to,
// through links, whether or not anything is there. rel is that place: relative to the project with
// slashes when it is in it, else absolute. Secret and Protected go by names, in the project and out of
// it; a name counts without regard to case. Errors are those of Resolve but for the refusals, which
// are answers here.
func (r *Root) Where(name string) (rel string, w Where, err error) {
	if strings.TrimSpace(name) == "" {
		return "", Outside, ErrBlank
	}
	if strings.IndexByte(name, 0) >= 0 {
		return "", Outside, ErrNUL
	}
	if name == "~" || strings.HasPrefix(name, "~/") { // no file tool takes it, but a command does
		return name, max(Outside, byName(name, true)), nil
	}
	real, err := follow(r.begins(name))
	if err != nil {
		return "", Outside, err
	}
	rel, in := inside(r.dir, real)
	if !in {
		rel = real
	}
	rel = filepath.ToSlash(rel)
	switch {
	case r.isPrivate(real):
		return rel, Protected, nil
	case !in:
		return rel, max(Outside, byName(rel, true)), nil
	}
	w = byName(rel, false)
	if w == Inside && r.isBare(rel) {
		w = Protected
	}
	return rel, w, nil
}

// byName judges the names of a path; Inside when none of them is special.
func byName(p string, outside bool) Where {
	p = fold(p)
	parts := strings.Split(p, "/")
	switch {
	case isSecret(p, parts, outside):
		return Secret
	case slices.ContainsFunc(parts, isSettings) || outside && isStartup(p):
		return Protected
	}
	return Inside
}

// isSecret knows places of credentials.
func isSecret(p string, parts []string, outside bool) bool {
	if slices.ContainsFunc(parts, isSecretName) {
		return true
	}
	for _, pair := range []string{"/.config/gh/", "/.config/gcloud/", "/.docker/config.json/", "/.kube/config/"} {
		if strings.Contains("/"+p+"/", pair) {
			return true
		}
	}
	if !outside {
		return false
	}
	for _, dir := range []string{"/.azure/", "/.kube/", "/.docker/", "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/run/secrets/"} {
		if strings.Contains(p+"/", dir) {
			return true
		}
	}
	base := parts[len(parts)-1]
	return strings.HasPrefix(p, "/proc/") && (base == "environ" || base == "mem" || base == "cmdline" && len(parts) > 3)
}

// isSecretName knows files and directories of credentials anywhere. name is folded.
func isSecretName(name string) bool {
	switch name {
	case ".ssh", ".aws", ".gnupg", ".password-store", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf",
		".htpasswd", ".dockercfg", ".vault-token", "kubeconfig", "credentials.json", "service-account.json",
		"secrets.json", "secrets.yml", "secrets.yaml":
		return true
	}
	if name == ".env" || strings.HasPrefix(name, ".env.") || strings.HasSuffix(name, ".env") {
		switch path.Ext(name) {
		case ".example", ".sample", ".template", ".dist":
			return false
		}
		return !strings.HasPrefix(name, "example.") && !strings.HasPrefix(name, "sample.")
	}
	for _, prefix := range []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"} {
		if strings.HasPrefix(name, prefix) && !strings.HasSuffix(name, ".pub") {
			return true
		}
	}
	switch path.Ext(name) {
	case ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk":
		return true
	}
	return false
}

// isSettings knows names of files and directories that make programs run code: hooks, shell start-up
// files, tasks of editors, servers that agents start. name is folded.
func isSettings(name string) bool {
	switch name {
	case gitDir, "git~1", ".gitconfig", ".gitmodules", ".hg", ".hgrc", ".jj", ".husky",
		".paicli", ".mcp.json", ".claude", ".cursor", ".codex", ".gemini", ".vscode", ".idea", ".devcontainer",
		".envrc", ".direnvrc", ".gdbinit", ".lldbinit", ".exrc", ".vimrc", ".nvimrc",
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
		".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc":
		return true
	}
	return false
}

// isStartup knows places outside of projects whose files are run by themselves. p is folded.
func isStartup(p string) bool {
	for _, dir := range []string{
		"/.config/fish/", "/.config/git/", "/.config/autostart/", "/.config/systemd/", "/.local/bin/", "/library/launchagents/",
		"/etc/profile", "/etc/bash", "/etc/zsh", "/etc/cron", "/var/spool/cron/",
	} {
		if strings.Contains(p+"/", dir) {
			return true
		}
	}
	return false
}

// isBare reports whether a place belongs to a bare git repository, or would complete one. git takes
// any directory with HEAD, objects and refs for a repository when it looks upwards, and runs what its
// config says; the objects may also be elsewhere, in the directory that commondir names.
func (r *Root) isBare(rel string) bool {
	dir := "."
	for part := range strings.SplitSeq(rel, "/") {
		name := fold(part)
		switch name {
		case "head", "config", "config.worktree", "commondir", "objects", "refs", "packed-refs", "hooks", "info":
			has := func(what string) bool {
				_, err := r.root.Lstat(path.Join(dir, what))
				return err == nil || name == strings.ToLower(what)
			}
			if has("HEAD") && (has("commondir") || has("objects") && has("refs")) {
				return true
			}
		}
		dir = path.Join(dir, part)
	}
	return false
}
