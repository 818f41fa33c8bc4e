// Package dialect finds tool calls and reasoning that a model or its server wrote as text: tags,
// channel tokens, bare JSON, a fence of Python, each model family in its own way. It works on the
// text of one answer as it streams and knows neither the protocol that carried it nor who reads it.
//
//	           ┌──── mark that opens reasoning ───► modeThink ── its end ──┐
//	modePlain ─┼──── mark that opens a call ──────► modeBlock ── its end ──┼─► modePlain
//	           └──── a token without meaning ────► dropped ────────────────┘
//
// Only calls of offered tools count. What merely looks like a call stays text.
package dialect

import (
	"strings"

	"paicli/llm"
)

// Sink takes what a Scanner finds, in the order of the text.
type Sink struct {
	Text      func(text string)   // for the reader
	Call      func(call llm.Call) // without an id
	Think     func(text string)   // reasoning that stood between tags
	ThinkCall func(call llm.Call) // a call inside of it
	Lone      func()              // a closing tag without an opening one: all text so far was reasoning
}

// Scanner reads the text of an answer, or of reasoning, as it streams and takes out what is not meant
// for the reader. Everything else flows on at once; only a tail that may be the beginning of a mark
// waits for the next piece.
//
// Each byte is looked at a bounded number of times: a block remembers how far it was searched, and
// one that cannot become a call is given up after its first few bytes. Marks inside code (a fence
// or back ticks) are text. In reasoning the same calls leak, but no tags are looked for.
type Scanner struct {
	tools   *Tools
	loose   bool     // works on reasoning
	hunyuan bool     // the model wraps its answer in <answer>
	sink    Sink     // of a loose one Text and Call alone
	think   *Scanner // takes what stands between tags; nil when loose

	in       string // not decided yet
	mode     mode
	place    place
	block    block
	closers  []string // what ends modeThink
	thought  bool     // reasoning was seen, in tags or in a field
	harmony  bool     // inside a message of the Harmony format
	noWhole  bool     // the answer is not one bare call
	opened   bool     // a call tag stands in the text as text
	quoted   bool     // so does a tag that opens reasoning
	unrun    bool     // something that looks like a call was not taken as one
	gapping  bool     // markup was just removed: white space waits in gap until more text follows
	discard  bool     // … and is dropped even then
	called   bool     // … and it was a call
	gap      string
	finished bool // the answer ended by itself, not by a cut
}

// NewAnswer makes the scanner of an answer of the given model. Reasoning between tags goes through a
// scanner of its own.
func NewAnswer(tools *Tools, model string, to Sink) *Scanner {
	return &Scanner{tools: tools, hunyuan: isHunyuan(model), sink: to, think: NewReasoning(tools, to.Think, to.ThinkCall)}
}

// NewReasoning makes the scanner of a text that is all reasoning.
func NewReasoning(tools *Tools, think func(text string), call func(call llm.Call)) *Scanner {
	return &Scanner{tools: tools, loose: true, sink: Sink{Text: think, Call: call}}
}

type mode uint8

const (
	modePlain mode = iota
	modeThink
	modeBlock
)

// Write takes the next piece of text.
func (f *Scanner) Write(s string) {
	f.in += s
	f.run()
}

func (f *Scanner) run() {
	for f.in != "" && f.step() {
	}
}

// step makes one step and reports whether another one may be possible without more text.
func (f *Scanner) step() bool {
	switch f.mode {
	case modeThink:
		return f.stepThink()
	case modeBlock:
		return f.stepBlock()
	}
	return f.stepPlain()
}

// stepPlain passes text on up to the next mark and acts on it.
func (f *Scanner) stepPlain() bool {
	for i := range len(f.in) {
		m, n, more := f.mark(f.in[i:])
		if more {
			f.text(f.in[:i])
			f.in = f.in[i:]
			return false
		}
		if m != nil {
			f.text(f.in[:i])
			seen := f.in[i : i+n]
			f.in = f.in[i+n:]
			m(f, seen)
			return true
		}
		f.place.put(f.in[i])
	}
	f.text(f.in)
	f.in = ""
	return false
}

// stepThink passes reasoning on up to what ends it.
func (f *Scanner) stepThink() bool {
	at, length, keep := findFirst(f.in, f.closers)
	if at < 0 {
		f.think.Write(f.in[:len(f.in)-keep])
		f.in = f.in[len(f.in)-keep:]
		return false
	}
	f.think.Write(f.in[:at])
	if f.harmony {
		length = 0 // the token that ends a message has its own meaning
	}
	f.in = f.in[at+length:]
	f.mode = modePlain
	f.removed(true)
	return true
}

// findFirst finds the first of the marks in s. Without one, keep is the length of the tail that may
// be the beginning of a mark.
func findFirst(s string, marks []string) (at, length, keep int) {
	at = -1
	for _, m := range marks {
		if i := strings.Index(s, m); i >= 0 && (at < 0 || i < at) {
			at, length = i, len(m)
		}
		keep = max(keep, overlap(s, m))
	}
	return at, length, keep
}

// overlap is the length of the longest end of s that is a proper beginning of mark.
func overlap(s, mark string) int {
	for n := min(len(s), len(mark)-1); n > 0; n-- {
		if strings.HasSuffix(s, mark[:n]) {
			return n
		}
	}
	return 0
}

// text passes text on. After removed markup the white space around it is only worth keeping when
// more text follows.
func (f *Scanner) text(s string) {
	if s == "" {
		return
	}
	if f.gapping {
		rest := strings.TrimLeft(s, " \t\r\n")
		if !f.discard {
			f.gap += s[:len(s)-len(rest)]
		}
		if rest == "" {
			return
		}
		s = f.gap + rest
		f.gap, f.gapping, f.discard, f.called = "", false, false, false
	}
	f.sink.Text(s)
}

// literal passes on as text what was taken for a mark or a block.
func (f *Scanner) literal(s string) {
	for i := range len(s) {
		f.place.put(s[i])
	}
	f.text(s)
}

// removed notes that markup was taken out here.
func (f *Scanner) removed(discard bool) {
	f.gapping = true
	f.discard = f.discard || discard || f.place.blank()
}

// End says that no more text comes. finished tells that the answer was not cut off.
func (f *Scanner) End(finished bool) {
	f.finished = finished
	for again := true; again; {
		f.run()
		again = f.close()
	}
	if f.think != nil {
		f.think.End(finished)
	}
	f.gap = ""
}

// close settles what is still open at the end and reports whether there is text to scan again.
func (f *Scanner) close() bool {
	switch f.mode {
	case modeThink:
		f.think.Write(f.in)
		f.in = ""
	case modeBlock:
		return f.closeBlock()
	case modePlain:
		if !halfToken(f.in) {
			f.literal(f.in)
		}
		f.in = ""
	}
	f.mode = modePlain
	return false
}

// halfToken reports whether s is the beginning of a control token, which has no meaning as text.
func halfToken(s string) bool {
	const least = 5 // "<|" alone is an operator of several languages
	return len(s) >= least && (strings.HasPrefix(s, "<|") || strings.HasPrefix(s, "</|") ||
		strings.HasPrefix(s, "<｜") || strings.HasPrefix(s, "</｜") || strings.HasPrefix(s, "]<]"))
}

// call reports a call that was found in the text.
func (f *Scanner) call(c llm.Call) {
	f.sink.Call(c)
	f.called = true
}

// Reasoned tells that the model reasoned outside of the text, so that a closing tag alone proves
// nothing about the text before it.
func (f *Scanner) Reasoned() { f.thought = true }

// Unrun reports whether something that looks like a call was not taken as one.
func (f *Scanner) Unrun() bool { return f.unrun }

// isHunyuan reports whether a model is one of Tencent's: hunyuan-…, hy3, tencent/hy4-preview.
func isHunyuan(model string) bool {
	model = strings.ToLower(model)
	short := model[strings.LastIndexByte(model, '/')+1:]
	return strings.Contains(model, "hunyuan") || len(short) > 2 && short[:2] == "hy" && digits(short[2:3])
}
