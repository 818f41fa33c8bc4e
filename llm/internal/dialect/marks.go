package dialect

import "strings"

// action is what a mark does. It gets the mark as it stood in the text.
type action func(f *Scanner, seen string)

// mark is a fixed text with a meaning: it does something, or it opens a block.
type mark struct {
	text  string
	act   action
	opens *kind
}

// plainMarks are looked for wherever no code stands, in answers and in reasoning.
var plainMarks = []mark{
	{"<|tool_calls_section_begin|>", drop, nil}, {"<|tool_calls_section_end|>", drop, nil}, // Kimi
	{"<|tool_call_section_begin|>", drop, nil}, {"<|tool_call_section_end|>", drop, nil},
	{"<|tool_call_begin|>", nil, &kimiCall}, {"<|tool_call_end|>", drop, nil},
	{"<｜tool▁calls▁begin｜>", drop, nil}, {"<｜tool▁calls▁end｜>", drop, nil}, // DeepSeek before DSML
	{"<｜tool▁call▁begin｜>", nil, &deepSeekCall}, {"<｜tool▁call▁end｜>", drop, nil},
	{"<tool_call>", nil, &taggedCall}, // GLM, Qwen, Hermes, MiniMax M3
	{"<function_call>", nil, &functionCall},
	{"<function=", nil, &qwenCall},
	{"<tool_calls>", nil, &invokeList}, {"<function_calls>", nil, &invokeCalls},
	{"<invoke name=", nil, &invokeCall},
	{"<minimax:tool_call>", drop, nil}, {"</minimax:tool_call>", drop, nil}, // MiniMax M2
	{minimaxToken, drop, nil},
	{"[TOOL_CALLS]", nil, &mistralCall},
	{"<|python_tag|>", drop, nil}, // Llama
	{"</tool_call>", stray, nil}, {"</arg_value>", stray, nil}, {"</think>", closeThink, nil},
}

// minimaxToken stands before each tag of MiniMax M3.
const minimaxToken = "]<]minimax[>["

// answerMarks are looked for in answers only.
var answerMarks = []mark{
	{"<think>", openThink, nil}, {"<thinking>", openThink, nil}, {"<thought>", openThink, nil},
	{"<seed:think>", openThink, nil}, {"[THINK]", openThink, nil}, {"◁think▷", openThink, nil},
	{"<|channel>thought", openThink, nil},
	{"</thinking>", closeThink, nil}, {"</thought>", closeThink, nil}, {"</seed:think>", closeThink, nil},
	{"[/THINK]", closeThink, nil}, {"◁/think▷", closeThink, nil},
	{"<answer>", openAnswer, nil}, {"</answer>", closeAnswer, nil},
	{"```tool_code", wholeCode, nil},
}

// harmonyMarks are the tokens of OpenAI's open models. Inside a message they count even in code.
var harmonyMarks = []mark{
	{"<|channel|>", harmonyHead, nil}, {"<|start|>", harmonyHead, nil},
	{"<|end|>", harmonyEnd, nil}, {"<|return|>", harmonyEnd, nil}, {"<|call|>", harmonyEnd, nil},
}

// mark looks for a mark at the beginning of s. more is true when s is too short to tell.
func (f *Scanner) mark(s string) (act action, n int, more bool) {
	switch c := s[0]; c {
	case '<', '[', ']', '`', "◁"[0]:
		return f.signMark(s)
	case '{':
		if !f.loose && !f.noWhole && f.place.blank() {
			return opens(&bareCall), 0, false
		}
	default:
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if letter && f.place.lineStart() && !f.place.code() {
			return f.nameMark(s)
		}
	}
	return nil, 0, false
}

func (f *Scanner) signMark(s string) (act action, n int, more bool) {
	code := f.place.code()
	if !f.loose && (f.harmony || !code) {
		if act, n, more := among(harmonyMarks, s); act != nil || more {
			return act, n, more
		}
	}
	if code {
		return nil, 0, false
	}
	act, n, wait := among(plainMarks, s)
	if act == nil && !f.loose {
		var wait2 bool
		act, n, wait2 = among(answerMarks, s)
		wait = wait || wait2
	}
	if act != nil {
		return act, n, false
	}
	act, n, more = dsmlMark(s)
	return act, n, more || act == nil && wait
}

func (m mark) action() action {
	if m.opens != nil {
		return opens(m.opens)
	}
	return m.act
}

// among finds the mark that s begins with. more is true when s is the beginning of one.
func among(marks []mark, s string) (act action, n int, more bool) {
	for _, m := range marks {
		if strings.HasPrefix(s, m.text) {
			return m.action(), len(m.text), false
		}
		more = more || strings.HasPrefix(m.text, s)
	}
	return nil, 0, more
}

// nameMark finds a call whose opening tokens a server has eaten: an offered name at the beginning
// of a line, followed by what can only come after a name in Kimi's or GLM's form.
func (f *Scanner) nameMark(s string) (act action, n int, more bool) {
	const kimi, glm = "<|tool_call_argument_begin|>", "<arg_key>"
	for _, spec := range f.tools.specs {
		for _, name := range [2]string{spec.Name, "functions." + spec.Name} {
			rest, ok := strings.CutPrefix(s, name)
			if !ok {
				more = more || strings.HasPrefix(name, s)
				continue
			}
			number, isKimi := strings.CutPrefix(rest, ":")
			if isKimi {
				rest = strings.TrimLeft(number, "0123456789")
			}
			switch {
			case isKimi && strings.HasPrefix(rest, kimi):
				return opens(&kimiCall), 0, false
			case strings.HasPrefix(rest, glm):
				return opens(&glmCall), 0, false
			}
			more = more || isKimi && strings.HasPrefix(kimi, rest) || strings.HasPrefix(glm, rest)
		}
	}
	return nil, 0, more
}

// drop takes out a token that has no meaning for the reader.
func drop(f *Scanner, _ string) { f.removed(false) }

// stray takes out a closing tag of a call: always after a call, otherwise when the answer ends with
// it. An opening tag that stands in the text as text keeps its closing one.
func stray(f *Scanner, seen string) {
	if f.opened {
		f.literal(seen)
		return
	}
	called := f.called && f.gapping
	f.removed(false)
	if !called && !f.discard {
		f.gap += seen
	}
}

func openThink(f *Scanner, seen string) {
	if !f.place.blank() {
		f.quoted = true
		f.literal(seen)
		return
	}
	f.mode, f.thought = modeThink, true
	f.closers = []string{closerOf(seen)}
}

func closerOf(opener string) string {
	switch opener {
	case "◁think▷":
		return "◁/think▷"
	case "[THINK]":
		return "[/THINK]"
	case "<|channel>thought":
		return "<channel|>"
	}
	return "</" + opener[1:]
}

// closeThink meets a closing tag of reasoning that was not opened in the text.
func closeThink(f *Scanner, seen string) {
	switch {
	case f.loose:
		stray(f, seen)
	case f.place.blank():
		f.removed(true)
	case f.thought || f.quoted:
		f.literal(seen)
	default:
		f.thought = true
		f.place = place{}
		f.sink.Lone()
		f.removed(true)
	}
}

func openAnswer(f *Scanner, seen string) {
	if !f.hunyuan || !f.place.blank() {
		f.literal(seen)
		return
	}
	f.removed(true)
}

func closeAnswer(f *Scanner, seen string) {
	if !f.hunyuan {
		f.literal(seen)
		return
	}
	stray(f, seen)
}

func wholeCode(f *Scanner, seen string) {
	if f.noWhole || !f.place.blank() {
		f.literal(seen)
		return
	}
	f.open(&pythonCall, seen)
}
