package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"paicli/agent"
	"paicli/internal/app"
	"paicli/internal/config"
	"paicli/internal/headless"
	"paicli/internal/i18n"
	"paicli/internal/term"
	"paicli/llm/catalog"
	"paicli/session"
)

// runPrompt is the main job: one turn with the prompt of the command line.
func (p *program) runPrompt(cmd *cobra.Command, args []string) error {
	if p.flags.version {
		return p.printVersion()
	}
	if err := p.flags.check(cmd); err != nil {
		return err
	}
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if p.atTerminal() {
		if cfg, err = p.askTrust(cfg); err != nil {
			return err
		}
	}
	p.warn(cfg)
	root, err := p.flags.dirOf()
	if err != nil {
		return err
	}
	text := ""
	if p.atTerminal() {
		return p.interactive(cfg, root, strings.Join(args, " "))
	}
	if p.flags.inputFormat == "text" {
		if text, err = p.prompt(args); err != nil {
			return err
		}
	}
	opts, err := p.options(cfg, root)
	if err != nil {
		return err
	}
	return p.turn(opts, text)
}

// options gathers what the flags say about the product.
func (p *program) options(cfg *config.Config, root string) (app.Options, error) {
	f := &p.flags
	so, err := p.sessionOptions(root)
	var schema json.RawMessage
	if f.schema != "" {
		schema = json.RawMessage(f.schema)
	}
	return app.Options{
		Schema: schema,
		Config: cfg, Root: root, Version: version, Environ: os.Environ(),
		Tools: f.tools, NoTools: f.noTools, Session: so, Named: f.model != "", ModeNamed: f.mode != "",
		Limits:   app.Limits{Steps: f.maxSteps, Tokens: f.tokens, Cost: f.cost, Time: f.timeout},
		Attended: f.inputFormat == "stream-json", AuditFailed: p.auditFailed,
	}, err
}

// turn wires the product, runs one turn (or one for each message on stdin) and draws it.
func (p *program) turn(opts app.Options, text string) error {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	a, err := app.New(opts)
	if err != nil {
		return p.explainSetup(ctx, opts, err)
	}
	defer a.Close()
	p.notes(a)
	var answer strings.Builder
	drawing := p.drawing(a, opts.Root, a.Mode())
	drawing.Answer = &answer
	if p.flags.inputFormat == "stream-json" {
		p.code, err = headless.RunInput(ctx, a.Conv, p.in, drawing)
	} else {
		p.code, err = headless.Run(ctx, a.Conv, agent.Prompt{Text: text}, drawing)
	}
	if err != nil || p.flags.outFile == "" {
		return err
	}
	if err := os.WriteFile(p.flags.outFile, []byte(answer.String()), 0o644); err != nil {
		return misuse(i18n.ArgWriteFile, p.flags.outFile, reason(err))
	}
	return nil
}

// drawing says how the turn is shown.
func (p *program) drawing(a *app.App, root, mode string) headless.Options {
	return headless.Options{
		Format: headless.Format(p.flags.outputFormat), Partial: p.flags.partial,
		Out: p.out, Err: p.err, Structured: p.flags.schema != "",
		Lang: p.lang(), Quiet: p.flags.quiet, Verbose: p.flags.verbose, ASCII: !utf8Locale(os.Getenv),
		Session: headless.Session{
			ID: a.Log.ID(), Root: root, Model: a.Choice.Entry.Info.Name(), Tools: a.Tools, Mode: mode, Version: version,
		},
		After:   a.Log.Head(),
		Explain: p.explain,
	}
}

// notes tells on stderr, once, what the person should know before the turn begins.
func (p *program) notes(a *app.App) {
	if a.LogErr != nil {
		why := reason(a.LogErr)
		if errors.Is(a.LogErr, app.ErrNoHome) {
			why = p.lang().Say(i18n.SetupNoHome)
		}
		p.note(i18n.NoteNoSessionLog, why)
	}
	if r := a.Loaded; len(r.Damaged) > 0 {
		p.note(i18n.SessionDamaged, len(r.Damaged))
	}
	if r := a.Loaded; r.Cut > 0 {
		p.note(i18n.SessionCut, r.Cut)
	}
	if r := a.Loaded; r.Repaired > 0 {
		p.note(i18n.SessionRepaired, r.Repaired)
	}
}

func (p *program) note(t i18n.Text, args ...any) {
	fmt.Fprintf(p.err, "paicli: %s\n", term.Printable(p.lang().Say(t, args...), true))
}

// explain words a failed model call. visible says that a part of the answer had been received.
func (p *program) explain(f *session.Failure, visible bool) (what, hint string) {
	words := i18n.Failure{
		Kind: string(f.Kind), Status: f.Status, Detail: f.Detail, URL: f.URL,
		RetryAfter: time.Duration(f.RetryAfter) * time.Millisecond, Now: time.Now(),
		KeyVars: []string{"PAICLI_API_KEY"}, ProxyVar: proxyVar(f.URL), Visible: visible,
	}
	if provider, err := catalog.Find(f.Provider); err == nil {
		words.Provider = provider.Name
		if len(provider.Keys) > 0 {
			words.KeyVars, words.KeyURL = provider.Keys, provider.Console
		}
	}
	return p.lang().Failure(words)
}

// proxyVar names the variable whose proxy a request to the address goes through.
func proxyVar(address string) string {
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return ""
	}
	if u, err := http.ProxyFromEnvironment(req); err != nil || u == nil {
		return ""
	}
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if os.Getenv(name) != "" && strings.EqualFold(name[:strings.IndexByte(name, '_')], req.URL.Scheme) {
			return name
		}
	}
	return ""
}

// explainSetup words the errors of a product that could not be wired. When nothing is configured,
// local servers that answer are offered.
func (p *program) explainSetup(ctx context.Context, opts app.Options, err error) error {
	var badSchema *app.SchemaError
	if errors.As(err, &badSchema) {
		return misuse(i18n.ArgBadSchema, badSchema.Err.Error())
	}
	var unknownTool *app.UnknownToolError
	if errors.As(err, &unknownTool) {
		return misuse(i18n.ArgUnknownTool, unknownTool.Name, strings.Join(unknownTool.Known, ", "))
	}
	var noPrice *app.NoPriceError
	if errors.As(err, &noPrice) {
		return &setupError{p.lang().Say(i18n.NoPrice, noPrice.Model), p.lang().Say(i18n.NoPriceHint)}
	}
	var none *app.NoModelError
	if !errors.As(err, &none) {
		return p.sessionError(opts.Session.Resume, err)
	}
	setup := p.noModel(none)
	if none.Code == app.NoProvider {
		setup.hint = p.offerLocal(ctx) + setup.hint
	}
	return setup
}

// noModel words why no model could be chosen, and what to do.
func (p *program) noModel(none *app.NoModelError) *setupError {
	lang := p.lang()
	switch none.Code {
	case app.NoKey:
		vars := strings.Join(none.KeyVars, " / ")
		return &setupError{lang.Say(i18n.SetupNoKey, none.Name, vars), lang.Say(i18n.SetupKeyHint, none.Console, none.KeyVars[0])}
	case app.NoModelName:
		return &setupError{lang.Say(i18n.SetupNoModel, none.Name), lang.Say(i18n.SetupModelHint)}
	case app.NoProtocol:
		return &setupError{lang.Say(i18n.ArgOneOf, "protocol", none.Name, "openai"), ""}
	case app.UnknownProvider:
		hint := lang.Say(i18n.SetupProvidersHint)
		if none.Nearest != "" {
			hint = lang.Say(i18n.ArgDidYouMean, none.Nearest)
		}
		return &setupError{lang.Say(i18n.SetupUnknownProvider, none.Name), hint}
	}
	return &setupError{lang.Say(i18n.SetupNoProvider), lang.Say(i18n.SetupWays, "GLM_API_KEY, KIMI_API_KEY, DASHSCOPE_API_KEY …")}
}

// offerLocal names the local servers that answer, each with the command that uses it.
func (p *program) offerLocal(ctx context.Context) string {
	var b strings.Builder
	for _, s := range catalog.Local(ctx, nil) {
		fmt.Fprintln(&b, p.lang().Say(i18n.SetupLocal, s.Provider.Name, s.BaseURL, s.Models[0]))
	}
	return b.String()
}

// serverError words a failed question to a server outside of a turn.
func (p *program) serverError(err error) error {
	what, hint := p.explain(agent.Failure(err), false)
	return &setupError{what, hint}
}

// untilSignal ends the context at the first signal that asks the program to stop, with the exit code
// as its cause. A second signal ends the program at once.
func untilSignal(parent context.Context) (context.Context, func()) {
	return untilOneOf(parent, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

func untilOneOf(parent context.Context, signals ...os.Signal) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, signals...)
	go func() {
		select {
		case s := <-ch:
			signal.Stop(ch)
			code := 130
			switch s {
			case syscall.SIGTERM:
				code = 143
			case syscall.SIGHUP:
				code = 129
			}
			cancel(&headless.ExitCause{Code: code, Name: s.String()})
		case <-ctx.Done():
			signal.Stop(ch)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// utf8Locale reports whether the locale promises that characters beyond ASCII can be shown.
func utf8Locale(getenv func(string) string) bool {
	if getenv("TERM") == "dumb" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}
