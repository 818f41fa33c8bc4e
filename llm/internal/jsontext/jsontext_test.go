package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLenientTypes(t *testing.T) {
	type fields struct {
		S String
		N Number
		A Args
	}
	for _, c := range []struct {
		in   string
		want fields
	}{
		{`{"s":"x\n","n":3,"a":"{}"}`, fields{"x\n", Number{3, true}, "{}"}},
		{`{"s":12,"n":"4","a":{"b": 1}}`, fields{"12", Number{4, true}, `{"b":1}`}},
		{`{"s":null,"n":null,"a":[]}`, fields{"", Number{}, "{}"}},
		{`{"s":{},"n":1.5,"a":null}`, fields{}},
	} {
		var got fields
		if err := Decode([]byte(c.in), &got); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", c.in, got, err)
		}
	}
}

func TestDecodeSkipsMismatches(t *testing.T) {
	var got struct {
		A int
		B string
	}
	if err := Decode([]byte(`{"a":"no number","b":"x"}`), &got); err != nil || got.B != "x" {
		t.Errorf("%+v, %v", got, err)
	}
	if Decode([]byte(`{"a":`), &got) == nil {
		t.Error("half an object was taken")
	}
}

func TestShape(t *testing.T) {
	for _, c := range []struct {
		text     string
		end      int
		inString bool
	}{
		{`{"a":"}"} x`, 9, false},
		{` [1,{"b":2}]{}`, 12, false},
		{`{"a":"\"`, 0, true},
		{`12`, 0, false},
	} {
		var s Shape
		for i := range len(c.text) {
			s.Write(c.text[i : i+1])
		}
		if s.End != c.end || s.InString != c.inString || s.Complete() != (c.end > 0) {
			t.Errorf("%q: %+v", c.text, s)
		}
	}
}

// What is written is read back, by us and by encoding/json.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "a plain text of some length", "seven..\"eight..\\nine...\x1ften....\x7f", "ASCII and 中文 in turn, then \xff", "a\"b\\c/\b\f\n\r\t\x00<>&", "\xff\xfe文", "\u2028", `\ud83d`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := Quote(s)
		var std string
		if err := json.Unmarshal(raw, &std); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if got := Unquote(raw); got != std {
			t.Fatalf("%q: read as %q, not %q", raw, got, std)
		}
		if valid := strings.ToValidUTF8(s, ""); valid == s && std != s {
			t.Fatalf("%q came back as %q", s, std)
		}
		if own, _ := json.Marshal(s); Unquote(own) != std && !strings.Contains(s, "\ufffd") {
			t.Fatalf("%s: read as %q, not %q", own, Unquote(own), std)
		}
		if out := MendSurrogates(raw); !json.Valid(out) {
			t.Fatalf("%q mended to %q", raw, out)
		}
	})
}
