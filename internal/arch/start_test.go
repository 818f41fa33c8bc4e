package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"testing"
)

// TestNoWorkAtStart: no init functions, no package variable that changes at run time (which is how
// registration and hidden state begin), no regular expression compiled before it is needed.
func TestNoWorkAtStart(t *testing.T) {
	for _, fault := range startFaults(readModule(t)) {
		t.Error(fault)
	}
}

func startFaults(s *source) []string {
	vars := map[string]map[string]bool{} // package → its variables
	for _, f := range s.product() {
		if vars[f.pkg] == nil {
			vars[f.pkg] = map[string]bool{}
		}
		for _, spec := range packageVars(f.ast) {
			for _, name := range spec.Names {
				vars[f.pkg][name.Name] = true
			}
		}
	}
	var out []string
	for _, f := range s.product() {
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if fn.Name.Name == "init" && fn.Recv == nil {
				out = append(out, fmt.Sprintf("%s: init function", s.at(fn)))
			}
			out = append(out, assignments(s, fn, vars[f.pkg])...)
		}
		for _, spec := range packageVars(f.ast) {
			out = append(out, compiled(s, spec)...)
		}
	}
	return out
}

func packageVars(f *ast.File) []*ast.ValueSpec {
	var out []*ast.ValueSpec
	for _, decl := range f.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.VAR {
			for _, spec := range gen.Specs {
				out = append(out, spec.(*ast.ValueSpec))
			}
		}
	}
	return out
}

// assignments lists the places in a function where a package variable, or an element or field of
// one, is given a new value. A local name of the same spelling anywhere in the function hides it.
func assignments(s *source, fn *ast.FuncDecl, vars map[string]bool) []string {
	local := locals(fn)
	var out []string
	check := func(e ast.Expr) {
		if name := rootName(e); name != "_" && vars[name] && !local[name] {
			out = append(out, fmt.Sprintf("%s: package variable %s is changed at run time", s.at(e), name))
		}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					check(e)
				}
			}
		case *ast.IncDecStmt:
			check(n.X)
		}
		return true
	})
	return out
}

// locals lists every name that a function declares: receiver, parameters, results, variables.
func locals(fn *ast.FuncDecl) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				out[name.Name] = true
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				out[name.Name] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					out[rootName(e)] = true
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				out[rootName(n.Key)], out[rootName(n.Value)] = true, true
			}
		}
		return true
	})
	return out
}

// rootName is the leftmost name of x, x.y, x[i], *x.
func rootName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return rootName(e.X)
	case *ast.IndexExpr:
		return rootName(e.X)
	case *ast.StarExpr:
		return rootName(e.X)
	case *ast.ParenExpr:
		return rootName(e.X)
	}
	return ""
}

// compiled finds regular expressions and templates that a package variable compiles at start. Those
// inside a function value run later.
func compiled(s *source, spec *ast.ValueSpec) []string {
	var out []string
	for _, value := range spec.Values {
		ast.Inspect(value, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "MustCompile" || sel.Sel.Name == "Must") {
					out = append(out, fmt.Sprintf("%s: %s at start", s.at(n), sel.Sel.Name))
				}
			}
			return true
		})
	}
	return out
}

func TestNoWorkAtStartCatches(t *testing.T) {
	tests := []struct{ name, file, src, want string }{
		{"init", "agent/x.go", "package agent\nfunc init() {}", "init function"},
		{"a method named init is none", "agent/x.go", "package agent\ntype t int\nfunc (t) init() {}", ""},
		{"registration", "agent/x.go", "package agent\nvar all = map[string]int{}\nfunc Register(n string) { all[n] = 1 }", "package variable all"},
		{"appending", "agent/x.go", "package agent\nvar all []int\nfunc Add() { all = append(all, 1) }", "package variable all"},
		{"counting", "agent/x.go", "package agent\nvar n int\nfunc f() { n++ }", "package variable n"},
		{"a field", "agent/x.go", "package agent\nvar s struct{ n int }\nfunc f() { s.n = 1 }", "package variable s"},
		{"a local of that name", "agent/x.go", "package agent\nvar n int\nfunc f(n int) { n = 1 }", ""},
		{"reading", "agent/x.go", "package agent\nvar n = 1\nfunc f() int { return n }", ""},
		{"a test may", "agent/x_test.go", "package agent\nvar n int\nfunc f() { n++ }", ""},
		{"expression at start", "agent/x.go", "package agent\nimport \"regexp\"\nvar re = regexp.MustCompile(`a`)", "MustCompile"},
		{"expression on first use", "agent/x.go", "package agent\nimport (\"regexp\"; \"sync\")\nvar re = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`a`) })", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantFault(t, startFaults(planted(t, tt.file, tt.src)), tt.want) })
	}
}
