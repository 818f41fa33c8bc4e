package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"paicli/session"
)

// maxMends is how many times in a turn an answer that does not fit its schema is asked for again.
const maxMends = 2

// AnswerSchema wants the answer of a turn to be JSON that fits a schema. One that does not is sent
// back with the reason; after too many of them the turn stops. The model must be told the schema
// beforehand. The error is that of a schema that cannot be used.
func AnswerSchema(schema json.RawMessage) (Guard, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return func(_ context.Context, t *Turn) error {
		if !t.Final {
			return nil
		}
		err := conforms(resolved, t.answer)
		if err == nil {
			return nil
		}
		if t.mended++; t.mended > maxMends {
			return &Stop{Reason: ReasonSchema}
		}
		note := fmt.Sprintf("[answer] Your answer does not fit: %v. Answer again with nothing but one JSON value that fits the schema.", err)
		_, err = t.Thread.Append(&session.Said{By: session.ByNote, Text: note})
		return err
	}, nil
}

func conforms(schema *jsonschema.Resolved, text string) error {
	raw, ok := AnswerJSON(text)
	if !ok {
		return errors.New("it is not JSON")
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	return schema.Validate(value)
}

// AnswerJSON is the JSON value that an answer consists of, with or without a code fence around it.
func AnswerJSON(text string) (raw json.RawMessage, ok bool) {
	text = strings.TrimSpace(text)
	if inner, fenced := strings.CutPrefix(text, "```"); fenced && strings.HasSuffix(inner, "```") {
		_, inner, _ = strings.Cut(inner, "\n") // the word behind the fence
		text = strings.TrimSpace(strings.TrimSuffix(inner, "```"))
	}
	return json.RawMessage(text), json.Valid([]byte(text))
}
