package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"paicli/llm"
	"paicli/llm/catalog"
)

// server answers with what answer says and keeps what was asked.
type server struct {
	mu     sync.Mutex
	asked  []string // method and URL
	bodies []string
	answer func(r *http.Request, body string) (status int, typ, reply string)
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.String())
	s.bodies = append(s.bodies, string(body))
	s.mu.Unlock()
	status, typ, text := s.answer(r, string(body))
	return reply(r, status, typ, text), nil
}

func (s *server) client(base string, q catalog.Quirks) *Client {
	return New(Options{BaseURL: base, Key: "sk-secret-0123456789", Model: "m", Info: llm.Info{Provider: "custom"}, Quirks: q, HTTP: &http.Client{Transport: s}})
}

func hello() *llm.Request {
	return &llm.Request{Messages: []llm.Message{llm.Text(llm.RoleUser, "hi")}, Limits: llm.Limits{MaxOutput: 100}}
}

func say(c *Client, req *llm.Request) (*llm.Reply, error) {
	return llm.Collect(c.Stream(context.Background(), req), nil)
}

func refuse(field, text string) func(*http.Request, string) (int, string, string) {
	return func(_ *http.Request, body string) (int, string, string) {
		if strings.Contains(body, `"`+field+`"`) {
			return 400, "application/json", `{"error":{"message":"` + text + `","type":"invalid_request_error"}}`
		}
		return 200, "text/event-stream", doneStream
	}
}

func TestARefusedFieldIsLeftOutOnceAndRemembered(t *testing.T) {
	field := func(name, value string) catalog.Quirks {
		return catalog.Quirks{Constants: catalog.Fields{name: []byte(value)}}
	}
	for name, c := range map[string]struct {
		quirks      catalog.Quirks
		field, text string
	}{
		"usage":    {catalog.Quirks{}, "stream_options", "stream_options is not allowed here"},
		"constant": {field("reasoning_split", "true"), "reasoning_split", "Unrecognized request argument supplied: reasoning_split"},
		"nested":   {field("thinking", `{"type":"enabled"}`), "thinking", "Unsupported parameter: 'thinking.type' is not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{answer: refuse(c.field, c.text)}
			client := s.client("https://h.test/v1", c.quirks)
			for range 2 {
				if _, err := say(client, hello()); err != nil {
					t.Fatal(err)
				}
			}
			if len(s.bodies) != 3 {
				t.Errorf("%d requests, want a refused one and two good ones", len(s.bodies))
			}
		})
	}
}

func TestTheOtherNameOfTheLimit(t *testing.T) {
	s := &server{answer: refuse("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")}
	if _, err := say(s.client("https://h.test/v1", catalog.Quirks{}), hello()); err != nil {
		t.Fatal(err)
	}
	if len(s.bodies) != 2 || !strings.Contains(s.bodies[1], `"max_completion_tokens":100`) {
		t.Errorf("%q", s.bodies)
	}
}

func TestRecoveriesEnd(t *testing.T) {
	for name, text := range map[string]string{
		"always the same": "stream_options is unsupported", "not ours": "Unsupported parameter: 'parallel_tool_calls'", "the tools": "Unsupported parameter: 'tools'",
	} {
		s := &server{answer: func(*http.Request, string) (int, string, string) {
			return 400, "application/json", `{"error":{"message":"` + text + `"}}`
		}}
		_, err := say(s.client("https://h.test/v1", catalog.Quirks{}), hello())
		if e := llm.AsError(err); e == nil || e.Recover != llm.RecoverDropParam {
			t.Errorf("%s: %v", name, err)
		}
		if len(s.bodies) > 2 {
			t.Errorf("%s: %d requests", name, len(s.bodies))
		}
	}
}

func TestReasoningIsSentWhereAServerInsists(t *testing.T) {
	s := &server{answer: func(_ *http.Request, body string) (int, string, string) {
		if !strings.Contains(body, "reasoning_content") {
			return 400, "application/json", `{"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API."}}`
		}
		return 200, "text/event-stream", doneStream
	}}
	c := s.client("https://h.test/v1", catalog.Quirks{})
	req := hello()
	if _, err := say(c, req); err == nil || len(s.bodies) != 1 {
		t.Errorf("without calls there is nothing to send: %v, %d requests", err, len(s.bodies))
	}
	req.Messages = append(req.Messages, says(llm.RoleAssistant, think("why"), asks("1", "bash", "{}")), result("1", "x"))
	for range 2 {
		if _, err := say(c, req); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.bodies) != 4 || !strings.Contains(s.bodies[3], `"reasoning_content":"why"`) {
		t.Errorf("%q", s.bodies)
	}
}

func TestARefusedFieldOfMessagesIsLeftOut(t *testing.T) {
	m := says(llm.RoleAssistant, think("why"), llm.Block{Kind: llm.KindOpaque, Opaque: &llm.Opaque{Vendor: "custom", Type: opaqueDetails, Data: []byte(`[{"n":1}]`)}},
		asks("1", "bash", "{}"), llm.Block{Kind: llm.KindOpaque, Opaque: &llm.Opaque{Vendor: "custom", Type: opaqueExtra, Data: []byte(`{"a":1}`)}})
	req := &llm.Request{Messages: []llm.Message{m, result("1", "x")}}
	echo := catalog.Quirks{Echo: catalog.Echo{Field: "reasoning_content", When: catalog.Calls}}
	for _, field := range []string{"reasoning_content", opaqueDetails, opaqueExtra} {
		s := &server{answer: refuse(field, "'messages.1' : property '"+field+"' is unsupported")}
		c := s.client("https://h.test/v1", echo)
		for range 2 {
			if _, err := say(c, req); err != nil {
				t.Errorf("%s: %v", field, err)
			}
		}
		if len(s.bodies) != 3 || !strings.Contains(s.bodies[0], field) || strings.Contains(s.bodies[1], field) {
			t.Errorf("%s: %q", field, s.bodies)
		}
	}
}

func TestABareHostIsTriedWithVersion(t *testing.T) {
	for name, first := range map[string]struct {
		status int
		typ    string
		body   string
		again  bool
	}{
		"404": {404, "text/plain", "404 page not found", true}, "405": {405, "text/plain", "", true},
		"page": {200, "text/html", "<html><title>welcome</title></html>", true}, "JSON 404": {404, "application/json", `{"detail":"Not Found"}`, true},
		"401": {401, "application/json", "{}", false}, "403": {403, "text/html", "<html></html>", false}, "429": {429, "text/plain", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{answer: func(r *http.Request, _ string) (int, string, string) {
				if strings.HasPrefix(r.URL.Path, "/v1/") {
					return 200, "text/event-stream", doneStream
				}
				return first.status, first.typ, first.body
			}}
			c := s.client("https://h.test", catalog.Quirks{})
			_, err := say(c, hello())
			if (err == nil) != first.again {
				t.Errorf("error %v", err)
			}
			say(c, hello())
			want := []string{"POST https://h.test/chat/completions", "POST https://h.test/v1/chat/completions", "POST https://h.test/v1/chat/completions"}
			if !first.again {
				want = []string{"POST https://h.test/chat/completions", "POST https://h.test/chat/completions"}
			}
			if !slices.Equal(s.asked, want) {
				t.Errorf("asked %q", s.asked)
			}
		})
	}
}

func TestAGivenPathIsNotChanged(t *testing.T) {
	s := &server{answer: func(*http.Request, string) (int, string, string) { return 404, "text/plain", "no" }}
	if _, err := say(s.client("https://h.test/api", catalog.Quirks{}), hello()); err == nil || len(s.asked) != 1 {
		t.Errorf("asked %q, %v", s.asked, err)
	}
	s.asked = nil
	if _, err := say(s.client("https://h.test", catalog.Quirks{}), hello()); err == nil || len(s.asked) != 2 {
		t.Errorf("asked %q, %v", s.asked, err)
	}
}

func TestToolNamesAreMappedBack(t *testing.T) {
	wire := wireName("mcp.server.tool")
	s := &server{answer: func(*http.Request, string) (int, string, string) {
		return 200, "text/event-stream", `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"` + wire + `","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	}}
	req := hello()
	req.Tools = []llm.ToolSpec{{Name: "mcp.server.tool"}}
	var progress []string
	got, err := llm.Collect(s.client("https://h.test/v1", catalog.Quirks{}).Stream(context.Background(), req), func(d llm.Delta) {
		if d.Call != nil {
			progress = append(progress, d.Call.Name)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls := got.Message.Calls(); len(calls) != 1 || calls[0].Name != "mcp.server.tool" || slices.Contains(progress, wire) {
		t.Errorf("calls %+v, progress %q", calls, progress)
	}
	if !strings.Contains(s.bodies[0], wire) {
		t.Errorf("%s", s.bodies[0])
	}
}

func TestTheKeyIsInNoError(t *testing.T) {
	const key = "sk-secret-0123456789"
	s := &server{answer: func(r *http.Request, _ string) (int, string, string) {
		return 401, "application/json", `{"error":{"message":"bad key ` + r.Header.Get("Authorization") + `","code":"` + key + `"}}`
	}}
	_, err := say(s.client("https://h.test/v1?key="+key, catalog.Quirks{}), hello())
	e := llm.AsError(err)
	if e == nil || e.Kind != llm.ErrAuth || strings.Contains(e.Error()+e.URL+e.Code, key) {
		t.Errorf("%+v", e)
	}
	c := New(Options{BaseURL: "http://127.0.0.1:1/v1?key=" + key, Key: key, Model: "m"})
	if _, err := say(c, hello()); err == nil || strings.Contains(err.Error(), key) || llm.AsError(err).Code != "refused" {
		t.Errorf("%v", err)
	}
	bad := New(Options{BaseURL: "http://127.0.0.1:1/v1", Key: "two\nlines-of-key", Model: "m"})
	if _, err := say(bad, hello()); llm.AsError(err) == nil || llm.AsError(err).Kind != llm.ErrConfig || strings.Contains(err.Error(), "lines-of-key") {
		t.Errorf("%v", err)
	}
}

func TestNoBaseURLIsAConfigError(t *testing.T) {
	for _, base := range []string{"", "ftp://x", "http://[::1"} {
		_, err := say(New(Options{BaseURL: base, Model: "m"}), hello())
		if e := llm.AsError(err); e == nil || e.Kind != llm.ErrConfig || e.Retryable {
			t.Errorf("%q: %v", base, err)
		}
	}
}

func TestRedirectsKeepTheMethodOrFail(t *testing.T) {
	var hits, bodies []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		hits, bodies = append(hits, r.Method+" "+r.URL.Path), append(bodies, string(body))
		switch r.URL.Path {
		case "/moved/chat/completions":
			http.Redirect(w, r, "/v1/chat/completions", http.StatusMovedPermanently)
		case "/temporary/chat/completions":
			http.Redirect(w, r, "/v1/chat/completions", http.StatusTemporaryRedirect)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, doneStream)
		}
	}))
	defer srv.Close()
	_, err := say(New(Options{BaseURL: srv.URL + "/moved", Model: "m"}), hello())
	if e := llm.AsError(err); e == nil || e.Kind != llm.ErrConfig || e.Status != 301 {
		t.Errorf("%v", err)
	}
	if _, err := say(New(Options{BaseURL: srv.URL + "/temporary", Model: "m"}), hello()); err != nil {
		t.Errorf("%v", err)
	}
	if !slices.Equal(hits, []string{"POST /moved/chat/completions", "POST /temporary/chat/completions", "POST /v1/chat/completions"}) {
		t.Errorf("%q", hits)
	}
	if bodies[1] == "" || bodies[2] != bodies[1] {
		t.Errorf("sent %q, then %q", bodies[1], bodies[2])
	}
}

func TestAWronglyLabelledStreamIsRead(t *testing.T) {
	s := &server{answer: func(*http.Request, string) (int, string, string) { return 200, "text/html; charset=utf-8", doneStream }}
	got, err := say(s.client("https://h.test/v1", catalog.Quirks{}), hello())
	if err != nil || got.Message.Text() != "ok" {
		t.Errorf("%v %v", got, err)
	}
}

// silent never answers and honours the context, as a transport does.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestAServerThatSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := New(Options{BaseURL: "https://h.test/v1", Model: "m", IdleTimeout: 30 * time.Second, HTTP: &http.Client{Transport: silent{}}})
		_, err := say(c, hello())
		if e := llm.AsError(err); e == nil || e.Kind != llm.ErrStall || !e.Retryable || time.Since(start) != 30*time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

func TestAnUnknownCertificateIsNoReasonToRetry(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	_, err := llm.Collect(New(Options{BaseURL: srv.URL + "/v1", Model: "m"}).Stream(context.Background(), hello()), nil)
	if e := llm.AsError(err); e == nil || e.Code != "tls" || e.Kind != llm.ErrConfig || e.Retryable {
		t.Errorf("%v", err)
	}
}

func TestCancelGivesTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("the user pressed Esc")
		ctx, cancel := context.WithCancelCause(context.Background())
		c := New(Options{BaseURL: "https://h.test/v1", Model: "m", HTTP: &http.Client{Transport: silent{}}})
		time.AfterFunc(time.Second, func() { cancel(cause) })
		reply, err := llm.Collect(c.Stream(ctx, hello()), nil)
		if err != cause || reply == nil {
			t.Errorf("%v", err)
		}
	})
}

func TestLeavingTheStreamEndsIt(t *testing.T) {
	s := &server{answer: func(*http.Request, string) (int, string, string) { return 200, "text/event-stream", doneStream }}
	n := 0
	for range s.client("https://h.test/v1", catalog.Quirks{}).Stream(context.Background(), hello()) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d deltas", n)
	}
}

func TestModels(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"OpenAI":    {`{"object":"list","data":[{"id":"a","context_length":4096},{"id":"b","max_model_len":8192},{"id":7}]}`, "a 4096, b 8192"},
		"llama.cpp": {`{"models":[{"name":"a"}],"data":[{"id":"a","meta":{"n_ctx":2048}}]}`, "a 2048"},
		"bare list": {`[{"id":"x","context_window":1}]`, "x 1"},
		"names":     {`{"models":[{"name":"n"}]}`, "n 0"},
		"nothing":   {`hello`, ""},
	} {
		s := &server{answer: func(r *http.Request, _ string) (int, string, string) {
			if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/v1/") {
				return 200, "application/json", c.body
			}
			return 404, "text/plain", "no"
		}}
		list, err := s.client("https://h.test", catalog.Quirks{}).Models(context.Background())
		var got []string
		for _, m := range list {
			got = append(got, fmt.Sprint(m.Model, " ", m.Window))
		}
		if err != nil || strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestParallelCallsShareWhatWasLearned(t *testing.T) {
	s := &server{answer: refuse("stream_options", "stream_options is not supported")}
	c := s.client("https://h.test/v1", catalog.Quirks{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := say(c, hello()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	before := len(s.bodies)
	if _, err := say(c, hello()); err != nil || len(s.bodies) != before+1 {
		t.Errorf("%v, %d more requests", err, len(s.bodies)-before)
	}
}
