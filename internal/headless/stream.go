package headless

import (
	"encoding/json"
	"fmt"
	"io"

	"paicli/llm"
	"paicli/session"
)

// streamPainter prints one object a line, in the shape that drivers of Claude Code parse.
type streamPainter struct {
	out     io.Writer
	opts    Options
	partial *partial // nil when pieces are not wanted
}

func newStreamPainter(opts Options) *streamPainter {
	p := &streamPainter{out: opts.Out, opts: opts}
	if opts.Partial {
		p.partial = &partial{print: p.streamEvent}
	}
	return p
}

type object map[string]any

// line adds what every line has and prints it.
func (p *streamPainter) line(seq int64, o object) error {
	o["session_id"] = p.opts.Session.ID
	if seq > 0 {
		o["uuid"] = fmt.Sprintf("%s-%d", p.opts.Session.ID, seq)
	}
	return WriteLine(p.out, o)
}

func (p *streamPainter) begin() error {
	s := p.opts.Session
	tools := s.Tools
	if tools == nil {
		tools = []string{}
	}
	return p.line(0, object{
		"type": "system", "subtype": "init", "cwd": s.Root, "model": s.Model, "tools": tools,
		"mcp_servers": []any{}, "slash_commands": []any{}, "permissionMode": s.Mode,
		"apiKeySource": "user", "output_style": "default", "x_version": s.Version,
	})
}

func (p *streamPainter) event(e session.Event) error {
	switch b := e.Body.(type) {
	case *session.Streamed:
		return p.streamed(b)
	case *session.Replied:
		if p.partial != nil {
			if err := p.partial.close(b); err != nil {
				return err
			}
		}
		return p.line(e.Seq, object{"type": "assistant", "parent_tool_use_id": nil, "message": message(e.Seq, b, p.opts.Session.Model)})
	case *session.CallEnded:
		content := object{"type": "tool_result", "tool_use_id": b.Result.ID, "content": b.Result.Text, "is_error": b.Result.Error}
		return p.line(e.Seq, object{"type": "user", "parent_tool_use_id": nil, "message": object{"role": "user", "content": []any{content}}})
	case *session.Set:
		if b.Key == "mode" {
			return p.line(e.Seq, object{"type": "system", "subtype": "status", "permissionMode": b.Value})
		}
	case *session.Noted:
		return p.line(e.Seq, object{"type": "system", "subtype": "notice", "code": b.Code, "args": b.Args})
	}
	return nil
}

func (p *streamPainter) streamed(b *session.Streamed) error {
	switch {
	case b.Retry != nil:
		n := b.Retry
		return p.line(0, object{
			"type": "system", "subtype": "retry", "attempt": n.Attempt, "max_attempts": n.Attempts,
			"retry_delay_ms": n.Wait, "error": n.Failure.Kind, "error_status": n.Failure.Status,
		})
	case p.partial != nil && b.Kind != session.StreamOutput:
		return p.partial.add(b)
	}
	return nil
}

func (p *streamPainter) streamEvent(event object) error {
	return p.line(0, object{"type": "stream_event", "parent_tool_use_id": nil, "event": event})
}

func (p *streamPainter) end(r *result) error { return WriteLine(p.out, r) }

// message is a reply with its blocks.
func message(seq int64, b *session.Replied, model string) object {
	if b.Model != "" {
		model = b.Model
	}
	content := []any{}
	for _, block := range b.Message.Blocks {
		switch block.Kind {
		case llm.KindText:
			content = append(content, object{"type": "text", "text": block.Text})
		case llm.KindThink:
			content = append(content, object{"type": "thinking", "thinking": block.Text, "signature": ""})
		case llm.KindCall:
			c := block.Call
			content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(input(c.Args))})
		}
	}
	return object{
		"id": fmt.Sprintf("msg_%d", seq), "type": "message", "role": "assistant", "model": model,
		"content": content, "stop_reason": stopReason(b), "usage": usageOf(b.Usage),
	}
}

func stopReason(b *session.Replied) any {
	switch {
	case b.Broken != "":
		return nil
	case b.Finish == llm.FinishCalls:
		return "tool_use"
	case b.Finish == llm.FinishLength:
		return "max_tokens"
	}
	return "end_turn"
}

// partial turns live text into the events of a message that is being written.
type partial struct {
	print func(object) error
	index int
	kind  session.StreamKind // of the open block
	sent  bool               // message_start was printed
	think int                // bytes of reasoning printed
	text  int                // bytes of the answer printed
}

func (p *partial) add(b *session.Streamed) error {
	if b.Text == "" {
		return nil
	}
	if !p.sent {
		p.sent = true
		start := object{"type": "message_start", "message": object{"type": "message", "role": "assistant", "content": []any{}}}
		if err := p.print(start); err != nil {
			return err
		}
	}
	if b.Kind != p.kind {
		if err := p.open(b.Kind); err != nil {
			return err
		}
	}
	delta := object{"type": "text_delta", "text": b.Text}
	if b.Kind == session.StreamThink {
		delta = object{"type": "thinking_delta", "thinking": b.Text}
		p.think += len(b.Text)
	} else {
		p.text += len(b.Text)
	}
	return p.print(object{"type": "content_block_delta", "index": p.index, "delta": delta})
}

func (p *partial) open(kind session.StreamKind) error {
	if err := p.stop(); err != nil {
		return err
	}
	p.kind = kind
	block := object{"type": "text", "text": ""}
	if kind == session.StreamThink {
		block = object{"type": "thinking", "thinking": ""}
	}
	return p.print(object{"type": "content_block_start", "index": p.index, "content_block": block})
}

func (p *partial) stop() error {
	if p.kind == "" {
		return nil
	}
	err := p.print(object{"type": "content_block_stop", "index": p.index})
	p.index++
	p.kind = ""
	return err
}

// rest adds what a reply has beyond the pieces that were seen live: a reply may be complete before
// this reader comes to its last pieces.
func (p *partial) rest(b *session.Replied) error {
	think, text := b.Message.Think(), b.Message.Text()
	if p.think < len(think) {
		if err := p.add(&session.Streamed{Kind: session.StreamThink, Text: think[p.think:]}); err != nil {
			return err
		}
	}
	if p.text < len(text) {
		return p.add(&session.Streamed{Kind: session.StreamText, Text: text[p.text:]})
	}
	return nil
}

// close ends the message.
func (p *partial) close(b *session.Replied) error {
	if err := p.rest(b); err != nil || !p.sent {
		return err
	}
	if err := p.stop(); err != nil {
		return err
	}
	*p = partial{print: p.print}
	delta := object{"type": "message_delta", "delta": object{"stop_reason": stopReason(b)}, "usage": usageOf(b.Usage)}
	if err := p.print(delta); err != nil {
		return err
	}
	return p.print(object{"type": "message_stop"})
}
