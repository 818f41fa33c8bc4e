package effect

import (
	"path"
	"slices"
	"strings"
)

// resolve makes a path absolute; "" when that cannot be known. What is unknown at its end stays in it.
func resolve(dir, p string) string {
	switch {
	case strings.HasPrefix(p, "/"):
		return path.Clean(p)
	case dir == "" || strings.HasPrefix(p, unknown):
		return ""
	}
	return path.Join(dir, p)
}

// within reports whether a clean path is dir or below it.
func within(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir) && p[len(dir)] == '/'
}

// display writes a path as people know it: relative to the project when it is inside or was written so,
// otherwise from the home directory or the root.
func (s *scan) display(written, abs string) string {
	relative := !strings.HasPrefix(written, "/")
	switch {
	case abs == s.root:
		return "."
	case within(abs, s.root):
		return strings.TrimPrefix(strings.TrimPrefix(abs, s.root), "/")
	case relative:
		return upwards(s.root, abs)
	case abs == s.home:
		return "~"
	case within(abs, s.home):
		return "~" + strings.TrimPrefix(abs, s.home)
	}
	return abs
}

// upwards is the relative path from one absolute path to another.
func upwards(from, to string) string {
	up := ""
	for from != "/" && !within(to, from) {
		from = path.Dir(from)
		up += "../"
	}
	return path.Clean(up + strings.TrimPrefix(to, from))
}

// where judges a path by its text, and by the links on the way when somebody can tell.
func (s *scan) where(abs string) Where {
	text := s.whereText(abs)
	if s.at.Where == nil || text >= Secret {
		return text
	}
	return max(text, s.at.Where(abs))
}

func (s *scan) whereText(abs string) Where {
	switch {
	case isSecret(abs, s.home, s.root):
		return Secret
	case isSettings(abs, s.home, s.root):
		return Protected
	case !within(abs, s.root):
		return Outside
	}
	return Inside
}

// isSecret knows files of credentials by their names.
func isSecret(p, home, root string) bool {
	for _, dir := range []string{"/.ssh", "/.aws", "/.gnupg", "/.azure", "/.kube", "/.docker", "/.config/gh", "/.config/gcloud", "/.password-store", "/.paicli"} {
		if within(p, home+dir) && !within(p, root) {
			return true
		}
	}
	if strings.HasPrefix(p, "/proc/") || strings.HasPrefix(p, "/dev/fd") {
		base := path.Base(p)
		return base == "environ" || base == "mem" || base == "cmdline" && p != "/proc/cmdline" || isPattern(base)
	}
	if p == "/etc/shadow" || p == "/etc/gshadow" || strings.HasPrefix(p, "/etc/shadow") || strings.HasPrefix(p, "/run/secrets/") {
		return true
	}
	for part := range strings.SplitSeq(own(p, root), "/") {
		if isSecretName(strings.ToLower(part)) {
			return true
		}
	}
	return false
}

// own is the part of a path whose names count: what is above the project is none of its choice.
func own(p, root string) string {
	if within(p, root) {
		return p[len(root):]
	}
	return p
}

// isSecretName knows names of such files and directories anywhere.
func isSecretName(name string) bool {
	switch name {
	case ".ssh", ".aws", ".gnupg", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".htpasswd",
		"kubeconfig", "credentials.json", "service-account.json", "secrets.json", "secrets.yml", "secrets.yaml":
		return true
	case ".env.example", ".env.sample", ".env.template", ".env.dist", ".envrc.example":
		return false
	}
	if name == ".env" || strings.HasPrefix(name, ".env.") || strings.HasSuffix(name, ".env") {
		return true
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
	return isPattern(name) && matchesSecret(name)
}

// matchesSecret reports whether a pattern that says more than "everything" may mean a file of credentials.
// Patterns that begin otherwise do not mean hidden names.
func matchesSecret(pattern string) bool {
	matches := func(pattern string, names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			ok, err := path.Match(pattern, name)
			return ok || err != nil
		})
	}
	if strings.HasPrefix(pattern, ".") {
		return matches(pattern, ".env", ".env.local", ".netrc", ".npmrc", ".ssh", ".aws", ".gnupg")
	}
	ext := path.Ext(pattern)
	if strings.Trim(ext, "*?.[]") != "" && matches(ext, ".pem", ".key", ".p12") {
		return true
	}
	return len(strings.Trim(pattern, "*?.[]")) > 2 && matches(pattern, "id_rsa", "id_ed25519")
}

func isPattern(p string) bool { return strings.ContainsAny(p, "*?[") }

// isSettings knows files that make programs run code: hooks, shell start-up files, tasks of editors.
func isSettings(p, home, root string) bool {
	for part := range strings.SplitSeq(strings.ToLower(own(p, root)), "/") {
		switch part {
		case ".git", ".paicli", ".mcp.json", ".envrc", ".vscode", ".idea", ".husky", ".gitmodules", ".claude", ".cursor":
			return true
		case ".gitconfig", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
			".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".direnvrc":
			return true
		}
	}
	for _, dir := range []string{"/.config/fish", "/.config/git", "/.config/autostart", "/.config/systemd", "/.local/bin", "/bin", "/Library/LaunchAgents"} {
		if within(p, home+dir) && !within(p, root) {
			return true
		}
	}
	return strings.HasPrefix(p, "/etc/profile") || strings.HasPrefix(p, "/etc/bash") || strings.HasPrefix(p, "/etc/cron") || strings.HasPrefix(p, "/var/spool/cron")
}

// isHarmless knows the devices and descriptors that lose, print or hand on what is written.
func isHarmless(abs string) bool {
	switch abs {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/1", "/dev/fd/2":
		return true
	}
	return false
}
