package session

// Detail is what people see of a result: one of a few display shapes that every front end can draw
// without knowing the tool. Exactly the field that Shape names is set.
type Detail struct {
	Shape    Shape     `json:"shape"`
	Text     string    `json:"text,omitempty"`
	Diff     *Diff     `json:"diff,omitempty"`
	Terminal *Terminal `json:"terminal,omitempty"`
	Files    *Files    `json:"files,omitempty"`
	Matches  *Matches  `json:"matches,omitempty"`
	Todo     []Todo    `json:"todo,omitempty"`
}

// Shape names a display shape.
type Shape string

// The display shapes.
const (
	ShapeText     Shape = "text"
	ShapeDiff     Shape = "diff"
	ShapeTerminal Shape = "terminal"
	ShapeFiles    Shape = "files"
	ShapeMatches  Shape = "matches"
	ShapeTodo     Shape = "todo"
)

// Diff is a change of one file. Unified is the text of the hunks (`@@ … @@`, ` `, `-`, `+`), cut
// when it is very long; Added and Removed count lines of the whole change.
type Diff struct {
	Path    string `json:"path"`
	Unified string `json:"unified"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Created bool   `json:"created,omitempty"`
}

// Terminal is a command that ran. Output is the tail of what it printed.
type Terminal struct {
	Command string `json:"command"`
	Output  string `json:"output"`
	Exit    int    `json:"exit"`             // -1 when it was killed
	Signal  string `json:"signal,omitempty"` // by which signal it ended
	Lines   int    `json:"lines"`            // printed in all
}

// Files is a list of paths; More counts those left out. First and Last are the lines shown when
// a single file was read.
type Files struct {
	Paths []string `json:"paths"`
	More  int      `json:"more,omitempty"`
	First int      `json:"first,omitempty"`
	Last  int      `json:"last,omitempty"`
}

// Matches counts what a search found.
type Matches struct {
	Pattern string `json:"pattern"`
	Count   int    `json:"count"`
	Files   int    `json:"files"`
	Cut     bool   `json:"cut,omitempty"` // there were more
}

// Todo is an item of the model's own list of what is to do. Status is pending, in_progress or
// completed.
type Todo struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}
