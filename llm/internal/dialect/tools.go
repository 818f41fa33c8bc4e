package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"paicli/llm"
	"paicli/llm/internal/jsontext"
)

// Tools answers what a reader asks about the offered tools: whether a name is one of them, and
// of what type an argument is.
type Tools struct {
	specs []llm.ToolSpec
	types map[string]map[string][]string // tool → argument → JSON types, read on first use
}

// NewTools makes a Tools for the offered ones.
func NewTools(specs []llm.ToolSpec) *Tools {
	return &Tools{specs: specs, types: map[string]map[string][]string{}}
}

// Has reports whether a tool of this name is offered.
func (b *Tools) Has(name string) bool {
	return slices.ContainsFunc(b.specs, func(s llm.ToolSpec) bool { return s.Name == name })
}

// HasPrefix reports whether an offered name begins with s.
func (b *Tools) HasPrefix(s string) bool {
	return slices.ContainsFunc(b.specs, func(t llm.ToolSpec) bool { return strings.HasPrefix(t.Name, s) })
}

// Resolve takes off what models put around a name: white space, markup from the first "<" on, the
// namespace "functions." and Kimi's ":0", the last two only when an offered tool remains.
func (b *Tools) Resolve(name string) string {
	name, _, _ = strings.Cut(name, "<")
	name = strings.TrimSpace(name)
	if b.Has(name) {
		return name
	}
	bare := strings.TrimPrefix(name, "functions.")
	if head, number, ok := strings.Cut(bare, ":"); ok && digits(number) {
		bare = head
	}
	if b.Has(bare) {
		return bare
	}
	return name
}

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// argument writes the value of an untyped argument as JSON, by the type that the schema gives it.
func (b *Tools) argument(tool, name, text string) json.RawMessage {
	types := b.typesOf(tool)[name]
	trimmed := strings.TrimSpace(text)
	switch {
	case slices.Contains(types, "string"):
		return jsontext.Quote(text)
	case slices.Contains(types, "boolean") && strings.EqualFold(trimmed, "true"):
		return json.RawMessage("true")
	case slices.Contains(types, "boolean") && strings.EqualFold(trimmed, "false"):
		return json.RawMessage("false")
	}
	if trimmed == "" || trimmed[0] == '"' || !json.Valid([]byte(trimmed)) {
		return jsontext.Quote(text)
	}
	return json.RawMessage(trimmed)
}

func (b *Tools) typesOf(tool string) map[string][]string {
	if types, ok := b.types[tool]; ok {
		return types
	}
	types := map[string][]string{}
	for _, s := range b.specs {
		if s.Name == tool {
			readTypes(s.Schema, types)
		}
	}
	b.types[tool] = types
	return types
}

// readTypes lists the JSON types of the arguments in an object schema.
func readTypes(schema json.RawMessage, into map[string][]string) {
	var root struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &root) != nil {
		return
	}
	for name, raw := range root.Properties {
		into[name] = nodeTypes(raw)
	}
}

// nodeTypes reads the type keyword, or those of the alternatives when there is none.
func nodeTypes(raw json.RawMessage) []string {
	var node struct {
		Type  json.RawMessage   `json:"type"`
		Enum  []any             `json:"enum"`
		AnyOf []json.RawMessage `json:"anyOf"`
		OneOf []json.RawMessage `json:"oneOf"`
	}
	if jsontext.Decode(raw, &node) != nil {
		return nil
	}
	var one string
	var types []string
	if json.Unmarshal(node.Type, &one) == nil {
		return []string{one}
	}
	if json.Unmarshal(node.Type, &types) == nil {
		return types
	}
	for _, alternative := range append(node.AnyOf, node.OneOf...) {
		types = append(types, nodeTypes(alternative)...)
	}
	for _, v := range node.Enum {
		if _, ok := v.(string); ok {
			return append(types, "string")
		}
	}
	return types
}
