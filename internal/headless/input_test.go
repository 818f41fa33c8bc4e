package headless

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"paicli/agent"
	"paicli/llm/llmtest"
	"paicli/session"
)

type path struct {
	Path string `json:"path"`
}

// asking makes a conversation whose calls are put to a person, and a record of what ran.
func asking(t *testing.T, attended bool, steps ...llmtest.Step) (*agent.Conv, *llmtest.Script, *[]string) {
	t.Helper()
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	tool := agent.New(agent.Typed[path]{
		Name: "touch",
		Intent: func(_ context.Context, in path) (agent.Intent, error) {
			return agent.Intent{Title: in.Path, Access: []agent.Access{{Verb: agent.VerbWrite, Target: in.Path}}}, nil
		},
		Run: func(_ context.Context, _ *agent.Call, in path) (agent.Output, error) {
			ran = append(ran, in.Path)
			return agent.Output{Text: "touched " + in.Path}, nil
		},
	})
	model := llmtest.NewScript(steps...)
	ag := &agent.Agent{Model: model, Tools: []agent.Tool{tool}, Gates: []agent.Gate{
		func(_ context.Context, c *agent.Call) (agent.Verdict, error) {
			return agent.Verdict{Kind: agent.AskUser, Reason: "writes a file"}, nil
		},
	}}
	conv := agent.NewConv(log, func(session.State) (*agent.Agent, error) { return ag, nil }, agent.ConvOptions{Attended: attended})
	t.Cleanup(func() { conv.Close() })
	return conv, model, &ran
}

// driver is a program at the other end: it reads every line and may write answers.
type driver struct {
	mu    sync.Mutex
	lines []map[string]any
	see   func(line map[string]any)
}

func (d *driver) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		var o map[string]any
		if err := json.Unmarshal(line, &o); err != nil {
			return 0, fmt.Errorf("no JSON on stdout: %s", line)
		}
		d.mu.Lock()
		d.lines = append(d.lines, o)
		d.mu.Unlock()
		if d.see != nil {
			d.see(o)
		}
	}
	return len(p), nil
}

func (d *driver) of(kind string) []map[string]any {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []map[string]any
	for _, o := range d.lines {
		if o["type"] == kind {
			out = append(out, o)
		}
	}
	return out
}

func options(out io.Writer) Options {
	return Options{
		Format: FormatStreamJSON, Out: out, Err: io.Discard,
		Explain: func(f *session.Failure, _ bool) (string, string) { return string(f.Kind), "" },
	}
}

func TestDriverAnswersQuestions(t *testing.T) {
	for name, c := range map[string]struct {
		answer string // of the driver, %s is the id of the question
		ran    string
		denied int
	}{
		"allow": {`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":{"behavior":"allow"}}}`, "a.txt", 0},
		"allow with other input": {
			`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":{"behavior":"allow","updatedInput":{"path":"b.txt"}}}}`, "b.txt", 0,
		},
		"deny":         {`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":{"behavior":"deny","message":"not now"}}}`, "", 1},
		"error":        {`{"type":"control_response","response":{"subtype":"error","request_id":%q}}`, "", 1},
		"our own word": {`{"type":"control_request","request_id":"r7","request":{"subtype":"answer","id":%q,"choice":"yes"}}`, "a.txt", 0},
	} {
		t.Run(name, func(t *testing.T) {
			conv, model, ran := asking(t, true, llmtest.CallTool("touch", `{"path":"a.txt"}`), llmtest.Say("done"))
			in, w := io.Pipe()
			d := &driver{}
			d.see = func(o map[string]any) {
				if o["type"] == "control_request" {
					req := o["request"].(map[string]any)
					if req["subtype"] != "can_use_tool" || req["tool_name"] != "touch" || req["x_reason"] != "writes a file" {
						t.Errorf("the question: %v", o)
					}
					go func() {
						fmt.Fprintf(w, c.answer+"\n", o["request_id"])
						fmt.Fprintf(w, c.answer+"\n", o["request_id"]) // a second answer changes nothing
						w.Close()
					}()
				}
			}
			go fmt.Fprintln(w, `{"type":"user","message":{"role":"user","content":"go"}}`)
			code, err := RunInput(t.Context(), conv, in, options(d))
			if err != nil || code != ExitDone {
				t.Fatalf("code %d, %v", code, err)
			}
			if got := strings.Join(*ran, ","); got != c.ran {
				t.Errorf("ran %q, want %q", got, c.ran)
			}
			results := d.of("result")
			if len(results) != 1 || len(results[0]["permission_denials"].([]any)) != c.denied {
				t.Errorf("results %v", results)
			}
			if name == "deny" {
				ms := model.Requests()[1].Messages
				if r := ms[len(ms)-1].Blocks[0].Result; !strings.Contains(r.Text, "not now") {
					t.Errorf("the model is not told why: %q", r.Text)
				}
			}
		})
	}
}

// Without somebody to ask, a question is a no, told to the model and listed.
func TestNobodyToAskIsANo(t *testing.T) {
	conv, _, ran := asking(t, false, llmtest.CallTool("touch", `{"path":"a.txt"}`), llmtest.Say("could not"))
	d := &driver{}
	code, err := Run(t.Context(), conv, agent.Prompt{Text: "go"}, options(d))
	if err != nil || code != ExitDone || len(*ran) != 0 {
		t.Fatalf("code %d, %v, ran %v", code, err, *ran)
	}
	denials := d.of("result")[0]["permission_denials"].([]any)
	if len(denials) != 1 || denials[0].(map[string]any)["tool_input"].(map[string]any)["path"] != "a.txt" {
		t.Errorf("denials %v", denials)
	}
}

func TestInputThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct{ input, word string }{
		"no JSON":       {"{\"type\":\"user\",\"message\":{\"content\":\"a\"}}\n\n{bad\n", "line 3"},
		"unknown type":  {`{"type":"wat"}`, `unknown type "wat"`},
		"unknown block": {`{"type":"user","message":{"content":[{"type":"video"}]}}`, `unknown content block "video"`},
		"no content":    {`{"type":"user","message":{"content":7}}`, "line 1"},
	} {
		conv, _, _ := asking(t, true, llmtest.Say("a"), llmtest.Say("b"))
		code, err := RunInput(t.Context(), conv, strings.NewReader(c.input), options(&driver{}))
		var bad *InputError
		if code != ExitUsage || !errors.As(err, &bad) || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: code %d, %v", name, code, err)
		}
	}
}

func TestControlRequests(t *testing.T) {
	conv, _, _ := asking(t, true, llmtest.Say("a"))
	d := &driver{}
	in := strings.NewReader(`{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}
{"type":"control_request","request_id":"2","request":{"subtype":"set_permission_mode","mode":"auto"}}
{"type":"control_request","request_id":"3","request":{"subtype":"set_permission_mode","mode":"plan"}}
{"type":"control_request","request_id":"4","request":{"subtype":"fly"}}
{"type":"control_request","request_id":"6","request":{"subtype":"set_permission_mode","mode":"dontAsk"}}
{"type":"control_request","request_id":"7","request":{"subtype":"set_permission_mode","mode":"bypassPermissions"}}
{"type":"control_request","request_id":"8","request":{"subtype":"set_permission_mode","mode":"yolo"}}
{"type":"control_request","request_id":"5","request":{"subtype":"answer","id":"nobody","choice":"yes"}}
`)
	if code, err := RunInput(t.Context(), conv, in, options(d)); code != ExitDone || err != nil {
		t.Fatalf("%d %v", code, err)
	}
	var got []string
	for _, o := range d.of("control_response") {
		r := o["response"].(map[string]any)
		if r["request_id"] == "7" && !strings.Contains(r["error"].(string), "no mode that switches the checks off") {
			t.Errorf("the reason is missing: %v", r)
		}
		got = append(got, fmt.Sprint(r["request_id"], r["subtype"]))
	}
	if s := strings.Join(got, " "); s != "1success 2success 3success 4error 6success 7error 8error 5error" {
		t.Errorf("got %s", s)
	}
}

// The events format prints what the log holds, live pieces between, and the result last.
func TestEventsFormat(t *testing.T) {
	conv, _, _ := asking(t, false, llmtest.Say("hello 世界"))
	var out bytes.Buffer
	opts := options(&out)
	opts.Format = FormatEvents
	if code, err := Run(t.Context(), conv, agent.Prompt{Text: "hi"}, opts); code != 0 || err != nil {
		t.Fatal(code, err)
	}
	var kinds []string
	scan := bufio.NewScanner(&out)
	for scan.Scan() {
		var o struct{ Type string }
		if err := json.Unmarshal(scan.Bytes(), &o); err != nil {
			t.Fatalf("%v in %s", err, scan.Bytes())
		}
		if o.Type != "streamed" {
			kinds = append(kinds, o.Type)
		}
	}
	if got := strings.Join(kinds, " "); got != "attached opened configured said replied turn_ended result" {
		t.Errorf("got %s", got)
	}
}
