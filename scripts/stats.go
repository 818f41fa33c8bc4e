//go:build ignore

// Stats prints the sizes of the packages, the longest functions and files, and the texts of
// internal/i18n that nothing says.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sizes worth a look: what the style of the code base aims below.
const (
	longFunction = 60
	longFile     = 400
)

type function struct {
	name  string
	lines int
}

type pkg struct {
	files, lines, testLines int
	functions               []function
}

type stats struct {
	fset  *token.FileSet
	pkgs  map[string]*pkg
	files []function      // long ones
	texts map[string]bool // of internal/i18n; true = said somewhere
	used  map[string]bool // names selected from i18n, or mentioned inside it in functions
}

func main() {
	s := &stats{fset: token.NewFileSet(), pkgs: map[string]*pkg{}, texts: map[string]bool{}, used: map[string]bool{}}
	if err := filepath.WalkDir(".", s.visit); err != nil {
		log.Fatal(err)
	}
	s.print()
}

func (s *stats) visit(name string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	base := d.Name()
	if d.IsDir() {
		if name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "scripts" || base == "dist") {
			return filepath.SkipDir
		}
		return nil
	}
	if filepath.Ext(base) != ".go" {
		return nil
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(s.fset, name, src, 0)
	if err != nil {
		return err
	}
	s.count(filepath.ToSlash(name), strings.Count(string(src), "\n"), file)
	return nil
}

func (s *stats) count(name string, lines int, file *ast.File) {
	dir := filepath.ToSlash(filepath.Dir(name))
	p := s.pkgs[dir]
	if p == nil {
		p = &pkg{}
		s.pkgs[dir] = p
	}
	if strings.HasSuffix(name, "_test.go") {
		p.testLines += lines
		return
	}
	p.files++
	p.lines += lines
	if lines > longFile {
		s.files = append(s.files, function{name, lines})
	}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			from, to := s.fset.Position(fn.Pos()), s.fset.Position(fn.End())
			p.functions = append(p.functions, function{fmt.Sprintf("%s:%d %s", name, from.Line, fn.Name.Name), to.Line - from.Line + 1})
		}
	}
	s.countTexts(dir, file)
}

// countTexts collects the texts and the places where one is said.
func (s *stats) countTexts(dir string, file *ast.File) {
	for _, decl := range file.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && dir == "internal/i18n" && gen.Tok == token.VAR {
			for _, spec := range gen.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					s.texts[name.Name] = true
				}
			}
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && (dir == "internal/i18n" || strings.HasPrefix(dir, "internal/")) {
				s.used[id.Name] = true
			}
			return true
		})
	}
}

func (s *stats) print() {
	var names []string
	var all []function
	total := pkg{}
	for name, p := range s.pkgs {
		names = append(names, name)
		all = append(all, p.functions...)
		total.files += p.files
		total.lines += p.lines
		total.testLines += p.testLines
	}
	slices.Sort(names)
	fmt.Printf("%-24s %6s %6s %6s %6s %7s %5s\n", "package", "files", "lines", "tests", "funcs", "median", "max")
	for _, name := range names {
		row(name, s.pkgs[name])
	}
	total.functions = all
	row("all", &total)
	tail("functions over 60 lines", all, longFunction)
	tail("files over 400 lines", s.files, longFile)
	var silent []string
	for name := range s.texts {
		if !s.used[name] {
			silent = append(silent, name)
		}
	}
	slices.Sort(silent)
	fmt.Printf("\ntexts that nothing says: %d\n  %s\n", len(silent), strings.Join(silent, " "))
}

func row(name string, p *pkg) {
	median, most := 0, 0
	slices.SortFunc(p.functions, func(a, b function) int { return a.lines - b.lines })
	if n := len(p.functions); n > 0 {
		median, most = p.functions[n/2].lines, p.functions[n-1].lines
	}
	fmt.Printf("%-24s %6d %6d %6d %6d %7d %5d\n", name, p.files, p.lines, p.testLines, len(p.functions), median, most)
}

// tail prints what is longer than the limit, longest first.
func tail(title string, list []function, limit int) {
	list = slices.DeleteFunc(slices.Clone(list), func(f function) bool { return f.lines <= limit })
	slices.SortFunc(list, func(a, b function) int { return b.lines - a.lines })
	fmt.Printf("\n%s: %d\n", title, len(list))
	for _, f := range list {
		fmt.Printf("  %4d %s\n", f.lines, f.name)
	}
}
