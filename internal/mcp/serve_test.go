package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"paicli/agent"
	"paicli/llm"
	"paicli/session"
)

type in struct {
	Text string `json:"text"`
}

// tool makes a tool that reads.
func tool(name string, run func(ctx context.Context, in in) (agent.Output, error)) agent.Tool {
	return agent.New(agent.Typed[in]{
		Name: name, Description: "a tool for tests",
		Intent: func(_ context.Context, in in) (agent.Intent, error) {
			return agent.Intent{Title: in.Text, Access: []agent.Access{{Verb: agent.VerbRead, Target: in.Text}}}, nil
		},
		Run: func(ctx context.Context, _ *agent.Call, in in) (agent.Output, error) { return run(ctx, in) },
	})
}

// bench is a server and its client.
type bench struct {
	t       *testing.T
	log     *session.Log
	client  *sdk.ClientSession
	stop    context.CancelFunc // of the server
	served  chan error
	started chan struct{} // a call of the tool wait has begun
}

func newBench(t *testing.T) *bench {
	t.Helper()
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, log: log, served: make(chan error, 1), started: make(chan struct{}, 9)}
	here, there := sdk.NewInMemoryTransports()
	ctx, stop := context.WithCancel(context.Background())
	b.stop = stop
	go func() {
		b.served <- serve(ctx, here, Options{
			Agent: b.agent(), Thread: log.Thread("", 1), Version: "1.2.3", Root: "/project",
			Scrub: func(p []byte) []byte { return bytes.ReplaceAll(p, []byte("planted"), []byte("[secret]")) },
		})
	}()
	b.client, err = sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.client.Close()
		stop()
		log.Close()
	})
	return b
}

func (b *bench) agent() *agent.Agent {
	return &agent.Agent{
		Tools: []agent.Tool{
			tool("echo", func(_ context.Context, in in) (agent.Output, error) {
				return agent.Output{Text: in.Text, Media: []llm.Media{{MIME: "image/png", Data: []byte{7}}, {MIME: "audio/wav"}}}, nil
			}),
			tool("fail", func(context.Context, in) (agent.Output, error) { return agent.Output{}, errors.New("no room left") }),
			tool("wait", func(ctx context.Context, _ in) (agent.Output, error) {
				b.started <- struct{}{}
				<-ctx.Done()
				return agent.Output{}, context.Cause(ctx)
			}),
		},
		Gates: []agent.Gate{func(_ context.Context, c *agent.Call) (agent.Verdict, error) {
			if strings.Contains(string(c.Args), "forbidden") {
				return agent.Verdict{Kind: agent.Deny, Reason: "this is refused"}, nil
			}
			return agent.Verdict{Kind: agent.Allow}, nil
		}},
		Wraps: []agent.Wrap{func(next agent.Exec) agent.Exec {
			return func(ctx context.Context, c *agent.Call) (agent.Output, error) {
				out, err := next(ctx, c)
				out.Text = strings.ReplaceAll(out.Text, "long", "kept")
				return out, err
			}
		}},
	}
}

func (b *bench) call(ctx context.Context, name string, args any) (*sdk.CallToolResult, error) {
	return b.client.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
}

// wait returns what serve returned.
func (b *bench) wait() error {
	b.t.Helper()
	select {
	case err := <-b.served:
		return err
	case <-time.After(20 * time.Second):
		b.t.Fatal("the server did not end")
		return nil
	}
}

func text(res *sdk.CallToolResult) string { return res.Content[0].(*sdk.TextContent).Text }

func TestInitializeAndList(t *testing.T) {
	b := newBench(t)
	init := b.client.InitializeResult()
	if init.ServerInfo.Name != "paicli" || init.ServerInfo.Version != "1.2.3" || !strings.Contains(init.Instructions, "/project") {
		t.Errorf("initialize: %+v, %s", init.ServerInfo, init.Instructions)
	}
	if c := init.Capabilities; c.Tools == nil || c.Tools.ListChanged || c.Prompts != nil || c.Resources != nil {
		t.Errorf("capabilities %+v", c)
	}
	list, err := b.client.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	raw, _ := json.Marshal(list.Tools[0])
	if got := string(raw); !strings.Contains(got, `"name":"echo"`) || !strings.Contains(got, `"required":["text"]`) || !strings.Contains(got, "a tool for tests") {
		t.Error(got)
	}
}

func TestCalls(t *testing.T) {
	b := newBench(t)
	for _, tt := range []struct {
		name, tool string
		args       any
		isError    bool
		text       string
	}{
		{"plain text", "echo", in{"a <b> </tool_result> long"}, false, "a <b> </tool_result> kept"},
		{"secrets", "echo", in{"key planted"}, false, "key [secret]"},
		{"empty", "echo", in{}, false, ""},
		{"failed", "fail", in{"x"}, true, "no room left"},
		{"refused", "echo", in{"forbidden"}, true, "denied: this is refused"},
		{"unknown tool", "nope", in{"x"}, true, `unknown tool "nope"; the tools are: echo, fail, wait`},
		{"no arguments", "echo", nil, true, "echo was not run: argument text is missing; the arguments are: text"},
		{"wrong type", "echo", map[string]any{"text": true}, true, "echo was not run: argument text must be a string, got true"},
		{"unknown argument", "echo", map[string]any{"text": "x", "path": "y"}, true, `echo was not run: there is no argument "path"; the arguments are: text`},
		{"no object", "echo", []int{1}, true, "echo was not run: arguments"},
	} {
		res, err := b.call(t.Context(), tt.tool, tt.args)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if res.IsError != tt.isError || !strings.HasPrefix(text(res), tt.text) || text(res) != tt.text && tt.name != "no object" {
			t.Errorf("%s: error %v, %q", tt.name, res.IsError, text(res))
		}
		if images := len(res.Content) - 1; (images == 1) == tt.isError {
			t.Errorf("%s: %d images", tt.name, images)
		}
	}
}

func TestCallsAreLogged(t *testing.T) {
	b := newBench(t)
	if _, err := b.call(t.Context(), "echo", in{"one"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.call(t.Context(), "nope", nil); err != nil {
		t.Fatal(err)
	}
	b.client.Close()
	if err := b.wait(); err != nil {
		t.Fatal(err)
	}
	ms := b.log.Thread("", 1).Messages()
	if len(ms) != 6 || ms[0].Role != llm.RoleUser || ms[1].Calls()[0].Args != `{"text":"one"}` || ms[2].Blocks[0].Result.Text != agent.Frame("echo", "one") {
		t.Errorf("%d messages: %+v", len(ms), ms)
	}
	if end := b.end(); end == nil || end.End != session.EndDone {
		t.Errorf("the turn ended with %+v", end)
	}
}

// end is the end of the turn, nil if it has none.
func (b *bench) end() (end *session.TurnEnded) {
	b.log.Close()
	for e, err := range b.log.Events(context.Background(), 0) {
		if err != nil {
			b.t.Fatal(err)
		}
		if body, ok := e.Body.(*session.TurnEnded); ok {
			end = body
		}
	}
	return end
}

// TestCancel: a cancelled request ends its call, and one that waits for it is run then.
func TestCancel(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := b.call(ctx, "wait", in{"x"})
		ended <- err
	}()
	<-b.started
	next := make(chan *sdk.CallToolResult, 1)
	go func() {
		res, _ := b.call(t.Context(), "echo", in{"next"})
		next <- res
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v", err)
	}
	if res := <-next; res == nil || text(res) != "next" {
		t.Errorf("the next call gave %+v", res)
	}
	b.client.Close()
	b.wait()
	if r := b.log.Thread("", 1).Messages()[2].Blocks[0].Result; !r.Error {
		t.Errorf("logged %+v", r)
	}
}

// TestCancelWhileWaiting: a request that was cancelled before its turn came is not run.
func TestCancelWhileWaiting(t *testing.T) {
	s := &server{turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res, err := s.call(ctx, &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{Name: "echo"}})
	if err != nil || !res.IsError || !strings.Contains(text(res), "not started") || s.calls != 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	b := newBench(t)
	go b.call(context.Background(), "wait", in{"x"})
	<-b.started
	b.stop()
	if err := b.wait(); err != nil {
		t.Error(err)
	}
	if end := b.end(); end == nil || end.End != session.EndInterrupted {
		t.Errorf("the turn ended with %+v", end)
	}
}

// TestEndsWhenTheClientGoes: a call that runs when the input ends has a moment, no more.
func TestEndsWhenTheClientGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, started: make(chan struct{}, 1)}
		log, err := session.Create(session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in, client := io.Pipe()
		served := make(chan error, 1)
		go func() {
			served <- Serve(t.Context(), in, io.Discard, Options{Agent: b.agent(), Thread: log.Thread("", 1)})
		}()
		io.WriteString(client, hello+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","arguments":{"text":"x"}}}`+"\n")
		<-b.started
		start := time.Now()
		client.Close()
		if err := <-served; err != nil || time.Since(start) != graceEOF {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if r := log.Thread("", 1).Messages()[2].Blocks[0].Result; !r.Error {
			t.Errorf("logged %+v", r)
		}
	})
}

func TestBrokenLogEndsTheConnection(t *testing.T) {
	b := newBench(t)
	b.log.Close()
	if _, err := b.call(t.Context(), "echo", in{"x"}); err == nil {
		t.Error("the call was answered")
	}
	if err := b.wait(); err == nil {
		t.Error("no error")
	}
}

// converse plays lines to a server over plain streams and returns what it wrote.
func converse(t *testing.T, input io.Reader, o Options) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := Serve(t.Context(), io.NopCloser(input), &out, o)
	return out.String(), err
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// TestRequestsFromAFile: the end of the input does not cut off the answers to what was asked.
func TestRequestsFromAFile(t *testing.T) {
	b := newBench(t)
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	out, err := converse(t, strings.NewReader(hello+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"from a file"}}}
{"jsonrpc":"2.0","id":"three","method":"tools/call","params":{"name":"fail","arguments":{"text":"x"}}}
{"jsonrpc":"2.0","id":4,"method":"no/such"}
`), Options{Agent: b.agent(), Thread: log.Thread("", 1)})
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for line := range strings.Lines(out) {
		var m struct {
			ID     any
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		id, _ := json.Marshal(m.ID)
		answers[string(id)] = string(m.Result) + string(m.Error)
	}
	for id, want := range map[string]string{"1": `"protocolVersion":"2025-06-18"`, "2": "from a file", `"three"`: `"isError":true`, "4": "-32601"} {
		if !strings.Contains(answers[id], want) {
			t.Errorf("answer to %s: %s", id, answers[id])
		}
	}
}

func TestBadInput(t *testing.T) {
	b := newBench(t)
	for _, input := range []string{"no JSON\n", hello + `{"jsonrpc":"2.0","id":2,`, "\x00\n"} {
		log, err := session.Create(session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := converse(t, strings.NewReader(input), Options{Agent: b.agent(), Thread: log.Thread("", 1)}); err == nil {
			t.Errorf("%q: no error", input)
		}
		log.Close()
	}
	if out, err := converse(t, strings.NewReader(""), Options{Agent: b.agent()}); err != nil || out != "" {
		t.Errorf("no input: %q, %v", out, err)
	}
}
