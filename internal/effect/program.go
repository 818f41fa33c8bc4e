package effect

import (
	"slices"
	"strings"
	"sync"
)

// programs judges what is not in the table of tools: a builtin that changes the shell, a question for a
// version, or a program that may do anything.
func (c *cmd) programs(name string) {
	args := c.argv[1:]
	switch {
	case isBuiltin(c.argv[0].text):
		c.blame(Review, "changes how the shell works")
		if setsVariables(name) {
			c.vars = nil
			c.fills(name, args)
		}
		if name == "shift" {
			c.params = nil
		}
		if name == "popd" {
			c.dir = ""
		}
		if slices.Contains([]string{"alias", "bind", "compgen", "complete", "enable", "fc", "hash"}, name) && len(args) > 0 {
			c.unsure(joined(c.argv), "changes what commands mean")
		}
		return
	case isVersion(c.argv), name == "go" && c.asksGo(args):
		return
	case name == "command":
		c.data(args) // command -v
		return
	}
	switch name {
	case "env", "printenv":
		c.blame(Review, "prints the environment, which holds secrets")
		return
	case "less", "more":
		c.shows(name)
		c.blame(Review, "runs "+name)
		return
	case "ps", "kill", "pkill", "killall", "lsof", "top", "systemctl", "service", "journalctl", "man":
		c.blame(Review, "runs "+name)
		return
	}
	c.shows(name)
	words := subcommand(args)
	if strings.Contains(c.argv[0].text, "/") {
		c.runsFile(c.argv[0])
		return
	}
	target := name
	if len(words) > 0 && hasSubcommands(name) {
		target += " " + words[0]
	}
	c.effect(Run, target, "runs "+shorten(target))
	c.connects(name, words)
	if name == "go" && len(words) > 0 && words[0] == "build" {
		c.outputOf(args, "-o")
	}
}

// shows notes files of credentials that a program would show or send away.
func (c *cmd) shows(name string) {
	switch name {
	case "less", "more", "most", "bat", "batcat", "vi", "vim", "nvim", "nano", "emacs", "ed", "ex", "scp", "rsync", "sftp", "zcat", "xsel", "xclip":
		for _, a := range c.argv[1:] {
			if a.known() && (isSecret(resolve(c.dir, a.text), c.home, c.root) || name == "less" || name == "more") && !strings.HasPrefix(a.text, "-") {
				c.touch(Read, a)
			}
		}
	}
}

// fills notes what read and its kin fill variables with: a line that is known, or what was fetched.
func (c *cmd) fills(name string, args []arg) {
	if line, _, _ := strings.Cut(c.in.script, "\n"); name == "read" && len(args) > 0 && line != "" && !c.in.unknown {
		c.set(args[len(args)-1].text, arg{text: strings.TrimSpace(line), guess: true})
	}
	if !c.in.download || name != "read" && name != "mapfile" && name != "readarray" {
		return
	}
	for _, a := range args {
		c.tainted[a.text] = true
	}
	c.tainted["REPLY"], c.tainted["MAPFILE"] = true, true
}

// asksGo reports a question for the settings of Go.
func (c *cmd) asksGo(args []arg) bool {
	if len(args) == 0 || args[0].text != "env" {
		return false
	}
	for _, a := range args[1:] {
		if !a.known() || strings.HasPrefix(a.text, "-") && a.text != "-json" {
			return false
		}
	}
	return true
}

// connects records the network that a program is for.
func (c *cmd) connects(name string, words []string) {
	line := name + " " + strings.Join(words, " ") + " "
	for _, known := range registryUsers() {
		if strings.HasPrefix(line, known+" ") {
			c.effect(Net, "registry", "installs packages: "+known)
			return
		}
	}
	switch name {
	case "ssh", "scp", "rsync", "sftp", "telnet", "nc", "ncat", "ping", "ftp", "dig", "nslookup", "host":
		c.effect(Net, c.otherHost(), "reaches the network: "+name)
	case "gh", "glab", "aws", "gcloud", "az", "heroku", "vercel", "netlify", "flyctl":
		c.effect(Net, "remote", "reaches the network: "+name)
	case "xdg-open", "open":
		for _, w := range words {
			if strings.Contains(w, "://") {
				c.effect(Net, hostOf(w), "reaches the network")
			}
		}
	}
}

// otherHost is the machine in the operands of ssh and its kin.
func (c *cmd) otherHost() string {
	for _, w := range subcommand(c.argv[1:]) {
		host, _, _ := strings.Cut(w, ":")
		host = host[strings.LastIndexByte(host, '@')+1:]
		if host != "" && (strings.Contains(w, ":") || !strings.Contains(w, "/")) {
			return host
		}
	}
	return "?"
}

// subcommand is the operands of a program as far as they are known.
func subcommand(args []arg) []string {
	var out []string
	for _, a := range args {
		if !a.known() {
			break
		}
		if !strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "+") {
			out = append(out, a.text)
		}
	}
	return out
}

// outputOf records the file after an option.
func (c *cmd) outputOf(args []arg, option string) {
	for i, a := range args {
		if a.text == option && i+1 < len(args) {
			c.touch(Write, args[i+1])
		}
	}
}

// hasSubcommands knows the programs that are named with their first operand.
func hasSubcommands(name string) bool {
	return slices.Contains(strings.Fields(`go npm npx pnpm yarn bun bunx cargo pip pip3 pipx uv poetry docker podman kubectl helm
		dotnet apt apt-get dnf yum apk brew gem bundle composer rustup terraform gh glab systemctl deno nx turbo
		golangci-lint conda mamba flutter dart swift mix zig nix`), name)
}

// registryUsers are the command lines that install packages.
var registryUsers = sync.OnceValue(func() []string {
	var out []string
	for line := range strings.Lines(registryTable) {
		words := strings.Fields(line)
		for _, sub := range words[1:] {
			out = append(out, words[0]+" "+sub)
		}
	}
	return out
})

const registryTable = `npm ci i install add update upgrade audit outdated view publish exec
pnpm install i add update upgrade publish dlx fetch
yarn install add upgrade publish dlx
bun install i add update
bunx
pip install download
pip3 install download
pipx install run upgrade
uv sync add pip lock tool
poetry install add update lock
conda install create update
cargo install add fetch update publish search
go install get
gem install update push
bundle install update
composer install require update
apt-get install update upgrade dist-upgrade
apt install update upgrade
dnf install update upgrade
yum install update
apk add update upgrade
brew install upgrade update
rustup update install toolchain component
docker pull push login
podman pull push
helm repo pull
dotnet restore add
`

// isVersion reports a question for the version of a program that reads no project for its answer.
func isVersion(argv []arg) bool {
	if len(argv) != 2 || strings.Contains(argv[0].text, "/") {
		return false
	}
	name, q := argv[0].text, argv[1].text
	if q == "--version" {
		return slices.Contains(strings.Fields(`node npm python python2 python3 pip pip3 ruby perl php lua java javac go cargo rustc rustup gcc g++
			clang clang++ cc make cmake ninja docker podman bash sh zsh dash deno bun dotnet kubectl helm terraform uv poetry gh curl wget
			gem bundle swift zig tsc psql mysql sqlite3 redis-server nginx ssh rsync gradle ffmpeg protoc`), name)
	}
	switch name + " " + q {
	case "go version", "node -v", "npm -v", "python -V", "python3 -V", "java -version", "javac -version", "docker -v", "ruby -v", "php -v", "perl -v", "cargo -V", "rustc -V":
		return true
	}
	return false
}

// isBuiltin knows the shell's own commands that are no tool of the table.
func isBuiltin(name string) bool {
	return slices.Contains(strings.Fields(`alias unalias bind break continue caller compgen complete compopt declare dirs disown enable
		export fc fg bg getopts hash help history jobs let local logout mapfile popd read readarray readonly shift shopt
		suspend times typeset ulimit umask unset wait`), name)
}
