package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"paicli/llm"
	"paicli/llm/llmtest"
)

func TestMain(m *testing.M) {
	// Under the race detector every process would wait a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=10")
	testscript.Main(m, map[string]func(){
		"paicli": main,
	})
}

// TestScript runs the whole product: each file of testdata/script is a story of commands, files and
// model answers.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv("PAICLI_HOME", env.WorkDir+"/home/.paicli")
			env.Setenv("LANG", "C.UTF-8")
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Values["model"] = new(*llmtest.Server)
			return os.MkdirAll(env.WorkDir+"/home", 0o755)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"model":  cmdModel,
			"asked":  cmdAsked,
			"prefix": cmdPrefix,
		},
	})
}

// answer is one line of a model script: a reply in short form, or an HTTP answer.
type answer struct {
	Text      string            `json:"text"`      // a good reply with this text,
	Think     string            `json:"think"`     // this reasoning
	Calls     [][2]string       `json:"calls"`     // and these calls: name, arguments
	Usage     llm.Usage         `json:"usage"`     // in tokens
	Status    int               `json:"status"`    // or: an HTTP answer
	Headers   map[string]string `json:"headers"`   // with these headers
	Body      string            `json:"body"`      // and this body
	Behaviour string            `json:"behaviour"` // keep-open, reset@N
	CutAfter  string            `json:"cut_after"` // a good reply, broken off behind this text
}

func (a answer) http() llmtest.Answer {
	if a.Status == 0 && a.Body == "" {
		return a.cut(llmtest.Stream(a.reply()))
	}
	out := llmtest.Answer{Status: a.Status, Header: http.Header{}, Body: []byte(a.Body)}
	for k, v := range a.Headers {
		out.Header.Set(k, v)
	}
	switch {
	case a.Behaviour == "keep-open":
		out.Open = true
	case strings.HasPrefix(a.Behaviour, "reset@"):
		n, _ := strconv.Atoi(strings.TrimPrefix(a.Behaviour, "reset@"))
		out.Reset = &n
	}
	return out
}

// cut breaks a good stream off behind a text: reset, or silence with keep-open.
func (a answer) cut(out llmtest.Answer) llmtest.Answer {
	out.Open = a.Behaviour == "keep-open"
	if a.CutAfter == "" {
		return out
	}
	body := string(out.Body)
	i := strings.Index(body, a.CutAfter)
	if i < 0 {
		panic(fmt.Sprintf("%q is not in the stream", a.CutAfter))
	}
	end := i + strings.Index(body[i:], "\n\n") + 2
	if out.Open {
		out.Body = out.Body[:end]
	} else {
		out.Reset = &end
	}
	return out
}

func (a answer) reply() llm.Reply {
	m := llm.Message{Role: llm.RoleAssistant}
	if a.Think != "" {
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.KindThink, Text: a.Think})
	}
	if a.Text != "" {
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.KindText, Text: a.Text})
	}
	for i, c := range a.Calls {
		m.Blocks = append(m.Blocks, llm.Block{Kind: llm.KindCall, Call: &llm.Call{ID: fmt.Sprintf("call_%d", i), Name: c[0], Args: c[1]}})
	}
	return llm.Reply{Message: m, Usage: a.Usage}
}

// cmdModel starts a model server that plays the lines of a file (JSON objects), and points the
// environment to it: model FILE.
func cmdModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE")
	}
	var answers []llmtest.Answer
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var a answer
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		ts.Check(dec.Decode(&a))
		answers = append(answers, a.http())
	}
	srv := llmtest.NewServer(answers...)
	ts.Defer(srv.Close)
	*ts.Value("model").(**llmtest.Server) = srv
	ts.Setenv("PAICLI_BASE_URL", srv.URL()+"/v1")
	ts.Setenv("PAICLI_API_KEY", "sk-planted-key-0123456789")
	ts.Setenv("PAICLI_MODEL", "scripted")
}

// cmdAsked checks how many requests the model got, or writes the body of one to a file:
// asked COUNT, asked N FILE (N from 1).
func cmdAsked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: asked COUNT | asked N FILE")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	reqs := (*ts.Value("model").(**llmtest.Server)).Requests()
	if len(args) == 1 {
		if len(reqs) != n {
			ts.Fatalf("the model was asked %d times, want %d", len(reqs), n)
		}
		return
	}
	if n < 1 || n > len(reqs) {
		ts.Fatalf("there are %d requests", len(reqs))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), reqs[n-1].Body, 0o644))
}

// cmdPrefix checks that each request begins with the one before it, up to the end of its messages:
// what a provider's prompt cache needs. prefix FROM TO names the requests, from 1.
func cmdPrefix(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: prefix FROM TO")
	}
	from, err := strconv.Atoi(args[0])
	ts.Check(err)
	to, err := strconv.Atoi(args[1])
	ts.Check(err)
	reqs := (*ts.Value("model").(**llmtest.Server)).Requests()
	for i := from; i < to; i++ {
		head := messagesEnd(ts, reqs[i-1].Body)
		if bytes.HasPrefix(reqs[i].Body, head) == neg {
			ts.Fatalf("request %d and %d: the same beginning is %v", i, i+1, !neg)
		}
	}
}

// messagesEnd is a body up to the last message, without the bracket behind it.
func messagesEnd(ts *testscript.TestScript, body []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(body))
	for {
		tok, err := dec.Token()
		ts.Check(err)
		if tok != "messages" {
			continue
		}
		_, err = dec.Token()
		ts.Check(err)
		for dec.More() {
			var m json.RawMessage
			ts.Check(dec.Decode(&m))
		}
		return body[:dec.InputOffset()]
	}
}

// TestCasesWireAccounted sees that every wire case is run somewhere: those of Chat Completions by
// llm/openai, the rest is listed in later.txt.
func TestCasesWireAccounted(t *testing.T) {
	later := laterCases(t)
	raw, err := os.ReadFile("testdata/cases/wire.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	chat := 0
	for line := range bytes.Lines(raw) {
		var c struct{ ID, Protocol, Kind string }
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Protocol == "openai-chat" {
			chat++
		}
		if later[c.ID] == (c.Protocol == "openai-chat") {
			t.Errorf("%s (%s): listed as later: %v", c.ID, c.Protocol, later[c.ID])
		}
	}
	if chat != 196 {
		t.Errorf("%d Chat Completions cases, want 196", chat)
	}
}

// The READMEs show the loop as it is.
func TestReadmeShowsTheLoop(t *testing.T) {
	src, err := os.ReadFile("agent/turn.go")
	if err != nil {
		t.Fatal(err)
	}
	_, loop, _ := strings.Cut(string(src), "\nfunc (a *Agent) Run(")
	loop, _, ok := strings.Cut(loop, "\n}\n")
	if !ok {
		t.Fatal("agent/turn.go has no Run")
	}
	for _, name := range []string{"README.md", "README.zh-CN.md"} {
		if text, err := os.ReadFile(name); err != nil || !strings.Contains(string(text), "func (a *Agent) Run("+loop+"\n}\n") {
			t.Errorf("%s shows another loop than agent/turn.go (%v)", name, err)
		}
	}
}
