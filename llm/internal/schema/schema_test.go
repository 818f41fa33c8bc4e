package schema

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestParameters(t *testing.T) {
	const ref = `{"$defs":{"R":{"type":"object","properties":{"p":{"type":"string","format":"uri"}}}},"properties":{"r":{"$ref":"#/$defs/R","description":"d"}},"required":["r","gone"]}`
	for _, c := range []struct{ name, flavour, in, want string }{
		{"nothing", "", ``, emptySchema},
		{"null", "", `null`, emptySchema},
		{"empty object", "", `{}`, emptySchema},
		{"a list", "gemini", `[]`, emptySchema},
		{"no properties", "", `{"type":"object"}`, `{"properties":{},"type":"object"}`},
		{"kept in order", "", "{ \"type\":\"object\",\n \"properties\":{\"z\":{\"maximum\":1.50},\"a\":{\"pattern\":\"<\"}} }", `{"type":"object","properties":{"z":{"maximum":1.50},"a":{"pattern":"<"}}}`},
		{"reference of Gemini", "gemini", ref, `{"properties":{"r":{"description":"d","properties":{"p":{"type":"string"}},"type":"object"}},"required":["r"],"type":"object"}`},
		{"reference of Moonshot", "moonshot", strings.ReplaceAll(ref, "$defs", "definitions"), `{"$defs":{"R":{"properties":{"p":{"format":"uri","type":"string"}},"type":"object"}},"properties":{"r":{"$ref":"#/$defs/R"}},"required":["r","gone"],"type":"object"}`},
		{"list of types", "gemini", `{"properties":{"a":{"type":["integer","null"]},"b":{"type":"array"},"c":true,"d":{"items":{"const":"x"}}}}`,
			`{"properties":{"a":{"nullable":true,"type":"integer"},"b":{"items":{"type":"string"},"type":"array"},"c":{},"d":{"items":{"enum":["x"],"type":"string"},"type":"array"}},"type":"object"}`},
		{"alternatives", "gemini", `{"properties":{"a":{"description":"d","anyOf":[{"type":"string"},{"type":"null"}]},"b":{"type":"string","oneOf":[{"type":"string"},{"type":"integer"}]}}}`,
			`{"properties":{"a":{"description":"d","nullable":true,"type":"string"},"b":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"type":"object"}`},
		{"property named like a keyword", "gemini", `{"properties":{"const":{"type":"string"},"$ref":{"type":"string"}}}`, `{"properties":{"$ref":{"type":"string"},"const":{"type":"string"}},"type":"object"}`},
		{"numbers in a list", "gemini", `{"properties":{"a":{"enum":[1,2]}}}`, `{"properties":{"a":{"type":"integer"}},"type":"object"}`},
		{"all of", "gemini", `{"properties":{"a":{"allOf":[{"type":"object","properties":{"x":{"type":"string"}}}]}}}`, `{"properties":{"a":{"properties":{"x":{"type":"string"}},"type":"object"}},"type":"object"}`},
		{"types of Moonshot", "moonshot", `{"properties":{"a":{"enum":[1.5]},"b":{"items":{}},"c":{"properties":{}},"d":{"$ref":"http://x"},"e":{"oneOf":[{"const":true},{"minimum":1}]}}}`,
			`{"properties":{"a":{"enum":[1.5],"type":"number"},"b":{"items":{"type":"string"},"type":"array"},"c":{"properties":{},"type":"object"},"d":{"type":"string"},"e":{"anyOf":[{"const":true,"type":"boolean"},{"minimum":1,"type":"number"}]}},"type":"object"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(Parameters(json.RawMessage(c.in), c.flavour)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestSchemasThatReferToThemselvesEnd(t *testing.T) {
	start := time.Now()
	const self = `{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"},"c":{"$ref":"#"},"d":{"$ref":"#"}}}`
	for _, flavour := range []string{"gemini", "moonshot"} {
		if got := Parameters(json.RawMessage(self), flavour); !json.Valid(got) {
			t.Errorf("%s: %.200s", flavour, got)
		}
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %s", d)
	}
}

func FuzzParameters(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"$ref":"#/definitions/a~1b"}},"definitions":{"a/b":{"anyOf":[{"type":"null"},{"$ref":"#"}]}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, flavour := range []string{"", "gemini", "moonshot"} {
			got := Parameters(raw, flavour)
			if !json.Valid(got) || string(got) != string(Parameters(raw, flavour)) {
				t.Fatalf("%s: %q", flavour, got)
			}
		}
	})
}
