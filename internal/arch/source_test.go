// Package arch holds the rules of the code base as tests: who may import whom, no work at start, no
// words for people outside the message catalogue, and the exported API as a golden file. It has no
// code of its own.
package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "paicli"
	root   = "../.."
)

// source is the parsed Go files of the module.
type source struct {
	fset  *token.FileSet
	files []file
}

// file is one Go file. pkg is the path of its package below the module, "main" for the root.
type file struct {
	name string
	pkg  string
	test bool
	ast  *ast.File
}

func (s *source) add(t *testing.T, name string, src any) {
	t.Helper()
	parsed, err := parser.ParseFile(s.fset, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	pkg := filepath.ToSlash(filepath.Dir(name))
	if pkg == "." {
		pkg = "main"
	}
	s.files = append(s.files, file{name: filepath.ToSlash(name), pkg: pkg, test: strings.HasSuffix(name, "_test.go"), ast: parsed})
}

// product lists the files that are not tests.
func (s *source) product() []file {
	return slices.DeleteFunc(slices.Clone(s.files), func(f file) bool { return f.test })
}

// at is a place as file:line.
func (s *source) at(n ast.Node) string {
	p := s.fset.Position(n.Pos())
	return filepath.ToSlash(p.Filename) + ":" + strconv.Itoa(p.Line)
}

// readModule parses every Go file of every system and build tag, but not scripts, which are run by
// themselves, and data of tests.
func readModule(t *testing.T) *source {
	t.Helper()
	s := &source{fset: token.NewFileSet()}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name != root && (strings.HasPrefix(base, ".") || base == "testdata" || base == "scripts" || base == "dist") {
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
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		s.add(t, rel, src)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// planted makes a source of files given as name and text in turn.
func planted(t *testing.T, nameAndText ...string) *source {
	t.Helper()
	s := &source{fset: token.NewFileSet()}
	for i := 0; i < len(nameAndText); i += 2 {
		s.add(t, nameAndText[i], nameAndText[i+1])
	}
	return s
}
