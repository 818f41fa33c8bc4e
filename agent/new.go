package agent

import (
	"context"
	"encoding/json"
	"fmt"
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

// decode checks the arguments against the schema and reads them.
func (t *typed[In]) decode(args json.RawMessage) (In, error) {
	var in In
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return in, fmt.Errorf("arguments of %s: %w", t.spec.Name, err)
	}
	if err := t.schema.Validate(value); err != nil {
		return in, fmt.Errorf("arguments of %s do not fit: %s", t.spec.Name, plainSchemaError(err))
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return in, fmt.Errorf("arguments of %s: %w", t.spec.Name, err)
	}
	return in, nil
}

// plainSchemaError takes the validator's path words off.
func plainSchemaError(err error) string {
	s := err.Error()
	s = strings.TrimPrefix(s, "validating root: ")
	s = strings.TrimPrefix(s, "validating /properties/")
	return s
}
