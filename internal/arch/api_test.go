package arch

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// publicPackages may be imported by others: what they export is a promise.
func publicPackages() []string {
	return []string{"llm", "llm/catalog", "llm/openai", "llm/llmtest", "session", "agent", "tool"}
}

// TestAPI compares the exported API with its golden file, so that every change of it is seen. After
// a change that is meant: go test ./internal/arch -run TestAPI -update
func TestAPI(t *testing.T) {
	golden := filepath.Join("testdata", "api.txt")
	got := api(t, readModule(t))
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("the exported API changed (-golden +code); if it is meant, run with -update:\n%s", d)
	}
}

// api prints the exported declarations of the public packages without comments and bodies.
func api(t *testing.T, s *source) string {
	var b strings.Builder
	for _, pkg := range publicPackages() {
		var decls []string
		for _, f := range s.product() {
			if f.pkg == pkg {
				decls = append(decls, exported(t, s, f.ast)...)
			}
		}
		if len(decls) == 0 {
			continue
		}
		slices.Sort(decls)
		fmt.Fprintf(&b, "# %s (%d)\n\n%s\n\n", pkg, len(decls), strings.Join(decls, "\n"))
	}
	return b.String()
}

// exported prints each exported declaration of a file; groups are taken apart.
func exported(t *testing.T, s *source, f *ast.File) []string {
	var out []string
	f.Decls = slices.DeleteFunc(f.Decls, ofHiddenType)
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			fn.Body, fn.Doc = nil, nil
		}
	}
	f.Comments = nil
	ast.FileExports(f)
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			out = append(out, printed(t, s, decl))
			continue
		}
		gen.Doc = nil
		for _, spec := range gen.Specs {
			out = append(out, printed(t, s, &ast.GenDecl{Tok: gen.Tok, Specs: []ast.Spec{bare(spec)}}))
		}
	}
	return out
}

// ofHiddenType reports whether a declaration is a method of a type that is not exported.
func ofHiddenType(decl ast.Decl) bool {
	fn, ok := decl.(*ast.FuncDecl)
	if !ok || fn.Recv == nil {
		return false
	}
	return !ast.IsExported(rootName(fn.Recv.List[0].Type))
}

// bare takes comments and long values off a spec.
func bare(spec ast.Spec) ast.Spec {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		spec.Doc, spec.Comment = nil, nil
		ast.Inspect(spec, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok {
				field.Doc, field.Comment = nil, nil
			}
			return true
		})
	case *ast.ValueSpec:
		spec.Doc, spec.Comment = nil, nil
		spec.Values = slices.DeleteFunc(spec.Values, func(e ast.Expr) bool {
			_, plain := e.(*ast.BasicLit)
			return !plain
		})
		if len(spec.Values) == 0 {
			spec.Values = nil
		}
	}
	return spec
}

// printed formats a declaration in its own file set, so that its old lines leave no gaps.
func printed(t *testing.T, s *source, node any) string {
	t.Helper()
	var b bytes.Buffer
	if err := format.Node(&b, s.fset, node); err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(b.String(), "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	return strings.Join(lines, "\n")
}

func TestAPIPrints(t *testing.T) {
	got := api(t, planted(t, "agent/x.go", `package agent
// T is a type.
type T struct {
	A int // a

	b int
}
type hidden struct{ C int }
func (T) M() {}
func (hidden) N() {}
func F(n int) string { return "" }
func g() {}
const (
	X = "x" // the x
	y = 1
)
var V = map[string]int{"a": 1}
`))
	want := `# agent (5)

const X = "x"
func (T) M()
func F(n int) string
type T struct {
	A int
	// contains filtered or unexported fields
}
var V

`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
