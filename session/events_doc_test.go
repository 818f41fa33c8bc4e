package session

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/events.md")

// docs/events.md is made from the code: go test ./session -run TestEventsDoc -update.
func TestEventsDoc(t *testing.T) {
	const file = "../docs/events.md"
	got := eventsDoc(t)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("docs/events.md is not what the code says; run with -update (-file +code):\n%s", d)
	}
}

const eventsHead = `# Events

*Made from the code by ` + "`go test ./session -run TestEventsDoc -update`" + `; do not edit.*

A session is a list of events. ` + "`paicli -p … --output-format events`" + ` prints them, one JSON object a line, and the last line is the result object. The log of a session (` + "`PAICLI_HOME/sessions/ID.jsonl`" + `) holds the same objects with a checksum as a last field, ` + "`sum`" + ` (CRC-32C of everything before it), behind a first line that names the format and its version.

` + "```" + `
{"seq":7,"time":"2026-11-30T12:00:00.000Z","turn":1,"agent":"","type":"said","data":{…}}
` + "```" + `

- ` + "`seq`" + ` numbers the durable events of a session from 1 without gaps. ` + "`attached`" + ` and ` + "`streamed`" + ` are not stored and carry the number of the last durable event before them.
- ` + "`agent`" + ` is the path of the agent whose line it is, empty for the root.
- New types and new fields may be added; nothing is renamed or removed within a format version. A reader passes over what it does not know.
`

// eventsDoc writes the page: the bodies in the order of the code, then the types they are made of.
func eventsDoc(t *testing.T) string {
	t.Helper()
	types := docTypes(t, "event.go", "state.go", "detail.go")
	kinds := map[string]string{}
	for _, b := range bodies() {
		kinds[reflect.TypeOf(b).Elem().Name()] = b.kind()
	}
	var out strings.Builder
	out.WriteString(eventsHead)
	out.WriteString("\n## Types of events\n")
	for _, d := range types {
		if kind, ok := kinds[d.name]; ok {
			fmt.Fprintf(&out, "\n### `%s`\n\n%s\n%s", kind, d.doc, d.fields)
		}
	}
	out.WriteString("\n## What they are made of\n")
	for _, d := range types {
		if _, ok := kinds[d.name]; !ok && d.name != "Event" && d.name != "Body" {
			fmt.Fprintf(&out, "\n### %s\n\n%s\n%s", d.name, d.doc, d.fields)
		}
	}
	return out.String()
}

func bodies() []Body {
	return []Body{
		&Opened{}, &Configured{}, &Set{}, &Queued{}, &Said{}, &Replied{}, &CallStarted{}, &CallEnded{}, &Asked{}, &Answered{},
		&Spent{}, &Noted{}, &TurnEnded{}, &Compacted{}, &Attached{}, &Streamed{},
	}
}

// Every durable type can be read back; the list of the page is complete.
func TestBodiesAreComplete(t *testing.T) {
	for _, b := range bodies() {
		made, err := newBody(b.kind())
		_, live := b.(*Streamed)
		_, first := b.(*Attached)
		if live || first {
			if err == nil {
				t.Errorf("%s can be stored", b.kind())
			}
		} else if err != nil || reflect.TypeOf(made) != reflect.TypeOf(b) {
			t.Errorf("%s: %T, %v", b.kind(), made, err)
		}
	}
	src, err := os.ReadFile("event.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(src), ") kind() string"); n != len(bodies()) {
		t.Errorf("%d kinds in event.go, %d in the list", n, len(bodies()))
	}
}

type docType struct{ name, doc, fields string }

func docTypes(t *testing.T, files ...string) []docType {
	t.Helper()
	var out []docType
	consts := map[string][]string{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if ast.IsExported(s.Name.Name) {
						out = append(out, docType{s.Name.Name, docText(g.Doc, s.Name.Name), docFields(s)})
					}
				case *ast.ValueSpec:
					if id, ok := s.Type.(*ast.Ident); ok && len(s.Values) == 1 {
						consts[id.Name] = append(consts[id.Name], s.Values[0].(*ast.BasicLit).Value+docComment(s.Comment))
					}
				}
			}
		}
	}
	for i, d := range out {
		if values := consts[d.name]; d.fields == "" && values != nil {
			out[i].fields = "\nOne of " + strings.Join(values, ", ") + ".\n"
		}
	}
	return slices.DeleteFunc(out, func(d docType) bool { return d.doc == "" })
}

// docText is a comment as one paragraph.
func docText(c *ast.CommentGroup, name string) string {
	if c == nil {
		return ""
	}
	return strings.Join(strings.Fields(c.Text()), " ") + "\n"
}

func docComment(c *ast.CommentGroup) string {
	if c == nil {
		return ""
	}
	return " (" + strings.TrimSpace(c.Text()) + ")"
}

func docFields(s *ast.TypeSpec) string {
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n| field | type | |\n|---|---|---|\n")
	for _, f := range st.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
		name, opts, _ := strings.Cut(tag, ",")
		if name == "-" || name == "" {
			continue
		}
		if strings.Contains(opts, "omitempty") {
			name += "?"
		}
		note := ""
		if f.Comment != nil {
			note = strings.TrimSpace(f.Comment.Text())
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, docTypeName(f.Type), note)
	}
	return b.String()
}

func docTypeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return docTypeName(e.X)
	case *ast.ArrayType:
		return "list of " + docTypeName(e.Elt)
	case *ast.MapType:
		return "object of " + docTypeName(e.Value)
	case *ast.SelectorExpr:
		return docTypeName(e.X) + "." + e.Sel.Name
	}
	return "?"
}
