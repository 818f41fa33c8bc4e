package fault

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"paicli/llm"
	"paicli/llm/internal/jsontext"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		kind   llm.ErrorKind
		retry  bool
		recov  llm.Recover
		param  string
		detail string // must be part of the detail
	}{
		{"bad key", 401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`, llm.ErrAuth, false, "", "", "Incorrect"},
		{"bad key behind 403", 403, `{"error":{"message":"invalid api key"}}`, llm.ErrAuth, false, "", "", ""},
		{"model not in the plan", 403, `{"error":{"message":"model hy4 is not available in your plan","code":"403002"}}`, llm.ErrConfig, false, "", "", "hy4"},
		{"unknown model", 404, `{"error":{"message":"The model foo does not exist"}}`, llm.ErrInvalidRequest, false, "", "", "foo"},
		{"unknown model as 400", 400, `{"error":{"message":"Model Not Exist, use one of: a, b"}}`, llm.ErrInvalidRequest, false, "", "", "one of"},
		{"unknown path", 404, `404 page not found`, llm.ErrConfig, false, "", "", "page not found"},
		{"loading", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, llm.ErrOverloaded, true, "", "", "Loading"},
		{"five-hour quota", 429, `{"error":{"code":"1308","message":"Usage limit reached for 5 hour."}}`, llm.ErrQuota, false, "", "", ""},
		{"crowded", 429, `{"error":{"code":"1305","message":"The service may be temporarily overloaded, please try again later"}}`, llm.ErrOverloaded, true, "", "", ""},
		{"balance in Chinese", 400, `{"error":{"message":"账户余额不足，请充值"}}`, llm.ErrQuota, false, "", "", "余额不足"},
		{"bytes", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum allowed number of bytes."}}`, llm.ErrPayloadTooLarge, false, llm.RecoverStripImages, "", ""},
		{"range of DashScope", 400, `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 258048]"}}`, llm.ErrContextOverflow, false, llm.RecoverCompact, "", "258048"},
		{"Ollama", 500, `{"error":{"message":"prompt too long; exceeded max context length by 4 tokens"}}`, llm.ErrContextOverflow, false, llm.RecoverCompact, "", ""},
		{"no images", 400, `{"error":{"message":"unknown variant image_url, expected text"}}`, llm.ErrInvalidRequest, false, llm.RecoverDropImages, "", ""},
		{"field by location", 422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`, llm.ErrInvalidRequest, false, llm.RecoverDropParam, "stream_options", ""},
		{"field in words", 400, `{"error":{"message":"Unrecognized request argument supplied: reasoning_split"}}`, llm.ErrInvalidRequest, false, llm.RecoverDropParam, "reasoning_split", ""},
		{"property of a message", 400, `{"error":{"message":"'messages.2' : property 'reasoning_content' is unsupported","param":"messages.2"}}`, llm.ErrInvalidRequest, false, llm.RecoverDropParam, "reasoning_content", ""},
		{"no such field", 400, `{"error":{"message":"messages[0].content must be a string"}}`, llm.ErrInvalidRequest, false, "", "", ""},
		{"daily quota", 429, `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota, please check your plan and billing details."}}]`, llm.ErrQuota, false, "", "", ""},
		{"quota per minute", 429, `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota.","details":[{"@type":"RetryInfo","retryDelay":"36s"}]}}]`, llm.ErrRateLimit, true, "", "", ""},
		{"filter", 400, `{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}`, llm.ErrContentFilter, false, "", "", ""},
		{"page as answer", 200, `<!doctype html><html><head><title>Sign in</title></head><body>x</body></html>`, llm.ErrConfig, false, "", "", "Sign in"},
		{"page without title", 502, `<html><body><p>nothing &amp; more</p></body></html>`, llm.ErrServer, true, "", "", "nothing & more"},
		{"page in JSON", 502, `{"error":{"message":"<html><head><title>502 Bad Gateway</title></head></html>"}}`, llm.ErrServer, true, "", "", "502 Bad Gateway"},
		{"moved", 301, ``, llm.ErrConfig, false, "", "", "Moved Permanently"},
		{"timeout", 408, ``, llm.ErrNetwork, true, "", "", "Timeout"},
		{"not implemented", 501, ``, llm.ErrServer, false, "", "", ""},
		{"text", 500, "upstream \x1b[31mbroke\x1b[0m\n\tdown", llm.ErrServer, true, "", "", "broke"},
		{"error as event", 400, "event: error\ndata: {\"error\":{\"message\":\"bad\"}}\n\n", llm.ErrInvalidRequest, false, "", "", "bad"},
		{"wrapped twice", 400, `{"error":{"message":"{\"error\":{\"message\":\"inner text\"}}"}}`, llm.ErrInvalidRequest, false, "", "", "inner text"},
		{"octet stream", 400, `{"error":{"message":"Failed to deserialize the JSON body"}}`, llm.ErrInvalidRequest, false, "", "", "deserialize"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Call{}.Classify(Answer{Status: c.status, Body: []byte(c.body)})
			if e.Kind != c.kind || e.Retryable != c.retry || e.Recover != c.recov || e.Param != c.param || e.Status != c.status {
				t.Errorf("got %s, retry %v, recover %q, param %q", e, e.Retryable, e.Recover, e.Param)
			}
			if !strings.Contains(e.Detail, c.detail) || strings.ContainsAny(e.Detail, "\n\t\x1b<") && c.name != "range of DashScope" {
				t.Errorf("detail %q", e.Detail)
			}
		})
	}
}

func TestClassifyInsideAStream(t *testing.T) {
	for body, want := range map[string]struct {
		kind   llm.ErrorKind
		status int
	}{
		`{"choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`:                                                      {llm.ErrRateLimit, 0},
		`{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`:                                            {llm.ErrQuota, 0},
		`{"choices":[],"error":{"code":502,"message":"upstream worker at capacity","metadata":{"error_type":"provider_unavailable"}}}`:     {llm.ErrOverloaded, 502},
		`{"error_type":"BadRequestError","error_message":"This model's maximum context length is 131072 tokens"}`:                          {llm.ErrContextOverflow, 0},
		`{"error":"thinking budget cannot be combined with speculative decoding"}`:                                                         {llm.ErrInvalidRequest, 0},
		`{"error parsing tool call":"invalid character 'c' looking for beginning of value"}`:                                               {llm.ErrBadStream, 0},
		`{"error":{"code":502,"message":"upstream gone"}}`:                                                                                 {llm.ErrServer, 502},
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`:                                                      {llm.ErrOverloaded, 0},
		`{"error":{"type":"server_error","message":"The server had an error"}}`:                                                            {llm.ErrServer, 0},
		`{"error":{"message":"temporarily unavailable"}}`:                                                                                  {llm.ErrOverloaded, 0},
		`{"error":{"message":"bad parameter","type":"invalid_request_error"}}`:                                                             {llm.ErrInvalidRequest, 0},
		`{"error":{"message":"The response was filtered due to the prompt triggering content management policy","code":"content_filter"}}`: {llm.ErrContentFilter, 0},
	} {
		e := Call{}.Classify(Answer{InStream: true, Body: []byte(body)})
		if e.Kind != want.kind || e.Status != want.status {
			t.Errorf("%s: got %s", body, e)
		}
	}
}

func TestBareRefusalNearTheWindowIsOverflow(t *testing.T) {
	for _, c := range []struct {
		status, window, prompt int
		want                   llm.ErrorKind
	}{
		{400, 131072, 140000, llm.ErrContextOverflow},
		{413, 131072, 120000, llm.ErrContextOverflow},
		{400, 131072, 1000, llm.ErrInvalidRequest},
		{413, 131072, 1000, llm.ErrPayloadTooLarge},
		{400, 0, 140000, llm.ErrInvalidRequest},
	} {
		call := Call{Window: c.window, Prompt: c.prompt}
		e := call.Classify(Answer{Status: c.status})
		if e.Kind != c.want {
			t.Errorf("%+v: got %s", c, e.Kind)
		}
	}
}

func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	date := "Mon, 30 Nov 2026 10:00:00 GMT"
	for _, c := range []struct {
		name   string
		header map[string]string
		text   string
		want   time.Duration
	}{
		{"seconds", map[string]string{"Retry-After": " 7 "}, "", 7 * time.Second},
		{"parts of a second", map[string]string{"Retry-After": "0.5"}, "", 500 * time.Millisecond},
		{"date by the server's clock", map[string]string{"Retry-After": "Mon, 30 Nov 2026 12:00:12 GMT", "Date": "Mon, 30 Nov 2026 12:00:00 GMT"}, "", 12 * time.Second},
		{"date by our clock", map[string]string{"Retry-After": "Mon, 30 Nov 2026 10:00:20 GMT"}, "", 20 * time.Second},
		{"date in the past", map[string]string{"Retry-After": "Mon, 30 Nov 2026 09:00:00 GMT"}, "", 0},
		{"garbage", map[string]string{"Retry-After": "soon"}, "", 0},
		{"negative", map[string]string{"Retry-After": "-5"}, "", 0},
		{"not a number", map[string]string{"Retry-After": "NaN"}, "", 0},
		{"far too far", map[string]string{"Retry-After": "99999999"}, "", longestWait},
		{"milliseconds first", map[string]string{"Retry-After-Ms": "350", "Retry-After": "1"}, "", 350 * time.Millisecond},
		{"milliseconds of Azure", map[string]string{"X-Ms-Retry-After-Ms": "1200", "Retry-After": "2"}, "", 1200 * time.Millisecond},
		{"reset in seconds", map[string]string{"X-RateLimit-Reset": "5"}, "", 5 * time.Second},
		{"reset as Unix time", map[string]string{"X-RateLimit-Reset": "1796032830", "Date": "Mon, 30 Nov 2026 10:00:00 GMT"}, "", 1796032830*time.Second - time.Duration(now.Unix())*time.Second},
		{"reset as Unix milliseconds", map[string]string{"X-RateLimit-Reset": "1796032805000", "Date": date}, "", 1796032805*time.Second - time.Duration(now.Unix())*time.Second},
		{"only what is used up", map[string]string{
			"X-Ratelimit-Reset-Requests": "6m0s", "X-Ratelimit-Remaining-Requests": "10",
			"X-Ratelimit-Reset-Tokens": "1.5s", "X-Ratelimit-Remaining-Tokens": "0"}, "", 1500 * time.Millisecond},
		{"reset as a time", map[string]string{"Anthropic-Ratelimit-Tokens-Reset": "2026-11-30T10:00:30Z"}, "", 30 * time.Second},
		{"Retry-After before reset", map[string]string{"Retry-After": "3", "X-RateLimit-Reset": "50"}, "", 3 * time.Second},
		{"text", nil, "Please retry after 45 seconds.", 45 * time.Second},
		{"text with a duration", nil, "Please try again in 1m3.5s. Visit the page", 63500 * time.Millisecond},
		{"text in milliseconds", nil, "Please try again in 250ms", 250 * time.Millisecond},
		{"text in minutes", nil, "try again in 2 minutes", 2 * time.Minute},
		{"text in Chinese", nil, "请在 30 秒后重试", 30 * time.Second},
		{"text with a time", nil, "Your limit will reset at 2026-11-30T11:00:00Z", time.Hour},
		{"text with Beijing time", nil, "将在 重置时间 2026-11-30 18:30:00 恢复", 30 * time.Minute},
		{"nothing", nil, "slow down", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{}
			for k, v := range c.header {
				h.Set(k, v)
			}
			body := `{"error":{"message":` + string(jsontext.Quote(c.text)) + `}}`
			e := Call{}.Classify(Answer{Status: 429, Header: h, Body: []byte(body), Now: now})
			if e.RetryAfter != c.want {
				t.Errorf("got %s, want %s", e.RetryAfter, c.want)
			}
			if e.Retryable != (c.want <= maxWait) {
				t.Errorf("retry %v after %s", e.Retryable, c.want)
			}
		})
	}
}

func TestNetworkError(t *testing.T) {
	wrap := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://user:secret-key-123@h.test/v1?key=secret-key-123", Err: err}
	}
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, c := range []struct {
		err   error
		code  string
		kind  llm.ErrorKind
		retry bool
	}{
		{dial(syscall.ECONNREFUSED), "refused", llm.ErrNetwork, true},
		{dial(&net.DNSError{Err: "no such host", Name: "h.test", IsNotFound: true}), "dns", llm.ErrNetwork, true},
		{&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}, "reset", llm.ErrNetwork, true},
		{&net.OpError{Op: "proxyconnect", Net: "tcp", Err: syscall.ECONNREFUSED}, "proxy", llm.ErrNetwork, true},
		{x509.UnknownAuthorityError{}, "tls", llm.ErrConfig, false},
		{errors.New("http: server gave HTTP response to HTTPS client"), "tls", llm.ErrConfig, false},
		{errors.New("unsupported protocol scheme \"ftp\""), "url", llm.ErrConfig, false},
		{errors.New("Proxy Authentication Required"), "proxy_auth", llm.ErrConfig, false},
		{ErrSilent, "silent", llm.ErrStall, true},
		{context.DeadlineExceeded, "timeout", llm.ErrNetwork, true},
		{errors.New("something else"), "", llm.ErrNetwork, true},
	} {
		e := llm.AsError(Call{Provider: "p"}.Network(context.Background(), wrap(c.err)))
		if e == nil || e.Code != c.code || e.Kind != c.kind || e.Retryable != c.retry {
			t.Errorf("%v: got %+v", c.err, e)
			continue
		}
		if strings.Contains(e.Error(), "secret-key-123") || e.Detail == "" || !errors.Is(e, c.err) {
			t.Errorf("%v: text %q", c.err, e)
		}
	}
}

func TestNetworkErrorOfAnEndedContextIsItsCause(t *testing.T) {
	cause := errors.New("the user pressed Esc")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	if err := (Call{}).Network(ctx, context.Canceled); err != cause {
		t.Errorf("got %v", err)
	}
}

func TestScrubTakesTheKeyOut(t *testing.T) {
	key := "sk-a/b+c d0123456789"
	e := &llm.Error{
		Detail: "bad key " + key + " or " + url.QueryEscape(key),
		URL:    "https://h.test/" + url.PathEscape(key),
		Err:    errors.New("Basic " + base64.StdEncoding.EncodeToString([]byte(key+"/more"))),
	}
	text := NewSecrets(key).Scrub(e).Error() + e.URL + e.Err.Error()
	for _, form := range NewSecrets(key) {
		if strings.Contains(text, form) {
			t.Errorf("%q is in %q", form, text)
		}
	}
	if len(NewSecrets("none")) != 0 {
		t.Error("a word was taken for a secret")
	}
}

func FuzzClassify(f *testing.F) {
	raw, err := os.ReadFile("../../../testdata/cases/wire.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		var c struct {
			Kind, Body string
			Status     int               `json:"http_status"`
			Headers    map[string]string `json:"headers"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			f.Fatal(err)
		}
		if c.Kind == "error" || c.Kind == "retry" {
			f.Add(c.Status, []byte(c.Body), c.Headers["Retry-After"])
		}
	}
	f.Add(0, []byte(`data: {"error":[{"error":"{\"error\":\"<html>\"}"}]}`), "1e400")
	f.Fuzz(func(t *testing.T, status int, body []byte, after string) {
		h := http.Header{"Retry-After": {after}, "X-Ratelimit-Reset": {after}}
		e := Call{}.Classify(Answer{Status: status, Body: body, Header: h, InStream: status%2 == 0})
		if n := utf8.RuneCountInString(e.Detail); n > maxDetail || !utf8.ValidString(e.Detail) {
			t.Fatalf("detail of %d runes: %q", n, e.Detail)
		}
		if strings.Contains(strings.ToLower(e.Detail), "<html") || strings.ContainsAny(e.Detail, "\n\r\x1b") {
			t.Fatalf("markup in %q", e.Detail)
		}
		if e.Kind == "" || e.RetryAfter < 0 || e.RetryAfter > longestWait {
			t.Fatalf("%+v", e)
		}
	})
}
