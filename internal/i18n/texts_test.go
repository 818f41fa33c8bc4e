package i18n

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// found is a Text of the package as its source has it.
type found struct {
	name   string
	en, zh string
}

// TestTexts checks every Text of the package.
func TestTexts(t *testing.T) {
	texts := packageTexts(t)
	if len(texts) < 100 {
		t.Fatalf("found only %d texts", len(texts))
	}
	for _, f := range texts {
		for _, fault := range faults(f) {
			t.Errorf("%s: %s", f.name, fault)
		}
	}
}

// TestFaults shows that the checks above see what they should.
func TestFaults(t *testing.T) {
	tests := []struct {
		f    found
		want string // part of the only fault, "" = none
	}{
		{found{"good", "%s has %d lines", "%s 有 %d 行"}, ""},
		{found{"swapped with indexes", "%[1]s has %[2]d", "%[2]d 行，%[1]s"}, ""},
		{found{"names only", "git", "git"}, ""},
		{found{"signs only", " (HTTP %d): %s", "（HTTP %d）：%s"}, ""},
		{found{"no English", "", "行"}, "missing"},
		{found{"no Chinese", "line", ""}, "missing"},
		{found{"swapped", "%s has %d lines", "%d 行在 %s"}, "verbs"},
		{found{"one less", "%s has %d lines", "%s 有行"}, "verbs"},
		{found{"untranslated", "two words", "two words"}, "no Han"},
		{found{"half-width comma", "a, b", "甲,乙"}, "half-width"},
		{found{"half-width question mark", "what?", "什么?"}, "half-width"},
		{found{"comma before a name", "a, b", "甲, git"}, "half-width"},
		{found{"Han in English", "the 行", "这一行"}, "English"},
	}
	for _, tt := range tests {
		got := faults(tt.f)
		if tt.want == "" && len(got) > 0 {
			t.Errorf("%s: %v", tt.f.name, got)
		}
		if tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
			t.Errorf("%s: %v, want one fault with %q", tt.f.name, got, tt.want)
		}
	}
}

// faults lists what is wrong with a text.
func faults(f found) []string {
	var out []string
	if strings.TrimSpace(f.en) == "" || strings.TrimSpace(f.zh) == "" {
		return []string{"a language is missing"}
	}
	if en, zh := verbs(f.en), verbs(f.zh); !maps.Equal(en, zh) {
		out = append(out, fmt.Sprintf("verbs differ: %v and %v", en, zh))
	}
	if hasHan(f.en) {
		out = append(out, "Chinese in the English text")
	}
	words := verb.ReplaceAllString(f.en, "")
	if !hasHan(f.zh) && (spacedWords.MatchString(words) || f.en != f.zh && lowerWord.MatchString(words)) {
		out = append(out, "no Han in the Chinese text")
	}
	if halfWidth.MatchString(f.zh) {
		out = append(out, fmt.Sprintf("half-width punctuation after Han in %q", f.zh))
	}
	return out
}

var (
	spacedWords = regexp.MustCompile(`\pL \pL`)
	lowerWord   = regexp.MustCompile(`\p{Ll}\p{Ll}`)
	halfWidth   = regexp.MustCompile(`\p{Han}[,;:!?()]`)
	verb        = regexp.MustCompile(`%([-+# 0]*[0-9.]*)(?:\[(\d+)\])?([a-zA-Z%])`)
)

// verbs maps each argument's number to its verb.
func verbs(s string) map[int]string {
	out := map[int]string{}
	next := 1
	for _, m := range verb.FindAllStringSubmatch(s, -1) {
		if m[3] == "%" {
			continue
		}
		if m[2] != "" {
			next, _ = strconv.Atoi(m[2])
		}
		out[next] = m[1] + m[3]
		next++
	}
	return out
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// packageTexts reads every Text variable of the package from its source.
func packageTexts(t *testing.T) []found {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var out []found
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				out = append(out, textsOf(t, spec)...)
			}
			return true
		})
	}
	return out
}

// textsOf reads the Text literals of one variable.
func textsOf(t *testing.T, spec *ast.ValueSpec) []found {
	var out []found
	for i, value := range spec.Values {
		lit, ok := value.(*ast.CompositeLit)
		if !ok {
			continue
		}
		if typ, ok := lit.Type.(*ast.Ident); !ok || typ.Name != "Text" {
			continue
		}
		f := found{name: spec.Names[i].Name}
		for at, el := range lit.Elts {
			text, isEN := element(t, f.name, at, el)
			if isEN {
				f.en = text
			} else {
				f.zh = text
			}
		}
		out = append(out, f)
	}
	return out
}

// element reads one language of a Text literal, keyed or not.
func element(t *testing.T, name string, at int, el ast.Expr) (text string, isEN bool) {
	isEN = at == 0
	if kv, ok := el.(*ast.KeyValueExpr); ok {
		isEN = kv.Key.(*ast.Ident).Name == "EN"
		el = kv.Value
	}
	lit, ok := el.(*ast.BasicLit)
	if !ok {
		t.Fatalf("%s: a text is one string literal a language", name)
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		t.Fatal(err)
	}
	return text, isEN
}

// TestNamesUnique: two texts that say the same are one text.
func TestNamesUnique(t *testing.T) {
	seen := map[string]string{}
	texts := packageTexts(t)
	slices.SortFunc(texts, func(a, b found) int { return strings.Compare(a.name, b.name) })
	for _, f := range texts {
		if len(f.en) > 40 && seen[f.en] != "" {
			t.Errorf("%s and %s say the same", f.name, seen[f.en])
		}
		seen[f.en] = f.name
	}
}
