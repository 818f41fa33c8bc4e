package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"paicli/agent"
	"paicli/internal/config"
	"paicli/internal/effect"
	"paicli/internal/fsx"
	"paicli/internal/permission"
	"paicli/internal/secret"
	"paicli/llm"
	"paicli/llm/catalog"
	"paicli/tool"
)

// newPolicy makes what all gates of the session judge by.
func (a *App) newPolicy(mode func() string) (*permission.Policy, error) {
	cfg := a.opts.Config
	rules, err := rulesOf(cfg.Permissions)
	if err != nil {
		return nil, err
	}
	known := secret.New(cfg.Secrets())
	o := permission.Options{
		Mode:   func() permission.Mode { return permission.Mode(mode()) },
		Rules:  rules,
		Place:  effect.Place{Dir: a.opts.Root, Home: userHome(a.opts.Environ)},
		Scrub:  func(s string) string { return secret.Redact(known.Text(s)) },
		Script: a.script,
	}
	if a.root != nil {
		o.Place.Dir, o.Place.Where = a.root.Dir(), a.where
	}
	if cfg.File != "" {
		o.Keep = a.keepRules
	}
	return permission.New(o), nil
}

// where is the kind of place that a path leads to. What cannot be followed is not in the project.
func (a *App) where(abs string) effect.Where {
	_, w, err := a.root.Where(abs)
	switch {
	case err != nil || w == fsx.Outside:
		return effect.Outside
	case w == fsx.Secret:
		return effect.Secret
	case w == fsx.Protected:
		return effect.Protected
	}
	return effect.Inside
}

// rulesOf reads the rules of the settings.
func rulesOf(texts config.Permissions) (rules permission.Rules, err error) {
	for _, list := range []struct {
		from []config.Rule
		to   *[]permission.Rule
	}{{texts.Allow, &rules.Allow}, {texts.Ask, &rules.Ask}, {texts.Deny, &rules.Deny}} {
		for _, r := range list.from {
			parsed, err := permission.ParseRule(r.Text)
			if err != nil {
				return rules, fmt.Errorf("read rule %s: %w", r.Text, err)
			}
			*list.to = append(*list.to, parsed)
		}
	}
	return rules, nil
}

// keepRules stores what a person allowed for good, in their own settings and for this project.
func (a *App) keepRules(rules []string) error {
	for _, r := range rules {
		if err := config.AddRule(a.opts.Config.File, a.opts.Root, "allow", r); err != nil {
			return err
		}
	}
	return nil
}

// userHome is the person's home directory, "" when the environment does not say.
func userHome(environ []string) string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	for _, v := range environ {
		if dir, ok := strings.CutPrefix(v, name+"="); ok && filepath.IsAbs(dir) {
			return filepath.Clean(dir)
		}
	}
	return ""
}

// maxScriptBytes bounds what is read of a script that a command would run.
const maxScriptBytes = 64 << 10

// script is the text of a file of the project that a command would run.
func (a *App) script(path string) (text string, ok bool) {
	if a.root == nil {
		return "", false
	}
	p, err := a.root.Resolve(path, fsx.Read)
	if err != nil {
		return "", false
	}
	f, err := a.root.Open(p)
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxScriptBytes))
	if err != nil || !utf8.Valid(data) || strings.IndexByte(string(data), 0) >= 0 {
		return "", false
	}
	return string(data), true
}

// reviewer is the model that reviews in auto mode: that of the turn, or the one that the settings name,
// of the same provider unless the name says another.
func (a *App) reviewer(c Choice, own llm.Model) (llm.Model, error) {
	name := a.opts.Config.Classifier
	if name == "" {
		return own, nil
	}
	cfg := *a.opts.Config
	cfg.Model = name
	if provider, _ := catalog.Split(name); provider == "" && cfg.BaseURL == "" && c.Entry.Provider != nil {
		cfg.Model = c.Entry.Provider.ID + "/" + name
	}
	choice, err := Choose(&cfg)
	if err != nil {
		return nil, err
	}
	return a.model(choice), nil
}

// Inspector says what the policy would say. It needs no model, keeps no session and runs nothing.
type Inspector struct {
	app    App
	policy *permission.Policy
}

// NewInspector wires it. Its errors are those of NewServer.
func NewInspector(opts Options) (*Inspector, error) {
	in := &Inspector{app: App{opts: opts}}
	var err error
	if in.app.root, err = fsx.Open(opts.Root, fsx.Options{Home: opts.Config.Home}); err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	in.app.jobs = in.app.background()
	in.app.tools = tool.All(tool.Options{Root: in.app.root, Jobs: in.app.jobs})
	in.policy, err = in.app.newPolicy(func() string { return opts.Config.Mode })
	return in, err
}

// Close releases what it holds.
func (in *Inspector) Close() {
	in.app.jobs.Close()
	in.app.root.Close()
}

// Command judges a command line.
func (in *Inspector) Command(line string) permission.Report {
	return in.policy.Report("execute_command", []agent.Access{{Verb: agent.VerbRun, Target: line}})
}

// URL judges an address.
func (in *Inspector) URL(address string) permission.Report { return in.policy.ReportURL(address) }

// Path judges reading or writing a file. The error says why no file tool takes the path.
func (in *Inspector) Path(path string, write bool) (permission.Report, error) {
	name, use, verb := "read_file", fsx.Read, agent.VerbRead
	if write {
		name, use, verb = "write_file", fsx.Write, agent.VerbWrite
	}
	p, err := in.app.root.Resolve(path, use)
	if err != nil {
		return permission.Report{}, err
	}
	return in.policy.Report(name, []agent.Access{{Verb: verb, Target: p.Rel}}), nil
}

// Tool judges a call of a tool. The error says why the tool does not take the arguments, or is an
// *UnknownToolError.
func (in *Inspector) Tool(ctx context.Context, name string, args json.RawMessage) (permission.Report, error) {
	if strings.HasPrefix(name, "mcp__") {
		return in.policy.Report(name, nil), nil
	}
	var known []string
	for _, t := range in.app.tools {
		if known = append(known, t.Spec().Name); t.Spec().Name != name {
			continue
		}
		intent, err := t.Intent(ctx, args)
		if err != nil {
			return permission.Report{}, err
		}
		return in.policy.Report(name, intent.Access), nil
	}
	return permission.Report{}, &UnknownToolError{Name: name, Known: known}
}
