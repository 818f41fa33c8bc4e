package dialect

import (
	"strings"

	"paicli/llm"
	"paicli/llm/internal/jsontext"
)

// block is a piece of text that may be a call. It is collected until its end and then read.
type block struct {
	*kind
	mark     string // the opening mark
	body     strings.Builder
	sure     bool // it is known to be more than a mention of the mark
	searched int  // up to here the body holds no end mark
	shape    jsontext.Shape
	shaped   int // up to here shape has followed the body
}

// kind is one way to write a call as text.
type kind struct {
	ends []string // what closes the block; empty: the end of a JSON value or of the answer
	// next lists further ends that belong to what follows the block.
	next []string
	// whole says that the block is a call only when nothing but white space follows.
	whole bool
	// token says that the marks are control tokens. They are never shown; a block that is
	// complete but for its end mark counts, unless the answer was cut off.
	token bool
	// json says where the body begins to be JSON, whose strings may hold end marks; -1 = it does not.
	json func(body string) int
	// early judges the beginning of a body, so that a mere mention does not hold the text back.
	early func(t *Tools, b *block) verdict
	// read reads the body; nil = no complete call of offered tools.
	read func(t *Tools, mark, body string) []llm.Call
	// done, when set, acts on the finished body instead of read.
	done action
}

// verdict is what the beginning of a block tells.
type verdict uint8

const (
	unknown verdict = iota
	yes
	no
)

// opens makes the action that begins a block.
func opens(k *kind) action {
	return func(f *Scanner, seen string) { f.open(k, seen) }
}

func (f *Scanner) open(k *kind, seen string) {
	f.mode = modeBlock
	f.block = block{kind: k, mark: seen, sure: k.early == nil}
}

// stepBlock adds the text to the open block and closes it when its end is there.
func (f *Scanner) stepBlock() bool {
	b := &f.block
	b.body.WriteString(f.in)
	f.in = ""
	if !b.sure {
		switch b.early(f.tools, b) {
		case no:
			f.giveUp()
			return true
		case yes:
			b.sure = !b.whole // a whole block must be watched to its end
		}
	}
	at, after := b.end()
	if at < 0 {
		return false
	}
	text := b.body.String()
	f.in = text[after:]
	f.mode = modePlain
	f.settle(text[:at], text[:after])
	return true
}

// giveUp turns the mark of the block back into text and has the rest scanned again.
func (f *Scanner) giveUp() {
	b := &f.block
	f.mode = modePlain
	f.in = b.body.String()
	if b.whole {
		f.noWhole = true
	}
	f.opened = f.opened || b.mark == "<tool_call>"
	f.literal(b.mark)
}

// settle takes a closed block as calls, or leaves it in the text. whole is the body with its end.
func (f *Scanner) settle(body, whole string) {
	b := &f.block
	if b.done != nil {
		b.done(f, body)
		return
	}
	calls := b.read(f.tools, b.mark, body)
	if calls == nil {
		f.unrun = true
		f.literal(b.mark + whole)
		return
	}
	f.removed(false)
	for _, c := range calls {
		f.call(c)
	}
}

// closeBlock settles a block that the end of the answer left open and reports whether its text is
// to be scanned again.
func (f *Scanner) closeBlock() bool {
	b := &f.block
	f.mode = modePlain
	text := b.body.String()
	complete := b.whole || b.token && b.json != nil && f.finished
	if complete && b.done == nil {
		if calls := b.read(f.tools, b.mark, text); calls != nil {
			for _, c := range calls {
				f.call(c)
			}
			return false
		}
	}
	switch {
	case b.whole:
		f.noWhole = true
		f.in = text
		f.literal(b.mark)
		return true
	case b.token && (b.sure || b.done != nil):
		f.unrun = f.unrun || b.done == nil
	default:
		f.unrun = f.unrun || b.sure
		f.literal(b.mark + text)
	}
	return false
}

// end finds the end mark: at is the length of the body, after the length with the mark.
func (b *block) end() (at, after int) {
	body := b.body.String()
	if len(b.ends) == 0 {
		return b.jsonEnd(body)
	}
	for {
		at, length := b.nextEnd(body)
		if at < 0 {
			return -1, 0
		}
		if !b.inString(body, at) {
			return at, at + length
		}
		b.searched = at + 1
	}
}

// nextEnd finds the first end mark from b.searched on. The marks of next are not consumed.
func (b *block) nextEnd(body string) (at, length int) {
	rest := body[b.searched:]
	at, length, keep := findFirst(rest, b.ends)
	if i, _, keep2 := findFirst(rest, b.next); i >= 0 && (at < 0 || i < at) {
		at, length = i, 0
	} else {
		keep = max(keep, keep2)
	}
	if at < 0 {
		b.searched = len(body) - keep
		return -1, 0
	}
	return b.searched + at, length
}

// inString reports whether the JSON of the body stands inside a string at the given place.
func (b *block) inString(body string, at int) bool {
	if b.json == nil {
		return false
	}
	from := b.json(body)
	if from < 0 || from >= at {
		return false
	}
	b.follow(body, from, at)
	return b.shape.InString
}

// jsonEnd is the end of the first JSON value of the body, when the kind ends with it.
func (b *block) jsonEnd(body string) (at, after int) {
	if b.json == nil || b.whole {
		return -1, 0
	}
	from := b.json(body)
	if from < 0 {
		return -1, 0
	}
	b.follow(body, from, len(body))
	if !b.shape.Complete() {
		return -1, 0
	}
	return from + b.shape.End, from + b.shape.End
}

func (b *block) follow(body string, from, to int) {
	b.shaped = max(b.shaped, from)
	if b.shaped < to {
		b.shape.Write(body[b.shaped:to])
		b.shaped = to
	}
}
