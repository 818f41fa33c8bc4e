package openai

import (
	"strings"

	"paicli/llm"
)

const (
	// emptyAttempts and missingAttempts bound how often an answer without content is asked for
	// again: such answers tend to repeat, and each one costs.
	emptyAttempts   = 2
	missingAttempts = 3
)

// conclude settles the texts, builds the reply and applies the finish rules. On an error the reply
// is what had arrived.
func (t *turn) conclude() (*llm.Reply, error) {
	if t.fault == nil {
		t.fault = t.badEnd()
	}
	length := finishOf(t.finish) == llm.FinishLength
	broken := t.fault != nil
	t.flush(!broken && !length)
	reply := &llm.Reply{Usage: t.usage, CallText: t.answer.Unrun(), Finish: llm.FinishError}
	if !t.models {
		reply.Model = t.model
	}
	calls := t.settled(broken, length)
	reply.Message = t.compose(calls)
	if t.fault == nil {
		t.judge(reply, calls)
	}
	if t.fault != nil {
		return reply, t.fault
	}
	return reply, nil
}

// flush passes on what the filters still hold.
func (t *turn) flush(finished bool) {
	t.musingText(t.mused.rest())
	t.answer.Write(t.said.rest())
	t.musing.End(finished)
	t.answer.End(finished)
}

// settled is the list of calls: the structured ones, else those found in the text, else, when the
// answer is otherwise empty, those found in the reasoning. After an error only complete ones stay.
func (t *turn) settled(broken, length bool) []madeCall {
	calls := t.calls.finish(broken || length)
	if len(calls) == 0 {
		calls = t.textCalls
	}
	if len(calls) == 0 && strings.TrimSpace(t.text.String()) == "" {
		calls = t.musingCalls
	}
	if broken {
		calls = complete(calls)
	}
	giveIDs(calls, t.r.newID)
	return calls
}

func complete(calls []madeCall) []madeCall {
	var out []madeCall
	for _, c := range calls {
		if c.complete() {
			out = append(out, c)
		}
	}
	return out
}

func (c madeCall) complete() bool {
	_, err := llm.ParseArgs(c.Args)
	return err == nil && strings.TrimSpace(c.Args) != ""
}

// compose lists the blocks: reasoning with its data, text, calls each with its own data.
func (t *turn) compose(calls []madeCall) llm.Message {
	m := llm.Message{Role: llm.RoleAssistant}
	add := func(b llm.Block) { m.Blocks = append(m.Blocks, b) }
	opaque := func(kind string, data []byte) {
		if len(data) > 0 {
			add(llm.Block{Kind: llm.KindOpaque, Opaque: &llm.Opaque{Vendor: t.r.call.Provider, Type: kind, Data: data}})
		}
	}
	if s := t.think.String(); s != "" {
		add(llm.Block{Kind: llm.KindThink, Text: s})
	}
	opaque(opaqueDetails, t.details.json())
	opaque(opaqueReasoning, t.opaque)
	if s := t.text.String(); s != "" {
		add(llm.Block{Kind: llm.KindText, Text: s})
	}
	for _, c := range calls {
		call := c.Call
		add(llm.Block{Kind: llm.KindCall, Call: &call})
		opaque(opaqueExtra, c.extra)
	}
	return m
}

// judge decides how the reply ended. The presence of calls counts more than the server's word.
func (t *turn) judge(reply *llm.Reply, calls []madeCall) {
	text := strings.TrimSpace(t.text.String()) != ""
	finish := finishOf(t.finish)
	switch {
	case len(calls) > 0:
		reply.Finish = llm.FinishCalls
		if finish == llm.FinishLength && len(complete(calls)) < len(calls) {
			reply.Finish = llm.FinishLength
		}
	case finish == llm.FinishCalls:
		t.fault = t.broken(llm.ErrBadStream, true, "the answer says that it has a tool call, but there is none")
		t.fault.Attempts = missingAttempts
	case finish == llm.FinishLength:
		reply.Finish = llm.FinishLength
		if !text && t.think.Len() == 0 && t.overflowed() {
			t.overflow("the prompt fills the context window and leaves no room for an answer")
		}
	case text:
		reply.Finish = llm.FinishStop
	case reply.CallText:
		t.fault = t.broken(llm.ErrBadStream, true, "the answer is nothing but an incomplete tool call")
		t.fault.Attempts = emptyAttempts
	default:
		t.fault = t.broken(llm.ErrEmpty, true, "empty answer: "+t.emptiness())
		t.fault.Attempts = emptyAttempts
	}
	if t.fault != nil {
		reply.Finish = llm.FinishError
		return
	}
	reply.Overfull = t.r.call.Window > 0 && t.usage.Input+t.usage.Output >= t.r.call.Window
}

func (t *turn) emptiness() string {
	if t.think.Len() > 0 {
		return "only reasoning, no text and no tool call"
	}
	return "no text, no reasoning and no tool call"
}

// overflowed reports whether a prompt filled the window: some servers cut it silently and then
// have no room left. Half a percent is left for what the server counts on top.
func (t *turn) overflowed() bool {
	return t.r.call.Window > 0 && t.usage.Known && t.usage.Output == 0 && t.usage.Input >= t.r.call.Window-t.r.call.Window/200
}

func (t *turn) overflow(detail string) {
	t.fault = t.broken(llm.ErrContextOverflow, false, detail)
	t.fault.Recover = llm.RecoverCompact
}

// badEnd is the error that the way the stream ended means by itself, nil for a good end.
func (t *turn) badEnd() *llm.Error {
	word := strings.ToLower(t.finish)
	if t.text.Len() == 0 && len(t.calls.calls) == 0 && plainStop(word) && t.native != "" {
		if native := strings.ToLower(t.native); failingWord(native) {
			word = native
		}
	}
	switch word {
	case "content_filter", "sensitive", "safety", "refusal", "recitation", "prohibited_content", "blocklist", "spii", "image_safety":
		return t.broken(llm.ErrContentFilter, false, "content_filter: the answer was stopped by the provider's filter ("+word+")")
	case "model_context_window_exceeded":
		t.overflow("the context window is exceeded (" + word + ")")
		return t.fault
	case "network_error":
		return t.broken(llm.ErrNetwork, true, "the provider lost its upstream (network_error)")
	case "insufficient_system_resource":
		return t.broken(llm.ErrOverloaded, true, "the provider is out of resources ("+word+")")
	case "malformed_function_call":
		e := t.broken(llm.ErrBadStream, true, "the model's tool call could not be read by the server ("+word+")")
		e.Attempts = missingAttempts
		return e
	case "error", "abort", "cancelled", "canceled", "server_error":
		return t.broken(llm.ErrServer, true, "the provider ended the answer with an error ("+word+")")
	}
	return nil
}

// failingWord reports whether a router's word for the end tells of a failure behind it.
func failingWord(word string) bool {
	switch word {
	case "network_error", "error", "malformed_function_call", "content_filter", "safety", "sensitive",
		"model_context_window_exceeded", "insufficient_system_resource", "prohibited_content":
		return true
	}
	return false
}

func plainStop(word string) bool { return finishOf(word) == llm.FinishStop }

// finishOf normalises the servers' words. An unknown word is an end like any other.
func finishOf(word string) llm.Finish {
	switch strings.ToLower(word) {
	case "tool_calls", "tool_call", "function_call", "function_calls", "tool_use":
		return llm.FinishCalls
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return llm.FinishLength
	}
	return llm.FinishStop
}
