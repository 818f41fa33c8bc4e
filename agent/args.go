package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// readArgs checks arguments against a schema and returns them with slips read as they were meant.
// Arguments without a slip come back byte for byte. Read as meant are, at any depth:
//
//   - "10" and 10.0 where an integer is wanted, "1.5" where a number is;
//   - "true" and "false", also with a capital, where a boolean is wanted;
//   - a string that holds an array or object where one is wanted;
//   - null for what may be left out;
//   - a whole number where a string is wanted, since its digits are the only text it can mean.
//     1.50, 1e3 and true can be written in several ways and are refused.
//
// Strings are never changed where strings are wanted, and nothing is wrapped into a list. All else
// is an error of one sentence that names the argument, what is expected and what came.
func readArgs(s *jsonschema.Schema, args json.RawMessage) (json.RawMessage, error) {
	value, err := decodeJSON(args)
	if err != nil {
		return nil, err
	}
	var r reading
	if value, err = r.value(s, "", value); err != nil {
		return nil, err
	}
	if !r.changed {
		return args, nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// decodeJSON reads one JSON value. Numbers stay as they are written.
func decodeJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

// reading is one look at the arguments of a call.
type reading struct{ changed bool }

// value reads what stands at a place by its schema.
func (r *reading) value(s *jsonschema.Schema, at string, v any) (any, error) {
	want := wanted(s)
	if want == "" || v == nil && nullable(s) {
		return v, nil
	}
	if meant, ok := slip(want, v); ok {
		v, r.changed = meant, true
	}
	if !fits(want, v) {
		got, _ := json.Marshal(v)
		if at == "" {
			return nil, fmt.Errorf("the arguments must be %s, got %s", article(want), cut(string(got), maxShown))
		}
		return nil, fmt.Errorf("argument %s must be %s, got %s", at, article(want), cut(string(got), maxShown))
	}
	switch v := v.(type) {
	case map[string]any:
		return v, r.object(s, at, v)
	case []any:
		return v, r.array(s, at, v)
	}
	return v, nil
}

// maxShown bounds the value that an error quotes, in characters.
const maxShown = 80

// object reads the fields of an object in place.
func (r *reading) object(s *jsonschema.Schema, at string, fields map[string]any) error {
	if at != "" {
		at += "."
	}
	for _, name := range s.Required {
		if _, ok := fields[name]; !ok {
			return fmt.Errorf("argument %s is missing; %s", at+name, usage(s))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		prop := s.Properties[name]
		if prop == nil {
			prop = s.AdditionalProperties
		}
		if prop == nil || prop.Not != nil {
			return fmt.Errorf("there is no argument %q; %s", at+name, usage(s))
		}
		if fields[name] == nil && !nullable(prop) && wanted(prop) != "" && !slices.Contains(s.Required, name) {
			delete(fields, name)
			r.changed = true
			continue
		}
		v, err := r.value(prop, at+name, fields[name])
		if err != nil {
			return err
		}
		fields[name] = v
	}
	return nil
}

// array reads the items of an array in place.
func (r *reading) array(s *jsonschema.Schema, at string, items []any) error {
	if s.Items == nil {
		return nil
	}
	for i := range items {
		v, err := r.value(s.Items, fmt.Sprintf("%s[%d]", at, i), items[i])
		if err != nil {
			return err
		}
		items[i] = v
	}
	return nil
}

// wanted is the one type, null aside, that a schema allows; "" when there is none or several.
func wanted(s *jsonschema.Schema) string {
	if s.Type != "" {
		return s.Type
	}
	others := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
	if len(others) == 1 {
		return others[0]
	}
	return ""
}

func nullable(s *jsonschema.Schema) bool {
	return s.Type == "null" || slices.Contains(s.Types, "null")
}

// slip returns what was meant by a value of another type or spelling, if that is certain.
func slip(want string, v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return slipOfString(want, v)
	case json.Number:
		switch n := whole(v); {
		case want == "integer" && n != "" && n != v:
			return n, true
		case want == "string" && n == v && v != "-0":
			return v.String(), true
		}
	}
	return nil, false
}

func slipOfString(want, s string) (any, bool) {
	s = strings.TrimSpace(s)
	switch want {
	case "boolean":
		switch s {
		case "true", "True":
			return true, true
		case "false", "False":
			return false, true
		}
	case "integer", "number", "array", "object":
		v, err := decodeJSON([]byte(s))
		if err != nil {
			return nil, false
		}
		if n, ok := v.(json.Number); ok && want == "integer" {
			v = whole(n)
		}
		return v, fits(want, v)
	}
	return nil, false
}

// whole is a number without the zeros behind its point; "" when it is no whole number in plain
// digits.
func whole(n json.Number) json.Number {
	digits, zeros, _ := strings.Cut(n.String(), ".")
	if strings.Trim(zeros, "0") != "" || strings.Trim(digits, "-0123456789") != "" {
		return ""
	}
	return json.Number(digits)
}

func fits(want string, v any) bool {
	switch v := v.(type) {
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case json.Number:
		_, noInt := strconv.ParseInt(v.String(), 10, 64)
		_, noFloat := v.Float64()
		return want == "integer" && noInt == nil || want == "number" && noFloat == nil
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

func usage(s *jsonschema.Schema) string {
	if len(s.PropertyOrder) == 0 {
		return "it has no arguments"
	}
	names := slices.Clone(s.PropertyOrder)
	for i, name := range names {
		if !slices.Contains(s.Required, name) {
			names[i] += " (optional)"
		}
	}
	return "the arguments are: " + strings.Join(names, ", ")
}
