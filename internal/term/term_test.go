package term_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"paicli/internal/term"
	"paicli/internal/term/termtest"
)

func decode(t *testing.T, in string) []term.Key {
	t.Helper()
	var d term.Decoder
	return append(d.Feed([]byte(in)), d.Flush()...)
}

func TestParity(t *testing.T) {
	t.Run("K-02", func(t *testing.T) {
		for _, tail := range []string{"[A", "[B", "OA", "[200~text\x1b[201~", "[Z", "[1;3D", "[3~", "[I", "O", "["} {
			for _, k := range decode(t, "\x1b"+tail) {
				if k.Code == term.Esc {
					t.Errorf("ESC %s is read as the key Esc", tail)
				}
			}
		}
		if diff := cmp.Diff([]term.Key{{Code: term.Esc}}, decode(t, "\x1b")); diff != "" {
			t.Errorf("a lone ESC: %s", diff)
		}
	})
	t.Run("K-17", func(t *testing.T) {
		want := []term.Key{{Code: term.Text, Text: "你好"}, {Code: term.Enter}}
		if diff := cmp.Diff(want, decode(t, "你好\r")); diff != "" {
			t.Error(diff)
		}
		for _, del := range []string{"\x7f", "\x08"} {
			var e term.Editor
			for _, k := range decode(t, "ab你"+del) {
				e.Do(k)
			}
			if got := e.Text(); got != "ab" {
				t.Errorf("%q leaves %q", del, got)
			}
		}
	})
}

func TestDecode(t *testing.T) {
	ctrl := func(s string) term.Key { return term.Key{Code: term.Char, Ctrl: true, Text: s} }
	alt := func(s string) term.Key { return term.Key{Code: term.Char, Alt: true, Text: s} }
	text := func(s string) term.Key { return term.Key{Code: term.Text, Text: s} }
	paste := func(s string) term.Key { return term.Key{Code: term.Paste, Text: s} }
	code := func(c term.Code) term.Key { return term.Key{Code: c} }
	tests := []struct {
		name, in string
		want     []term.Key
	}{
		{"text", "abc é 中", []term.Key{text("abc é 中")}},
		{"controls", "\x01\x17\x0c\x1f", []term.Key{ctrl("a"), ctrl("w"), ctrl("l"), ctrl("_")}},
		{"enter and new lines", "\r\n\x1b\r", []term.Key{code(term.Enter), code(term.NewLine), code(term.NewLine)}},
		{"arrows", "\x1b[A\x1bOB\x1b[1;5C", []term.Key{code(term.Up), code(term.Down), {Code: term.Right, Ctrl: true}}},
		{"home and end", "\x1b[H\x1b[4~\x1b[1~\x1bOF", []term.Key{code(term.Home), code(term.End), code(term.Home), code(term.End)}},
		{"alt letters", "\x1bb\x1bé\x1bfx", []term.Key{alt("b"), alt("é"), alt("f"), text("x")}},
		{"alt backspace", "\x1b\x7f", []term.Key{{Code: term.Backspace, Alt: true}}},
		{"alt arrow of old terminals", "\x1b\x1b[D", []term.Key{{Code: term.Left, Alt: true}}},
		{"twice escape", "\x1b\x1b", []term.Key{code(term.Esc), code(term.Esc)}},
		{"kitty", "\x1b[27u\x1b[13;2u\x1b[99;5u\x1b[97;3u\x1b[9;2u\x1b[97;1:3u", []term.Key{code(term.Esc), code(term.NewLine), ctrl("c"), alt("a"), code(term.BackTab)}},
		{"modifyOtherKeys", "\x1b[27;2;13~\x1b[27;2;9~\x1b[27;5;106~", []term.Key{code(term.NewLine), code(term.BackTab), code(term.NewLine)}},
		{"keypad", "\x1b[57400u\x1b[57414u\x1b[57419u", []term.Key{text("1"), code(term.Enter), code(term.Up)}},
		{"answers are no keys", "\x1b[?62;4c\x1b[5;10R\x1b]11;rgb:0/0/0\x07\x1bP>|x\x1b\\a", []term.Key{text("a")}},
		{"mouse and focus are no keys", "\x1b[M !!\x1b[I\x1b[<0;1;1Mz", []term.Key{text("z")}},
		{"paste", "\x1b[200~a\r\nb\rc\td\x1b[201~", []term.Key{paste("a\nb\nc\td")}},
		{"paste and return", "\x1b[200~hello\x1b[201~\r", []term.Key{paste("hello"), code(term.Enter)}},
		{"hidden end of paste", "\x1b[200~one\x1b[201~\rtwo\x1b[201~", []term.Key{paste("one\ntwo")}},
		{"two pastes", "\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~", []term.Key{paste("a"), paste("b")}},
		{"stray end of paste", "\x1b[201~x", []term.Key{text("x")}},
		{"broken UTF-8", "a\xffb", []term.Key{text("a\uFFFDb")}},
		{"upper controls are dropped", "a\u009bb", []term.Key{text("ab")}},
		{"a sequence broken off", "\x1b[1;\x01x", []term.Key{ctrl("a"), text("x")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, decode(t, tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDecodePieces: a key that arrives byte by byte is the same key.
func TestDecodePieces(t *testing.T) {
	for _, in := range []string{"中", "\x1b[1;5C", "\x1bOA", "\x1b[200~x\x1b[201~", "\x1b]0;t\x07", "\x1b[27;2;13~"} {
		var d term.Decoder
		var got []term.Key
		for i := range len(in) {
			got = append(got, d.Feed([]byte{in[i]})...)
		}
		got = append(got, d.Flush()...)
		if diff := cmp.Diff(decode(t, in), got); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"abc\r", "\x1b[A", "\x1b[200~a\x1b[201~\r\x1b", "你好\x7f", "\x1b[27;5;99~\x1b[99;5:1u", "\x1b]8;;\x07\x1b\x1b[", "\x1b[M123\xff"} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		var d term.Decoder
		cut = max(min(cut, len(in)), 0)
		keys := append(d.Feed(in[:cut]), d.Feed(in[cut:])...)
		keys = append(keys, d.Flush()...)
		if d.Waiting() {
			t.Error("something waits after Flush")
		}
		var e term.Editor
		for _, k := range keys {
			if k.Code == term.None || !utf8.ValidString(k.Text) {
				t.Errorf("bad key %+v", k)
			}
			if e.Do(k); len(e.Text()) > 4096 {
				return // Ctrl+Y doubles a text as often as it likes
			}
			l := e.Layout("> ", 20, 5)
			if l.Row < 0 || l.Row >= len(l.Rows) || !strings.HasPrefix(l.Rows[l.Row], l.Before) {
				t.Fatalf("bad layout %+v", l)
			}
		}
	})
}

func TestEditor(t *testing.T) {
	left, home, up := "\x1b[D", "\x1b[H", "\x1b[A"
	tests := []struct{ name, keys, want string }{
		{"insert in the middle", "ad" + left + "bc", "abc|d"},
		{"delete", "abc" + home + "\x1b[3~", "|bc"},
		{"combining mark joins", "e" + "\u0301" + "\x7f", "|"},
		{"family is one unit", "a👨‍👩‍👧" + left, "a|👨‍👩‍👧"},
		{"ctrl-w takes what stands between blanks", "one two/three \x17", "one |"},
		{"alt-b goes by letters", "one two/three\x1bb", "one two/|three"},
		{"alt-f", "one two" + home + "\x1bf", "one| two"},
		{"ctrl-k and ctrl-y", "one two" + home + "\x0b\x19\x19", "one twoone two|"},
		{"ctrl-u", "one\x1b\rtwo\x15", "one\n|"},
		{"home of a line", "one\x1b\rtwo" + home + "x", "one\nx|two"},
		{"up inside the draft", "one\x1b\rtwo" + up + "x", "onex|\ntwo"},
		{"ctrl-j", "a\nb", "a\nb|"},
		{"short paste is text", "\x1b[200~a\nb\x1b[201~", "a\nb|"},
		{"long paste is a label", "x\x1b[200~a\nb\nc\nd\n\x1b[201~y", "x[1 4]y|"},
		{"a label goes at once", "x\x1b[200~a\nb\nc\nd\n\x1b[201~\x7f", "x|"},
		{"ctrl-d deletes", "ab" + home + "\x04", "|b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := term.Editor{Label: func(n, lines int) string { return fmt.Sprintf("[%d %d]", n, lines) }}
			e.Layout("> ", 80, 10)
			for _, k := range decode(t, tt.keys) {
				e.Do(k)
			}
			// Where the cursor is shows a mark that is typed there.
			e.Do(term.Key{Code: term.Text, Text: "|"})
			if got := e.Draft().Shown(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestPasteIsWhole(t *testing.T) {
	e := term.Editor{Label: func(n, lines int) string { return "[label]" }}
	text := strings.Repeat("line\twith 中文\n", 500)
	for _, k := range decode(t, "before \x1b[200~"+text+"\x1b[201~ after") {
		e.Do(k)
	}
	if e.Text() != "before "+text+" after" || e.Draft().Shown() != "before [label] after" {
		t.Errorf("%q shown as %q", e.Text(), e.Draft().Shown())
	}
}

func TestPast(t *testing.T) {
	var e term.Editor
	for _, s := range []string{"one", "two", "two", "three\nlines"} {
		e.Remember(term.NewDraft(s))
	}
	e.Insert("own")
	e.Layout("> ", 80, 10)
	var seen []string
	for _, c := range []term.Code{term.Up, term.Up, term.Up, term.Up, term.Up, term.Down, term.Down, term.Down, term.Down} {
		e.Do(term.Key{Code: c})
		seen = append(seen, e.Text())
	}
	want := []string{"three\nlines", "three\nlines", "two", "one", "one", "two", "three\nlines", "own", "own"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
}

func TestLayout(t *testing.T) {
	e := term.Editor{}
	e.Insert("今天天气很好，我们去公园散步吧。")
	l := e.Layout("> ", 17, 10)
	for _, r := range l.Rows {
		if term.Width(r) > 16 || strings.HasPrefix(strings.TrimSpace(r), "，") || strings.HasPrefix(strings.TrimSpace(r), "。") {
			t.Errorf("row %q", r)
		}
	}
	if l.Row != len(l.Rows)-1 || l.Before != l.Rows[l.Row] {
		t.Errorf("cursor in %d behind %q of %q", l.Row, l.Before, l.Rows)
	}
	e = term.Editor{}
	e.Insert(strings.Repeat("x\n", 30))
	l = e.Layout("> ", 80, 8)
	if len(l.Rows) != 8 || l.Above != 23 || l.Below != 0 {
		t.Errorf("%d rows, %d above, %d below", len(l.Rows), l.Above, l.Below)
	}
}

func TestWidthAndCut(t *testing.T) {
	for s, want := range map[string]int{"abc": 3, "中文": 4, "e\u0301": 1, "👨‍👩‍👧": 2, "한글": 4, "": 0} {
		if got := term.Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{{"abcdef", 4, "abc…"}, {"中文字", 4, "中…"}, {"abc", 3, "abc"}, {"abc", 0, ""}} {
		if got := term.Cut(tt.s, tt.n, "…"); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain 中文\n\t":        "plain 中文\n\t",
		"\x1b[31mred":         "<U+001B>[31mred",
		"a\u202eb\u200f":      "a<U+202E>b<U+200F>",
		"over\rwrite\x07\x00": "over write<U+0007><U+0000>",
	} {
		if got := term.Printable(in, true); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := term.Printable("one\ntwo\t3", false); got != "one two 3" {
		t.Errorf("%q", got)
	}
}

// region is a region on a screen for tests.
func region(cols, rows int) (*term.Region, *termtest.Screen) {
	s := termtest.New(cols, rows)
	return term.NewRegion(s, func() (int, int) { return cols, rows }), s
}

func TestRegion(t *testing.T) {
	r, s := region(20, 6)
	prompt := []term.Row{{Text: "status", SGR: "2"}, {Text: "> in"}}
	draw := func() {
		t.Helper()
		if err := r.Draw(prompt, 1, "> in"); err != nil {
			t.Fatal(err)
		}
	}
	draw()
	var want strings.Builder
	for i := range 30 {
		text := fmt.Sprintf("line %d has some words and 中文字 in it\n", i)
		for c := range slices.Chunk([]rune(text), 5) {
			r.Write(string(c))
			draw()
		}
		want.WriteString(text)
	}
	want.WriteString("status\n> in\n")
	if diff := cmp.Diff(want.String(), s.Text()); diff != "" {
		t.Error(diff)
	}
	if got := s.Before(); got != "> in" {
		t.Errorf("the cursor is behind %q", got)
	}
	quiet := len(s.Raw())
	draw()
	if len(s.Raw()) != quiet {
		t.Error("a frame without change writes something")
	}
	r.Write("unfinished")
	r.Close()
	if got := s.Visible(); got[len(got)-2] != "unfinished" || got[len(got)-1] != "" {
		t.Errorf("after Close: %q", got)
	}
}

// TestRegionRows: rows that are too many or too long do not push the output away.
func TestRegionRows(t *testing.T) {
	r, s := region(20, 6)
	r.Write("kept\n")
	var rows []term.Row
	for i := range 20 {
		rows = append(rows, term.Row{Text: fmt.Sprintf("row %d %s", i, strings.Repeat("字", 20))})
	}
	for i := range 20 {
		if err := r.Draw(rows[:i+1], i, "row"); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(s.Text(), "row"); got > 4 {
		t.Errorf("%d rows:\n%s", got, s.Text())
	}
	if !strings.HasPrefix(s.Text(), "kept\n") {
		t.Error(s.Text())
	}
}

func TestRegionTabs(t *testing.T) {
	r, s := region(40, 6)
	r.Write("a\tb\n\tc")
	r.Write("\td\n")
	r.Draw(nil, 0, "")
	if got := s.Text(); got != "a       b\n        c       d\n" {
		t.Errorf("%q", got)
	}
}
