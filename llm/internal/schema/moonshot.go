package schema

import (
	"maps"
	"strings"
)

// moonshotRoot rewrites a whole schema: every property has a type, except that beside anyOf there is
// none, and every reference goes to #/$defs/.
func (s *rewriter) moonshotRoot() map[string]any {
	out := s.moonshot(s.root, true, 0)
	defs := map[string]any{}
	for _, key := range []string{"definitions", "$defs"} {
		m, _ := s.root[key].(map[string]any)
		for name, d := range eachProperty(m, func(m map[string]any) map[string]any { return s.moonshot(m, true, 1) }) {
			defs[name] = d
		}
	}
	delete(out, "definitions")
	delete(out, "$defs")
	if len(defs) > 0 {
		out["$defs"] = defs
	}
	return out
}

// moonshot rewrites one node. typed asks for a type on it.
func (s *rewriter) moonshot(node map[string]any, typed bool, depth int) map[string]any {
	if s.beyond(depth) {
		return map[string]any{"type": "object"}
	}
	out := maps.Clone(node)
	if out == nil {
		out = map[string]any{}
	}
	if ref, ok := out["$ref"].(string); ok {
		if moved := s.moonshotRef(ref); moved != "" {
			return map[string]any{"$ref": moved}
		}
		delete(out, "$ref")
	}
	s.moonshotChildren(out, depth)
	if out["anyOf"] != nil {
		delete(out, "type")
		return out
	}
	if typed && out["type"] == nil {
		out["type"] = guessType(out)
	}
	return out
}

// moonshotRef is the reference in the spelling that is accepted, "" if it leads nowhere.
func (s *rewriter) moonshotRef(ref string) string {
	for _, home := range []string{"#/definitions/", "#/$defs/"} {
		name, ok := strings.CutPrefix(ref, home)
		if ok && !strings.Contains(name, "/") && s.target(ref) != nil {
			return "#/$defs/" + name
		}
	}
	return ""
}

func (s *rewriter) moonshotChildren(out map[string]any, depth int) {
	typed := func(m map[string]any) map[string]any { return s.moonshot(m, true, depth+1) }
	if props, ok := out["properties"].(map[string]any); ok {
		out["properties"] = eachProperty(props, typed)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if m, ok := out[key].(map[string]any); ok {
			out[key] = typed(m)
		}
	}
	if all, ok := out["oneOf"].([]any); ok && out["anyOf"] == nil {
		delete(out, "oneOf")
		out["anyOf"] = all
	}
	for _, key := range []string{"anyOf", "allOf"} {
		list, ok := out[key].([]any)
		if !ok {
			continue
		}
		options := make([]any, 0, len(list))
		for _, o := range list {
			if m, ok := o.(map[string]any); ok {
				options = append(options, s.moonshot(m, key == "anyOf", depth+1))
			}
		}
		out[key] = options
	}
}

// guessType infers a type from the other keywords; a value about which nothing is said is text.
func guessType(node map[string]any) string {
	if values, ok := node["enum"].([]any); ok && len(values) > 0 {
		return typeOf(values[0])
	}
	if v, ok := node["const"]; ok {
		return typeOf(v)
	}
	switch {
	case node["properties"] != nil || node["additionalProperties"] != nil:
		return "object"
	case node["items"] != nil:
		return "array"
	case node["minimum"] != nil || node["maximum"] != nil || node["exclusiveMinimum"] != nil:
		return "number"
	}
	return "string"
}
