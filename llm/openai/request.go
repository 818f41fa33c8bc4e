package openai

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"paicli/llm"
	"paicli/llm/catalog"
	"paicli/llm/internal/jsontext"
	"paicli/llm/internal/schema"
)

// builder writes the parts of request bodies for one model on one server; past puts them together.
// It holds no state of a conversation: the same request always gives the same bytes, and a request that continues another begins with
// the other's bytes up to the end of its messages. Three things break that, each once: a request
// without tools where the one before had some, something that was learned from an error, and a
// user's message that follows another without an answer between them, since the two become one.
//
//	{ model, stream, constants, tools, messages: [ system, … ] | tool_choice, limits, thinking }
//	  same for the whole session ──────────────┘ grows ┘         └ may differ each time
type builder struct {
	quirks catalog.Quirks
	info   llm.Info
	known  learned
}

// learned is what errors taught about the server. The zero value is nothing.
type learned struct {
	version   bool     // the base URL needs /v1
	maxTokens string   // the accepted name of the output limit
	dropped   []string // request fields that the server refuses
	echo      bool     // reasoning_content must go back
}

func (l learned) equal(o learned) bool {
	return l.version == o.version && l.maxTokens == o.maxTokens && l.echo == o.echo && slices.Equal(l.dropped, o.dropped)
}

func (l learned) refuses(name string) bool { return slices.Contains(l.dropped, name) }

// offered are the tools that a request names.
func (d *builder) offered(req *llm.Request) []llm.ToolSpec {
	if req.ToolChoice == llm.ChoiceNone && !d.accepts(llm.ChoiceNone) {
		return nil // the only way to say it
	}
	return req.Tools
}

// head writes a body up to its messages, with the system text as the first of them.
func (d *builder) head(system string, tools []llm.ToolSpec) *head {
	h := &head{system: system, tools: tools}
	b := jsontext.AppendString([]byte(`{"model":`), d.info.Model)
	b = append(b, `,"stream":true`...)
	b, h.optional = d.fields(b, nil, d.quirks.Constants)
	b = append(d.tools(b, tools), `,"messages":[`...)
	if strings.TrimSpace(system) != "" {
		b = jsontext.AppendString(append(b, `{"role":"system","content":`...), system)
		b = append(b, '}', ',')
	}
	h.data = b
	return h
}

// fields appends members in the order of their names, without the refused ones.
func (d *builder) fields(b []byte, names []string, f catalog.Fields) ([]byte, []string) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if d.known.refuses(name) {
			continue
		}
		b = append(jsontext.AppendString(append(b, ','), name), ':')
		b = append(b, f[name]...)
		names = append(names, name)
	}
	return b, names
}

func (d *builder) accepts(c llm.ToolChoice) bool {
	return d.quirks.Choices == nil || slices.Contains(d.quirks.Choices, string(c))
}

// tail collects the members that may differ from request to request.
func (d *builder) tail(req *llm.Request, tools bool) catalog.Fields {
	f := catalog.Fields{}
	if !d.quirks.NoStreamOptions {
		f["stream_options"] = json.RawMessage(`{"include_usage":true}`)
	}
	if tools {
		maps.Copy(f, d.quirks.WithTools)
		if c := req.ToolChoice; c != "" && d.accepts(c) {
			f["tool_choice"] = json.RawMessage(strconv.Quote(string(c)))
		}
	}
	if n := req.Limits.MaxOutput; n > 0 {
		if d.info.MaxOutput > 0 {
			n = min(n, d.info.MaxOutput)
		}
		f[d.limitName()] = strconv.AppendInt(nil, int64(n), 10)
	}
	maps.Copy(f, thinking(d.quirks.Thinking, req.Thinking))
	return f
}

func (d *builder) limitName() string {
	switch {
	case d.known.maxTokens != "":
		return d.known.maxTokens
	case d.quirks.MaxTokens != "":
		return d.quirks.MaxTokens
	}
	return "max_tokens"
}

// thinking translates a wish. To name an effort is to wish for thinking.
func thinking(q catalog.Thinking, wish llm.Thinking) catalog.Fields {
	mode := wish.Mode
	if mode == llm.ThinkingDefault {
		mode = llm.ThinkingMode(q.Default)
		if wish.Effort != "" {
			mode = llm.ThinkingOn
		}
	}
	switch mode {
	case llm.ThinkingOff:
		return q.Off
	case llm.ThinkingOn:
		effort := wish.Effort
		if effort == "" {
			effort = q.Effort
		}
		f := catalog.Fields{}
		maps.Copy(f, q.On)
		maps.Copy(f, q.Efforts[effort])
		return f
	}
	return nil
}

func (d *builder) tools(b []byte, tools []llm.ToolSpec) []byte {
	if len(tools) == 0 {
		return b // an empty list is refused
	}
	b = append(b, `,"tools":[`...)
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"type":"function","function":{"name":`...)
		b = jsontext.AppendString(b, wireName(t.Name))
		if t.Description != "" {
			b = jsontext.AppendString(append(b, `,"description":`...), t.Description)
		}
		b = jsontext.AppendRaw(append(b, `,"parameters":`...), schema.Parameters(t.Schema, d.quirks.Schema))
		b = append(b, '}', '}')
	}
	return append(b, ']')
}

// message appends one message. It depends on nothing but the entry, so its bytes can be kept.
func (d *builder) message(b []byte, e *entry) []byte {
	switch e.role {
	case llm.RoleTool:
		b = jsontext.AppendString(append(b, `{"role":"tool","tool_call_id":`...), e.id)
		b = jsontext.AppendString(append(b, `,"content":`...), e.text)
	case llm.RoleAssistant:
		b = d.assistant(append(b, `{"role":"assistant"`...), e)
	default:
		b = d.user(append(b, `{"role":"user","content":`...), e.blocks)
	}
	return append(b, '}')
}

// user appends plain text where that is all there is: not every server takes parts.
func (d *builder) user(b []byte, blocks []llm.Block) []byte {
	var text []string
	var parts []byte
	images := false
	flush := func() {
		if len(text) > 0 {
			parts = jsontext.AppendString(append(parts, `,{"type":"text","text":`...), strings.Join(text, "\n\n"))
			parts = append(parts, '}')
			text = text[:0]
		}
	}
	for _, block := range blocks {
		if block.Kind != llm.KindMedia {
			text = append(text, block.Text)
			continue
		}
		if note := d.unfit(block.Media); note != "" {
			text = append(text, note)
			continue
		}
		flush()
		parts = d.image(parts, block.Media)
		images = true
	}
	if !images {
		return jsontext.AppendString(b, strings.Join(text, "\n\n"))
	}
	flush()
	return append(append(append(b, '['), parts[1:]...), ']')
}

// unfit is the note for an image that the model cannot be shown, "" if it can. The type is read
// from the bytes: a wrong label, or a format outside of these four, ends sessions.
func (d *builder) unfit(m *llm.Media) string {
	if !d.info.Images {
		return "[image left out: this model takes no images]"
	}
	switch mime := http.DetectContentType(m.Data); mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return ""
	}
	return "[image left out: its format is not PNG, JPEG, GIF or WebP]"
}

func (d *builder) image(b []byte, m *llm.Media) []byte {
	b = append(b, `,{"type":"image_url","image_url":{"url":"`...)
	if !d.quirks.RawImages {
		b = append(append(append(b, "data:"...), http.DetectContentType(m.Data)...), ";base64,"...)
	}
	b = base64.StdEncoding.AppendEncode(b, m.Data)
	return append(b, `"}}`...)
}
