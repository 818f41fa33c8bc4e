package openai

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// usualChunks are chunks as servers stream them.
var usualChunks = []string{
	`{"id":"c","object":"chat.completion.chunk","created":1764000000,"model":"m","service_tier":"default","system_fingerprint":"f","choices":[{"index":0,"delta":{"role":"assistant","content":"a\"b\u4f60\n"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x"}`,
	`{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"hm"},"logprobs":null,"finish_reason":null}],"model":"m"}`,
	`{"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"reasoning": "hm", "content": ""}, "finish_reason": null, "native_finish_reason": null}]}`,
	`{"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"bash","arguments":""}}]}}]}`,
	`{"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}},{"index":1,"id":null,"function":{"arguments":"x"}}]}}]}`,
	`{"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"input_sensitive":false}`,
}

func TestQuickTakesUsualChunks(t *testing.T) {
	var q quick
	for _, s := range usualChunks {
		if q.read([]byte(s)) == nil {
			t.Errorf("gave up on %s", s)
		}
	}
	first := q.read([]byte(usualChunks[0]))
	if first.Model != "m" || first.Choices[0].Delta.Content.text != "a\"b你\n" || len(first.Choices[0].Delta.Calls) != 0 {
		t.Errorf("%+v after others", first)
	}
}

// What quick takes, encoding/json takes without a complaint and with the same result.
func FuzzQuick(f *testing.F) {
	for _, s := range usualChunks {
		f.Add([]byte(s))
	}
	for _, c := range loadCases(f, "stream", "error") {
		for line := range strings.Lines(c.Body) {
			if data, ok := strings.CutPrefix(line, "data:"); ok && len(data) < 2000 {
				f.Add([]byte(strings.TrimSpace(data)))
			}
		}
	}
	for _, s := range []string{
		`{"choices":[],"choices":[{"delta":{"content":"a"},"delta":null}]}`, `{"Choices":[{"delta":{"content":"a"}}]}`, `{"created":true1}`,
		`{"model":1}`, `{"model":"\ud800","choices":[{"index":-1}]}`, `{"choices":[{"index":01,"delta":{"con\u0074ent":"x"}}]}`, `{"usage":null}x`, "{\"\":\"\\", `{"a":"true,"b":1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := new(quick).read(data)
		if got == nil {
			return
		}
		var want chunk
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if !reflect.DeepEqual(plainChunk(*got), plainChunk(want)) {
			t.Fatalf("%q:\nquick %+v\njson  %+v", data, plainChunk(*got), plainChunk(want))
		}
	})
}

// plainChunk makes one thing of a field that is missing, null or an empty list.
func plainChunk(c chunk) chunk {
	fields := []*json.RawMessage{&c.Usage, &c.Groq.Usage, &c.Error}
	for i := range c.Choices {
		each := &c.Choices[i]
		fields = append(fields, &each.Usage, &each.Error)
		if each.Delta == nil {
			continue
		}
		fields = append(fields, &each.Delta.Opaque)
		for k := range each.Delta.Calls {
			fields = append(fields, &each.Delta.Calls[k].Extra)
		}
		if len(each.Delta.Calls) == 0 {
			each.Delta.Calls = nil
		}
	}
	for _, raw := range fields {
		if string(*raw) == "null" {
			*raw = nil
		}
	}
	if len(c.Choices) == 0 {
		c.Choices = nil
	}
	return c
}
