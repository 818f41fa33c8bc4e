package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// spokenPackages are those whose texts a person sees.
func spokenPackages() []string {
	return []string{"internal/cli", "internal/headless", "internal/repl", "internal/command", "internal/term", "internal/tui", "internal/doctor", "internal/config", "internal/app"}
}

// exception is a literal that looks like words for people and is none.
type exception struct{ pkg, text, why string }

func exceptions() []exception {
	const cli = "internal/cli"
	return []exception{
		{cli, "#!/bin/sh\necho \"Hello World\"\n", "a file of the demo's project"},
		{cli, `{"path":"hello.sh","old_text":"Hello World","new_text":"Hello PaiCLI"}`, "arguments of a tool in the demo"},
		{cli, `{"command":"sh hello.sh"}`, "arguments of a tool in the demo"},
		{cli, "Hello PaiCLI", "what the demo's file must hold"},
	}
}

// TestWordsLiveInI18n: what a person reads comes from internal/i18n, where both languages stand
// side by side.
func TestWordsLiveInI18n(t *testing.T) {
	for _, fault := range literalFaults(readModule(t)) {
		t.Error(fault)
	}
}

// words matches Chinese, and two words with a space between them.
var words = regexp.MustCompile(`\p{Han}|\pL\pL* \pL`)

func literalFaults(s *source) []string {
	var out []string
	for _, f := range s.product() {
		for _, pkg := range spokenPackages() {
			if within(f.pkg, pkg) {
				out = append(out, fileLiterals(s, f)...)
			}
		}
	}
	return out
}

func fileLiterals(s *source, f file) []string {
	var out []string
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				n.Tag = nil // struct tags are for programs
			}
		case *ast.FuncDecl:
			return n.Recv == nil || n.Name.Name != "Error" // typed errors are worded by whoever shows them
		case *ast.KeyValueExpr:
			key, ok := n.Key.(*ast.Ident)
			return !ok || key.Name != "Use" // the grammar of a command
		case *ast.CallExpr:
			return !notForPeople(n)
		case *ast.BasicLit:
			if text, ok := unquote(n); ok && words.MatchString(text) && !excepted(f.pkg, text) {
				out = append(out, fmt.Sprintf("%s: words outside internal/i18n: %q", s.at(n), text))
			}
		}
		return true
	})
	return out
}

// notForPeople reports whether a call's literals are for programmers or for a model: a panic, a
// regular expression, an error that wraps another with its verb and object, a message to a model.
func notForPeople(call *ast.CallExpr) bool {
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		return fn.Name == "panic"
	case *ast.SelectorExpr:
		pkg, ok := fn.X.(*ast.Ident)
		if ok && (pkg.Name == "regexp" || pkg.Name == "llm" && fn.Sel.Name == "Text") {
			return true
		}
		if !ok || pkg.Name != "fmt" || fn.Sel.Name != "Errorf" || len(call.Args) == 0 {
			return false
		}
		lit, ok := call.Args[0].(*ast.BasicLit)
		if !ok {
			return false
		}
		format, _ := unquote(lit)
		return strings.HasSuffix(format, ": %w")
	}
	return false
}

func unquote(lit *ast.BasicLit) (string, bool) {
	if lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

func excepted(pkg, text string) bool {
	for _, e := range exceptions() {
		if e.pkg == pkg && e.text == text {
			return true
		}
	}
	return false
}

func TestWordsLiveInI18nCatches(t *testing.T) {
	tests := []struct{ name, file, src, want string }{
		{"a sentence", "internal/cli/x.go", `package cli; var s = "please wait"`, "please wait"},
		{"Chinese", "internal/headless/x.go", `package headless; var s = "失败"`, "失败"},
		{"printed", "internal/cli/x.go", `package cli; import "fmt"; func f() { fmt.Println("all done") }`, "all done"},
		{"an error made here", "internal/config/x.go", `package config; import "errors"; var err = errors.New("no such key")`, "no such key"},
		{"an argument of Say", "internal/cli/x.go", `package cli; func f(say func(string, string)) { say("x", "two words") }`, "two words"},
		{"a raw string", "internal/tui/x.go", "package tui; var s = `press any`", "press any"},
		{"a wrap", "internal/cli/x.go", `package cli; import "fmt"; func f(err error) error { return fmt.Errorf("open session: %w", err) }`, ""},
		{"a sentence that wraps", "internal/cli/x.go", `package cli; import "fmt"; func f(err error) error { return fmt.Errorf("sorry, %w is what happened", err) }`, "sorry"},
		{"a panic", "internal/app/x.go", `package app; func f() { panic("tool without name") }`, ""},
		{"the text of a typed error", "internal/app/x.go", `package app; type e int; func (e) Error() string { return "no such tool" }`, ""},
		{"an expression", "internal/cli/x.go", `package cli; import "regexp"; func f() { regexp.MustCompile("unknown flag") }`, ""},
		{"a message to a model", "internal/cli/x.go", `package cli; import "paicli/llm"; var m = llm.Text(llm.RoleUser, "say something")`, ""},
		{"the grammar of a command", "internal/cli/x.go", `package cli; type c struct{ Use, Short string }; var x = c{Use: "show a|b", Short: "show something"}`, "show something"},
		{"a tag", "internal/cli/x.go", "package cli; type t struct { A int `json:\"a\" doc:\"two words\"` }", ""},
		{"no words", "internal/cli/x.go", `package cli; var s = []string{"--model", "%s %d", "a, b", "text/event-stream", "X-Y: z", "  "}`, ""},
		{"another package", "tool/x.go", `package tool; var s = "for the model"`, ""},
		{"a test", "internal/cli/x_test.go", `package cli; var s = "two words"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantFault(t, literalFaults(planted(t, tt.file, tt.src)), tt.want) })
	}
}

// TestExceptionsAreUsed: an exception whose literal is gone goes too.
func TestExceptionsAreUsed(t *testing.T) {
	s := readModule(t)
	for _, e := range exceptions() {
		found := false
		for _, f := range s.product() {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && f.pkg == e.pkg {
					text, _ := unquote(lit)
					found = found || text == e.text
				}
				return true
			})
		}
		if !found || e.why == "" {
			t.Errorf("exception %+v is not needed or has no reason", e)
		}
	}
}
