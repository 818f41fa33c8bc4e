package catalog

import (
	"encoding/json"
	"fmt"
)

// Quirks say how a Chat Completions request must look for one model on one server. The zero value
// is plain OpenAI-compatible behaviour without any extension field.
type Quirks struct {
	NoStreamOptions bool     `json:"no_stream_options"` // usage is sent unasked, the field is refused
	MaxTokens       string   `json:"max_tokens"`        // name of the output limit, "" = max_tokens
	Empty           string   `json:"empty"`             // content of a message with calls only: "" or "null"
	IDs             string   `json:"ids"`               // call ids: "" = OpenAI's, "kimi", "mistral"
	Schema          string   `json:"schema"`            // tool schemas: "", "gemini", "moonshot"
	Choices         []string `json:"choices"`           // accepted tool_choice values, nil = all
	RawImages       bool     `json:"raw_images"`        // bare base64 instead of a data URL
	Signature       string   `json:"signature"`         // stands in for a missing thought signature
	Constants       Fields   `json:"constants"`         // sent with every request
	WithTools       Fields   `json:"with_tools"`        // sent when tools are
	Echo            Echo     `json:"echo"`
	Thinking        Thinking `json:"thinking"`
}

// Fields are members of the request body by name.
type Fields map[string]json.RawMessage

// Echo says how reasoning goes back as text. The zero value sends none. Opaque data goes back to
// the server that made it in any case.
type Echo struct {
	// Field is reasoning_content, reasoning, reasoning_details or thinking_part (a typed part at
	// the head of the content).
	Field string `json:"field"`
	When  When   `json:"when"`
	// Fill stands in for the reasoning that a message with calls does not have; nil sends nothing.
	Fill *string `json:"fill"`
}

// When says which messages carry their reasoning.
type When string

// The choices. An unset When is never.
const (
	Never  When = "never"
	Calls  When = "calls" // messages with tool calls
	Always When = "always"
)

// Thinking translates a wish for or against reasoning to body fields. Fields of an effort win over
// those of On. A wish without fields is not sent.
type Thinking struct {
	Default string            `json:"default"` // "on" or "off" for a request that wishes nothing
	Effort  string            `json:"effort"`  // the effort when thinking is on and none is named
	On      Fields            `json:"on"`
	Off     Fields            `json:"off"`
	Efforts map[string]Fields `json:"efforts"` // low, medium, high, max
}

// merge lays partial quirks over q, in order. Each is a JSON object of the catalogue.
func (q *Quirks) merge(parts ...json.RawMessage) {
	for _, part := range parts {
		if len(part) == 0 {
			continue
		}
		if err := json.Unmarshal(part, q); err != nil {
			panic(fmt.Sprintf("catalog: quirks: %v", err)) // the data is tested, this is a broken build
		}
	}
}
