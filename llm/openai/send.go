package openai

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"paicli/llm"
	"paicli/llm/internal/fault"
	"paicli/llm/internal/sse"
)

const (
	maxErrorBody  = 256 << 10        // bytes of an error that are read
	errorBodyTime = 10 * time.Second // and how long it may take to come
)

// send posts a request until it is accepted, or fails in a way that no change can cure.
func (c *Client) send(ctx context.Context, cancel context.CancelCauseFunc, req *llm.Request) (*http.Response, error) {
	known := c.recall()
	for changes := 0; ; changes++ {
		content, optional := c.past.build(&builder{quirks: c.opts.Quirks, info: c.opts.Info, known: known}, req)
		resp, err := c.ask(ctx, cancel, http.MethodPost, c.base.join(chatPath, known.version), content)
		if err == nil {
			c.remember(known)
			return resp, nil
		}
		next, ok := c.change(known, err, content, optional)
		if !ok || changes == maxChanges {
			return nil, err
		}
		known = next
	}
}

func (c *Client) recall() learned {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known
}

// remember keeps what made a request work, beside what parallel requests found out.
func (c *Client) remember(known learned) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known.version = c.known.version || known.version
	c.known.echo = c.known.echo || known.echo
	c.known.maxTokens = cmp.Or(known.maxTokens, c.known.maxTokens)
	for _, name := range known.dropped {
		if !c.known.refuses(name) {
			c.known.dropped = append(slices.Clone(c.known.dropped), name)
		}
	}
}

// change says what to do differently after an error: each change is one that was not yet made.
func (c *Client) change(known learned, err error, content body, optional []string) (learned, bool) {
	e := llm.AsError(err)
	switch {
	case e == nil:
		return known, false
	case c.base.bare && !known.version && elsewhere(err):
		known.version = true
		return known, true
	case e.Recover == llm.RecoverDropParam:
		return known.without(e.Param, content, optional)
	case e.Kind == llm.ErrInvalidRequest && !known.echo && c.opts.Quirks.Echo.Field == "" && fault.WantsReasoning(e) && content.has("tool_calls"):
		known.echo = true
		return known, true
	}
	return known, false
}

// elsewhere reports whether an answer says that nothing lives at this URL.
func elsewhere(err error) bool {
	e := llm.AsError(err)
	if e == nil || e.Kind != llm.ErrConfig {
		return false
	}
	return e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status/100 == 2
}

// without leaves the named field out of the body or of its messages, or spells it in the other way
// that there is.
func (l learned) without(param string, content body, optional []string) (learned, bool) {
	name, _, _ := strings.Cut(param, ".")
	other := map[string]string{"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[name]
	if other != "" && l.maxTokens == "" && slices.Contains(optional, name) {
		l.maxTokens = other
		return l, true
	}
	last := param[strings.LastIndexByte(param, '.')+1:]
	inMessages := []string{"reasoning_content", "reasoning", opaqueDetails, opaqueReasoning, opaqueExtra}
	switch {
	case slices.Contains(inMessages, last) && content.has(last) && !l.refuses(last):
		name = last
	case !slices.Contains(optional, name):
		return l, false
	}
	l.dropped = append(slices.Clone(l.dropped), name)
	return l, true
}

// ask sends one HTTP request. A response comes back only if it may hold an answer. cancel ends the
// context of the request when the server stays silent.
func (c *Client) ask(ctx context.Context, cancel context.CancelCauseFunc, method, url string, content body) (*http.Response, error) {
	call := c.call(url)
	call.Prompt = content.size() / 4 // about four bytes to a token
	if c.baseErr != nil {
		call.URL = ""
		e := call.Error(llm.ErrConfig, false, c.baseErr.Error())
		e.Code = "url"
		return nil, e
	}
	req, err := c.request(ctx, method, url, content)
	if err != nil {
		return nil, call.Network(ctx, err)
	}
	timer := time.AfterFunc(c.patience(), func() { cancel(fault.ErrSilent) })
	defer timer.Stop()
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, call.Network(ctx, err)
	}
	if resp.StatusCode/100 == 2 && !page(resp) {
		return resp, nil
	}
	defer resp.Body.Close()
	timer.Reset(errorBodyTime)
	said := errorBody(resp)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, fault.ErrSilent) {
		return nil, cause
	}
	e := call.Classify(fault.Answer{Status: resp.StatusCode, Header: resp.Header, Body: said, Now: c.opts.Now()})
	if wrote := fault.Generation(said); wrote != "" && e.Kind == llm.ErrBadStream {
		return nil, &slipError{e, wrote}
	}
	return nil, e
}

func (c *Client) request(ctx context.Context, method, url string, content body) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.opts.UserAgent)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Encoding", "identity")
	if content != nil {
		req.ContentLength, req.Body = int64(content.size()), content.reader()
		req.GetBody = func() (io.ReadCloser, error) { return content.reader(), nil }
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "text/event-stream")
	}
	if key := strings.TrimSpace(c.opts.Key); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return req, nil
}

// patience is how long a server may take until the first header.
func (c *Client) patience() time.Duration {
	if nearby(c.base.url.Hostname()) {
		return max(c.opts.IdleTimeout, c.opts.EventTimeout)
	}
	return c.opts.IdleTimeout
}

// page reports whether a good answer is a web page: a login page, or the front page of a server
// whose API is somewhere else.
func page(resp *http.Response) bool {
	if !strings.Contains(strings.ToLower(resp.Header.Get("Content-Type")), "html") {
		return false
	}
	body := bufio.NewReader(resp.Body)
	resp.Body = struct {
		io.Reader
		io.Closer
	}{body, resp.Body}
	// Some servers label their streams wrongly.
	head, _ := body.Peek(1)
	return len(head) == 0 || !strings.ContainsRune("de:{", rune(head[0]))
}

// errorBody reads what a server says of an error, or as much of it as comes.
func errorBody(resp *http.Response) []byte {
	body, err := sse.Plain(resp)
	if err != nil {
		return nil
	}
	raw, _ := io.ReadAll(io.LimitReader(body, maxErrorBody)) // a part is better than nothing
	return raw
}
