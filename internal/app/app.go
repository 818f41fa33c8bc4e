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
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"paicli/agent"
	"paicli/internal/artifact"
	"paicli/internal/audit"
	"paicli/internal/config"
	"paicli/internal/fsx"
	"paicli/internal/permission"
	"paicli/internal/prompt"
	"paicli/internal/secret"
	"paicli/internal/shell"
	"paicli/llm"
	"paicli/llm/catalog"
	"paicli/session"
	"paicli/tool"
)

// Options of an App.
type Options struct {
	Config   *config.Config
	Root     string // project root, absolute, without links
	Version  string
	Environ  []string // of the process; children get it without secrets
	Tools    []string // names of the tools to offer; nil = all
	NoTools  bool
	Session  SessionOptions
	Limits   Limits
	Attended bool // somebody is there to answer questions
	Named    bool // the model was named for this run: it wins over that of a resumed session
	// ModeNamed says so of the permission mode.
	ModeNamed bool
	// Schema, when set, is the JSON schema that the answer of each turn must fit.
	Schema json.RawMessage
	// AuditFailed gets the first error of writing the audit log, from another goroutine; nil: nobody.
	AuditFailed func(error)
}

// SessionOptions say which session the conversation goes on with; the zero value begins a new one.
type SessionOptions struct {
	None   bool   // keep it in memory
	Resume string // id of the session to go on with
	Fork   bool   // go on with a copy of it
}

// Limits of a turn; zero means none.
type Limits struct {
	Steps  int
	Tokens int
	Cost   float64 // in the currency of the model's price
	Time   time.Duration
}

// App is a wired product: one conversation with one model.
type App struct {
	Conv   *agent.Conv
	Log    *session.Log
	Loaded session.Report // what resuming a session found
	Choice Choice
	Tools  []string
	// LogErr says why the session is kept in memory only; nil when it has a file or none was
	// wanted.
	LogErr error

	opts  Options
	root  *fsx.Root // nil without tools
	tools []agent.Tool
	wraps []agent.Wrap
	jobs  *tool.Jobs
	// policy is what the gates of every agent judge by.
	policy *permission.Policy
	made   map[string]*agent.Agent // by the setting that chose the model

	outputs *artifact.Store // nil when long outputs are not kept
	audit   *audit.Follower // nil without a home
	images  atomic.Bool     // the model of the turn takes images
	served  bool            // the tools are for other programs
	tidy    sync.WaitGroup  // removes what a killed process left of its writes
}

// ErrNoHome says that there is no folder of the person's own to keep a session in.
var ErrNoHome = errors.New("no_home")

// UnknownToolError names a tool that does not exist and those that do.
type UnknownToolError struct {
	Name  string
	Known []string
}

func (e *UnknownToolError) Error() string { return fmt.Sprintf("unknown tool %q", e.Name) }

// NoPriceError refuses a cost limit for a model whose price is not known: nothing could watch it.
type NoPriceError struct{ Model string }

func (e *NoPriceError) Error() string { return fmt.Sprintf("no price known for %s", e.Model) }

// SchemaError refuses a schema that cannot be used.
type SchemaError struct{ Err error }

func (e *SchemaError) Error() string { return fmt.Sprintf("answer schema: %v", e.Err) }
func (e *SchemaError) Unwrap() error { return e.Err }

// New wires the product. Errors are *NoModelError, *UnknownToolError, *NoPriceError, *SchemaError, those of
// session.Open for a session that cannot be resumed, or what the system says.
func New(opts Options) (*App, error) {
	a := &App{opts: opts, made: make(map[string]*agent.Agent)}
	if err := a.offer(); err != nil {
		return nil, err
	}
	if err := a.chooseModel(); err != nil {
		return nil, err
	}
	if err := a.openLog(); err != nil {
		return nil, err
	}
	a.wraps = a.around()
	a.record()
	if _, err := a.setup(a.Log.State()); err != nil {
		a.Log.Close()
		a.recorded()
		return nil, err
	}
	a.Conv = agent.NewConv(a.Log, a.setup, agent.ConvOptions{
		Attended: opts.Attended,
		Mode:     a.modeNote,
		Intro: func() string {
			return prompt.Note(prompt.Place{Root: opts.Root, OS: runtime.GOOS, Now: time.Now(), Schema: string(opts.Schema)})
		},
	})
	if err := a.nameMode(); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// chooseModel finds the model before anything is written, so that a run without one leaves no
// session behind. Only a resumed session may bring its own.
func (a *App) chooseModel() error {
	c, err := Choose(a.opts.Config)
	if err != nil && a.opts.Session.Resume == "" {
		return err
	}
	a.Choice = c
	return nil
}

// setup makes the agent of a turn: the one of the last turn, unless the model was changed.
func (a *App) setup(state session.State) (*agent.Agent, error) {
	wish := a.wish(state)
	if ag := a.made[wish]; ag != nil {
		a.images.Store(ag.Model.Info().Images)
		return ag, nil
	}
	cfg := *a.opts.Config
	if wish != "" {
		cfg.Model = wish
	}
	c, err := Choose(&cfg)
	if err != nil && wish != "" && state.Settings["model"] == "" {
		c, err = Choose(a.opts.Config) // the session's model is not to be had here any more
	}
	if err != nil {
		return nil, err
	}
	if a.opts.Limits.Cost > 0 && c.Entry.Info.Prices == nil {
		return nil, &NoPriceError{Model: c.Entry.Info.Name()}
	}
	ag, err := a.agent(c)
	if err != nil {
		return nil, err
	}
	a.Choice = c
	a.images.Store(c.Entry.Info.Images)
	a.made[wish] = ag
	return ag, nil
}

// wish is the model that the session asks for: its setting, or, when it goes on and no other was
// named, the one it used last. Empty means that of the settings.
func (a *App) wish(state session.State) string {
	if m := state.Settings["model"]; m != "" {
		return m
	}
	if state.Configured != nil && a.opts.Session.Resume != "" && !a.opts.Named {
		return state.Configured.Model
	}
	return ""
}

// agent is the one place that says what a turn runs with.
func (a *App) agent(c Choice) (*agent.Agent, error) {
	model := a.model(c)
	reviewer, err := a.reviewer(c, model)
	if err != nil {
		return nil, err
	}
	guards, err := a.guards()
	if err != nil {
		return nil, err
	}
	return &agent.Agent{
		Model:    tactful{model, secret.New(a.opts.Config.Secrets())},
		System:   prompt.System(),
		Tools:    a.tools,
		Gates:    a.policy.Gates(reviewer),
		Wraps:    a.wraps,
		Guards:   guards,
		Thinking: c.thinking,
		Limits:   agent.Limits{Time: a.opts.Limits.Time},
	}, nil
}

// guards watch each turn.
func (a *App) guards() ([]agent.Guard, error) {
	limits, guards := a.opts.Limits, []agent.Guard{agent.Runaway}
	if a.opts.Schema != nil {
		guard, err := agent.AnswerSchema(a.opts.Schema)
		if err != nil {
			return nil, &SchemaError{err}
		}
		guards = append(guards, guard)
	}
	if limits.Steps > 0 {
		guards = append(guards, agent.MaxSteps(limits.Steps))
	}
	if limits.Tokens > 0 {
		guards = append(guards, agent.TokenBudget(limits.Tokens))
	}
	if limits.Cost > 0 {
		guards = append(guards, agent.MaxCost(limits.Cost))
	}
	return guards, nil
}

// model is the way to a model: every request is metered, and made again where that may help.
func (a *App) model(c Choice) llm.Model {
	return llm.Retry(llm.RetryOptions{})(llm.Meter(agent.Meter(a.Log), time.Now)(c.client(a.opts)))
}

// around are the wraps of the session, outermost first.
func (a *App) around() []agent.Wrap {
	cfg := a.opts.Config
	known := secret.New(cfg.Secrets())
	if cfg.Offload.Off || a.root == nil {
		return []agent.Wrap{discreet(known)}
	}
	a.outputs = artifact.New(artifact.Options{
		Root: a.root, Session: a.Log.ID(), Limit: cfg.Offload.Threshold, Secrets: known,
	})
	return []agent.Wrap{a.outputs.Wrap(), discreet(known)}
}

// errNoOutputs says that outputs are not kept in files.
var errNoOutputs = errors.New("no_outputs")

// background makes the list of commands that run in the background. It is made before the session is
// known, which they are kept and told in.
func (a *App) background() *tool.Jobs {
	return tool.NewJobs(tool.JobsOptions{
		News: func(text string) {
			if a.Conv != nil { // the server has none
				// The log is over, or ends the turn at its next append.
				_ = a.Conv.Note(text)
			}
		},
		Keep: func(name string) (io.WriteCloser, string, error) {
			if a.outputs == nil {
				return nil, "", errNoOutputs
			}
			return a.outputs.Open(name)
		},
	})
}

// Close ends a running turn, what runs in the background and the session.
func (a *App) Close() error {
	err := a.Conv.Close()
	a.jobs.Close()
	a.recorded()
	a.tidy.Wait()
	return err
}

// SessionDir is where the sessions are kept, "" when there is no home.
func SessionDir(cfg *config.Config) string {
	if cfg.Home == "" {
		return ""
	}
	return filepath.Join(cfg.Home, "sessions")
}

// openLog starts or resumes the session. Where no file can be had for a new one, it is kept in
// memory: a full disk or a read-only home is no reason not to work.
func (a *App) openLog() (err error) {
	so := session.Options{
		Root: a.opts.Root, Version: a.opts.Version, Dir: SessionDir(a.opts.Config),
		Scrub: scrubber(a.opts.Config.Secrets()), Frame: agent.Frame,
	}
	want := a.opts.Session
	switch {
	case want.Resume != "" && want.Fork:
		a.Log, a.Loaded, err = session.Fork(want.Resume, so)
		return err
	case want.Resume != "":
		a.Log, a.Loaded, err = session.Open(want.Resume, so)
		return err
	case want.None:
		so.Dir = ""
	case so.Dir == "":
		a.LogErr = ErrNoHome
	}
	if a.Log, err = session.Create(so); err != nil && so.Dir != "" {
		a.LogErr = err
		so.Dir = ""
		a.Log, err = session.Create(so)
	}
	return err
}

// offer takes the tools that are wanted, and makes what judges them.
func (a *App) offer() (err error) {
	a.jobs = a.background()
	if a.opts.NoTools {
		a.policy, err = a.newPolicy(a.Mode)
		return err
	}
	if a.root, err = fsx.Open(a.opts.Root, fsx.Options{Home: a.opts.Config.Home}); err != nil {
		return fmt.Errorf("open project: %w", err)
	}
	if a.policy, err = a.newPolicy(a.Mode); err != nil {
		return err
	}
	a.tidy.Go(a.root.Sweep) // beside the first request; Close waits for it
	a.tools, err = offered(a.opts, tool.Options{
		Root: a.root, Env: childEnv(a.opts), Images: a.images.Load, Jobs: a.jobs, Kept: a.kept,
		Mode: a.Mode, SetMode: a.setMode, Mute: a.served, Denied: a.policy.DeniesRead(),
	})
	for _, t := range a.tools {
		a.Tools = append(a.Tools, t.Spec().Name)
	}
	return err
}

// kept is what the session has kept of the files that its model knows. The tools are made before the
// session is known and ask later.
func (a *App) kept() tool.Kept {
	scrub := scrubber(a.opts.Config.Secrets())
	return tool.Kept{
		Seen: a.Log.State().Seen, Bases: a.Log.Bases(),
		Secret: func(content []byte) bool { return !bytes.Equal(scrub(content), content) },
	}
}

// offered are the built-in tools, as far as they are wanted.
func offered(opts Options, with tool.Options) ([]agent.Tool, error) {
	all := tool.All(with)
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

// childEnv is the environment of commands. Our own keys are never in it; env_deny and env_allow say
// what else goes and what stays.
func childEnv(opts Options) []string {
	deny := slices.Concat(opts.Config.EnvDeny, []string{"PAICLI_API_KEY"})
	for _, p := range catalog.Providers() {
		deny = append(deny, p.Keys...)
	}
	return shell.Environ(opts.Environ, shell.EnvRules{
		Allow: opts.Config.EnvAllow, Deny: deny, Values: opts.Config.Secrets(),
	})
}
