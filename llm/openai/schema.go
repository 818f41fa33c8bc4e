package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Schemas may refer to themselves, and they come from strangers: references are followed this deep,
// and a rewritten schema has at most this many nodes. What lies beyond is any object.
const (
	deepest   = 12
	mostNodes = 5000
)

const emptySchema = `{"type":"object","properties":{}}`

// parameters is a tool's schema as the server takes it: an object with properties, in the flavour
// of catalog.Quirks.Schema. The same schema always gives the same bytes.
func parameters(raw json.RawMessage, flavour string) json.RawMessage {
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
	s := &schema{root: root}
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
	return mendSurrogates(out.Bytes())
}

func decodeObject(raw json.RawMessage) (map[string]any, bool) {
	v, ok := decode(raw)
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

// schema is one tool's schema while it is rewritten.
type schema struct {
	root  map[string]any
	nodes int
}

// beyond counts a node and reports whether it is one too many.
func (s *schema) beyond(depth int) bool {
	s.nodes++
	return depth > deepest || s.nodes > mostNodes
}

// target finds what a local reference points to, nil for any other reference.
func (s *schema) target(ref string) map[string]any {
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

// geminiKeys are the keywords of Gemini's schema subset; one unknown keyword anywhere rejects the
// whole request.
var geminiKeys = []string{
	"type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties",
	"required", "minProperties", "maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf",
	"propertyOrdering", "default", "example",
}

var geminiFormats = []string{"enum", "date-time", "int32", "int64", "float", "double"}

// gemini rewrites a node: references are put in place, const becomes a list of one value, null
// becomes nullable, exclusive bounds become bounds.
func (s *schema) gemini(node map[string]any, depth int) map[string]any {
	if s.beyond(depth) {
		return map[string]any{"type": "object"}
	}
	if ref, ok := node["$ref"].(string); ok {
		node = mixed(s.target(ref), node)
	}
	if all, ok := node["allOf"].([]any); ok {
		for _, part := range all {
			m, _ := part.(map[string]any)
			if ref, ok := m["$ref"].(string); ok {
				m = s.target(ref)
			}
			node = mixed(m, node)
		}
	}
	out := make(map[string]any, len(node))
	for key, value := range node {
		if slices.Contains(geminiKeys, key) {
			out[key] = value
		}
	}
	geminiBounds(node, out)
	s.geminiTypes(node, out, depth)
	s.geminiChildren(out, depth)
	return out
}

// mixed lays the words of a node over the target of its reference, neither of which is changed.
func mixed(target, node map[string]any) map[string]any {
	out := make(map[string]any, len(target)+1)
	for k, v := range target {
		out[k] = v
	}
	for k, v := range node {
		if k != "$ref" && k != "allOf" {
			out[k] = v
		}
	}
	return out
}

func geminiBounds(node, out map[string]any) {
	for exclusive, plain := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		if n, ok := node[exclusive].(json.Number); ok && out[plain] == nil {
			out[plain] = n
		}
	}
	if f, ok := out["format"].(string); ok && !slices.Contains(geminiFormats, f) {
		delete(out, "format")
	}
}

// geminiTypes settles type, enum and alternatives.
func (s *schema) geminiTypes(node, out map[string]any, depth int) {
	if value, ok := node["const"]; ok {
		out["enum"] = []any{value}
	}
	if values, ok := out["enum"].([]any); ok {
		texts := slices.DeleteFunc(slices.Clone(values), func(v any) bool { _, ok := v.(string); return !ok })
		delete(out, "enum") // only strings may be listed
		if len(texts) > 0 {
			out["type"], out["enum"] = "string", texts
		} else if len(values) > 0 && out["type"] == nil {
			out["type"] = typeOf(values[0])
		}
	}
	if types, ok := out["type"].([]any); ok {
		delete(out, "type")
		for _, t := range types {
			if t == "null" {
				out["nullable"] = true
			} else if out["type"] == nil {
				out["type"] = t
			}
		}
	}
	s.geminiAlternatives(node, out, depth)
}

// geminiAlternatives keeps anyOf only where there is a real choice, and then alone: nothing may
// stand beside it.
func (s *schema) geminiAlternatives(node, out map[string]any, depth int) {
	list, ok := node["anyOf"].([]any)
	if !ok {
		list, ok = node["oneOf"].([]any)
	}
	delete(out, "anyOf")
	if !ok {
		return
	}
	var options []any
	for _, o := range list {
		m, ok := o.(map[string]any)
		if ok && m["type"] == "null" {
			out["nullable"] = true
		} else if ok {
			options = append(options, s.gemini(m, depth+1))
		}
	}
	switch {
	case len(options) == 1:
		for k, v := range options[0].(map[string]any) {
			if out[k] == nil || k == "type" {
				out[k] = v
			}
		}
	case len(options) > 1:
		clear(out)
		out["anyOf"] = options
	}
}

func (s *schema) geminiChildren(out map[string]any, depth int) {
	if props, ok := out["properties"].(map[string]any); ok {
		out["properties"] = eachProperty(props, func(m map[string]any) map[string]any { return s.gemini(m, depth+1) })
	}
	switch items := out["items"].(type) {
	case map[string]any:
		out["items"] = s.gemini(items, depth+1)
	case nil:
		if out["type"] == "array" {
			out["items"] = map[string]any{"type": "string"}
		}
	default:
		out["items"] = map[string]any{"type": "string"}
	}
	if out["items"] != nil && out["type"] == nil {
		out["type"] = "array"
	}
	if out["properties"] != nil && out["type"] == nil {
		out["type"] = "object"
	}
	requireKnown(out)
}

// requireKnown drops required names that are no properties.
func requireKnown(out map[string]any) {
	names, ok := out["required"].([]any)
	if !ok {
		return
	}
	props, _ := out["properties"].(map[string]any)
	names = slices.DeleteFunc(slices.Clone(names), func(n any) bool {
		name, _ := n.(string)
		return props[name] == nil
	})
	if out["required"] = names; len(names) == 0 {
		delete(out, "required")
	}
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
