package config

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plain turns a node into what encoding/json would make of it.
func (n node) plain() any {
	switch n.kind {
	case kindObject:
		out := map[string]any{}
		for _, m := range n.members {
			out[m.key] = m.value.plain()
		}
		return out
	case kindList:
		out := []any{}
		for _, item := range n.items {
			out = append(out, item.plain())
		}
		return out
	case kindText:
		return n.text
	case kindBool:
		return n.raw == "true"
	case kindNumber:
		return json.Number(n.raw)
	}
	return nil
}

func TestParseJSONC(t *testing.T) {
	tests := []struct{ src, want string }{
		{`{}`, `{}`},
		{``, `{}`},
		{"\ufeff// nothing\n/* at\nall */", `{}`},
		{`{"a":[1,2.5e3,true,false,null,"x\n\u4e2d"],}`, `{"a":[1,2.5e3,true,false,null,"x\n中"]}`},
		{`[[],[ ],{ },]`, `[[],[],{}]`},
		{"{ // c\n\"a\" /* b */ : /* c */ 1 // d\n}", `{"a":1}`},
		{`{"url":"http://x//y"}`, `{"url":"http://x//y"}`},
		{"{\r\n\t\"a\": \"/* no comment */\"\r\n}", `{"a":"/* no comment */"}`},
	}
	for _, tt := range tests {
		n, err := parseJSONC(tt.src)
		if err != nil {
			t.Errorf("%q: %v", tt.src, err)
			continue
		}
		if d := cmp.Diff(decode(t, tt.want), n.plain()); d != "" {
			t.Errorf("%q: %s", tt.src, d)
		}
	}
}

func TestParseJSONCErrors(t *testing.T) {
	tests := []struct {
		src  string
		line int
		key  string
		want string
	}{
		{"{", 1, "", "ends too early"},
		{"{\n\"a\": ,}", 2, "a", "unexpected ','"},
		{"{\"a\"\n1}", 2, "a", "colon should stand here, not '1'"},
		{"{\"a\":1\n\"b\":2}", 2, "", "comma or the closing bracket"},
		{"{a:1}", 1, "", "key in double quotes should stand here, not 'a'"},
		{"{'a':1}", 1, "", "key in double quotes"},
		{"{,}", 1, "", "key in double quotes"},
		{"[1,,2]", 1, "", "unexpected ','"},
		{"{\"a\":\"x\n\"}", 1, "a", "no closing quote"},
		{"{\"a\":\"\\q\"}", 1, "a", "escape"},
		{"{\"a\":01}", 1, "a", "01 is not a number"},
		{"{\"a\":yes}", 1, "a", "unexpected yes"},
		{"{\"a\":{\"b\":!}}", 1, "a.b", "unexpected '!'"},
		{"{} x", 1, "", "'x' after the end"},
		{"{}\n/* x", 2, "", "comment is not closed"},
		{"{\"a\":1}中", 1, "", "'中' after the end"},
		{strings.Repeat("[", 1000), 1, "", "nested too deeply"},
	}
	for _, tt := range tests {
		_, err := parseJSONC(tt.src)
		var e *syntaxError
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", tt.src, err)
			continue
		}
		if e.line != tt.line || e.key != tt.key || !strings.Contains(e.Error(), tt.want) {
			t.Errorf("%q: line %d, key %q, %q; want line %d, key %q, %q", tt.src, e.line, e.key, e, tt.line, tt.key, tt.want)
		}
	}
}

func decode(t *testing.T, src string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(src))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	return v
}

// FuzzJSONC: nothing panics, an error has a line inside the file, and valid JSON means the same as
// to encoding/json.
func FuzzJSONC(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,{"b":null}],}`, "// x\n{\"a\":\"\\u00e9\"}", `{"a":1,"a":2}`, "[", "\"\\", "{\"\xff\":1}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		n, err := parseJSONC(src)
		var e *syntaxError
		if errors.As(err, &e) && (e.line < 1 || e.line > strings.Count(src, "\n")+1) {
			t.Errorf("line %d of %q", e.line, src)
		}
		if !json.Valid([]byte(src)) || e != nil && e.Error() == "nested too deeply" {
			return
		}
		if err != nil {
			t.Fatalf("valid JSON %q: %v", src, err)
		}
		if d := cmp.Diff(decode(t, src), n.plain()); d != "" {
			t.Errorf("%q: %s", src, d)
		}
	})
}
