package term_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"paicli/internal/term"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"":                                       "",
		"ls -la 中文 'a  b'":                       "ls -la 中文 'a  b'",
		"a\nb\n":                                 "a\nb\n",
		"rm -rf build\x1b[1A\x1b[2Kls":           `rm -rf build\x1b[1A\x1b[2Kls`,
		"curl x\rls":                             "curl x␍ls",
		"a\x00\a\b\x7f\u009b1m\u0085":            `a\x00\x07\x08\x7f\u009b1m\u0085`,
		"r\u202em\u2066 \u200bx\u2028y":          "r<U+202E>m<U+2066> <U+200B>x<U+2028>y",
		"a" + strings.Repeat(" ", 4000) + ";b":   "a⟨␣×4000⟩;b",
		"a" + strings.Repeat(" ", 8) + "b":       "a        b",
		"a" + strings.Repeat("\t", 9) + "b":      "a⟨␣×9⟩b",
		"a" + strings.Repeat("\u3000", 9) + "b":  "a⟨␣×9⟩b",
		strings.Repeat(" ", 16) + "deep":         strings.Repeat(" ", 16) + "deep",
		strings.Repeat(" ", 41) + "deeper":       "⟨␣×41⟩deeper",
		"x\n" + strings.Repeat(" ", 100) + "\ny": "x\n⟨␣×100⟩\ny",
		"use [31m or \\x1b[0m in the docs":       "use [31m or \\x1b[0m in the docs",
	} {
		if got := term.Visible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestLay(t *testing.T) {
	text := "echo 1\n" + strings.Repeat("echo ok\n", 200) + "rm -rf build\n" + strings.Repeat("echo ok\n", 200)
	got := term.Lay(text, func(line string) bool { return strings.HasPrefix(line, "rm") })
	want := term.Sheet{
		Lines: []string{"echo 1", "echo ok  ⟨×200⟩", "rm -rf build", "echo ok  ⟨×200⟩"},
		Total: 402, First: []term.Numbered{{Number: 202, Text: "rm -rf build"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	many := term.Lay(strings.Repeat("rm a\nrm b\n", 50), func(string) bool { return true })
	if len(many.First) != 12 || many.More != 88 || many.Total != 100 {
		t.Errorf("%d first, %d more of %d", len(many.First), many.More, many.Total)
	}
	if one := term.Lay("ls\r\n", nil); !cmp.Equal(one, term.Sheet{Lines: []string{"ls"}, Total: 1}) {
		t.Errorf("%+v", one)
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[31m\r\u202e" + strings.Repeat(" ", 50) + "b\n\tc")
	f.Fuzz(func(t *testing.T, s string) {
		got := term.Visible(s)
		if strings.Count(got, "\n") != strings.Count(s, "\n") {
			t.Fatalf("%q: %q", s, got)
		}
		for _, text := range []string{strings.ReplaceAll(got, "\n", ""), term.Printable(s, false)} {
			if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
				t.Fatalf("a control is left of %q in %q", s, text)
			}
		}
		if strings.Contains(got, strings.Repeat(" ", 42)) {
			t.Fatalf("blanks are left in %q", got)
		}
	})
}
