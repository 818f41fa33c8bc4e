package agent

import (
	"context"
	"encoding/json"

	"paicli/llm"
	"paicli/session"
)

// Tool is something a model can call. A Tool has no policy: it says what a call would touch, gates
// decide. It may be called by several goroutines at a time.
type Tool interface {
	Spec() llm.ToolSpec
	// Intent says what a call with these arguments (a JSON object) would do. It has no side
	// effects. An error is a refusal of the arguments and goes to the model.
	Intent(ctx context.Context, args json.RawMessage) (Intent, error)
	// Run does it. An error is a result for the model, as is Output.Status; only ctx's end
	// ends the turn.
	Run(ctx context.Context, call *Call) (Output, error)
}

// Intent is what a call would do: a title that names its object (one line, for people), what it
// touches, and for changes a preview.
type Intent struct {
	Title   string
	Access  []Access
	Preview *session.Detail
	// Args, when set, takes the place of the arguments that Intent was asked about: the same, with
	// slips such as "10" for 10 read as they were meant. Gates, people and Run see these; what the
	// model wrote stays in the log.
	Args json.RawMessage
}

// Verb is a way of touching something.
type Verb string

// The verbs. A call without any declared access runs alone and must be asked for, one that only
// talks runs alone too, for as long as a person takes; opaque may do anything.
const (
	VerbRead      Verb = "read"
	VerbWrite     Verb = "write"
	VerbDelete    Verb = "delete"
	VerbRun       Verb = "run"
	VerbNet       Verb = "net"
	VerbSpawn     Verb = "spawn"
	VerbPrivilege Verb = "privilege"
	VerbOpaque    Verb = "opaque"
	VerbTalk      Verb = "talk" // speaks with the person or keeps notes for them; touches nothing
)

// Access is one thing that a call touches: a path, a command line, a host.
type Access struct {
	Verb   Verb
	Target string
}

// Call is a tool call on its way through gates and wraps to its tool.
type Call struct {
	ID     string // in the log: `<seq of its Replied>.<index>`
	WireID string // on the wire
	Name   string
	Args   json.RawMessage // a JSON object
	Intent Intent
	Tool   Tool
	Thread *session.Thread // where the call was made; gates and tools read it and append nothing
	// Ask puts a question to a person; nil, or an answer without a choice, means that nobody was
	// there.
	Ask func(ctx context.Context, q Question) (Answer, error)
	// Progress shows output while the call runs. It may be called from any goroutine until
	// Run returns.
	Progress func(text string)
}

// intend takes arguments and what the tool says it would do with them.
func (c *Call) intend(ctx context.Context, args json.RawMessage) (err error) {
	c.Args = args
	if c.Intent, err = c.Tool.Intent(ctx, args); err == nil && c.Intent.Args != nil {
		c.Args = c.Intent.Args
	}
	return err
}

// Output is what a call gave. Text goes to the model, Detail to people. A zero Status means ok.
type Output struct {
	Text   string
	Media  []llm.Media
	Detail *session.Detail
	Status session.Status
	// Limit is how many characters of Text go to the model at most; what is longer is kept in a
	// file (see Artifact). Zero means the usual limit, Whole that the text is never cut.
	Limit int
	Whole bool
	// Lead is how many bytes of Text stand in front in every form, such as the line with an exit
	// code: they are neither counted nor written to a file.
	Lead int
	// Artifact is the path of the file that holds the whole text, set by the wrap that wrote it.
	Artifact string
	// Seen are files as the model knows them after the call. They count only if it ended well.
	Seen []session.Seen
	// Answer, when set, is the answer of the turn: it ends after this batch.
	Answer string
}

// readOnly reports whether a call may run beside others: it declares something and only reads.
func (i Intent) readOnly() bool {
	for _, a := range i.Access {
		if a.Verb != VerbRead {
			return false
		}
	}
	return len(i.Access) > 0
}
