package effect

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parsed judges text by its syntax tree, or by its pieces when it has none.
func (s *scan) parsed(text, dir string, depth int) {
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(text), "")
	if err != nil {
		s.found.Opaque = true
		s.pieces(text, dir, depth)
		return
	}
	if fixed := cutComments(file, text); fixed != text && depth < maxDepth {
		s.parsed(fixed, dir, depth+1)
		return
	}
	w := &walker{scan: s, dir: dir, depth: depth, src: text}
	syntax.Walk(file, w.visit)
}

// cutComments takes the backslash off comments that end in one. The shell ends such a comment at
// the end of its line, the parser drops the next line with it.
func cutComments(file *syntax.File, text string) string {
	fixed := []byte(text)
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && strings.HasSuffix(c.Text, "\\\n") {
			if at := int(c.End().Offset()) - 2; at >= 0 && at < len(fixed) && fixed[at] == '\\' {
				fixed[at] = ' '
			}
		}
		return true
	})
	return string(fixed)
}

// walker goes over a syntax tree. dir is where a command runs as far as literal cd commands tell.
type walker struct {
	*scan
	dir   string
	depth int
	src   string
	stack []frame
}

// frame is a node that is being visited, with the directory to return to after it.
type frame struct {
	node syntax.Node
	dir  string
}

func (w *walker) visit(n syntax.Node) bool {
	if n == nil {
		w.leave()
		return true
	}
	if w.done() {
		return false
	}
	w.stack = append(w.stack, frame{n, w.dir})
	switch n := n.(type) {
	case *syntax.Stmt:
		w.stmt(n)
	case *syntax.BinaryCmd:
		w.pipe(n)
	case *syntax.FuncDecl:
		w.function(n)
	}
	return true
}

// leave forgets a cd that happened in a shell of its own.
func (w *walker) leave() {
	f := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	switch f.node.(type) {
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl:
		w.dir = f.dir
	}
}

// stmt judges one statement: its redirections, then its command.
func (w *walker) stmt(st *syntax.Stmt) {
	var in input
	for _, r := range st.Redirs {
		w.redirect(st, r, &in)
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	w.dir = w.command(arguments(call.Args), in, w.dir, w.depth)
}

// input is what a command reads when it reads its script from standard input.
type input struct {
	download bool   // it comes from the network
	script   string // it is this text
}

func (w *walker) redirect(st *syntax.Stmt, r *syntax.Redirect, in *input) {
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		for _, a := range fields(r.Word) {
			if isDisk(a.text) {
				w.deny(WriteDevice, w.source(st))
			}
		}
	case syntax.RdrIn:
		in.download = in.download || downloads(r.Word)
	case syntax.WordHdoc:
		in.download = in.download || downloads(r.Word)
		in.script = joined(fields(r.Word))
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc != nil {
			in.download = in.download || downloads(r.Hdoc)
			in.script = heredoc(r.Hdoc)
		}
	}
}

// pipe looks for a download, or a literal text, that flows into something that runs it. It is called
// for every pipe and judges the outermost one, which holds all stages.
func (w *walker) pipe(b *syntax.BinaryCmd) {
	if !isPipe(b) || w.insidePipe() {
		return
	}
	stages := []*syntax.Stmt{b.Y}
	first := b.X
	for {
		inner, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || !isPipe(inner) {
			break
		}
		stages = append(stages, inner.Y)
		first = inner.X
	}
	slices.Reverse(stages)
	in := input{download: downloads(first), script: printed(first)}
	for _, st := range stages {
		if in.download || in.script != "" {
			w.drink(st, in)
		}
		in = input{download: in.download || downloads(st), script: printed(st)}
	}
	if w.found.Code == RemoteScript {
		w.found.Command = shorten(w.source(b))
	}
}

// insidePipe reports whether the pipe that is being visited is a part of a longer one.
func (w *walker) insidePipe() bool {
	if len(w.stack) < 3 {
		return false
	}
	outer, ok := w.stack[len(w.stack)-3].node.(*syntax.BinaryCmd)
	return ok && isPipe(outer)
}

func isPipe(b *syntax.BinaryCmd) bool { return b.Op == syntax.Pipe || b.Op == syntax.PipeAll }

// drink judges the commands of a pipe's stage that would run what flows in.
func (w *walker) drink(st *syntax.Stmt, in input) {
	syntax.Walk(st, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			if argv := unwrapAll(arguments(call.Args)); readsScript(argv) {
				w.feed(in, argv, w.dir, w.depth)
			}
		}
		return !w.done()
	})
}

// printed is the text that the last command of a statement prints, when it is an echo or a printf
// of literal words.
func printed(st *syntax.Stmt) string {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 {
		return ""
	}
	argv := arguments(call.Args)
	if name := argv[0].name(); name != "echo" && name != "printf" {
		return ""
	}
	return joined(argv[1:])
}

// downloads reports whether a part of the tree fetches something and prints it.
func downloads(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			argv := unwrapAll(arguments(call.Args))
			found = found || isDownload(argv)
		}
		return !found
	})
	return found
}

// function looks for a function that starts itself twice over: in a pipe, or in the background.
func (w *walker) function(f *syntax.FuncDecl) {
	if f.Name == nil {
		return
	}
	self := 0
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if isPipe(n) {
				self += calls(n.X, f.Name.Value) + calls(n.Y, f.Name.Value)
			}
		case *syntax.Stmt:
			if n.Background {
				self += calls(n, f.Name.Value)
			}
		}
		return true
	})
	if self >= 2 {
		w.deny(ForkBomb, w.source(f))
	}
}

// calls is 1 when a statement is the command name and nothing else.
func calls(st *syntax.Stmt, name string) int {
	if c, ok := st.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == name {
		return 1
	}
	return 0
}

// source is the text of a node.
func (w *walker) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(w.src) || from > to {
		return ""
	}
	return w.src[from:to]
}
