// Package schema rewrites the JSON Schemas of tools into the subsets that model servers accept. It
// validates nothing: what a model sends is checked by whoever runs the tool.
package schema

import (
	"bytes"
	"encoding/json"
	"strings"

	"paicli/llm/internal/jsontext"
)

// Schemas may refer to themselves, and they come from strangers: references are followed this deep,
// and a rewritten schema has at most this many nodes. What lies beyond is any object.
const (
	deepest   = 12
	mostNodes = 5000
)

const emptySchema = `{"type":"object","properties":{}}`

// Parameters is a tool's schema as a server takes it: an object with properties, in the flavour
// "gemini", "moonshot" or, as it came, "". The same schema always gives the same bytes.
func Parameters(raw json.RawMessage, flavour string) json.RawMessage {
	root, ok := decodeObject(raw)
	if !ok || len(root) == 0 {
		return json.RawMessage(emptySchema)
	}
	changed := false
	if _, ok := root["type"].(string); !ok {
		root["type"], changed = "object", true
	}
	if _, ok := root["properties"].(map[string]any); !ok && root["type"] == "object" {
		root["properties"], changed = map[string]any{}, true
	}
	s := &rewriter{root: root}
	switch flavour {
	case "gemini":
		return encode(s.gemini(root, 0))
	case "moonshot":
		return encode(s.moonshotRoot())
	}
	if changed {
		return encode(root)
	}
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return json.RawMessage(emptySchema)
	}
	return jsontext.MendSurrogates(out.Bytes())
}

func decodeObject(raw json.RawMessage) (map[string]any, bool) {
	v, ok := jsontext.Value(raw)
	m, isObject := v.(map[string]any)
	return m, ok && isObject && m != nil
}

// encode writes JSON with sorted keys, so that equal values give equal bytes.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil { // cannot happen: v was decoded from JSON
		return json.RawMessage(emptySchema)
	}
	return bytes.TrimSpace(b.Bytes())
}

// rewriter is one tool's schema while it is rewritten.
type rewriter struct {
	root  map[string]any
	nodes int
}

// beyond counts a node and reports whether it is one too many.
func (s *rewriter) beyond(depth int) bool {
	s.nodes++
	return depth > deepest || s.nodes > mostNodes
}

// target finds what a local reference points to, nil for any other reference.
func (s *rewriter) target(ref string) map[string]any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	node := any(s.root)
	for _, step := range strings.Split(strings.Trim(path, "/"), "/") {
		if step == "" {
			continue
		}
		m, ok := node.(map[string]any)
		if !ok {
			return nil
		}
		node = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	m, _ := node.(map[string]any)
	return m
}

func eachProperty(props map[string]any, f func(map[string]any) map[string]any) map[string]any {
	out := make(map[string]any, len(props))
	for name, p := range props {
		m, ok := p.(map[string]any)
		if !ok {
			m = map[string]any{} // true: anything goes
		}
		out[name] = f(m)
	}
	return out
}

func typeOf(v any) string {
	switch v := v.(type) {
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "string"
}
