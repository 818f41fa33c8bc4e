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
	neverNull(schema)
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

// neverNull takes null out of the types of lists, which the schema of a slice allows: a model need not
// be told of it.
func neverNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		neverNull(p)
	}
	if s.Items != nil {
		neverNull(s.Items)
	}
}

type typed[In any] struct {
	Typed[In]
	spec   llm.ToolSpec
	schema *jsonschema.Resolved
}

func (t *typed[In]) Spec() llm.ToolSpec { return t.spec }

func (t *typed[In]) Intent(ctx context.Context, args json.RawMessage) (Intent, error) {
	in, read, err := t.decode(args)
	if err != nil {
		return Intent{}, err
	}
	intent, err := t.Typed.Intent(ctx, in)
	intent.Args = read
	return intent, err
}

func (t *typed[In]) Run(ctx context.Context, call *Call) (Output, error) {
	in, _, err := t.decode(call.Args)
	if err != nil {
		return Output{}, err
	}
	return t.Typed.Run(ctx, call, in)
}

// decode checks the arguments against the schema and reads them. It also returns them as JSON, with
// slips read as they were meant.
func (t *typed[In]) decode(args json.RawMessage) (in In, read json.RawMessage, err error) {
	if read, err = readArgs(t.schema.Schema(), args); err == nil {
		err = t.validate(read)
	}
	if err == nil {
		err = json.Unmarshal(read, &in)
	}
	if err != nil {
		return in, nil, fmt.Errorf("%s was not run: %w", t.spec.Name, err)
	}
	return in, read, nil
}

// validate asks the schema about what readArgs does not look at: bounds, patterns and the like.
func (t *typed[In]) validate(args json.RawMessage) error {
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return err
	}
	return t.schema.Validate(value)
}
