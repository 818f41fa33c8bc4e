package textedit

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReplace(t *testing.T) {
	tests := []struct {
		name, text, old, repl, want string
	}{
		{"unique", "port = 8080\n", "8080", "9090", "port = 9090\n"},
		{"literal", "emit(x);\n", "emit(x);", `$1\ $& ${x} \1`, `$1\ $& ${x} \1` + "\n"},
		{"metacharacters", "a[0].b*c d?e\n", "a[0].b*c", "x", "x d?e\n"},
		{"delete", "eggs\nmilk\ntea\n", "milk\n", "", "eggs\ntea\n"},
		{"at the end without newline", "a\nb", "b", "c", "a\nc"},

		{"CRLF file, LF snippet", "a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", "x\r\ny\r\nc\r\n"},
		{"CRLF file, new line", "use a\r\nuse b\r\n", "use b", "use b\nuse c", "use a\r\nuse b\r\nuse c\r\n"},
		{"CRLF is not doubled", "i=1\r\nj=2\r\n", "i=1", "i=3\r\ni=4", "i=3\r\ni=4\r\nj=2\r\n"},
		{"LF file, CRLF snippet", "a\nb\nc\n", "a\r\nb", "x\r\ny", "x\ny\nc\n"},
		{"CRLF file, the break before a line", "a\r\nb\r\nc\r\n", "\nb", "", "a\r\nc\r\n"},
		{"CRLF file, lines after a break", "a\r\nb\r\nc\r\n", "\nb", "\nB\nBB", "a\r\nB\r\nBB\r\nc\r\n"},
		{"CRLF and blanks, the break before", "a\r\nb \r\nc\r\n", "\nb\nc", "", "a\r\n"},
		{"mixed file", "crlf one\r\nlf two\ncrlf three\r\nlf four\n", "lf two", "LF two", "crlf one\r\nLF two\ncrlf three\r\nlf four\n"},
		{"CRLF and trailing blanks", "foo  \r\nbar\r\nbaz\r\n", "foo\nbar\n", "X\nY\n", "X\r\nY\r\nbaz\r\n"},
		{"CR file, LF snippet", "one\rtwo\rthree\r", "one\ntwo", "1\n2\n2b", "1\r2\r2b\rthree\r"},
		{"lone CR in a CRLF file is data", "a\rb\r\nc\r\n", "c", "d\ne", "a\rb\r\nd\r\ne\r\n"},
		{"lone CR in the place", "a\rb\r\nc\r\n", "a\rb", "d\ne", "d\r\ne\r\nc\r\n"},
		{"lone CR is data", "one\rtwo\rthree\r", "two", "2", "one\r2\rthree\r"},

		{"quotes and dash", "say “hi” — ‘now’\n", `say "hi" - 'now'`, "x", "x\n"},
		{"curly in the snippet", "name = \"x\"\n", "name = “x”", "y", "y\n"},
		{"minus, no-break space", "a\u00a0− b\n", "a - b", "c", "c\n"},
		{"trailing blanks of the last line survive", "first();   \nsecond();\t\nthird();\n", "first();\nsecond();", "one();\ntwo();", "one();\ntwo();\t\nthird();\n"},
		{"trailing blanks only in the snippet", "foo\nbar\nbaz\n", "foo  \nbar", "X", "X\nbaz\n"},
		{"blank line of blanks", "a\n   \nb\nc\n", "a\n\nb", "A\n\nB", "A\n\nB\nc\n"},
		{"snippet begins with a line end", "a  \nb  \nc\n", "\nb\nc", "!", "a  !\n"},
		{"full width", "型号ＸＲ７０\n尾\n", "XR70", "XR80", "型号XR80\n尾\n"},
		{"full width 2", "ＡＢＣ１２３", "ABC123", "x", "x"},
		{"decomposed", "menu: pure\u0301e\n", "pur\u00e9e", "soupe", "menu: soupe\n"},
		{"composed", "na\u00efve\n", "nai\u0308ve", "simple", "simple\n"},
		{"half-width katakana", "ｶﾞｲﾄﾞ x\n", "イド", "id", "ｶﾞid x\n"},
		{"expansions before it", "㍿ ﷺ … “x”!\n", `"x"`, "y", "㍿ ﷺ … y!\n"},
		{"whole ligature", "open ﬁle\n", "file", "door", "open door\n"},
		{"exact beats half a ligature", "open ﬁle\nile here\n", "ile", "isle", "open ﬁle\nisle here\n"},
		{"exact beats folded", "say “hi”\nsay \"hi\"\n", `say "hi"`, "bye", "say “hi”\nbye\n"},
		{"the rest is untouched", "“a” — say “hi” — “b” ！  \n甲，ﬁ\n", `say "hi"`, "bye", "“a” — bye — “b” ！  \n甲，ﬁ\n"},
		{"straight to curly is a change", "it's\n", "it's", "it’s", "it’s\n"},

		{"line number", "a\n  int x;\nc\n", "2 |   int x;", "2 |   int y;", "a\n  int y;\nc\n"},
		{"padded line number", "a\n  int x;\nc\n", "    2 |   int x;", "  int y;", "a\n  int y;\nc\n"},
		{"only old has numbers", "a\nb\nc\n", "2 | b", "B1\nB2", "a\nB1\nB2\nc\n"},
		{"numbered blank line", "a\n\nb\nc\n", "1 | a\n2 |\n3 | b", "1 | A\n2 |\n3 | B", "A\n\nB\nc\n"},
		{"arrow and fold", "say “hi”  \nend\n", "1→say \"hi\"\n2→end", "x", "x\n"},
		{"content that looks numbered", "1 | keep\n2 | edit\n", "2 | edit", "2 | done", "1 | keep\n2 | done\n"},
		{"numbers, folded over mixed line ends", "a\n\treturn // end\n}\r\n    x = 1\t\nb\n", "  1 | \treturn // end\n  2 | }\n  3→    x = 1\t", "A", "a\nA\t\nb\n"},
		{"numbers, new text begins with CRLF", "a\n\tb  \nc\n", "  1|\tb  ", "\r\n1\t  B", "a\n\n  B\nc\n"},
		{"a line of the file that looks like a number", "x = 1\n\n12 | table\n", "1→x = 1\n\n12 |", "y\n", "y\n12 | table\n"},
		{"new lines numbered zero", "foo()\n}\n", "2 | }", "2 | }\n0 | \n0 | bar()", "foo()\n}\n\nbar()\n"},
	}
	for _, tt := range tests {
		got, err := Replace(tt.text, tt.old, tt.repl, false)
		if err != nil || got.Text != tt.want || len(got.Edits) != 1 {
			t.Errorf("%s: got %q (%d), %v, want %q", tt.name, got.Text, len(got.Edits), err, tt.want)
		}
	}
}

func TestReplaceAll(t *testing.T) {
	tests := []struct {
		text, old, repl, want string
		count                 int
	}{
		{"log(1)\nlog(2)\nlog(3)\n", "log(", "print(", "print(1)\nprint(2)\nprint(3)\n", 3},
		{"aaaa\n", "aa", "b", "bb\n", 2},
		{"a-a-a\n", "a", "aa", "aa-aa-aa\n", 3},
		{"once\n", "once", "twice", "twice\n", 1},
		{"a\r\nb\r\na\r\nb\r\n", "a\nb\n", "c\n", "c\r\nc\r\n", 2},
		{"PID PID", "PID", "$$", "$$ $$", 2},
	}
	for _, tt := range tests {
		got, err := Replace(tt.text, tt.old, tt.repl, true)
		if err != nil || got.Text != tt.want || len(got.Edits) != tt.count {
			t.Errorf("%q: got %q (%d), %v", tt.text, got.Text, len(got.Edits), err)
		}
	}
	var missing *NotFoundError
	if _, err := Replace("“hi”\n", `"hi"`, "x", true); !errors.As(err, &missing) {
		t.Errorf("replacing all folded places: %v", err)
	}
}

func TestReplaceRefuses(t *testing.T) {
	missing := func(err error) bool { var e *NotFoundError; return errors.As(err, &e) }
	twice := func(lines ...int) func(error) bool {
		return func(err error) bool {
			var e *AmbiguousError
			return errors.As(err, &e) && e.Count == len(lines) && cmp.Equal(e.Lines, lines)
		}
	}
	same := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	tests := []struct {
		name, text, old, repl string
		ok                    func(error) bool
	}{
		{"empty old", "x", "", "y", same(ErrEmptyOld)},
		{"equal", "same\n", "same", "same", same(ErrNoChange)},
		{"same bytes after folding", "“hi”\n", `"hi"`, "“hi”", same(ErrNoChange)},
		{"absent", "alpha\nbeta\n", "gamma", "x", missing},
		{"two", "x\nsame\ny\nsame\n", "same", "z", twice(2, 4)},
		{"overlap", "aaa", "aa", "b", twice(1, 1)},
		{"overlapping lines", "- item\n- item\n- item\n", "- item\n- item\n", "x", twice(1, 2)},
		{"two folded on 1 and 3", "say “hi”\nb\nsay ”hi”\n", `say "hi"`, "c", twice(1, 3)},
		{"trailing blanks do not tell apart", "go build   \ngo build\n", "go build", "x", twice(1, 2)},
		{"half ligature", "ﬁx", "ix", "y", missing},
		{"half ligature, left", "oﬃce\n", "of", "af", missing},
		{"two of three dots", "wait…\n", "wait..", "stop", missing},
		{"blank snippet", "a b\nc\n", "\t\t", "x", missing},
		{"zero width space", "foo\u200bbar\n", "foobar", "x", missing},
		{"indentation is kept", "\tif x {\n", "    if x {", "y", missing},
		{"inner blanks are kept", "a    =    1\n", "a = 1", "b", missing},
		{"gap", "a();\nb();\nc();\n", "a();\nc();", "x", missing},
		{"retry that fails reports the first error", "foo\nbar\nfoo\n", "1 | foo", "1 | baz", missing},
		{"an expression is no line number", "mask = FLAG\n", "8 | FLAG", "16 | OTHER", missing},
		{"nothing but a line number", "0", "1\t", "0", missing},
		{"table", "| 1 | a |\n", "| 2 | c |", "x", missing},
		{"bar without number", "a\nb\n", " | b", " | c", missing},
		{"no unescaping", "a\nb\n", `a\nb`, "c", missing},
	}
	for _, tt := range tests {
		if got, err := Replace(tt.text, tt.old, tt.repl, false); err == nil || !tt.ok(err) {
			t.Errorf("%s: got %q, %#v", tt.name, got.Text, err)
		}
	}
}

func TestNotFoundNamesNearLines(t *testing.T) {
	const text = "func a() {\n\treturn compute(x, y)\n}\nfunc b() {\n\treturn compute(y, y)\n}\nfunc a() {\n\tpanic(1)\n}\n"
	for _, tt := range []struct {
		name, old string
		want      []Line
	}{
		{"like two", "    return compute(x, z)\n", []Line{{2, "\treturn compute(x, y)"}, {5, "\treturn compute(y, y)"}}},
		{"the second line differs", "func b() {\n\treturn compute(x, y)\n}\n", []Line{{5, "\treturn compute(y, y)"}, {1, "func a() {"}, {7, "func a() {"}}},
		{"blank lines first", "\n\nfunc b() {\n}\n", []Line{{5, "\treturn compute(y, y)"}, {1, "func a() {"}, {7, "func a() {"}}},
		{"nothing alike", "entirely different words", nil},
		{"too little to compare", "}\n]", nil},
	} {
		_, err := Replace(text, tt.old, "", false)
		var e *NotFoundError
		if !errors.As(err, &e) || !cmp.Equal(e.Near, tt.want) {
			t.Errorf("%s: %+v", tt.name, err)
		}
	}
}

func TestStripLineNumbers(t *testing.T) {
	tests := []struct {
		in, want string
		ok       bool
	}{
		{"   1 | a\n\n   3 | b", "a\n\nb", true},
		{"     7→x", "x", true},
		{"7\tx", "x", true},
		{"1|a\n2|b", "a\nb", true},
		{"1 | a\nb", "1 | a\nb", false},
		{"1 |b", "1 |b", false},
		{"", "", false},
		{"1 | a\r\n2 |\r\n", "a\r\n\r\n", true},
	}
	for _, tt := range tests {
		if got, ok := StripLineNumbers(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("StripLineNumbers(%q) = %q, %v", tt.in, got, ok)
		}
	}
}

// What surrounds the replaced place never changes, and what is replaced folds to what was asked for.
func FuzzReplace(f *testing.F) {
	f.Add("say “hi”  \nﬁx ㍿ é\r\n", `say "hi"`, "x")
	f.Add("a\u0301\u0301 … ｶﾞ\n  \n", "\n", "1 | y")
	f.Add("0", "1\t", "0")
	f.Add("one  \n two\u3000\n", "1 | one\n2 |  two", "a\nb")
	f.Fuzz(func(t *testing.T, text, old, repl string) {
		const mark = "\x01\x02\x03"
		if strings.Contains(text, mark) || strings.Contains(repl, mark) || strings.Contains(old, mark) {
			t.Skip()
		}
		got, err := Replace(text, old, mark, false)
		if err != nil {
			return
		}
		head, tail, ok := strings.Cut(got.Text, mark)
		if !ok || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || len(head)+len(tail) > len(text) {
			t.Fatalf("Replace(%q, %q) = %q", text, old, got.Text)
		}
		if _, err := Replace(text, old, repl, true); err != nil && strings.Contains(text, old) && old != repl && !errors.Is(err, ErrNoChange) {
			t.Fatalf("replacing all of %q in %q: %v", old, text, err)
		}
	})
}

// The patches of a folded text account for every byte.
func FuzzFold(f *testing.F) {
	f.Add("“ﬁ” …  \r\n\u3000\nｶﾞ a\u0301")
	f.Fuzz(func(t *testing.T, text string) {
		folded := fold(text)
		src, dst := 0, 0
		for _, p := range folded.patches {
			if p.from.from < src || p.to.from < dst || p.from.from-src != p.to.from-dst {
				t.Fatalf("%q: patch %+v after %d, %d", text, p, src, dst)
			}
			if text[src:p.from.from] != folded.text[dst:p.to.from] {
				t.Fatalf("%q: unpatched text differs before %+v", text, p)
			}
			src, dst = p.from.to, p.to.to
		}
		if text[src:] != folded.text[dst:] {
			t.Fatalf("%q: the rest differs: %q", text, folded.text)
		}
	})
}
