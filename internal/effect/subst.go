package effect

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word judges the commands inside a word: those of its substitutions.
func (w *walker) word(word *syntax.Word) {
	if word != nil && !isLiteral(word) {
		w.nested(word)
	}
}

// isLiteral is a quick test for words in which no command can be.
func isLiteral(word *syntax.Word) bool {
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			if len(p.Parts) > 1 {
				return false
			}
			if len(p.Parts) == 1 {
				if _, lit := p.Parts[0].(*syntax.Lit); !lit {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// nested judges the commands of all substitutions in a part of the tree.
func (w *walker) nested(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.substitution(n.Stmts)
			return false
		case *syntax.ProcSubst:
			w.substitution(n.Stmts)
			return false
		case *syntax.ParamExp:
			if n.Exp != nil && (n.Exp.Op <= syntax.AssignUnsetOrNull || n.Exp.Op >= syntax.UpperFirst) || n.Excl || n.Index != nil {
				w.raise(Review, "expands a variable in a way that can run code or set it")
			}
		case *syntax.ArithmExp:
			w.raise(Review, "evaluates an expression")
		}
		return true
	})
}

func (w *walker) substitution(stmts []*syntax.Stmt) {
	w.branch++
	w.apart(func() { w.stmts(stmts) })
	w.branch--
}

// printed is the text that a statement prints when it is an echo, a printf, or hands on what it reads, and
// whether that is all that is known of it.
func (w *walker) printed(st *syntax.Stmt) (text string, known bool) {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return "", false
	}
	argv := w.arguments(call.Args)
	switch name := argv[0].name(); {
	case name == "echo":
		return echoed(argv[1:]), allKnown(argv)
	case name == "printf":
		return formatted(argv[1:]), allKnown(argv)
	case name == "tee", name == "cat" && (len(argv) == 1 || len(argv) == 2 && argv[1].text == "-"):
		in := w.in
		for _, r := range st.Redirs {
			if r.Hdoc != nil {
				a := w.heredoc(r)
				in.script, in.unknown = a.text, !a.known()
			} else if r.Op == syntax.WordHdoc {
				in.script, in.unknown = joined(w.fields(r.Word)), false
			}
		}
		return in.script, in.script != "" && !in.unknown
	}
	return "", false
}

// printsNames reports whether a statement prints names of files below the directory in which it
// runs, each ended by a NUL, which no name can hold.
func (w *walker) printsNames(st *syntax.Stmt) bool {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || len(st.Redirs) > 0 && st.Cmd == nil {
		return false
	}
	argv := w.arguments(call.Args)
	for _, a := range argv {
		for part := range strings.SplitSeq(a.text, "/") {
			if isSecretName(strings.ToLower(part)) {
				return false
			}
		}
	}
	has := func(options ...string) bool {
		return slices.ContainsFunc(argv, func(a arg) bool { return slices.Contains(options, a.text) })
	}
	switch argv[0].text {
	case "find":
		return has("-print0") && !has("-L", "-printf", "-print", "-ls")
	case "git":
		return argv[1].text == "ls-files" && has("-z")
	case "rg", "fd":
		return has("-0", "--null", "--print0") && (argv[0].text == "fd" || has("-l", "--files"))
	case "grep":
		return has("-Z", "--null", "-lZ", "-rlZ") && has("-l", "-rl", "-lZ", "-rlZ")
	}
	return false
}

// downloads reports whether a part of the tree fetches something and prints it, itself or in a function
// of the text.
func (w *walker) downloads(n syntax.Node) bool {
	return w.fetches(n, func(name string) bool {
		f, ok := w.funcs[name]
		return ok && w.fetches(f.body, func(string) bool { return false })
	})
}

func (w *walker) fetches(n syntax.Node, also func(name string) bool) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			argv := unwrapAll(w.arguments(call.Args))
			prints := argv[0].text == "echo" || argv[0].text == "printf"
			found = found || isDownload(argv) || also(argv[0].text) || prints && slices.ContainsFunc(argv[1:], w.holdsFetched)
		}
		return !found
	})
	return found
}

// holdsFetched reports an argument that is a variable whose value was fetched.
func (w *walker) holdsFetched(a arg) bool { return a.remote && strings.TrimSpace(a.text) == unknown }

// function judges a function where it is declared. A function that starts itself twice over, in a
// pipe or in the background, never ends.
func (w *walker) function(f *syntax.FuncDecl) {
	w.raise(Review, "declares a function")
	if f.Name == nil || f.Body == nil {
		return
	}
	if w.selfCalls(f) >= 2 {
		w.deny(ForkBomb, w.source(f))
	}
	w.funcs[f.Name.Value] = declared{body: f.Body, dir: w.dir}
	w.apart(func() { w.params = nil; w.body(f.Name.Value) })
}

// body judges the body of a function with nothing known of variables, and leaves the walker where
// the function would.
func (w *walker) body(name string) {
	f := w.funcs[name]
	f.active = true
	w.funcs[name] = f
	w.branch++
	w.vars = nil
	w.stmt(f.body)
	w.branch--
	f.active, f.to = false, w.dir
	w.funcs[name] = f
}

// invoke judges the call of a function of the text with its arguments.
func (w *walker) invoke(f declared, name string, args []arg) {
	w.vars = nil
	if f.active {
		return
	}
	if f.dir == w.dir && len(args) == 0 {
		w.dir = f.to
		return
	}
	cost := int(f.body.End().Offset()) - int(f.body.Pos().Offset())
	if cost > w.left/4 {
		w.dir = ""
		return
	}
	w.left -= cost
	outer := w.params
	w.params = args
	w.body(name)
	w.params = outer
}

// selfCalls counts the calls of a function in its own body that run beside one another: in pipes, in the
// background, and those without arguments once one is there.
func (w *walker) selfCalls(f *syntax.FuncDecl) int {
	beside, behind, plain := 0, 0, 0
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if isPipe(n) {
				beside += calls(n.X, f.Name.Value) + calls(n.Y, f.Name.Value)
			}
		case *syntax.Stmt:
			if n.Background {
				behind += calls(n, f.Name.Value)
			}
			if c, ok := n.Cmd.(*syntax.CallExpr); ok && len(c.Args) == 1 {
				plain += calls(n, f.Name.Value)
			}
		}
		return true
	})
	if behind > 0 {
		return max(beside+behind, plain)
	}
	return beside
}

// calls is 1 when a statement is the command name and nothing else.
func calls(st *syntax.Stmt, name string) int {
	if c, ok := st.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == name {
		return 1
	}
	return 0
}
