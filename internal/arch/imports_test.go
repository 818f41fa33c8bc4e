package arch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// row says which packages of the module a package may import.
type row struct {
	pkg string
	may []string
}

// table is docs/architecture.md, "Who may import whom". A package without a row is an error, so a
// new package is placed here first.
func table() []row {
	layer0 := []string{"llm", "internal/shell", "internal/charset", "internal/textedit", "internal/fsx", "internal/effect", "internal/i18n", "internal/boundary", "internal/secret", "internal/search"}
	wire := []string{"llm", "llm/catalog", "llm/internal/jsontext", "llm/internal/sse", "llm/internal/fault", "llm/internal/dialect", "llm/internal/schema"}
	layer1 := []string{"llm/openai", "llm/catalog", "llm/llmtest", "session"}
	lower := slices.Concat(layer0, layer1, []string{"agent"})
	layer3 := []string{"tool", "internal/permission", "internal/prompt", "internal/doctor", "internal/artifact", "internal/audit", "internal/mcp"}
	front := []string{"agent", "session", "llm", "internal/i18n", "internal/command", "internal/term"}
	fronts := []string{"internal/headless", "internal/repl"}
	wiring := slices.Concat(lower, layer3, []string{"internal/config"})

	rows := []row{
		{"llm", nil},
		{"internal/shell", nil},
		{"internal/charset", nil},
		{"internal/textedit", []string{"internal/charset"}},
		{"internal/fsx", nil},
		{"internal/effect", nil},
		{"internal/i18n", nil},
		{"internal/spell", nil},
		{"internal/boundary", nil},
		{"internal/secret", nil},
		{"internal/search", nil},
		{"internal/term", []string{"internal/boundary"}},
		{"internal/term/termtest", []string{"internal/term"}},
		{"llm/catalog", []string{"llm"}},
		{"llm/internal/jsontext", nil},
		{"llm/internal/sse", nil},
		{"llm/internal/schema", []string{"llm/internal/jsontext"}},
		{"llm/internal/fault", []string{"llm", "llm/internal/jsontext"}},
		{"llm/internal/dialect", []string{"llm", "llm/internal/jsontext"}},
		{"llm/openai", wire},
		{"llm/llmtest", []string{"llm"}},
		{"session", []string{"llm"}},
		{"agent", []string{"session", "llm", "internal/boundary"}},
		{"internal/config", []string{"internal/i18n", "internal/spell"}},
		{"internal/command", []string{"agent", "session", "llm", "internal/i18n", "internal/spell"}},
		{"internal/app", wiring},
		{"internal/cli", slices.Concat(wiring, fronts, []string{"internal/app", "internal/command", "internal/term"})},
		{"main", slices.Concat(wiring, fronts, []string{"internal/app", "internal/cli"})},
		{"internal/arch", nil},
	}
	for _, pkg := range layer3 {
		rows = append(rows, row{pkg, lower})
	}
	for _, pkg := range fronts {
		rows = append(rows, row{pkg, front})
	}
	return rows
}

// thirdParty names for each module from outside the packages that may import it.
func thirdParty() map[string][]string {
	return map[string][]string{
		"github.com/google/jsonschema-go":        {"agent"},
		"mvdan.cc/sh/v3":                         {"internal/effect"},
		"github.com/bmatcuk/doublestar/v4":       {"internal/fsx"},
		"golang.org/x/text":                      {"internal/charset", "internal/textedit"},
		"golang.org/x/sys":                       {"internal/shell", "internal/fsx", "internal/search"},
		"golang.org/x/term":                      {"internal/cli", "internal/term"},
		"github.com/clipperhouse/displaywidth":   {"internal/term"},
		"github.com/spf13/cobra":                 {"internal/cli"},
		"github.com/spf13/pflag":                 {"internal/cli"},
		"github.com/modelcontextprotocol/go-sdk": {"internal/mcp"},
	}
}

// testOnly names the modules that tests may import.
func testOnly() []string {
	return []string{"github.com/google/go-cmp", "github.com/rogpeppe/go-internal"}
}

func TestImports(t *testing.T) {
	for _, fault := range importFaults(readModule(t)) {
		t.Error(fault)
	}
}

// importFaults lists the imports that the tables do not allow. Tests of a package may import any
// package of the module, since they are not part of the product.
func importFaults(s *source) []string {
	rows := map[string][]string{}
	for _, r := range table() {
		rows[r.pkg] = r.may
	}
	var out []string
	for _, f := range s.files {
		may, known := rows[f.pkg]
		if !known {
			out = append(out, fmt.Sprintf("%s: package %s has no row in the table", f.name, f.pkg))
			continue
		}
		for _, spec := range f.ast.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			if why := refused(f, path, may); why != "" {
				out = append(out, fmt.Sprintf("%s: %s may not import %s: %s", s.at(spec), f.pkg, path, why))
			}
		}
	}
	return out
}

// refused says why a file may not import a path, "" if it may.
func refused(f file, path string, may []string) string {
	if pkg, ok := strings.CutPrefix(path, module+"/"); ok {
		if f.test || slices.Contains(may, pkg) {
			return ""
		}
		return "the direction is wrong"
	}
	first, _, _ := strings.Cut(path, "/")
	if !strings.Contains(first, ".") {
		return notForProduct(f, path)
	}
	for mod, pkgs := range thirdParty() {
		if within(path, mod) {
			if slices.Contains(pkgs, f.pkg) {
				return ""
			}
			return "it belongs to " + strings.Join(pkgs, ", ")
		}
	}
	for _, mod := range testOnly() {
		if within(path, mod) {
			if f.test {
				return ""
			}
			return "it is for tests"
		}
	}
	return "the module is not in the list"
}

// notForProduct refuses what the standard library has for tests and what needs cgo.
func notForProduct(f file, path string) string {
	if f.test {
		return ""
	}
	switch {
	case path == "C":
		return "the product is built without cgo"
	case path == "testing" || strings.HasPrefix(path, "testing/") || path == "net/http/httptest":
		return "it is for tests"
	}
	return ""
}

func within(path, mod string) bool { return path == mod || strings.HasPrefix(path, mod+"/") }

// TestImportsCatches plants one violation of each rule.
func TestImportsCatches(t *testing.T) {
	tests := []struct{ name, file, src, want string }{
		{"a core package imports a front end", "agent/x.go", `package agent; import _ "paicli/internal/headless"`, "direction"},
		{"llm imports another package", "llm/x.go", `package llm; import _ "paicli/internal/i18n"`, "direction"},
		{"llm imports a library", "llm/x.go", `package llm; import _ "github.com/google/jsonschema-go/jsonschema"`, "belongs to agent"},
		{"a tool imports its neighbour", "tool/x.go", `package tool; import _ "paicli/internal/permission"`, "direction"},
		{"a front end imports settings", "internal/headless/x.go", `package headless; import _ "paicli/internal/config"`, "direction"},
		{"a front end imports tools", "internal/headless/x.go", `package headless; import _ "paicli/tool"`, "direction"},
		{"the shell parser outside its package", "tool/x.go", `package tool; import _ "mvdan.cc/sh/v3/syntax"`, "belongs to internal/effect"},
		{"a new module", "tool/x.go", `package tool; import _ "example.com/new"`, "not in the list"},
		{"a test library in the product", "session/x.go", `package session; import _ "github.com/google/go-cmp/cmp"`, "for tests"},
		{"the testing package in the product", "llm/llmtest/x.go", `package llmtest; import _ "testing"`, "for tests"},
		{"cgo", "internal/shell/x.go", `package shell; import "C"`, "cgo"},
		{"a package without a row", "internal/util/x.go", `package util`, "no row"},
		{"a test may import what it likes of us", "llm/x_test.go", `package llm_test; import _ "paicli/agent"`, ""},
		{"a module that begins like another", "agent/x.go", `package agent; import _ "github.com/google/jsonschema-gopher"`, "not in the list"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantFault(t, importFaults(planted(t, tt.file, tt.src)), tt.want) })
	}
}

// wantFault wants exactly one fault with the text, or none.
func wantFault(t *testing.T, faults []string, want string) {
	t.Helper()
	if want == "" && len(faults) > 0 {
		t.Errorf("faults %q, want none", faults)
	}
	if want != "" && (len(faults) != 1 || !strings.Contains(faults[0], want)) {
		t.Errorf("faults %q, want one with %q", faults, want)
	}
}
