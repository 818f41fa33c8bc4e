package dialect

import (
	"strings"

	"paicli/llm"
)

// Harmony is the message format of OpenAI's open models:
//
//	<|start|>assistant<|channel|>analysis<|message|>reasoning<|end|>
//	<|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>
//	<|start|>assistant<|channel|>final<|message|>answer<|return|>
//
// Servers without a parser for it send it as content.
var (
	harmonyHeader = kind{
		ends: []string{"<|message|>"}, token: true,
		early: func(_ *Tools, b *block) verdict {
			const longest = 200 // bytes of a header
			if b.body.Len() > longest {
				return no
			}
			return unknown
		},
		done: harmonyMessage,
	}
	harmonyCall = kind{
		ends:  []string{"<|call|>"},
		next:  []string{"<|end|>", "<|return|>", "<|start|>", "<|channel|>"},
		token: true, json: leadingJSON,
		read: func(t *Tools, mark, body string) []llm.Call { return oneCall(t, recipient(mark), body) },
	}
)

// harmonyHead begins the header of a message.
func harmonyHead(f *Scanner, seen string) { f.open(&harmonyHeader, seen) }

// harmonyEnd is a token that ends a message.
func harmonyEnd(f *Scanner, seen string) {
	if !f.harmony {
		f.literal(seen)
		return
	}
	f.place = place{words: f.place.words}
	f.removed(false)
}

// harmonyMessage begins a message by its header: a call, reasoning, or text for the reader.
func harmonyMessage(f *Scanner, header string) {
	f.harmony = true
	f.removed(false)
	channel := header
	if _, rest, ok := strings.Cut(header, "<|channel|>"); ok {
		channel = rest
	}
	switch {
	case recipient(header) != "":
		f.open(&harmonyCall, header)
	case strings.HasPrefix(strings.TrimSpace(channel), "analysis"):
		f.mode, f.thought = modeThink, true
		f.closers = []string{"<|end|>", "<|return|>", "<|call|>", "<|start|>", "<|channel|>"}
	}
}

// recipient is the tool that a header names, "" for none.
func recipient(header string) string {
	_, to, ok := strings.Cut(header, "to=")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(to, " <\n"); end >= 0 {
		to = to[:end]
	}
	return to
}
