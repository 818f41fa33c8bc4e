package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"paicli/llm"
)

// toolbox answers what the reader asks about the offered tools: whether a name is one of them, and
// of what type an argument is.
type toolbox struct {
	specs []llm.ToolSpec
	types map[string]map[string][]string // tool → argument → JSON types, read on first use
}

func newToolbox(specs []llm.ToolSpec) *toolbox {
	return &toolbox{specs: specs, types: map[string]map[string][]string{}}
}

func (b *toolbox) has(name string) bool {
	return slices.ContainsFunc(b.specs, func(s llm.ToolSpec) bool { return s.Name == name })
}

// hasPrefix reports whether an offered name begins with s.
func (b *toolbox) hasPrefix(s string) bool {
	return slices.ContainsFunc(b.specs, func(t llm.ToolSpec) bool { return strings.HasPrefix(t.Name, s) })
}

// resolve takes off what models put around a name: white space, markup from the first "<" on, the
// namespace "functions." and Kimi's ":0", the last two only when an offered tool remains.
func (b *toolbox) resolve(name string) string {
	name, _, _ = strings.Cut(name, "<")
	name = strings.TrimSpace(name)
	if b.has(name) {
		return name
	}
	bare := strings.TrimPrefix(name, "functions.")
	if head, number, ok := strings.Cut(bare, ":"); ok && digits(number) {
		bare = head
	}
	if b.has(bare) {
		return bare
	}
	return name
}

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// argument writes the value of an untyped argument as JSON, by the type that the schema gives it.
func (b *toolbox) argument(tool, name, text string) json.RawMessage {
	types := b.typesOf(tool)[name]
	trimmed := strings.TrimSpace(text)
	switch {
	case slices.Contains(types, "string"):
		return quote(text)
	case slices.Contains(types, "boolean") && strings.EqualFold(trimmed, "true"):
		return json.RawMessage("true")
	case slices.Contains(types, "boolean") && strings.EqualFold(trimmed, "false"):
		return json.RawMessage("false")
	}
	if trimmed == "" || trimmed[0] == '"' || !json.Valid([]byte(trimmed)) {
		return quote(text)
	}
	return json.RawMessage(trimmed)
}

func (b *toolbox) typesOf(tool string) map[string][]string {
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
	if skipMismatch(json.Unmarshal(raw, &node)) != nil {
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
