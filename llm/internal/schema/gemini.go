package schema

import (
	"encoding/json"
	"slices"
)

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
func (s *rewriter) gemini(node map[string]any, depth int) map[string]any {
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
func (s *rewriter) geminiTypes(node, out map[string]any, depth int) {
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
func (s *rewriter) geminiAlternatives(node, out map[string]any, depth int) {
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

func (s *rewriter) geminiChildren(out map[string]any, depth int) {
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
