package openai

import (
	"bytes"
	"encoding/json"

	"paicli/llm"
	"paicli/llm/catalog"
	"paicli/llm/internal/jsontext"
)

// assistant appends the members of an assistant message after its role.
func (d *builder) assistant(b []byte, e *entry) []byte {
	echo := d.echo()
	think := ""
	if echo.When == catalog.Always || echo.When == catalog.Calls && len(e.calls) > 0 {
		think = e.thought()
	}
	b = d.content(append(b, `,"content":`...), e, echo.Field, think)
	b = d.reasoning(b, e, echo, think)
	if len(e.calls) == 0 {
		return b // an empty list is refused
	}
	b = append(b, `,"tool_calls":[`...)
	for i := range e.calls {
		if i > 0 {
			b = append(b, ',')
		}
		b = d.call(b, &e.calls[i], i == 0)
	}
	return append(b, ']')
}

// echo is how reasoning goes back, with what was learned.
func (d *builder) echo() catalog.Echo {
	echo := d.quirks.Echo
	if d.known.echo && echo.Field == "" {
		fill := " "
		echo = catalog.Echo{Field: "reasoning_content", When: catalog.Calls, Fill: &fill}
	}
	if d.known.refuses(echo.Field) {
		return catalog.Echo{}
	}
	return echo
}

func (d *builder) content(b []byte, e *entry, field, think string) []byte {
	text := e.words()
	if field == "thinking_part" && think != "" {
		b = append(b, `[{"type":"thinking","thinking":[{"type":"text","text":`...)
		b = append(jsontext.AppendString(b, think), "}]}"...)
		if text != "" {
			b = append(jsontext.AppendString(append(b, `,{"type":"text","text":`...), text), '}')
		}
		return append(b, ']')
	}
	if text == "" && d.quirks.Empty == "null" {
		return append(b, "null"...)
	}
	return jsontext.AppendString(b, text)
}

func (d *builder) reasoning(b []byte, e *entry, echo catalog.Echo, think string) []byte {
	switch echo.Field {
	case "reasoning_content", "reasoning":
		if think == "" && len(e.calls) > 0 && echo.Fill != nil {
			b = member(b, echo.Field)
			b = jsontext.AppendString(b, *echo.Fill)
		} else if think != "" {
			b = member(b, echo.Field)
			b = jsontext.AppendString(b, think)
		}
	}
	if data := sealed(e.blocks, d.info.Provider); data != nil && !d.known.refuses(opaqueReasoning) {
		b = jsontext.AppendRaw(member(b, opaqueReasoning), data)
	}
	if d.known.refuses(opaqueDetails) {
		return b
	}
	// What a server sent in this form it takes back, whoever it is.
	if list := ownData(e.blocks, d.info.Provider, opaqueDetails); list != nil {
		return jsontext.AppendRaw(member(b, opaqueDetails), list)
	}
	if think != "" && echo.Field == opaqueDetails {
		b = append(member(b, opaqueDetails), `[{"type":"reasoning.text","text":`...)
		b = append(jsontext.AppendString(b, think), "}]"...)
	}
	return b
}

func member(b []byte, name string) []byte {
	return append(append(append(b, `,"`...), name...), `":`...)
}

// call appends one tool call. Arguments that are no JSON object go back as an empty one: their
// result tells the model what was wrong with them.
func (d *builder) call(b []byte, c *outCall, first bool) []byte {
	args, err := llm.ParseArgs(c.args)
	if err != nil {
		args = json.RawMessage("{}")
	}
	b = jsontext.AppendString(append(b, `{"id":`...), c.id)
	b = jsontext.AppendString(append(b, `,"type":"function","function":{"name":`...), wireName(c.name))
	b = jsontext.AppendString(append(b, `,"arguments":`...), string(jsontext.MendSurrogates(args)))
	b = append(b, '}')
	if extra := d.extra(c, first); extra != nil && !d.known.refuses(opaqueExtra) {
		b = jsontext.AppendRaw(member(b, opaqueExtra), extra)
	}
	return append(b, '}')
}

// extra is what must go back with a call. Servers that sign the first call of an answer refuse
// answers of other models, for which a word of theirs stands in.
func (d *builder) extra(c *outCall, first bool) json.RawMessage {
	for _, o := range c.opaque {
		if o.Vendor == d.info.Provider && json.Valid(o.Data) {
			return o.Data
		}
	}
	if first && d.quirks.Signature != "" {
		b := jsontext.AppendString([]byte(`{"google":{"thought_signature":`), d.quirks.Signature)
		return append(b, "}}"...)
	}
	return nil
}

// sealed is the newest reasoning of the vendor that only it can read.
func sealed(blocks []llm.Block, vendor string) json.RawMessage {
	var data json.RawMessage
	for _, b := range blocks {
		if b.Kind == llm.KindOpaque && b.Opaque.Vendor == vendor && b.Opaque.Type == opaqueReasoning && json.Valid(b.Opaque.Data) {
			data = b.Opaque.Data
		}
	}
	return data
}

// ownData finds the opaque lists of one type that the vendor made and makes one list of them.
func ownData(blocks []llm.Block, vendor, typ string) json.RawMessage {
	var list json.RawMessage
	for _, b := range blocks {
		if b.Kind != llm.KindOpaque || b.Opaque.Vendor != vendor || b.Opaque.Type != typ {
			continue
		}
		data := bytes.TrimSpace(b.Opaque.Data)
		if !json.Valid(data) || len(data) < 3 || data[0] != '[' {
			continue
		}
		if list == nil {
			list = append(list, data...)
			continue
		}
		list = append(append(list[:len(list)-1], ','), data[1:]...)
	}
	return list
}
