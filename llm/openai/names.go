package openai

import "paicli/llm"

// names leads the names under which tools were offered back to the tools' own.
type names map[string]string

func newNames(tools []llm.ToolSpec) names {
	var n names
	for _, t := range tools {
		if w := wireName(t.Name); w != t.Name {
			if n == nil {
				n = make(names)
			}
			n[w] = t.Name
		}
	}
	return n
}

func (n names) offered(tools []llm.ToolSpec) []llm.ToolSpec {
	if len(n) == 0 {
		return tools
	}
	out := make([]llm.ToolSpec, len(tools))
	for i, t := range tools {
		t.Name = wireName(t.Name)
		out[i] = t
	}
	return out
}

func (n names) restoreDelta(d *llm.Delta) {
	if d.Call == nil {
		return
	}
	if own, ok := n[d.Call.Name]; ok {
		call := *d.Call
		call.Name = own
		d.Call = &call
	}
}

func (n names) restoreReply(r *llm.Reply) {
	if r == nil || len(n) == 0 {
		return
	}
	for _, b := range r.Message.Blocks {
		if b.Kind != llm.KindCall {
			continue
		}
		if own, ok := n[b.Call.Name]; ok {
			b.Call.Name = own
		}
	}
}
