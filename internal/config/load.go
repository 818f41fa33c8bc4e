package config

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Flags are the settings of the command line; empty ones were not given.
type Flags struct {
	Model    string
	BaseURL  string
	Mode     string
	Lang     string
	Protocol string
	File     string // --config: read instead of config.json in PAICLI_HOME; must exist
}

// Options say where Load looks. Everything comes in here: Load reads no variable by itself.
type Options struct {
	Root     string   // the project: the working directory
	UserHome string   // the person's home, "" if there is none
	Environ  []string // NAME=value, as of os.Environ
	Flags    Flags
	// ProviderKey reports whether a variable is the key of a known provider. Only those (and
	// PAICLI_MODEL) count in ./.env. nil = none.
	ProviderKey func(name string) bool
}

// maxFile bounds the size of a file of settings.
const maxFile = 4 << 20

// Load reads all sources. The Config is never nil; on an error (always *Error) it holds what could
// be read, so that a report about the settings can still be made.
func Load(opts Options) (*Config, error) {
	l := &loader{opts: opts, cfg: defaults()}
	l.variables()
	l.home()
	l.file()
	l.untrusted()
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

// variables makes the merged environment.
func (l *loader) variables() {
	home, project := map[string]value{}, map[string]value{}
	homeFile, projectFile := "", filepath.Join(l.opts.Root, ".env")
	if l.opts.UserHome != "" {
		homeFile = filepath.Join(l.opts.UserHome, ".env")
		home = l.dotenv(homeFile, FromHomeEnv)
	}
	if !sameFile(homeFile, projectFile) {
		project = l.projectEnv(projectFile)
	}
	l.cfg.env.layers = []map[string]value{processEnv(l.opts.Environ), project, home}
}

// projectEnv keeps what counts of ./.env.
func (l *loader) projectEnv(file string) map[string]value {
	layer := l.dotenv(file, FromProjectEnv)
	byLine := slices.SortedFunc(maps.Keys(layer), func(a, b string) int {
		return layer[a].origin.Line - layer[b].origin.Line
	})
	for _, name := range byLine {
		v := layer[name]
		if name == "PAICLI_MODEL" || l.opts.ProviderKey != nil && l.opts.ProviderKey(name) {
			continue
		}
		if isSecretName(name) {
			l.cfg.env.uncounted = append(l.cfg.env.uncounted, v.text)
		}
		if strings.HasPrefix(name, "PAICLI_") {
			l.warn(Problem{Code: CodeEnvIgnored, File: file, Line: v.origin.Line, Key: name})
		}
		delete(layer, name)
	}
	return layer
}

// dotenv reads a .env file. Lines that are none of the format are reported for the person's own file
// only: that of a project is written for other programs too.
func (l *loader) dotenv(file string, source Source) map[string]value {
	layer := map[string]value{}
	src, err := readFile(file)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && source == FromHomeEnv {
			l.warn(Problem{Code: CodeUnreadable, File: file, Got: reason(err)})
		}
		return layer
	}
	vars, bad := parseDotenv(src)
	for _, v := range vars {
		layer[variableKey(v.name)] = value{v.value, Origin{Source: source, File: file, Line: v.line, Name: v.name}}
	}
	if source == FromHomeEnv {
		for _, line := range bad {
			l.warn(Problem{Code: CodeEnvLine, File: file, Line: line})
		}
	}
	return layer
}

// home finds PAICLI_HOME.
func (l *loader) home() {
	dir := l.cfg.env.layers[0][variableKey("PAICLI_HOME")].text
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

// untrusted warns of settings that the project brought along.
func (l *loader) untrusted() {
	dir := filepath.Join(l.opts.Root, ".paicli")
	file := filepath.Join(dir, "config.json")
	if _, err := os.Stat(file); err != nil || sameFile(dir, l.cfg.Home) {
		return
	}
	l.warn(Problem{Code: CodeUntrusted, File: file})
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
