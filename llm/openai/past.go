package openai

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"paicli/llm"
)

// past keeps what was written for earlier requests, so that the next request of a conversation writes
// only what is new:
//
//	{ model, constants, tools, messages: [ system, | rounds that are over, | the last round ] limits }
//	  head: one for each tools and system ─────────┘ line: grows ──────────┘ rest: new each time
//
// Messages do not change once they were sent, and a conversation grows at its end. So two messages
// are the same when they share their blocks in memory; nothing is compared in depth. What matches
// nothing (after a rewind, a compaction) is written from the start, to the same bytes. The zero value
// keeps nothing yet. It may be used by several goroutines at a time.
type past struct {
	mu    sync.Mutex
	known learned // with which everything here was written
	heads []*head // the last used one first
	lines []*line // the last used one first
}

// The most that is kept: a conversation, a sub-agent or two, a closing request without tools.
const (
	mostHeads = 4
	mostLines = 4
)

// head is a body up to its messages, and the system text.
type head struct {
	system   string
	tools    []llm.ToolSpec
	data     []byte
	optional []string // names of the fields that could be left out
}

// line is a conversation up to its last answer.
type line struct {
	seen []llm.Message
	ids  *idMap
	open []entry // the last entry, if any: the next message may lengthen it
	data []byte  // the entries before, each with a comma. What is written is never changed
}

// body is a request body in parts. A transport may read them even after the answer came, so no part
// is ever used again for other bytes.
type body [][]byte

// build returns the body of a request and the names of the fields in it that could be left out.
func (p *past) build(d *builder, req *llm.Request) (body, []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.known.equal(d.known) {
		p.known, p.heads, p.lines = d.known, nil, nil
	}
	tools := d.offered(req)
	h := p.head(d, req.System, tools)
	l := p.line(d, req.Messages)
	b := append(l.rest(d, req.Messages), ']')
	b, optional := d.fields(b, slices.Clip(h.optional), d.tail(req, len(tools) > 0))
	return body{h.data, l.data, append(b, '}')}, optional
}

func (p *past) head(d *builder, system string, tools []llm.ToolSpec) *head {
	p.heads = recent(p.heads, mostHeads, func(h *head) bool {
		return h.system == system && slices.EqualFunc(h.tools, tools, sameTool)
	}, func() *head { return d.head(system, slices.Clone(tools)) })
	return p.heads[0]
}

func sameTool(a, b llm.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
}

// line finds or begins the line of a conversation and brings it up to the last answer.
func (p *past) line(d *builder, messages []llm.Message) *line {
	fresh := func() *line { return &line{ids: newIDMap(d.quirks.IDs)} }
	last := len(messages) - 1
	for last > 0 && messages[last].Role != llm.RoleAssistant {
		last--
	}
	if last <= 0 {
		return fresh() // nothing that could be kept
	}
	p.lines = recent(p.lines, mostLines, func(l *line) bool { return l.leadsTo(messages) }, fresh)
	l := p.lines[0]
	if n := len(l.seen); n < last {
		l.add(d, messages[n:last])
	}
	return l
}

// recent puts the first item that fits at the head of a list, or a new one in place of the oldest.
func recent[T any](list []*T, most int, fits func(*T) bool, fresh func() *T) []*T {
	at := slices.IndexFunc(list, fits)
	if at < 0 {
		at = min(len(list), most-1)
		list = append(list[:at], fresh())
	}
	found := list[at]
	copy(list[1:at+1], list[:at])
	list[0] = found
	return list
}

// leadsTo reports whether a conversation begins with the messages of the line. What follows must be
// an answer, since anything else would belong to the round before.
func (l *line) leadsTo(messages []llm.Message) bool {
	n := len(l.seen)
	if n > len(messages) || n < len(messages) && messages[n].Role != llm.RoleAssistant {
		return false
	}
	return slices.EqualFunc(l.seen, messages[:n], sameMessage)
}

func sameMessage(a, b llm.Message) bool {
	return a.Role == b.Role && len(a.Blocks) == len(b.Blocks) && (len(a.Blocks) == 0 || &a.Blocks[0] == &b.Blocks[0])
}

// add takes messages up to the next answer.
func (l *line) add(d *builder, messages []llm.Message) {
	l.seen = append(l.seen, messages...)
	entries := arrange(l.open, messages, l.ids)
	closed := max(len(entries)-1, 0)
	l.data = slices.Grow(l.data, room(messages))
	for i := range entries[:closed] {
		l.data = append(d.message(l.data, &entries[i]), ',')
	}
	l.open = slices.Clone(entries[closed:])
}

// rest writes the entries behind data, without changing the line.
func (l *line) rest(d *builder, messages []llm.Message) []byte {
	fresh := messages[len(l.seen):]
	open := slices.Clone(l.open)
	for i := range open {
		open[i].blocks = slices.Clip(open[i].blocks)
	}
	b := make([]byte, 0, room(fresh)+tailRoom)
	for i, e := range ending(arrange(open, fresh, l.ids.branch())) {
		if i > 0 {
			b = append(b, ',')
		}
		b = d.message(b, &e)
	}
	return b
}

// tailRoom is about what a body takes behind its messages, in bytes.
const tailRoom = 512

// room is about what messages take when written, in bytes.
func room(messages []llm.Message) int {
	const markup = 64 // keys, quotes and escapes
	n := 0
	for _, m := range messages {
		for _, b := range m.Blocks {
			n += markup + len(b.Text)
			if b.Call != nil {
				n += len(b.Call.Args) + markup
			}
			if b.Result != nil {
				n += len(b.Result.Text) + len(b.Result.Text)/16
			}
		}
	}
	return n
}

func (b body) size() int {
	n := 0
	for _, part := range b {
		n += len(part)
	}
	return n
}

func (b body) reader() io.ReadCloser {
	parts := make([]io.Reader, len(b))
	for i, part := range b {
		parts[i] = bytes.NewReader(part)
	}
	return io.NopCloser(io.MultiReader(parts...))
}

// has reports whether a body has a member of this name at any depth, other than as the first of its
// object.
func (b body) has(name string) bool {
	member := []byte(`,"` + name + `":`)
	return slices.ContainsFunc(b, func(part []byte) bool { return bytes.Contains(part, member) })
}
