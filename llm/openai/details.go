package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"paicli/llm/internal/jsontext"
)

// details collects reasoning_details, which must go back as one list in the order sent. A list is
// streamed in pieces: pieces of one text share type and index and are joined; anything else is
// kept byte for byte.
type details []json.RawMessage

func (d *details) UnmarshalJSON(raw []byte) error {
	switch {
	case len(raw) > 0 && raw[0] == '[':
		return json.Unmarshal(raw, (*[]json.RawMessage)(d))
	case len(raw) > 0 && raw[0] == '{':
		*d = details{bytes.Clone(raw)}
	}
	return nil
}

// detail is what of an entry is needed to show it and to join pieces.
type detail struct {
	Type    jsontext.String `json:"type"`
	Index   jsontext.Number `json:"index"`
	Text    jsontext.String `json:"text"`
	Summary jsontext.String `json:"summary"`
	Content jsontext.String `json:"content"`
}

func readDetail(raw json.RawMessage) (detail, bool) {
	var d detail
	if len(raw) == 0 || raw[0] != '{' || jsontext.Decode(raw, &d) != nil {
		return detail{}, false
	}
	return d, true
}

// text is what the entries say in words.
func (d details) text() string {
	var b strings.Builder
	for _, raw := range d {
		if e, ok := readDetail(raw); ok {
			b.WriteString(string(e.Text + e.Summary + e.Content))
		}
	}
	return b.String()
}

// openDetail is an entry under construction. As long as no second piece came, raw is what goes back.
type openDetail struct {
	raw    json.RawMessage
	head   detail
	texts  map[string]*growth // the streamed fields: text, summary
	fields []field            // all fields in order, once there were several pieces
}

type field struct {
	name  string
	value json.RawMessage
}

// detailList joins the streamed entries.
type detailList struct {
	entries []*openDetail
}

func (l *detailList) add(d details) {
	for _, raw := range d {
		head, ok := readDetail(raw)
		if !ok {
			continue
		}
		if n := len(l.entries); n > 0 && continues(l.entries[n-1].head, head) {
			l.entries[n-1].join(raw, head)
			continue
		}
		e := &openDetail{raw: raw, head: head, texts: map[string]*growth{"text": {}, "summary": {}}}
		e.texts["text"].next(string(head.Text))
		e.texts["summary"].next(string(head.Summary))
		l.entries = append(l.entries, e)
	}
}

// continues tells whether b is the next piece of a: texts and summaries come in pieces, encrypted
// data comes whole.
func continues(a, b detail) bool {
	streamed := b.Type == "reasoning.text" || b.Type == "reasoning.summary"
	return streamed && a.Type == b.Type && a.Index == b.Index
}

// join adds a piece: texts grow, other fields (a signature at the end) are set when not null.
func (e *openDetail) join(raw json.RawMessage, head detail) {
	if e.fields == nil {
		e.fields = fieldsOf(e.raw)
	}
	e.texts["text"].next(string(head.Text))
	e.texts["summary"].next(string(head.Summary))
	for _, f := range fieldsOf(raw) {
		if string(f.value) != "null" && e.texts[f.name] == nil {
			e.set(f)
		} else if e.texts[f.name] != nil && !e.has(f.name) {
			e.fields = append(e.fields, f)
		}
	}
}

func (e *openDetail) has(name string) bool {
	for _, f := range e.fields {
		if f.name == name {
			return true
		}
	}
	return false
}

func (e *openDetail) set(f field) {
	for i := range e.fields {
		if e.fields[i].name == f.name {
			e.fields[i].value = f.value
			return
		}
	}
	e.fields = append(e.fields, f)
}

// json is the whole list, nil when there is none.
func (l *detailList) json() json.RawMessage {
	if len(l.entries) == 0 {
		return nil
	}
	out := []byte{'['}
	for i, e := range l.entries {
		if i > 0 {
			out = append(out, ',')
		}
		out = e.append(out)
	}
	return append(out, ']')
}

func (e *openDetail) append(out []byte) []byte {
	if e.fields == nil {
		return append(out, e.raw...)
	}
	out = append(out, '{')
	for i, f := range e.fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, jsontext.Quote(f.name)...), ':')
		if g := e.texts[f.name]; g != nil && g.deltas > 0 {
			g.rest()
			out = append(out, jsontext.Quote(g.sofar.String())...)
		} else {
			out = append(out, f.value...)
		}
	}
	return append(out, '}')
}

// fieldsOf lists the fields of an object in order.
func fieldsOf(raw json.RawMessage) []field {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var fields []field
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return fields
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return fields
		}
		fields = append(fields, field{name.(string), value})
	}
	return fields
}
