package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"paicli/llm/llmtest"
	"paicli/session"
)

type todo struct {
	Content string `json:"content"`
	Level   int    `json:"level,omitempty"`
	Done    bool   `json:"done,omitempty"`
}

// slipArgs has an argument of every type, and some of them nested.
type slipArgs struct {
	Path  string         `json:"path"`
	Limit int            `json:"limit,omitempty"`
	Ratio float64        `json:"ratio,omitempty"`
	All   bool           `json:"all,omitempty"`
	Todos []todo         `json:"todos,omitempty"`
	First *todo          `json:"first,omitempty"`
	Env   map[string]int `json:"env,omitempty"`
	Any   any            `json:"any,omitempty"`
}

func slipSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.For[slipArgs](nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSlipsAreReadAsMeant(t *testing.T) {
	for in, want := range map[string]string{
		`{"path":"a","limit":"10"}`:                                    `{"limit":10,"path":"a"}`,
		`{"path":"a","limit":" -3 "}`:                                  `{"limit":-3,"path":"a"}`,
		`{"path":"a","limit":10.0}`:                                    `{"limit":10,"path":"a"}`,
		`{"path":"a","limit":"10.00"}`:                                 `{"limit":10,"path":"a"}`,
		`{"path":"a","ratio":"1.50"}`:                                  `{"path":"a","ratio":1.50}`,
		`{"path":"a","all":"true"}`:                                    `{"all":true,"path":"a"}`,
		`{"path":"a","all":"False"}`:                                   `{"all":false,"path":"a"}`,
		`{"path":"a","limit":null,"all":null}`:                         `{"path":"a"}`,
		`{"path":7}`:                                                   `{"path":"7"}`,
		`{"path":12345678901234567890}`:                                `{"path":"12345678901234567890"}`,
		`{"path":"<a>","todos":"[{\"content\":\"x\"}]"}`:               `{"path":"<a>","todos":[{"content":"x"}]}`,
		`{"path":"a","todos":["{\"content\":1}"]}`:                     `{"path":"a","todos":[{"content":"1"}]}`,
		`{"path":"a","todos":[{"content":"x","level":"2"}]}`:           `{"path":"a","todos":[{"content":"x","level":2}]}`,
		`{"path":"a","todos":[{"content":"x","level":null}]}`:          `{"path":"a","todos":[{"content":"x"}]}`,
		`{"path":"a","first":"{\"content\":\"x\",\"done\":\"true\"}"}`: `{"first":{"content":"x","done":true},"path":"a"}`,
		`{"path":"a","env":{"x":"1"}}`:                                 `{"env":{"x":1},"path":"a"}`,
	} {
		got, err := readArgs(slipSchema(t), json.RawMessage(in))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
}

func TestValidArgumentsStay(t *testing.T) {
	for _, in := range []string{
		`{"path":"a"}`, `{ "path" : "中文\u4e2d" }`, `{"path":" 10 ","limit":-0}`, `{"path":"true","all":false}`, `{"path":"null"}`,
		`{"path":"[1]","todos":[]}`, `{"path":"a","ratio":1e3}`, `{"path":"a","any":"7","env":{}}`, `{"path":"a","any":null}`,
		`{"path":"a","todos":null,"first":null}`, `{"path":"a","limit":9007199254740993}`,
	} {
		got, err := readArgs(slipSchema(t), json.RawMessage(in))
		if err != nil || string(got) != in {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
}

func TestArgumentMistakesAreNamed(t *testing.T) {
	tool := New(Typed[slipArgs]{Name: "read", Intent: func(context.Context, slipArgs) (Intent, error) { return Intent{}, nil }})
	for args, want := range map[string]string{
		`{}`:                                          "argument path is missing; the arguments are: path, limit (optional), ratio (optional)",
		`{"path":1.50}`:                               "argument path must be a string, got 1.50",
		`{"path":1e3}`:                                "argument path must be a string, got 1e3",
		`{"path":-0}`:                                 "argument path must be a string, got -0",
		`{"path":true}`:                               "argument path must be a string, got true",
		`{"path":{"a":1}}`:                            `argument path must be a string, got {"a":1}`,
		`{"path":["a"]}`:                              `argument path must be a string, got ["a"]`,
		`{"path":null}`:                               "argument path must be a string, got null",
		`{"path":"a","limit":"x"}`:                    `argument limit must be an integer, got "x"`,
		`{"path":"a","limit":""}`:                     `argument limit must be an integer, got ""`,
		`{"path":"a","limit":"0x10"}`:                 `argument limit must be an integer, got "0x10"`,
		`{"path":"a","limit":"1 2"}`:                  `argument limit must be an integer, got "1 2"`,
		`{"path":"a","limit":"010"}`:                  `argument limit must be an integer, got "010"`,
		`{"path":"a","limit":1.5}`:                    "argument limit must be an integer, got 1.5",
		`{"path":"a","limit":1e3}`:                    "argument limit must be an integer, got 1e3",
		`{"path":"a","limit":true}`:                   "argument limit must be an integer, got true",
		`{"path":"a","limit":99999999999999999999}`:   "argument limit must be an integer, got 99999999999999999999",
		`{"path":"a","all":1}`:                        "argument all must be a boolean, got 1",
		`{"path":"a","all":"yes"}`:                    `argument all must be a boolean, got "yes"`,
		`{"path":"a","todos":{"content":"x"}}`:        `argument todos must be an array, got {"content":"x"}`,
		`{"path":"a","todos":"x"}`:                    `argument todos must be an array, got "x"`,
		`{"path":"a","todos":"[1] [2]"}`:              `argument todos must be an array, got "[1] [2]"`,
		`{"path":"a","todos":[{"level":1}]}`:          "argument todos[0].content is missing; the arguments are: content, level (optional)",
		`{"path":"a","todos":[{"content":{}}]}`:       "argument todos[0].content must be a string, got {}",
		`{"path":"a","todos":[{"content":"","x":1}]}`: `there is no argument "todos[0].x"`,
		`{"path":"a","env":{"x":"y"}}`:                `argument env.x must be an integer, got "y"`,
		`{"path":"a","offset":1}`:                     `there is no argument "offset"; the arguments are: path`,
		`{"path":"a","limit":"` + strings.Repeat("九", 200) + `"}`: `got "` + strings.Repeat("九", 79),
	} {
		_, err := tool.Intent(t.Context(), json.RawMessage(args))
		if err == nil || !strings.HasPrefix(err.Error(), "read was not run: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
		if err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 400) {
			t.Errorf("%s: more than a sentence: %v", args, err)
		}
	}
	none := New(Typed[struct{}]{Name: "look", Intent: func(context.Context, struct{}) (Intent, error) { return Intent{}, nil }})
	if _, err := none.Intent(t.Context(), json.RawMessage(`{"x":1}`)); err == nil || !strings.Contains(err.Error(), "it has no arguments") {
		t.Error(err)
	}
}

// Gates, people and the tool see the arguments as they were meant; the reply in the log keeps what
// the model wrote.
func TestReadArgumentsAreJudgedAndRun(t *testing.T) {
	const wrote, meant = `{"path": 7, "limit": "2"}`, `{"limit":2,"path":"7"}`
	type in struct {
		Path  string `json:"path"`
		Limit int    `json:"limit,omitempty"`
	}
	var judged, run string
	tool := New(Typed[in]{
		Name: "read",
		Intent: func(_ context.Context, in in) (Intent, error) {
			return Intent{Access: []Access{{Verb: VerbRead, Target: in.Path}}}, nil
		},
		Run: func(_ context.Context, call *Call, in in) (Output, error) {
			run = string(call.Args)
			return Output{Text: in.Path}, nil
		},
	})
	gate := func(_ context.Context, call *Call) (Verdict, error) {
		judged = string(call.Args)
		return Verdict{Kind: Allow}, nil
	}
	model := llmtest.NewScript(llmtest.CallTool("read", wrote), llmtest.Say("done"))
	events := talk(t, &Agent{Model: model, Tools: []Tool{tool}, Gates: []Gate{gate}}, "go")
	if judged != meant || run != meant {
		t.Errorf("judged %s, run %s", judged, run)
	}
	if got := pick[*session.Replied](events)[0].Message.Calls()[0].Args; got != wrote {
		t.Errorf("the log keeps %s", got)
	}
	if got := pick[*session.CallStarted](events)[0].Args; string(got) != meant {
		t.Errorf("started with %s", got)
	}
}

// FuzzReadArgs: no panic; what was read is valid and is read again as it is, byte for byte.
func FuzzReadArgs(f *testing.F) {
	for _, s := range []string{
		`{"path":7,"limit":"10","all":"True"}`, `{"path":"a","todos":"[\"{\\\"content\\\":1}\"]"}`, `{"path":"a","first":null}`,
		`{"path":"a","limit":1e999}`, `{"path":"a","ratio":"1e999"}`, `{"path":"a","limit":-0.0}`, `[]`, `null`, `"{}"`, `{"path":"\ud800"}`,
	} {
		f.Add([]byte(s))
	}
	schema := slipSchema(f)
	tool := New(Typed[slipArgs]{Name: "t", Intent: func(context.Context, slipArgs) (Intent, error) { return Intent{}, nil }})
	f.Fuzz(func(t *testing.T, args []byte) {
		once, err := readArgs(schema, args)
		if err != nil {
			return
		}
		twice, err := readArgs(schema, once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s: %s, then %s, %v", args, once, twice, err)
		}
		if _, err := tool.Intent(t.Context(), args); err != nil && !bytes.Contains(args, []byte("any")) {
			t.Fatalf("%s was read as %s, but: %v", args, once, err)
		}
	})
}
