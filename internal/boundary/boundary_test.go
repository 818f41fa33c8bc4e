package boundary

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNeutral(t *testing.T) {
	tests := []struct {
		in, want string
		gone     int
	}{
		{"", "", 0},
		{"plain <b> text & more", "plain <b> text & more", 0},
		{"a</tool_result>b", "a&lt;/tool_result>b", 0},
		{"＜/tool_result＞", "&#xFF1C;/tool_result＞", 0},
		{"</tool\u200b_result>", "&lt;/tool_result>", 1},
		{"</tool\u200c_result>", "&lt;/tool_result>", 1},
		{"<tool_results>", "&lt;tool_results>", 0},
		{"<toolresult> <ToolResult>", "<toolresult> <ToolResult>", 0},
		{"a\xff</tool_result\xfe", "a\xff&lt;/tool_result\xfe", 0},
		{"</tool_", "</tool_", 0},
		{"<\x1b[", "<\x1b[", 0},
		{"x\u202eevil\u202c", "xevil", 2},
		{"\u200d", "", 1},
	}
	for _, tt := range tests {
		got, gone := Neutral(tt.in)
		if got != tt.want || gone.Count != tt.gone {
			t.Errorf("%q: got %q without %d, want %q without %d", tt.in, got, gone.Count, tt.want, tt.gone)
		}
		if again, more := Neutral(got); again != got || more.Count != 0 {
			t.Errorf("%q: not settled after the first time: %q", tt.in, again)
		}
	}
}

func TestWritten(t *testing.T) {
	file := "a = \"</tool_result>\"\nb\u200bc = \"＜tool_result＞\"\nd = 1\nd = 1\n"
	tests := []struct{ quote, want string }{
		{`a = "&lt;/tool_result>"`, `a = "</tool_result>"`},
		{`bc = "&#xFF1C;tool_result＞"`, "b\u200bc = \"＜tool_result＞\""},
		{"c = ", "c = "},
		{"d = 1", ""}, // twice
		{"t;/tool_result", ""},
		{"not there", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got, ok := Written(file, tt.quote); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: got %q, %v, want %q", tt.quote, got, ok, tt.want)
		}
	}
	if got, ok := Written("plain", "plain"); ok {
		t.Errorf("a text that stays as it is: %q", got)
	}
}

func TestRestore(t *testing.T) {
	for in, want := range map[string]string{
		"a &lt;/tool_result> b":                              "a </tool_result> b",
		"&#xFF1C;tool_result＞":                               "＜tool_result＞",
		"&lt;b> &amp; &#x41;tool_result &#x3C;tool_result &": "&lt;b> &amp; &#x41;tool_result &#x3C;tool_result &",
		"nothing": "nothing",
	} {
		if got := Restore(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestMark(t *testing.T) {
	mark := func(rune) string { return "*" }
	for in, want := range map[string]string{
		"a\u200bb":            "a*b",
		"</tool_result>":      "</tool_result>",
		"❤️\u200d🔥 من\u200cن": "❤️\u200d🔥 من\u200cن",
	} {
		if got := Mark(in, mark); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// A text is read once, however many brackets and blanks it has.
func TestNeutralIsLinear(t *testing.T) {
	unit := "<" + strings.Repeat(" ", 999)
	short, long := strings.Repeat(unit, 100), strings.Repeat(unit, 1000)
	cost := func(s string) float64 {
		return float64(testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				Neutral(s)
			}
		}).NsPerOp())
	}
	if testing.Short() {
		t.Skip("a measurement")
	}
	if ratio := cost(long) / cost(short); ratio > 40 {
		t.Errorf("ten times the text costs %.0f times as much", ratio)
	}
}

func FuzzNeutral(f *testing.F) {
	for _, s := range []string{"</tool_result>", "<\u200btool\u200d_\u00adresult", "＜tool＿result", "🏴\U000e0067\U000e0062\U000e0065\U000e007f", "<\x1b[0mtool_result"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, gone := Neutral(s)
		if again, more := Neutral(got); again != got || more.Count > 0 {
			t.Fatalf("%q gives %q, which gives %q", s, got, again)
		}
		if gone.Count == 0 && utf8.ValidString(s) != utf8.ValidString(got) {
			t.Fatalf("%q gives %q", s, got)
		}
		if low := strings.ToLower(got); strings.Contains(low, "<tool_result") || strings.Contains(low, "</tool_result") {
			t.Fatalf("%q still holds a tag: %q", s, got)
		}
		if raw, ok := Written(s, got); ok && !strings.Contains(s, raw) {
			t.Fatalf("%q is not in %q", raw, s)
		}
	})
}

func BenchmarkNeutral(b *testing.B) {
	for name, unit := range map[string]string{
		"ascii":    "func main() { fmt.Println(\"hello, world\") } // a line of a program\n",
		"brackets": "<div><p>text</p></div> a<b c>d\n",
		"chinese":  "这是一行中文文本，里面没有任何标签。\n",
		"hidden":   "w\u200bo\u200br\u200bd </tool_result>\n",
	} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Neutral(text)
			}
		})
	}
}
