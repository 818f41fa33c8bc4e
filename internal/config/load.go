package config

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Flags are the settings of the command line; empty ones were not given.
type Flags struct {
	Model    string
	BaseURL  string
	Mode     string
	Lang     string
	Protocol string
	File     string   // --config: read instead of config.json in PAICLI_HOME; must exist
	Allow    []string // rules
	Deny     []string
	Trust    bool // what the project brings along counts for this run
}

// Options say where Load looks. Everything comes in here: Load reads no variable by itself.
type Options struct {
	Root     string   // the project: the working directory
	UserHome string   // the person's home, "" if there is none
	Environ  []string // NAME=value, as of os.Environ
	Flags    Flags
	// ProviderKey reports whether a variable is the key of a known provider. Only those and
	// PAICLI_MODEL count in the ./.env of a project that is not trusted. nil = none.
	ProviderKey func(name string) bool
	// ProviderVar reports whether a variable says something else about a provider, such as its
	// address. In ./.env these and PAICLI_… count in a trusted project. nil = none.
	ProviderVar func(name string) bool
	// Rule checks the syntax of a rule of permission. nil = any text is one.
	Rule func(text string) error
}

// free reports whether a variable of ./.env counts without trust.
func (o *Options) free(name string) bool {
	return name == "PAICLI_MODEL" || o.ProviderKey != nil && o.ProviderKey(name)
}

// needsTrust reports whether a variable of ./.env counts in a trusted project only. PAICLI_HOME never
// comes from a file.
func (o *Options) needsTrust(name string) bool {
	return !o.free(name) && name != homeVar &&
		(strings.HasPrefix(name, "PAICLI_") || o.ProviderVar != nil && o.ProviderVar(name))
}

const homeVar = "PAICLI_HOME"

// maxFile bounds the size of a file of settings.
const maxFile = 4 << 20

// Load reads all sources. The Config is never nil; on an error (always *Error) it holds what could
// be read, so that a report about the settings can still be made.
func Load(opts Options) (*Config, error) {
	l := &loader{opts: opts, cfg: defaults()}
	l.personal()
	l.home()
	l.file()
	l.project()
	l.fromEnv()
	l.fromFlags()
	if len(l.faults) > 0 {
		return l.cfg, &Error{Problems: l.faults}
	}
	return l.cfg, nil
}

type loader struct {
	opts   Options
	cfg    *Config
	faults []Problem
}

func (l *loader) warn(p Problem)  { l.cfg.Warnings = append(l.cfg.Warnings, p) }
func (l *loader) fault(p Problem) { l.faults = append(l.faults, p) }

// personal makes the environment of the person: that of the process and ~/.env.
func (l *loader) personal() {
	home := map[string]value{}
	if file := l.homeEnv(); file != "" {
		src, err := readFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.warn(Problem{Code: CodeUnreadable, File: file, Got: reason(err)})
		}
		var bad []int
		home, bad = dotenv(src, file, FromHomeEnv)
		for _, line := range bad {
			l.warn(Problem{Code: CodeEnvLine, File: file, Line: line})
		}
		l.dropHome(home)
	}
	l.cfg.env.layers = []map[string]value{processEnv(l.opts.Environ), {}, home}
}

// homeEnv is the person's own .env file, "" if they have no home.
func (l *loader) homeEnv() string {
	if l.opts.UserHome == "" {
		return ""
	}
	return filepath.Join(l.opts.UserHome, ".env")
}

// dotenv makes a layer of a .env file. bad are the lines that are none of the format; they are worth
// a word in the person's own file only: that of a project is written for other programs too.
func dotenv(src, file string, source Source) (layer map[string]value, bad []int) {
	vars, bad := parseDotenv(src)
	layer = map[string]value{}
	for _, v := range vars {
		layer[variableKey(v.name)] = value{v.value, Origin{Source: source, File: file, Line: v.line, Name: v.name}}
	}
	return layer, bad
}

// dropHome takes PAICLI_HOME out of a .env file: files must not say where the settings are.
func (l *loader) dropHome(layer map[string]value) {
	if v, ok := layer[homeVar]; ok {
		l.warn(Problem{Code: CodeEnvIgnored, File: v.origin.File, Line: v.origin.Line, Key: homeVar})
		delete(layer, homeVar)
	}
}

// project puts in what came with the project, as far as it counts.
func (l *loader) project() {
	c := l.cfg
	c.Brought = l.inventory()
	e := c.entries[l.opts.Root]
	c.Trusted = len(c.Brought.Items) > 0 && (l.opts.Flags.Trust || c.Brought.Hash != "" && c.Brought.Hash == e.trust)
	l.projectEnv()
	c.Permissions.add(e.permissions)
	if c.Trusted {
		if c.Brought.settings != "" {
			file := filepath.Join(l.opts.Root, ".paicli", "config.json")
			l.source(target{Config: c, file: file, from: FromProject, rule: l.opts.Rule}, c.Brought.settings)
		}
		return
	}
	if len(c.Brought.Items) > 0 || c.Brought.TooMuch {
		p := Problem{Code: CodeUntrusted, File: l.opts.Root, Got: c.Brought.paths()}
		if e.trust != "" {
			p.Code = CodeChanged
		}
		if c.Brought.TooMuch {
			p.Code = CodeTooMuch
		}
		l.warn(p)
	}
}

// paths names the files in a message.
func (b Brought) paths() string {
	const most = 5
	var out []string
	for i, item := range b.Items {
		if i == most {
			out = append(out, "…")
			break
		}
		out = append(out, strconv.QuoteToGraphic(item.Path))
	}
	return strings.ReplaceAll(strings.Join(out, ", "), `"`, "")
}

// projectEnv puts in what counts of ./.env.
func (l *loader) projectEnv() {
	layer, _ := dotenv(l.cfg.Brought.dotenv, filepath.Join(l.opts.Root, ".env"), FromProjectEnv)
	l.dropHome(layer)
	for name, v := range layer {
		if l.opts.free(name) || l.cfg.Trusted && l.opts.needsTrust(name) {
			continue
		}
		if isSecretName(name) {
			l.cfg.env.uncounted = append(l.cfg.env.uncounted, v.text)
		}
		delete(layer, name)
	}
	l.cfg.env.layers[1] = layer
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// home finds PAICLI_HOME.
func (l *loader) home() {
	dir := l.cfg.env.layers[0][homeVar].text
	switch {
	case dir == "" && l.opts.UserHome == "":
		return // nowhere that is surely the person's own
	case dir == "":
		dir = filepath.Join(l.opts.UserHome, ".paicli")
	case !filepath.IsAbs(dir):
		dir = filepath.Join(l.opts.Root, dir)
	}
	l.cfg.Home = filepath.Clean(dir)
}

// path is the file of settings: --config, else config.json in PAICLI_HOME, else none.
func (l *loader) path() string {
	if l.opts.Flags.File != "" || l.cfg.Home == "" {
		return l.opts.Flags.File
	}
	return filepath.Join(l.cfg.Home, "config.json")
}

// readFile reads a regular file; anything else (a folder or pipe named .env) counts as not there.
func readFile(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fs.ErrNotExist
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	return string(data), err
}

// reason is an error of the file system without its verb and path.
func reason(err error) string {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
