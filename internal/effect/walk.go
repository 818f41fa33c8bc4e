package effect

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walker goes over the statements of a text in the order in which a shell would reach them, and
// knows what the shell would know: where it stands, what it reads, the variables whose values are
// literal.
type walker struct {
	*scan
	src     string
	dir     string         // absolute; "" = unknown
	vars    map[string]arg // variables with a known value
	params  []arg          // $1 and so on; nil = unknown
	guesses int            // substitutions whose output is being looked for
	branch  int            // > 0 where a statement may not run, or not once
	depth   int            // strings within strings
	nest    int            // wrappers within wrappers
	in      input
}

// input is what a command reads when it reads its program from standard input.
type input struct {
	download bool   // it comes from the network
	script   string // it is this text
	unknown  bool   // it is a text that only the run will tell
	given    bool   // something flows in
	names    bool   // what flows in are names of files in the project, each ended by a NUL
}

// declared is a function of the text.
type declared struct {
	body   *syntax.Stmt
	dir    string // where it was judged
	to     string // and where it left the shell
	active bool
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, st := range list {
		w.stmt(st)
	}
}

// stmt judges one statement: its command with its redirections.
func (w *walker) stmt(st *syntax.Stmt) {
	in := w.in
	var effects []judged
	for _, r := range st.Redirs {
		effects = append(effects, w.redirect(r, st, &in)...)
	}
	if st.Background || st.Coprocess || st.Disown {
		w.raise(Review, "runs in the background")
	}
	outer := w.in
	w.in = in
	defer func() { w.in = outer }()
	if call, ok := st.Cmd.(*syntax.CallExpr); ok {
		w.call(st, call, effects)
		return
	}
	w.command(st.Cmd)
	if st.Cmd == nil && len(effects) > 0 {
		w.list(Command{Text: w.source(st), Known: true}, effects)
		return
	}
	for _, e := range effects {
		w.raise(e.verdict, e.why)
		w.add(e.Access)
	}
}

// command judges what is no simple command. What it does not know is not safe.
func (w *walker) command(cmd syntax.Command) {
	switch c := cmd.(type) {
	case nil:
	case *syntax.BinaryCmd:
		w.binary(c)
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.Subshell:
		w.apart(func() { w.stmts(c.Stmts) })
	case *syntax.IfClause:
		w.ifClause(c)
	case *syntax.WhileClause:
		w.loop(c, func() { w.stmts(c.Cond); w.stmts(c.Do) })
	case *syntax.ForClause:
		w.forClause(c)
	case *syntax.CaseClause:
		w.caseClause(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			w.stmt(c.Stmt)
		}
	case *syntax.FuncDecl:
		w.function(c)
	case *syntax.CoprocClause:
		w.raise(Review, "runs in the background")
		w.apart(func() { w.stmt(c.Stmt) })
	case *syntax.DeclClause:
		w.declare(c)
	default: // [[ ]], (( )), let: they evaluate what their operands hold as arithmetic, which runs code
		w.raise(Review, "evaluates an expression")
		w.nested(cmd)
	}
}

// apart runs f in a shell of its own: what it changes there is forgotten.
func (w *walker) apart(f func()) {
	dir, vars, params, branch := w.dir, w.vars, w.params, w.branch
	w.vars = maps.Clone(vars)
	f()
	w.dir, w.vars, w.params, w.branch = dir, vars, params, branch
}

func (w *walker) binary(b *syntax.BinaryCmd) {
	if isPipe(b) {
		w.pipe(b)
		return
	}
	w.stmt(b.X)
	if b.Op == syntax.OrStmt {
		w.branch++
		defer func() { w.branch-- }()
	}
	w.stmt(b.Y)
}

func isPipe(b *syntax.BinaryCmd) bool { return b.Op == syntax.Pipe || b.Op == syntax.PipeAll }

// pipe judges the stages of a pipe, each with what flows into it.
func (w *walker) pipe(b *syntax.BinaryCmd) {
	stages := []*syntax.Stmt{b.Y}
	first := b.X
	for {
		inner, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || !isPipe(inner) || len(first.Redirs) > 0 {
			break
		}
		stages = append(stages, inner.Y)
		first = inner.X
	}
	stages = append(stages, first)
	slices.Reverse(stages)
	outer := w.in
	denied := w.out.Finding.Code
	for i, st := range stages {
		w.apart(func() { w.stmt(st) })
		if i < len(stages)-1 {
			text, known := w.printed(st)
			w.in = input{download: i > 0 && w.in.download || w.downloads(st), script: text, unknown: !known, given: true, names: w.printsNames(st)}
		}
	}
	w.in = outer
	if denied == "" && w.out.Finding.Code == RemoteScript {
		w.out.Finding.Command = shorten(w.source(b))
	}
}

func (w *walker) ifClause(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		w.stmts(c.Cond)
		w.branch++
		w.stmts(c.Then)
		w.branch--
	}
}

func (w *walker) caseClause(c *syntax.CaseClause) {
	w.word(c.Word)
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.word(p)
		}
		w.branch++
		w.stmts(item.Stmts)
		w.branch--
	}
}

// loop judges what may run more than once: variables that change in it have no known value.
func (w *walker) loop(n syntax.Node, body func()) {
	w.forget(n)
	w.branch++
	body()
	w.branch--
}

// forClause judges the body of a loop over literal words once for each of them.
func (w *walker) forClause(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.raise(Review, "evaluates an expression")
		w.nested(c.Loop)
		w.loop(c, func() { w.stmts(c.Do) })
		return
	}
	values, known := w.items(c, iter)
	w.loop(c, func() {
		for _, v := range values {
			if known {
				w.set(iter.Name.Value, v)
			}
			w.stmts(c.Do)
		}
	})
	delete(w.vars, iter.Name.Value)
}

// items are the values of a loop's variable. When they are not known, or too many to judge the body
// for each, the body is judged once.
func (w *walker) items(c *syntax.ForClause, iter *syntax.WordIter) ([]arg, bool) {
	literal := true
	var values []arg
	for _, word := range iter.Items {
		w.word(word)
		for _, a := range w.fields(word) {
			literal = literal && a.known()
			values = append(values, arg{text: a.text, glob: a.glob})
		}
	}
	if c.Select || !iter.InPos.IsValid() || !loopName(iter.Name.Value) {
		w.raise(Review, "sets a variable")
		return []arg{{}}, false
	}
	cost := (len(values) - 1) * (int(c.End().Offset()) - int(c.Pos().Offset()))
	if !literal || len(values) == 0 || cost > w.left/4 {
		return []arg{{}}, false
	}
	w.left -= max(cost, 0)
	return values, true
}

// loopName reports whether a loop may use a name without changing how the shell works: the shell's
// own variables are in upper case.
func loopName(name string) bool {
	for i := 0; i < len(name); i++ {
		if name[i] >= 'A' && name[i] <= 'Z' {
			return false
		}
	}
	return name != ""
}

// set gives a variable a known value.
func (w *walker) set(name string, value arg) {
	if w.vars == nil {
		w.vars = map[string]arg{}
	}
	w.vars[name] = value
}

// assign notes a variable that gets the value of a word. Where the statement may not run, the
// value is a guess afterwards.
func (w *walker) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	w.nested(a)
	delete(w.vars, a.Name.Value)
	w.tainted[a.Name.Value] = a.Value != nil && w.downloads(a.Value)
	if a.Append || a.Index != nil || a.Array != nil || a.Naked {
		return
	}
	if a.Value == nil {
		w.set(a.Name.Value, arg{guess: w.branch > 0})
	} else if v := w.fields(a.Value); len(v) == 1 && !strings.Contains(v[0].text, unknown) && !v[0].glob {
		w.set(a.Name.Value, arg{text: v[0].text, guess: v[0].guess || w.branch > 0})
	}
}

// forget drops the variables that a part of the tree may set.
func (w *walker) forget(n syntax.Node) {
	if len(w.vars) == 0 {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				delete(w.vars, n.Name.Value)
			}
		case *syntax.WordIter:
			delete(w.vars, n.Name.Value)
		case *syntax.CallExpr:
			if len(n.Args) > 0 && setsVariables(n.Args[0].Lit()) {
				w.vars = nil
			}
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
			w.vars = nil
		}
		return len(w.vars) > 0
	})
}

// setsVariables knows the builtins that may give a variable a value that their text does not tell.
func setsVariables(name string) bool {
	switch name {
	case "read", "mapfile", "readarray", "eval", "source", ".", "getopts", "unset", "printf", "declare", "local", "export", "typeset", "readonly":
		return true
	}
	return false
}

// declare judges declare, local, export and their kin.
func (w *walker) declare(c *syntax.DeclClause) {
	cmd := Command{Text: w.source(c), Words: []string{c.Variant.Value}, Known: true, Verdict: Review, Why: "sets a variable"}
	for _, a := range c.Args {
		if a.Name == nil {
			w.nested(a)
			continue
		}
		w.assign(a)
		cmd.Assigns = append(cmd.Assigns, a.Name.Value)
	}
	w.list(cmd, nil)
}

// list records a simple command with what its redirections do.
func (w *walker) list(c Command, effects []judged) {
	for _, e := range effects {
		if e.verdict > c.Verdict {
			c.Verdict, c.Why = e.verdict, e.why
		}
		if e.Verb != CannotSay && e.Target != "" {
			c.Redirects = append(c.Redirects, e.Access)
		}
		w.add(e.Access)
	}
	w.raise(c.Verdict, c.Why)
	w.out.Commands = append(w.out.Commands, c)
}

// source is the text of a node.
func (w *walker) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(w.src) || from > to {
		return ""
	}
	return w.src[from:to]
}
