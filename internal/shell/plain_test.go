package shell

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	long := strings.Repeat("x", maxLine+10)
	tests := []struct{ name, in, want string }{
		{"text", "a\tb\nc 你\n", "a\tb\nc 你\n"},
		{"colours", "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mx\x1b[m\n", "red x\n"},
		{"title and link", "\x1b]0;title\aa\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\\n", "ab\n"},
		{"device string", "\x1bPq#0;1~\x1b\\x", "x"},
		{"character set, cursor, reset", "\x1b(B\x1b7\x1b8\x1b=\x1bcx", "x"},
		{"eight bits", "\u009b1mx\u009b0m\u009dtitle\u009cy\u0085", "xy"},
		{"nothing but a control", "\u00a0\u00ff\u0100", "\u00a0\u00ff\u0100"},
		{"progress", "\r 10%\r 50%\r100%\ndone\n", "100%\ndone\n"},
		{"shorter last state", "downloading 99%\rok\n", "ok\n"},
		{"line ends of DOS", "a\r\nb\r\r\nc\r", "a\nb\nc"},
		{"erased line", "wait\x1b[2Kdone\x1b[1Gagain\n", "again [erased: 4 characters]\n"},
		{"erased blanks", "  \x1b[2K\rdone\n", "done\n"},
		{"erased at the end", "wait\x1b[2K", " [erased: 4 characters]"},
		{"erased to the right", "abc\x1b[K\n", "abc\n"},
		{"overstrike", "N\bNA\bA _\bx\n", "NA x\n"},
		{"spinner", "|\b/\b-\bok\n", "ok\n"},
		{"backspace at the start", "a\n\b\bb", "a\nb"},
		{"bell and friends", "a\a\x0e\x0f\x7fb\v", "ab"},
		{"unfinished sequence at the end", "a\x1b[3", "a"},
		{"a string that never ends", "a\x1b]0;title\nb\n", "a\nb\n"},
		{"sequence in a sequence", "\x1b[3\x1b[1mx", "x"},
		{"a control within a sequence", "\x1b[3\n1mx", "\n1mx"},
		{"long line", long + "\rback\n", long + "back\n"},
	}
	for _, tt := range tests {
		for _, size := range []int{1, 3, len(tt.in)} {
			var p plain
			var got []byte
			for _, piece := range pieces(tt.in, size) {
				got = p.write(got, piece)
			}
			if got = p.end(got); string(got) != tt.want && (size == len(tt.in) || len(tt.in) < maxLine) {
				t.Errorf("%s in pieces of %d: got %.60q, want %.60q", tt.name, size, got, tt.want)
			}
		}
	}
}

// pieces cuts a text without cutting a character.
func pieces(s string, size int) []string {
	var out []string
	for chunk := range slices.Chunk([]rune(s), max(1, size)) {
		out = append(out, string(chunk))
	}
	return out
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b[31mb\r\nc\bd\x1b]0;x\ae\u009b1m", 2)
	f.Add("0\x1b ¬", 2)
	f.Fuzz(func(t *testing.T, s string, size int) {
		s = strings.ToValidUTF8(s, "")
		var whole, cut plain
		want := whole.end(whole.write(nil, s))
		var got []byte
		for _, piece := range pieces(s, 1+(size%7+7)%7) {
			got = cut.write(got, piece)
		}
		if got = cut.end(got); len(s) < maxLine && string(got) != string(want) {
			t.Fatalf("in pieces %q, whole %q", got, want)
		}
		if note := len(" [erased: 12345 characters]"); !utf8.Valid(want) || len(want) > len(s)+(1+strings.Count(s, "K"))*note {
			t.Fatalf("%q of %q", want, s)
		}
		if i := strings.IndexFunc(string(want), func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0
		}); i >= 0 {
			t.Fatalf("a control is left in %q of %q", want, s)
		}
	})
}

func TestBinary(t *testing.T) {
	random := make([]byte, 4000)
	for i, x := 0, uint32(1); i < len(random); i++ {
		x = x*1664525 + 1013904223
		random[i] = byte(x >> 24)
	}
	tests := []struct {
		name string
		in   string
		want bool
	}{
		{"text", "hello\n", false},
		{"coloured text", strings.Repeat("\x1b[31mx\x1b[0m\r\n", 100), false},
		{"a zero", "a\x00b", false},
		{"names divided by zeros", strings.Repeat("src/a.go\x00", 100), false},
		{"UTF-16", strings.Repeat("a\x00", 100), false},
		{"GBK", strings.Repeat("\xc4\xe3\xba\xc3\n", 100), false},
		{"zeros", strings.Repeat("\x00", 100), true},
		{"random", string(random), true},
		{"a program", "\x7fELF\x02\x01\x01" + strings.Repeat("\x00\x00\x03\x90\x00\x01ab", 100), true},
		{"nothing", "", false},
	}
	for _, tt := range tests {
		var n nature
		if n.look([]byte(tt.in)); n.binary() != tt.want {
			t.Errorf("%s: %v", tt.name, n.binary())
		}
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("a\xe4\xbd\xa0\x00b\nc\r\x1b[1md"), 3, 8)
	f.Fuzz(func(t *testing.T, data []byte, size, keep int) {
		size, keep = max(1, size%64), max(1, keep%256)
		var shown, copied strings.Builder
		o := newOutput(Options{Keep: keep, Output: func(s string) { shown.WriteString(s) }, Copy: &copied})
		for chunk := range slices.Chunk(data, size) {
			o.take(chunk)
		}
		o.finish()
		var res Result
		o.report(&res)
		whole := copied.String()
		if got := settled(shown.String()); len(data) < maxLine && got != whole {
			t.Fatalf("shown %q, kept %q", got, whole)
		}
		if !strings.HasPrefix(whole, res.Head) || !strings.HasSuffix(whole, res.Tail) {
			t.Fatalf("head %q, tail %q of %q", res.Head, res.Tail, whole)
		}
		if int64(len(res.Head)+len(res.Tail))+res.Dropped != int64(len(whole)) {
			t.Fatalf("%d + %d + %d dropped of %d", len(res.Head), len(res.Tail), res.Dropped, len(whole))
		}
	})
}

// settled is what was shown in the end: after a carriage return a line begins anew.
func settled(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, line[strings.LastIndexByte(line, '\r')+1:])
	}
	return strings.Join(lines, "\n")
}

// What is shown while it comes ends as what is kept.
func TestLive(t *testing.T) {
	for _, in := range []string{
		"a\nb", "10%\r50%\r100%\ndone\n", "one\x1b[2K\rtwo\nthree\b\b\bx", "\x1b[31mred\x1b[0m\n", "ab\rc\x1b]0;t\a",
		"secret\x1b[2K\rTests run: 1\n",
	} {
		for _, size := range []int{1, 2, 5, len(in)} {
			var shown strings.Builder
			o := newOutput(Options{Output: func(s string) { shown.WriteString(s) }})
			for _, piece := range pieces(in, size) {
				o.take([]byte(piece))
			}
			o.finish()
			var res Result
			o.report(&res)
			if got := settled(shown.String()); got != res.Head {
				t.Errorf("%q in pieces of %d: shown %q, kept %q", in, size, got, res.Head)
			}
		}
	}
}
