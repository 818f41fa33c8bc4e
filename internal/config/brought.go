package config

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Kind says what a file of a project is for.
type Kind string

// The kinds of what a project brings along.
const (
	KindSettings Kind = "settings" // .paicli/config.json
	KindEnv      Kind = "env"      // .env, beyond keys and PAICLI_MODEL
	KindMCP      Kind = "mcp"      // .paicli/mcp.json, .mcp.json
	KindSkill    Kind = "skill"    // .paicli/skills
	KindCommand  Kind = "command"  // .paicli/commands
	KindAgent    Kind = "agent"    // .paicli/agents
)

// Brought is what came with a project and takes effect only when it is trusted.
type Brought struct {
	Root  string
	Items []Item // in a fixed order
	// Hash stands for the content of all items; "" when there is nothing to trust or too much.
	// Comments, white space and the order of keys do not change it.
	Hash    string
	TooMuch bool // more files or bytes than anybody could look at

	settings, dotenv string // as they were read when they were hashed
}

// Item is one file. Its texts come from the project as they are: whoever shows them makes control
// characters visible.
type Item struct {
	Path   string   // relative to the project, with slashes
	Kind   Kind     //
	Values []string // of settings and variables: NAME = VALUE; secrets without the value
	Runs   []Run    // what it would start or connect to

	digest [sha256.Size]byte
}

// Run is a program that a file of a project wants started, or a server that it wants talked to.
type Run struct {
	Name string   // where it stands in the file
	Line string   // the whole command line
	URL  string   //
	Env  []string // names of the variables that it sets
}

// Bounds on what a project may bring along, far above what people write.
const (
	maxItems   = 2000
	maxBrought = 64 << 20 // bytes
	maxFolders = 16       // deep
)

// inventory looks at what the project brings along.
type inventory struct {
	Brought
	opts    *Options
	entries int
	size    int64
}

// inventory takes stock. Nothing of it has had any effect yet.
func (l *loader) inventory() Brought {
	v := inventory{Brought: Brought{Root: l.opts.Root}, opts: &l.opts}
	if dir := filepath.Join(l.opts.Root, ".paicli"); !sameFile(dir, l.cfg.Home) {
		v.settings = v.object(".paicli/config.json", KindSettings)
		v.object(".paicli/mcp.json", KindMCP)
		v.tree(".paicli/agents", KindAgent, 0)
		v.tree(".paicli/commands", KindCommand, 0)
		v.tree(".paicli/skills", KindSkill, 0)
	}
	v.object(".mcp.json", KindMCP)
	if !sameFile(l.homeEnv(), v.abs(".env")) {
		v.variables()
	}
	v.seal()
	return v.Brought
}

func (v *inventory) abs(rel string) string { return filepath.Join(v.Root, filepath.FromSlash(rel)) }

// seal makes the hash.
func (v *inventory) seal() {
	if v.entries > maxItems || v.size > maxBrought {
		v.TooMuch = true
	}
	if v.TooMuch || len(v.Items) == 0 {
		return
	}
	h := sha256.New()
	for _, item := range v.Items {
		fmt.Fprintf(h, "%q %x\n", item.Path, item.digest)
	}
	v.Hash = fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// object adds a file of JSON and returns its text. One without a single key does nothing.
func (v *inventory) object(rel string, kind Kind) string {
	src, err := readFile(v.abs(rel))
	if err != nil {
		return ""
	}
	if len(src) >= maxFile { // there may be more of it
		v.TooMuch = true
	}
	item := Item{Path: rel, Kind: kind}
	n, err := parseJSONC(src)
	switch {
	case err != nil:
		item.digest = sha256.Sum256([]byte(src))
	case n.kind == kindObject && len(n.members) == 0:
		return src
	default:
		item.digest = sha256.Sum256([]byte(n.canonical()))
		item.Runs = runs(n, "")
		if kind == KindSettings {
			item.Values = values(n, nil)
		}
	}
	v.Items = append(v.Items, item)
	return src
}

// variables adds ./.env, if it has variables that need trust.
func (v *inventory) variables() {
	src, err := readFile(v.abs(".env"))
	if err != nil {
		return
	}
	v.dotenv = src
	item := Item{Path: ".env", Kind: KindEnv}
	vars, _ := parseDotenv(src)
	last := map[string]string{}
	for _, one := range vars {
		if v.opts.needsTrust(variableKey(one.name)) {
			last[variableKey(one.name)] = one.value
		}
	}
	h := sha256.New()
	for _, name := range sortedKeys(last) {
		fmt.Fprintf(h, "%q %q\n", name, last[name])
		shown := quote(last[name])
		if isSecretName(name) {
			shown = "…"
		}
		item.Values = append(item.Values, name+" = "+shown)
	}
	if len(last) > 0 {
		h.Sum(item.digest[:0])
		v.Items = append(v.Items, item)
	}
}

// tree adds the files below a folder. Links are followed as whoever uses the files would.
func (v *inventory) tree(rel string, kind Kind, depth int) {
	entries, err := os.ReadDir(v.abs(rel)) // sorted by name
	if err != nil {
		return
	}
	if depth > maxFolders {
		v.TooMuch = true
		return
	}
	for _, e := range entries {
		if v.entries++; v.entries > maxItems || v.TooMuch {
			return
		}
		at := path.Join(rel, e.Name())
		info, err := os.Stat(v.abs(at))
		switch {
		case err != nil: // a link to nothing: it shows up when it leads to something
		case info.IsDir():
			v.tree(at, kind, depth+1)
		case info.Mode().IsRegular():
			v.file(at, kind, info.Size())
		}
	}
}

func (v *inventory) file(rel string, kind Kind, size int64) {
	if v.size += size; v.size > maxBrought {
		v.TooMuch = true
		return
	}
	f, err := os.Open(v.abs(rel))
	if err != nil {
		return
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxBrought)); err != nil {
		return
	}
	item := Item{Path: rel, Kind: kind}
	h.Sum(item.digest[:0])
	v.Items = append(v.Items, item)
}

// values lists the settings of an object, hooks aside, which are runs.
func values(n node, at []string) []string {
	var out []string
	for _, m := range n.members {
		here := append(at[:len(at):len(at)], m.key)
		switch {
		case m.value.kind == kindObject && join(here) == "hooks":
		case m.value.kind == kindObject:
			out = append(out, values(m.value, here)...)
		default:
			out = append(out, join(here)+" = "+m.value.json())
		}
	}
	return out
}

// runs finds what a file wants started, whatever the objects around it are called: a hook or a server
// is an object with a command or an address.
func runs(n node, name string) []Run {
	var out []Run
	if r := run(n, name); r.Line != "" || r.URL != "" {
		out = append(out, r)
	}
	for _, m := range n.members {
		if m.value.kind == kindObject || m.value.kind == kindList {
			out = append(out, runs(m.value, dotted(name, m.key))...)
		}
	}
	for _, item := range n.items {
		out = append(out, runs(item, name)...)
	}
	return out
}

func run(n node, name string) Run {
	r := Run{Name: name}
	for _, m := range n.members {
		switch m.key {
		case "command":
			r.Line = strings.TrimSuffix(wordsOf(m.value)+" "+r.Line, " ")
		case "args":
			r.Line = strings.TrimPrefix(r.Line+" "+argsOf(m.value), " ")
		case "url", "httpUrl", "serverUrl":
			r.URL = m.value.text
		case "env":
			for _, one := range m.value.members {
				r.Env = append(r.Env, one.key)
			}
		}
	}
	return r
}

// wordsOf is a command as it is written, or its words when it is a list.
func wordsOf(n node) string {
	if n.kind == kindText {
		return n.text
	}
	return argsOf(n)
}

// argsOf writes words so that one can see where each begins and ends.
func argsOf(n node) string {
	var out []string
	for _, item := range n.items {
		word := item.text
		if item.kind != kindText {
			word = item.json()
		}
		if word == "" || strings.ContainsAny(word, " \t\n\r\"'\\$`&|;<>()*?[]{}~#!") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}
