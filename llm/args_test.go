package llm

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseArgs(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", `{"path":"a.go"}`, `{"path":"a.go"}`},
		{"nothing", "", `{}`},
		{"blank", " \n", `{}`},
		{"null", "null", `{}`},
		{"encoded twice", `"{\"pattern\":\"x\"}"`, `{"pattern":"x"}`},
		{"encoded three times", `"\"{\\\"a\\\":1}\""`, `{"a":1}`},
		{"raw control characters", "{\"c\":\"a\n\tb\x01\"}", `{"c":"a\n\tb\u0001"}`},
		{"regex escape", `{"p":"v\d+"}`, `{"p":"v\\d+"}`},
		{"windows path", `{"p":"C:\proj\app"}`, `{"p":"C:\\proj\\app"}`},
		{"short unicode escape", `{"p":"\users"}`, `{"p":"\\users"}`},
		{"escaped raw character", `{"c":"\uac00\로\uc218"}`, `{"c":"가로수"}`},
		{"backslash n between tokens", `{"o": \n2142,\n "l": 108\n\n}`, `{"o":2142,"l":108}`},
		{"comma before the end", `{"a":[1,2,],}`, `{"a":[1,2]}`},
		{"code fence", "```json\n{\"a\":1}\n```", `{"a":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseArgs(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if g, w := compact(t, got), compact(t, json.RawMessage(c.want)); g != w {
				t.Errorf("got %s, want %s", g, w)
			}
		})
	}
}

func TestParseArgsRefusesWhatIsNotCertain(t *testing.T) {
	for _, c := range []struct{ name, in, word string }{
		{"cut in a string", `{"path":"big.go","content":"package ma`, "inside a string"},
		{"cut between tokens", `{"path":"big.go",`, "cut off"},
		{"cut after a value", `{"path":"big.go"`, "cut off"},
		{"inner quotes", `{"c":"say "hi" now"}`, "near"},
		{"array", `[1]`, "array"},
		{"number", `7`, "number"},
		{"doubtful path", `{"p":"C:\proj\new"}`, "two ways"},
		{"two objects", `{"a":1}{"b":2}`, "near"},
		{"prose", `path is a.go`, "JSON"},
		{"only a comma", `{,}`, "JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseArgs(c.in)
			if err == nil {
				t.Fatalf("got %s, want an error", got)
			}
			if !strings.Contains(err.Error(), c.word) {
				t.Errorf("error %q does not say %q", err, c.word)
			}
		})
	}
}

func compact(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// Whatever the model writes: the result is a JSON object, valid objects pass unchanged in value,
// and a proper prefix of an object is never completed.
func FuzzParseArgs(f *testing.F) {
	for _, s := range []string{`{"a":"b"}`, `{"p":"v\d+"}`, "{\"c\":\"a\n\"}", `"{\"a\":1}"`, `{"a":1,}`, "```\n{}\n```", `{"c":"\로"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseArgs(s)
		if err != nil {
			return
		}
		var obj map[string]any
		if err := json.Unmarshal(got, &obj); err != nil || obj == nil {
			t.Fatalf("%q gave %q: not an object", s, got)
		}
		if strings.HasPrefix(s, "{") && json.Valid([]byte(s)) {
			if compact(t, got) != compact(t, json.RawMessage(s)) {
				t.Fatalf("%q changed to %q", s, got)
			}
			for i := 1; i < len(strings.TrimSpace(s)); i++ {
				if _, err := ParseArgs(s[:i]); err == nil {
					t.Fatalf("prefix %q of %q was completed", s[:i], s)
				}
			}
		}
	})
}
