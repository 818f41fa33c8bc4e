package openai

import (
	"cmp"
	"encoding/json"
	"strings"

	"paicli/llm"
	"paicli/llm/internal/dialect"
	"paicli/llm/internal/jsontext"
)

// call is a tool call under construction.
type call struct {
	id, name string
	heir     string // name of the call before, for one that never gets its own
	args     strings.Builder
	shape    jsontext.Shape // how far the arguments are, kept up to date piece by piece
	last     string         // the last piece of the arguments
	snapshot bool           // so far each piece began with the one before it
	pieces   int
	extra    json.RawMessage
	choice   int
}

// assembler puts the calls of a reply together. Servers agree on little: the index may be missing,
// null, 0 for all calls or another one for each half of a call, the id may be missing, late, equal
// for two calls or new for each piece, and the name may come in parts or over and over. What
// decides is, in this order: the index, the id, the place in the list, the call that is open; and a
// piece that cannot belong to the call found there begins a new one.
type assembler struct {
	tools *dialect.Tools
	calls []*call
	slots map[slot]*call
}

// slot is the key under which a server numbers its calls. place is used when there is no index.
type slot struct{ choice, index, place int }

func newAssembler(tools *dialect.Tools) *assembler {
	return &assembler{tools: tools, slots: map[slot]*call{}}
}

// add takes the pieces of one delta and reports each to progress with the number of its call.
func (a *assembler) add(choice int, pieces []callPiece, progress func(llm.CallDelta)) {
	for place, p := range pieces {
		if p.Function.Name == "" {
			p.Function.Name = p.Name
		}
		if p.Function.Args == "" {
			p.Function.Args = p.Args
		}
		key := slot{choice, p.Index.Value, -1}
		if !p.Index.Known {
			key = slot{choice, -1, place}
		}
		c := a.find(key, p, len(pieces) > 1)
		if c == nil || a.begins(c, p) {
			c = a.open(c, key)
		}
		a.slots[key] = c
		c.take(p, a.tools)
		progress(llm.CallDelta{Index: a.indexOf(c), Name: a.tools.Resolve(cmp.Or(c.name, c.heir)), Args: string(p.Function.Args)})
	}
}

func (a *assembler) indexOf(c *call) int {
	for i := len(a.calls) - 1; i > 0; i-- {
		if a.calls[i] == c {
			return i
		}
	}
	return 0
}

// find looks for the call that a piece may belong to.
func (a *assembler) find(key slot, p callPiece, several bool) *call {
	c := a.slots[key]
	switch {
	case key.index < 0 && p.ID != "" && a.byID(p.ID) != nil:
		return a.byID(p.ID)
	case key.index < 0 && !several:
		return a.newest(key.choice)
	case key.index < 0 || c != nil || p.Function.Name != "":
		return c
	case p.ID != "":
		return a.byID(p.ID)
	}
	return a.waiting(key.choice)
}

func (a *assembler) byID(id jsontext.String) *call {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if a.calls[i].id == string(id) {
			return a.calls[i]
		}
	}
	return nil
}

// waiting is the first call without arguments: some proxies claim a call under one index and send
// its arguments under another.
func (a *assembler) waiting(choice int) *call {
	for _, c := range a.calls {
		if c.choice == choice && c.args.Len() == 0 {
			return c
		}
	}
	return nil
}

func (a *assembler) newest(choice int) *call {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if a.calls[i].choice == choice {
			return a.calls[i]
		}
	}
	return nil
}

// begins reports whether a piece cannot be a part of c and so begins another call.
func (a *assembler) begins(c *call, p callPiece) bool {
	name, args := string(p.Function.Name), strings.TrimSpace(string(p.Function.Args))
	object := strings.HasPrefix(args, "{")
	otherID := p.ID != "" && c.id != "" && string(p.ID) != c.id
	otherName := name != "" && c.name != "" && name != c.name
	whole := c.shape.Complete() && !c.placeholder()
	switch {
	case whole && object:
		return true
	case whole && otherName:
		return true
	case otherID:
		// A new id for each piece of one call: its arguments are half written and go on.
		goesOn := c.args.Len() > 0 && !whole && args != "" && !object
		return name != "" && !goesOn
	case otherName && c.args.Len() == 0:
		return a.tools.Has(c.name) && a.tools.Has(name) && !strings.HasPrefix(name, c.name)
	}
	return false
}

// open starts a call after the one found. It has that one's name unless it gets its own.
func (a *assembler) open(after *call, key slot) *call {
	c := &call{choice: key.choice}
	if after != nil {
		c.heir = after.name
	}
	a.calls = append(a.calls, c)
	return c
}

// placeholder tells of the empty object that some servers send before the real arguments.
func (c *call) placeholder() bool {
	return c.args.Len() < 8 && strings.Join(strings.Fields(c.args.String()), "") == "{}"
}

func (c *call) take(p callPiece, tools *dialect.Tools) {
	if p.ID != "" && (c.id == "" || c.args.Len() == 0) {
		c.id = string(p.ID)
	}
	c.takeName(string(p.Function.Name), tools)
	if p.Extra != nil && string(p.Extra) != "null" {
		c.extra = p.Extra
	}
	args := string(p.Function.Args)
	if args == "" {
		return
	}
	if c.placeholder() && strings.HasPrefix(strings.TrimSpace(args), "{") {
		c.args.Reset()
		c.shape = jsontext.Shape{}
		c.pieces = 0
	}
	c.snapshot = c.pieces == 0 || c.snapshot && strings.HasPrefix(args, c.last)
	c.pieces++
	c.last = args
	c.args.WriteString(args)
	c.shape.Write(args)
}

// takeName sets, repeats or continues the name.
func (c *call) takeName(piece string, tools *dialect.Tools) {
	switch {
	case piece == "" || piece == c.name:
	case c.name == "" || strings.HasPrefix(piece, c.name):
		c.name = piece
	case tools.Has(c.name) && !tools.HasPrefix(c.name+piece):
		// A part of the name once more: the name is already whole.
		if tools.Has(piece) {
			c.name = piece
		}
	default:
		c.name += piece
	}
}

// text is the arguments as the model wrote them. When every piece repeated the one before it, the
// last one is the whole.
func (c *call) text() string {
	s := c.args.String()
	if c.pieces > 1 && c.snapshot && !json.Valid([]byte(s)) && json.Valid([]byte(c.last)) {
		return c.last
	}
	return s
}
