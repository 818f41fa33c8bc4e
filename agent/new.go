package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"paicli/llm"
)

// Typed makes a Tool from functions over a struct of arguments. The JSON schema is derived from In:
// `json` tags name the fields (omitempty = optional), `jsonschema` tags describe them.
type Typed[In any] struct {
	Name        string
	Description string
	Intent      func(ctx context.Context, in In) (Intent, error)
	Run         func(ctx context.Context, call *Call, in In) (Output, error)
}

// New makes the tool. It panics when In has no JSON schema, which is a mistake in the program.
func New[In any](t Typed[In]) Tool {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", t.Name, err))
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", t.Name, err))
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", t.Name, err))
	}
	return &typed[In]{
		Typed:  t,
		spec:   llm.ToolSpec{Name: t.Name, Description: strings.TrimSpace(t.Description), Schema: raw},
		schema: resolved,
	}
}

type typed[In any] struct {
	Typed[In]
	spec   llm.ToolSpec
	schema *jsonschema.Resolved
}

func (t *typed[In]) Spec() llm.ToolSpec { return t.spec }

func (t *typed[In]) Intent(ctx context.Context, args json.RawMessage) (Intent, error) {
	in, err := t.decode(args)
	if err != nil {
		return Intent{}, err
	}
	return t.Typed.Intent(ctx, in)
}

func (t *typed[In]) Run(ctx context.Context, call *Call) (Output, error) {
	in, err := t.decode(call.Args)
	if err != nil {
		return Output{}, err
	}
	return t.Typed.Run(ctx, call, in)
}

// decode checks the arguments against the schema and reads them. The error is one sentence that
// names the argument, what is expected and what came.
func (t *typed[In]) decode(args json.RawMessage) (In, error) {
	var in In
	var value map[string]any
	if err := json.Unmarshal(args, &value); err != nil {
		return in, fmt.Errorf("arguments of %s: %w", t.spec.Name, err)
	}
	if err := checkArgs(t.schema.Schema(), value); err != nil {
		return in, fmt.Errorf("%s was not run: %w", t.spec.Name, err)
	}
	if err := t.schema.Validate(value); err != nil {
		return in, fmt.Errorf("%s was not run: %w", t.spec.Name, err)
	}
	plain, err := json.Marshal(value) // writes 2.0 as 2
	if err != nil {
		return in, fmt.Errorf("arguments of %s: %w", t.spec.Name, err)
	}
	if err := json.Unmarshal(plain, &in); err != nil {
		return in, fmt.Errorf("arguments of %s: %w", t.spec.Name, err)
	}
	return in, nil
}

// checkArgs words the mistakes that models make: an argument missing, unknown or of another type.
// What it does not know is left to the validator.
func checkArgs(s *jsonschema.Schema, value map[string]any) error {
	for _, name := range s.Required {
		if _, ok := value[name]; !ok {
			return fmt.Errorf("argument %s is missing; %s", name, usage(s))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		prop := s.Properties[name]
		if prop == nil {
			return fmt.Errorf("there is no argument %q; %s", name, usage(s))
		}
		if prop.Type != "" && !fits(prop.Type, value[name]) {
			got, _ := json.Marshal(value[name])
			return fmt.Errorf("argument %s must be %s, got %.80s", name, article(prop.Type), got)
		}
	}
	return nil
}

func usage(s *jsonschema.Schema) string {
	names := slices.Clone(s.PropertyOrder)
	for i, name := range names {
		if !slices.Contains(s.Required, name) {
			names[i] += " (optional)"
		}
	}
	return "the arguments are: " + strings.Join(names, ", ")
}

func fits(want string, v any) bool {
	switch v := v.(type) {
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && v == math.Trunc(v)
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	}
	return want == "null"
}

func article(typ string) string {
	if strings.ContainsAny(typ[:1], "aeio") {
		return "an " + typ
	}
	return "a " + typ
}
