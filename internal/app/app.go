// Package app is the only wiring: it makes a conversation out of settings. Reading it tells what the
// product is made of.
//
//	settings ─► model:  openai wire ◄─ Meter ◄─ Retry
//	         ─► tools, gates, guards ─► agent.Agent ─► agent.Conv ◄─► front end
//	         ─► session log
package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"paicli/agent"
	"paicli/internal/config"
	"paicli/internal/fsx"
	"paicli/internal/permission"
	"paicli/internal/prompt"
	"paicli/internal/shell"
	"paicli/llm"
	"paicli/llm/catalog"
	"paicli/session"
	"paicli/tool"
)

// Options of an App.
type Options struct {
	Config    *config.Config
	Root      string // project root, absolute, without links
	Version   string
	Environ   []string // of the process; children get it without secrets
	Tools     []string // names of the tools to offer; nil = all
	NoTools   bool
	NoSession bool // keep the session in memory
	MaxSteps  int  // 0 = no limit
}

// App is a wired product: one conversation with one model.
type App struct {
	Conv   *agent.Conv
	Log    *session.Log
	Choice Choice
	Tools  []string
	// LogErr says why the session is kept in memory only; nil when it has a file or none was
	// wanted.
	LogErr error
}

// ErrNoHome says that there is no folder of the person's own to keep a session in.
var ErrNoHome = errors.New("no_home")

// UnknownToolError names a tool that does not exist and those that do.
type UnknownToolError struct {
	Name  string
	Known []string
}

func (e *UnknownToolError) Error() string { return fmt.Sprintf("unknown tool %q", e.Name) }

// New wires the product. Errors are *NoModelError, *UnknownToolError, or what the system says.
func New(opts Options) (*App, error) {
	choice, err := Choose(opts.Config)
	if err != nil {
		return nil, err
	}
	tools, err := offered(opts)
	if err != nil {
		return nil, err
	}
	a := &App{Choice: choice}
	for _, t := range tools {
		a.Tools = append(a.Tools, t.Spec().Name)
	}
	if err := a.openLog(opts); err != nil {
		return nil, err
	}
	model := llm.Retry(llm.RetryOptions{})(llm.Meter(agent.Meter(a.Log), time.Now)(choice.client(opts)))
	ag := &agent.Agent{
		Model:    model,
		System:   prompt.System(),
		Tools:    tools,
		Gates:    []agent.Gate{permission.Floor(), permission.AllowAll()},
		Thinking: choice.thinking,
	}
	if opts.MaxSteps > 0 {
		ag.Guards = append(ag.Guards, agent.MaxSteps(opts.MaxSteps))
	}
	a.Conv = agent.NewConv(a.Log, func(session.State) (*agent.Agent, error) { return ag, nil }, agent.ConvOptions{
		Intro: func() string {
			return prompt.Note(prompt.Place{Root: opts.Root, OS: runtime.GOOS, Now: time.Now()})
		},
	})
	return a, nil
}

// Close ends a running turn and the session.
func (a *App) Close() error { return a.Conv.Close() }

// openLog starts the session. Where no file can be had, it is kept in memory: a full disk or a
// read-only home is no reason not to work.
func (a *App) openLog(opts Options) (err error) {
	so := session.Options{Root: opts.Root, Version: opts.Version, Scrub: scrubber(opts.Config.Secrets())}
	if !opts.NoSession {
		if opts.Config.Home == "" {
			a.LogErr = ErrNoHome
		} else {
			so.Dir = filepath.Join(opts.Config.Home, "sessions")
		}
	}
	if a.Log, err = session.Create(so); err != nil && so.Dir != "" {
		a.LogErr = err
		so.Dir = ""
		a.Log, err = session.Create(so)
	}
	return err
}

// offered are the built-in tools, as far as they are wanted.
func offered(opts Options) ([]agent.Tool, error) {
	if opts.NoTools {
		return nil, nil
	}
	root, err := fsx.Open(opts.Root, fsx.Options{Home: opts.Config.Home})
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	all := tool.All(tool.Options{Root: root, Env: childEnv(opts)})
	if opts.Tools == nil {
		return all, nil
	}
	var known []string
	for _, t := range all {
		known = append(known, t.Spec().Name)
	}
	for _, name := range opts.Tools {
		if !slices.Contains(known, name) {
			return nil, &UnknownToolError{Name: name, Known: known}
		}
	}
	return slices.DeleteFunc(all, func(t agent.Tool) bool { return !slices.Contains(opts.Tools, t.Spec().Name) }), nil
}

// childEnv is the environment of commands: without secrets by name, without our own keys and anything
// that repeats their values, but with what env_allow names.
func childEnv(opts Options) []string {
	deny := slices.Concat(opts.Config.EnvDeny, []string{"PAICLI_API_KEY"})
	for _, p := range catalog.Providers() {
		deny = append(deny, p.Keys...)
	}
	secrets := opts.Config.Secrets()
	env := slices.DeleteFunc(shell.Environ(opts.Environ, deny), func(line string) bool {
		_, value, _ := strings.Cut(line, "=")
		return slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(value, s) })
	})
	for _, line := range opts.Environ {
		if name, _, ok := strings.Cut(line, "="); ok && slices.Contains(opts.Config.EnvAllow, name) && !slices.Contains(deny, name) {
			env = append(env, line)
		}
	}
	return env
}

// scrubber takes secrets out of a line of the log: as they are, and as JSON writes them.
func scrubber(secrets []string) func([]byte) []byte {
	var needles [][]byte
	for _, s := range secrets {
		needles = append(needles, []byte(s))
		if quoted, err := json.Marshal(s); err == nil && !bytes.Equal(quoted[1:len(quoted)-1], []byte(s)) {
			needles = append(needles, quoted[1:len(quoted)-1])
		}
	}
	return func(line []byte) []byte {
		for _, n := range needles {
			if bytes.Contains(line, n) {
				line = bytes.ReplaceAll(line, n, []byte("[secret]"))
			}
		}
		return line
	}
}
