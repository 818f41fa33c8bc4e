// Package fault says what went wrong with a call of a model server: it reads refusals, errors inside
// streams and what the network reports, and gives each its kind, its wait and the one change that
// can help. It is the only place that matches on a server's words, and it knows no server by name.
//
//	status, header, body ─► facts (codes, words, numbers) ─► rules ─► *llm.Error
//	error of net/http ────► place of the fault ─────────────────────┘
//
// It repeats nothing and waits for nothing; that is up to the wires and to llm.Retry.
package fault

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"paicli/llm"
)

// Call says of which call an error tells.
type Call struct {
	Provider, Model string
	URL             string // as it may be shown: without query and user
	Window          int    // context window of the model in tokens, 0 = unknown
	Prompt          int    // estimated tokens of the prompt, 0 = unknown
}

// Answer is what a server said when it refused a call or broke it off.
type Answer struct {
	Status   int // of HTTP, 0 = none
	Header   http.Header
	Body     []byte    // JSON of any shape, text or HTML
	InStream bool      // it came inside a good answer
	Now      time.Time // zero = time.Now
}

// Error makes an error of the call.
func (c Call) Error(kind llm.ErrorKind, retry bool, detail string) *llm.Error {
	return &llm.Error{Kind: kind, Detail: detail, Retryable: retry, Provider: c.Provider, Model: c.Model, URL: c.URL}
}

// maxWait is the longest wait after which an error still counts as retryable: nobody sits in front
// of a longer one.
const maxWait = 60 * time.Second

// parseAttempts bounds the attempts when a server cannot parse what its own model wrote: sampling
// bad luck may pass once, not for ever.
const parseAttempts = 2

// Classify names the class of a failure and what can be done about it. It knows no provider: the
// codes and phrases it looks for are distinct enough to be recognised behind any proxy.
func (c Call) Classify(a Answer) *llm.Error {
	said := readBody(a.Body)
	s := signs{Call: c, Answer: a, facts: said, status: a.Status, text: strings.ToLower(said.detail)}
	if said.status != 0 && (a.InStream || a.Status == 0 || a.Status == http.StatusOK) {
		s.status = said.status
	}
	kind := s.kind()
	e := c.Error(kind, s.retryable(kind), said.detail)
	e.Status, e.Code, e.RetryAfter = s.status, said.code, s.wait(kind)
	if e.Detail == "" {
		e.Detail = http.StatusText(e.Status)
	}
	if e.RetryAfter > maxWait {
		e.Retryable = false
	}
	if kind == llm.ErrBadStream {
		e.Attempts = parseAttempts
	}
	s.remedy(e)
	return e
}

// signs are the facts of a failure in the form in which the rules look at them.
type signs struct {
	Call
	Answer
	facts
	status int
	text   string // detail in lower case
}

func (s *signs) has(phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(s.text, p) })
}

func (s *signs) coded(codes []string) bool {
	return slices.ContainsFunc(s.codes, func(c string) bool { return slices.Contains(codes, c) })
}

// kind tries the rules from the most to the least certain: sizes, then codes, then words, then the
// status alone.
func (s *signs) kind() llm.ErrorKind {
	if k := s.size(); k != "" {
		return k
	}
	if k := s.coin(); k != "" {
		return k
	}
	for _, r := range codeRules {
		if s.coded(r.codes) {
			return r.kind
		}
	}
	for _, r := range wordRules {
		if s.has(r.words...) {
			return r.kind
		}
	}
	return s.byStatus()
}

// size recognises what is too long in tokens or too large in bytes. Throttling texts speak of too
// many tokens as well and must never lead to a shorter history.
func (s *signs) size() llm.ErrorKind {
	if s.status == http.StatusTooManyRequests || s.has("throttl", "please wait") {
		return ""
	}
	if s.has(byteWords...) || s.coded(byteCodes) {
		return llm.ErrPayloadTooLarge
	}
	if s.has(overflowWords...) || s.coded(overflowCodes) || s.has("input token count") && s.has("exceed") {
		return llm.ErrContextOverflow
	}
	// Some servers answer an oversized prompt with a bare status (Cerebras).
	bare := s.empty && (s.status == http.StatusBadRequest || s.status == http.StatusRequestEntityTooLarge)
	if bare && s.Window > 0 && s.Prompt >= s.Window/10*9 {
		return llm.ErrContextOverflow
	}
	if s.status == http.StatusRequestEntityTooLarge {
		return llm.ErrPayloadTooLarge
	}
	return ""
}

// coin tells an empty purse from a speed limit: both come as 429, and both speak of quotas.
func (s *signs) coin() llm.ErrorKind {
	if s.coded(minuteCodes) && (s.delay > 0 || s.has(minuteWords...)) {
		return llm.ErrRateLimit
	}
	if s.status == http.StatusPaymentRequired || s.coded(quotaCodes) {
		return llm.ErrQuota
	}
	if s.has(quotaWords...) && !s.has(minuteWords...) {
		return llm.ErrQuota
	}
	return ""
}

func (s *signs) byStatus() llm.ErrorKind {
	switch st := s.status; {
	case s.html && (st == 0 || st < 400), st >= 300 && st < 400, st == http.StatusMethodNotAllowed:
		return llm.ErrConfig
	case st == http.StatusUnauthorized:
		return llm.ErrAuth
	case st == http.StatusForbidden, st == http.StatusProxyAuthRequired:
		return s.forbidden()
	case st == http.StatusNotFound:
		return s.notFound()
	case st == http.StatusRequestTimeout:
		return llm.ErrNetwork
	case st == http.StatusTooManyRequests:
		return llm.ErrRateLimit
	case st == http.StatusServiceUnavailable, st == 529:
		return llm.ErrOverloaded
	case st >= 500:
		return llm.ErrServer
	case st >= 400:
		return llm.ErrInvalidRequest
	}
	if s.coded(serverCodes) || s.has(serverWords...) {
		return llm.ErrServer
	}
	return llm.ErrInvalidRequest
}

// forbidden: a key that is not accepted, or a key, region or plan that may not use this model.
func (s *signs) forbidden() llm.ErrorKind {
	if s.has("api key", "api_key", "apikey", "credential", "token", "authenti", "unauthori", "密钥", "鉴权") {
		return llm.ErrAuth
	}
	return llm.ErrConfig
}

// notFound: an unknown model is said in JSON, an unknown path by the server in front.
func (s *signs) notFound() llm.ErrorKind {
	if s.json && s.has("model", "模型") {
		return llm.ErrInvalidRequest
	}
	return llm.ErrConfig
}

func (s *signs) retryable(kind llm.ErrorKind) bool {
	switch kind {
	case llm.ErrRateLimit, llm.ErrOverloaded, llm.ErrNetwork, llm.ErrStall, llm.ErrBadStream, llm.ErrEmpty:
		return true
	case llm.ErrServer:
		return s.status != http.StatusNotImplemented && s.status != http.StatusHTTPVersionNotSupported
	}
	return false
}

// remedy fills in the one change that can make the request work.
func (s *signs) remedy(e *llm.Error) {
	switch {
	case e.Kind == llm.ErrContextOverflow:
		e.Recover = llm.RecoverCompact
		e.Window = s.limit
		if e.Window == 0 {
			e.Window = windowIn(s.text)
		}
	case e.Kind == llm.ErrPayloadTooLarge:
		e.Recover = llm.RecoverStripImages
	case e.Kind != llm.ErrInvalidRequest:
	case s.has("image", "图片", "图像") && s.has(imageWords...):
		e.Recover = llm.RecoverDropImages
	default:
		if e.Param = s.refusedParam(); e.Param != "" {
			e.Recover = llm.RecoverDropParam
		}
	}
}
