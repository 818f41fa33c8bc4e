package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGrepCode(t *testing.T) {
	b := newBench(t, "src/User.java", "class User {\n  User getUserById(String id) {\n    return find(id);\n  }\n}\n",
		"node_modules/x.js", "getUserById\n", "doc.bin", "getUserById\x00")
	out := b.do("grep_code", args{"pattern": "getUserById", "context_lines": 1})
	has(t, out.Text, "1 match in 1 file\n1. src/User.java:2\n",
		"     1 | class User {\n>    2 |   User getUserById(String id) {\n     3 |     return find(id);\n",
		`suggested_reads:`, `read_file {"path":"src/User.java","offset":1,"limit":80}`)
	hasNot(t, out.Text, "node_modules", "doc.bin", "partial")
	if m := out.Detail.Matches; m.Count != 1 || m.Files != 1 || m.Cut {
		t.Errorf("detail %+v", m)
	}
	out = b.do("grep_code", args{"pattern": "absent"})
	has(t, out.Text, "no match found for absent")
	b.refuses("grep_code", args{"pattern": "x", "path": "doc.bin"}, "binary")
	b.refuses("grep_code", args{"pattern": ""}, "pattern is empty")
	b.refuses("grep_code", args{"pattern": "x", "path": "no"}, "not found: no")
	b.refuses("grep_code", args{"pattern": "x", "context_lines": 6}, "context_lines must be from 0 to 5")
	b.refuses("grep_code", args{"pattern": "x", "head_limit": 51}, "head_limit must be from 1 to 50")
	b.refuses("grep_code", args{"pattern": "x", "max_chars": 60_001}, "max_chars")
}

func TestGrepPatterns(t *testing.T) {
	b := newBench(t, "a.txt", "call foo(); a || b\nFOO(bar)\nthe end\r\nend of it\r\nabab\nfinal é needle", "bom.txt", "\uFEFFpackage main\n")
	tests := []struct {
		in   args
		want string // lines of a.txt
	}{
		{args{"pattern": "foo(); a || b"}, "1"},
		{args{"pattern": "foo("}, "1"},
		{args{"pattern": "foo(", "case_sensitive": false}, "1 2"},
		{args{"pattern": "foo(", "case_sensitive": true}, "1"},
		{args{"pattern": "FOO|the", "regex": true}, "2 3"},
		{args{"pattern": "end$", "regex": true}, "3"},
		{args{"pattern": "^end", "regex": true}, "4"},
		{args{"pattern": "(ab){2}", "regex": true}, "5"},
		{args{"pattern": "É NEEDLE", "case_sensitive": false}, "6"},
		{args{"pattern": `n\w+dle$`, "regex": true}, "6"},
	}
	for _, tt := range tests {
		tt.in["path"] = "a.txt"
		text := b.do("grep_code", tt.in).Text
		var got []string
		for line := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(line, ">"); ok {
				n, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
				got = append(got, n)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%v: lines %q, want %s\n%s", tt.in, got, tt.want, text)
		}
		hasNot(t, text, "\r")
	}
	has(t, b.do("grep_code", args{"pattern": "^package", "regex": true}).Text, "bom.txt:1")
	for pattern, words := range map[string][]string{
		"foo(?!bar)": {"invalid regex", "look-around"}, "(?<!#)foo": {"invalid regex"}, `(ab)\1`: {"invalid regex", "back-reference"}, "a(": {"invalid regex"},
	} {
		b.refuses("grep_code", args{"pattern": pattern, "regex": true}, words...)
	}
}

func TestGrepIsBounded(t *testing.T) {
	wide := strings.Repeat("w", 600) + " needle " + strings.Repeat("w", 600) + "\n"
	b := newBench(t, "two.txt", "needle 1\nneedle 2\n", "wide/w.txt", wide+wide+wide, "zh.txt", strings.Repeat("界", 20_000)+"关键词"+strings.Repeat("界", 500),
		"min/a.js", strings.Repeat("var a=1;", 40_000)+"DEEP();")
	out := b.do("grep_code", args{"pattern": "needle", "path": "two.txt", "head_limit": 1})
	has(t, out.Text, "needle 1", "partial: true", "head_limit=1", "suggested_reads")
	hasNot(t, out.Text, "needle 2")
	out = b.do("grep_code", args{"pattern": "needle", "path": "two.txt", "max_results": 2})
	hasNot(t, out.Text, "partial")
	out = b.do("grep_code", args{"pattern": "needle", "path": "two.txt", "max_results": 1})
	has(t, out.Text, "partial: true (max_results=1")
	out = b.do("grep_code", args{"pattern": "needle", "path": "wide", "max_chars": 1000})
	has(t, out.Text, "partial: true", "max_chars=1000")
	if !out.Detail.Matches.Cut {
		t.Error("the detail does not say that there is more")
	}
	out = b.do("grep_code", args{"pattern": "关键词"})
	has(t, out.Text, "关键词")
	hasNot(t, out.Text, "\uFFFD")
	has(t, b.do("grep_code", args{"pattern": "DEEP"}).Text, "DEEP();")
	if n := len(b.do("grep_code", args{"pattern": "DEEP"}).Text); n > 1500 {
		t.Errorf("%d bytes for one hit in a long line", n)
	}
}

func TestGrepNamesWhatItCannotSearch(t *testing.T) {
	b := newBench(t, "cyrillic.c", "// \xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0\n", "big.log", strings.Repeat("x", maxSearched+1), ".gitignore", "hid/\n", "hid/a", "needle")
	out := b.do("grep_code", args{"pattern": "needle"})
	has(t, out.Text, "no match found", "1 entry ignored", "not searched", "big.log")
	hasNot(t, out.Text, "cyrillic.c") // there is no such ASCII in it, whatever the rest says
	has(t, b.do("grep_code", args{"pattern": "мир"}).Text, "not searched", "cyrillic.c")
}

// TestGrepSaysWhyThereIsNothing: every kind of nothing has its words.
func TestGrepSaysWhyThereIsNothing(t *testing.T) {
	b := newBench(t, "a.txt", "one\ntwo\n", "empty/.gitignore", "*\n!.gitignore\nx", "bin/x.o", "\x7fELF\x00\x00", "out/b", "two", "huge/h", strings.Repeat("x", maxSearched+1))
	for _, tt := range []struct {
		in   args
		want []string
		not  string
	}{
		{args{"pattern": "three", "path": "a.txt"}, []string{"no match found for three"}, ":"},
		{args{"pattern": "two", "glob": "*.go"}, []string{"no file fits the glob *.go"}, ""},
		{args{"pattern": "two", "path": "bin"}, []string{"no match found"}, "no file"},
		{args{"pattern": "one\\ntwo", "regex": true}, []string{"lines are searched one by one"}, ""},
		{args{"pattern": "two", "path": "huge"}, []string{"not searched", "huge/h"}, "no file"},
		{args{"pattern": "two", "path": "none"}, []string{"there is no file to search"}, ""},
	} {
		if err := os.MkdirAll(filepath.Join(b.dir, "none"), 0o755); err != nil {
			t.Fatal(err)
		}
		text := b.do("grep_code", tt.in).Text
		has(t, text, tt.want...)
		if tt.not != "" {
			hasNot(t, text, tt.not)
		}
	}
}

// TestGrepExplainsRE2: what RE2 lacks comes with a way round.
func TestGrepExplainsRE2(t *testing.T) {
	b := newBench(t)
	for pattern, want := range map[string]string{
		"a(?=b)": "no look-around", "(?<!a)b": "no look-around", `(a)\1`: "no back-references", "(?>a)": "no atomic groups", "a++": "possessive",
		"a{2000}": "at most 1000", `\y`: "leave regex out", "foo(": `put \ before`, "[a": `put \ before`, "*a": `put \ before`,
	} {
		b.refuses("grep_code", args{"pattern": pattern, "regex": true}, "invalid regex", want)
	}
}

// TestGrepEverywhere: what is found in many files comes in the order of the paths, however many
// look for it, and the cap cuts its end.
func TestGrepEverywhere(t *testing.T) {
	var files []string
	for i := range 300 {
		files = append(files, fmt.Sprintf("d%d/f%03d.txt", i%7, i), "x\nneedle\nNeedle\n")
	}
	b := newBench(t, files...)
	first := b.do("grep_code", args{"pattern": "needle", "case_sensitive": false, "max_results": 120}).Text
	has(t, first, "120 matches in 60 files", "1. d0/f000.txt:2\n", "3. d0/f007.txt:2\n", "partial: true (max_results=120")
	for range 20 {
		if again := b.do("grep_code", args{"pattern": "needle", "case_sensitive": false, "max_results": 120}).Text; again != first {
			t.Fatalf("another answer:\n%s", again)
		}
	}
}

// TestGrepInOtherEncodings: a search sees what read_file shows.
func TestGrepInOtherEncodings(t *testing.T) {
	b := newBench(t, "gbk.c", "// \xb3\xf5\xca\xbc\xbb\xaf\xbc\xc6\xca\xfd\xc6\xf7\nint n;\n", "utf16.txt", "\xff\xfe\x1dR\xcbY\x16S\n\x00", "broken.txt", "初始化，还有很多字\n\xe5\xb0")
	has(t, b.do("grep_code", args{"pattern": "初始化"}).Text, "3 matches in 3 files", "gbk.c:1\n>    1 | // 初始化计数器\n", "utf16.txt:1\n>    1 | 初始化\n", "broken.txt:1")
	has(t, b.do("grep_code", args{"pattern": "^int", "regex": true}).Text, "gbk.c:2")
}

// A golden pair: what grep suggests is what read_file then shows.
func TestGrepSuggestionReads(t *testing.T) {
	var src strings.Builder
	for i := range 200 {
		fmt.Fprintf(&src, "line %d\n", i+1)
	}
	b := newBench(t, "a.go", strings.Replace(src.String(), "line 150\n", "func needle() {\n", 1))
	has(t, b.do("grep_code", args{"pattern": "needle"}).Text, "a.go:150", `{"path":"a.go","offset":130,"limit":80}`)
	has(t, b.do("read_file", args{"path": "a.go", "offset": 130, "limit": 80}).Text, "150 | func needle() {")
}

func BenchmarkGrep(b *testing.B) {
	var files []string
	text := strings.Repeat("a line of ordinary length in a source file\n", 2000)
	for i := range 50 {
		files = append(files, fmt.Sprintf("src/f%02d.go", i), text+"func needle() {}\n")
	}
	w := newBench(b, files...)
	for name, in := range map[string]args{
		"literal": {"pattern": "needle"}, "regex": {"pattern": `func \w+\(`, "regex": true}, "fold": {"pattern": "NEEDLE", "case_sensitive": false},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(50 * len(text)))
			for b.Loop() {
				w.do("grep_code", in)
			}
		})
	}
}
