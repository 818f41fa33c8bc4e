// Package doctor looks whether everything that a run needs is there, and says what to do where it is
// not. It is told what only its caller knows (settings, model, terminal) and looks at the rest
// itself. It changes nothing, needs no terminal, and touches the network only by the probe that it
// is given.
package doctor

import (
	"context"
	"os/exec"
	"runtime"
	"time"

	"paicli/internal/i18n"
)

// Status is the outcome of a check. The words are part of the JSON output.
type Status string

// The outcomes. Only Fail makes the report a failed one.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Check is one line of the report. Name is a stable code; Detail and Hint are worded.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`

	title i18n.Text
}

// Report is what was found. OK is false when a check failed.
type Report struct {
	OK     bool    `json:"ok"`
	Checks []Check `json:"checks"`
}

// Terminal is where the output goes, as its owner measured it.
type Terminal struct {
	TTY           bool
	Columns, Rows int
}

// Speaker is something that can word itself, such as a problem of the settings.
type Speaker interface {
	Say(lang i18n.Lang) string
}

// Settings is what became of the configuration.
type Settings struct {
	File     string // the file that was looked for
	Exists   bool
	Faults   []Speaker // what stops a run
	Warnings []Speaker
}

// Model is the model that a run would use. Missing is why there is none, worded.
type Model struct {
	Name, URL string
	Missing   string
	Hint      string
}

// Inputs are what Run is told. Getenv and Lang are needed, all else may be zero.
type Inputs struct {
	Lang     i18n.Lang
	Version  string
	Getenv   func(name string) string
	Terminal Terminal
	Home     string   // PAICLI_HOME, "" = none
	KeyVars  []string // variables with a key of a known provider that are set, never their values
	Settings Settings
	Model    Model
	// LookPath finds a program, nil = exec.LookPath.
	LookPath func(name string) (string, error)
	// Probe makes a real request to Target (a provider or address) and words what came of it. nil =
	// the network is not touched.
	Probe  func(ctx context.Context) (detail, hint string, err error)
	Target string
}

// probeTimeout bounds the probe: a server that has not answered a small question by then is as good
// as absent.
const probeTimeout = 20 * time.Second

// Run makes the report.
func Run(ctx context.Context, in Inputs) Report {
	if in.LookPath == nil {
		in.LookPath = exec.LookPath
	}
	r := Report{OK: true, Checks: []Check{
		in.version(), in.system(), in.terminal(), in.locale(), in.shell(), in.git(),
		in.home(), in.settings(), in.keys(), in.model(), in.proxy(),
	}}
	if in.Probe != nil {
		r.Checks = append(r.Checks, in.server(ctx))
	}
	for i := range r.Checks {
		c := &r.Checks[i]
		c.Detail, c.Hint = printable(c.Detail), printable(c.Hint)
		r.OK = r.OK && c.Status != Fail
	}
	return r
}

func (in Inputs) say(t i18n.Text, args ...any) string { return in.Lang.Say(t, args...) }

func (in Inputs) version() Check {
	return Check{Name: "version", Status: OK, Detail: in.Version, title: i18n.DoctorVersion}
}

func (in Inputs) system() Check {
	return Check{Name: "system", Status: OK, Detail: runtime.GOOS + "/" + runtime.GOARCH + ", " + runtime.Version(), title: i18n.DoctorSystem}
}

// server asks the one that the person named.
func (in Inputs) server(ctx context.Context) Check {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	c := Check{Name: "server", title: i18n.DoctorReachable}
	start := time.Now()
	detail, hint, err := in.Probe(ctx)
	if err != nil {
		c.Status, c.Detail, c.Hint = Fail, in.say(i18n.DoctorProbeFailed, in.Target, err), hint
		return c
	}
	c.Status, c.Hint = OK, hint
	c.Detail = in.say(i18n.DoctorAnswered, in.Target, time.Since(start).Round(time.Millisecond))
	if detail != "" {
		c.Detail += "\n" + detail
	}
	return c
}
