package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"paicli/llm"
	"paicli/llm/internal/jsontext"
)

// madeCall is a finished call with the data that must go back beside it. An empty id is still to
// be made.
type madeCall struct {
	llm.Call
	extra json.RawMessage
}

// finish turns what was assembled into calls. cut says that the reply was broken off: then a call
// without any argument text is dropped, because it would look like one that needs none.
func (a *assembler) finish(cut bool) []madeCall {
	var out []madeCall
	for _, c := range a.calls {
		m := madeCall{Call: llm.Call{ID: c.id, Name: cmp.Or(c.name, c.heir), Args: c.text()}, extra: c.extra}
		if strings.TrimSpace(m.Name) == "" || cut && strings.TrimSpace(m.Args) == "" {
			continue
		}
		a.unmark(&m)
		out = append(out, a.divide(m)...)
	}
	return out
}

// unmark cleans the name. GLM's argument markup inside the name gives the arguments when the
// arguments field has none.
func (a *assembler) unmark(m *madeCall) {
	full := m.Name
	m.Name = a.tools.Resolve(full)
	at := strings.Index(full, "<arg_key>")
	if at < 0 || hasArgs(m.Args) {
		return
	}
	if args, ok := a.tools.Pairs(m.Name, full[at:]); ok {
		m.Args = args
	}
}

// hasArgs reports whether the text holds, or tries to hold, any argument.
func hasArgs(args string) bool {
	obj, err := llm.ParseArgs(args)
	return err != nil || len(bytes.Join(bytes.Fields(obj), nil)) > 2
}

// divide splits one call into those it stands for: several objects back to back under one index,
// or the invented tool multi_tool_use.parallel.
func (a *assembler) divide(m madeCall) []madeCall {
	if objects := objectsOf(m.Args); len(objects) > 1 {
		var out []madeCall
		for i, args := range objects {
			part := madeCall{Call: llm.Call{Name: m.Name, Args: args}}
			if i == 0 {
				part.ID, part.extra = m.ID, m.extra
			}
			out = append(out, part)
		}
		return out
	}
	if m.Name == parallelTool && !a.tools.Has(parallelTool) {
		if calls := a.parallel(m); calls != nil {
			return calls
		}
	}
	return []madeCall{m}
}

const parallelTool = "multi_tool_use.parallel"

// parallel unpacks the wrapper that OpenAI models were trained on. It returns nil unless every part
// is understood and offered.
func (a *assembler) parallel(m madeCall) []madeCall {
	raw, err := llm.ParseArgs(m.Args)
	if err != nil {
		return nil
	}
	var wrapper struct {
		Uses []struct {
			Name  string        `json:"recipient_name"`
			Args  jsontext.Args `json:"parameters"`
			Args2 jsontext.Args `json:"arguments"`
		} `json:"tool_uses"`
	}
	if json.Unmarshal(raw, &wrapper) != nil {
		return nil
	}
	var out []madeCall
	for i, use := range wrapper.Uses {
		name := a.tools.Resolve(use.Name)
		if !a.tools.Has(name) {
			return nil
		}
		part := madeCall{Call: llm.Call{Name: name, Args: cmp.Or(string(use.Args), string(use.Args2), "{}")}}
		if i == 0 {
			part.ID, part.extra = m.ID, m.extra
		}
		out = append(out, part)
	}
	return out
}

// objectsOf splits text that is nothing but whole JSON objects in a row.
func objectsOf(s string) []string {
	if json.Valid([]byte(s)) {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(s))
	var out []string
	for dec.More() {
		var raw json.RawMessage
		if dec.Decode(&raw) != nil || raw[0] != '{' {
			return nil
		}
		out = append(out, string(raw))
	}
	return out
}

// giveIDs gives ids to calls that have none or one that was used before in the reply.
func giveIDs(calls []madeCall, newID func() string) {
	used := map[string]bool{}
	for i := range calls {
		id := calls[i].ID
		for id == "" || used[id] {
			id = newID()
		}
		used[id] = true
		calls[i].ID = id
	}
}
