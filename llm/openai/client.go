// Package openai is the client for the Chat Completions protocol in all the dialects of the servers
// that speak it. It always streams. What a server needs to be different is data, in llm/catalog;
// this package knows no provider by name.
//
//	llm.Request ─► past (arrange, builder) ─► HTTP ─► sse ─► turn (chunks, dialect) ─► deltas, llm.Reply
//	                             ▲               │
//	                             └── learned ◄───┴─ fault ─► *llm.Error
//
// It does not repeat failed requests, except once with what an error told it to change: a refused
// field left out, the other name of a limit, /v1 after a bare host.
package openai

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"net/http"
	"sync"
	"time"

	"paicli/llm"
	"paicli/llm/catalog"
	"paicli/llm/internal/fault"
	"paicli/llm/internal/sse"
)

// Options configure a Client. The zero value of each field but BaseURL and Model is a default.
type Options struct {
	BaseURL      string
	Key          string // sent as a bearer token, "" = none
	Model        string // "" = Info.Model
	Info         llm.Info
	Quirks       catalog.Quirks
	HTTP         *http.Client     // nil = a transport of its own: proxy and SSL_CERT_FILE from the environment
	IdleTimeout  time.Duration    // longest silence of the server, 120 s
	EventTimeout time.Duration    // longest time without an event, keep-alives not counted, 10 min
	NewID        func() string    // makes ids for calls that came without, nil = random ones
	Now          func() time.Time // time.Now
	UserAgent    string           // "paicli"
}

// The waits that Options leaves open. A model on this machine may have to be loaded before its
// server says anything, so that the event limit holds there from the start.
const (
	idleTimeout  = 120 * time.Second
	eventTimeout = 10 * time.Minute
)

// maxChanges bounds how often one call is sent again with a change.
const maxChanges = 3

// Client is one model on one server. It may be used by several goroutines at a time.
type Client struct {
	opts    Options
	base    endpoint
	baseErr error
	http    *http.Client
	secrets fault.Secrets

	past past

	mu    sync.Mutex
	known learned
}

// New makes a client. A bad base URL is reported by the first call.
func New(opts Options) *Client {
	opts.Model = cmp.Or(opts.Model, opts.Info.Model)
	opts.Info.Model = opts.Model
	opts.IdleTimeout = cmp.Or(opts.IdleTimeout, idleTimeout)
	opts.EventTimeout = cmp.Or(opts.EventTimeout, eventTimeout)
	opts.UserAgent = cmp.Or(opts.UserAgent, "paicli")
	if opts.NewID == nil {
		opts.NewID = func() string { return "call_" + rand.Text() }
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	c := &Client{opts: opts, http: opts.HTTP, secrets: fault.NewSecrets(opts.Key)}
	if c.http == nil {
		c.http = newHTTP()
	}
	c.base, c.baseErr = parseEndpoint(opts.BaseURL)
	return c
}

// newHTTP makes a client that asks for no compression, since compressed streams arrive in lumps, and
// that never turns a POST into a GET on the way to another address.
func newHTTP() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > 3 || req.Method != via[0].Method {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// Info describes the model.
func (c *Client) Info() llm.Info { return c.opts.Info }

// Stream sends a request and yields what comes back. See llm.Model. The messages of a request must not
// be changed afterwards, only others put behind them: what was written for them is used again.
func (c *Client) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		reply, gone, err := c.answer(ctx, req, yield)
		if gone {
			return
		}
		if reply == nil {
			reply = &llm.Reply{Finish: llm.FinishError}
		}
		yield(llm.Delta{Kind: llm.DeltaReply, Reply: reply}, c.secrets.Scrub(err))
	}
}

// answer runs one call. gone is true when the reader of the stream went away.
func (c *Client) answer(ctx context.Context, req *llm.Request, yield func(llm.Delta, error) bool) (reply *llm.Reply, gone bool, err error) {
	wire, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	resp, err := c.send(wire, cancel, req)
	own := newNames(req.Tools)
	r := reading{
		call: c.call(""), tools: own.offered(req.Tools), newID: c.opts.NewID,
		limits: sse.Options{Idle: c.opts.IdleTimeout, Event: c.opts.EventTimeout, Stop: func() { cancel(nil) }},
	}
	if err != nil {
		return c.regained(r, own, err)
	}
	defer resp.Body.Close()
	r.call.URL = shown(resp.Request.URL.String())
	reply, err = readReply(ctx, resp, r, func(d llm.Delta) bool {
		own.restoreDelta(&d)
		gone = !yield(d, nil)
		return !gone
	})
	own.restoreReply(reply)
	return reply, gone, err
}

// slipError is a call that the server refused because it could not parse what its own model wrote,
// with what the model wrote.
type slipError struct {
	error
	generation string
}

func (e *slipError) Unwrap() error { return e.error }

// regained is the reply that can be read out of a refusal. Without a complete call of an offered tool
// the error stands.
func (c *Client) regained(r reading, own names, err error) (*llm.Reply, bool, error) {
	var slip *slipError
	if !errors.As(err, &slip) {
		return nil, false, err
	}
	reply := reread(slip.generation, r)
	if reply == nil {
		return nil, false, slip.error
	}
	own.restoreReply(reply)
	return reply, false, nil
}

// call says in errors which call it was.
func (c *Client) call(url string) fault.Call {
	return fault.Call{Provider: c.opts.Info.Provider, Model: c.opts.Model, URL: shown(url), Window: c.opts.Info.Window}
}
