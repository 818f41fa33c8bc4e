package tool

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"paicli/internal/textedit"
)

func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "Line %d\n", i)
	}
	return b.String()
}

func TestReadFile(t *testing.T) {
	b := newBench(t, "four.java", "class A {\n  void first() {}\n  void second() {}\n}\n", "empty", "", "dos.txt", "\uFEFFone\r\ntwo\r\n",
		"mixed.txt", "a\r\nb\n", "tail.txt", "a\nb", "src/handler.go", "x")
	out := b.do("read_file", args{"path": "four.java", "offset": 2, "limit": 2})
	has(t, out.Text, "four.java (lines 2-3 of 4)\n2 |   void first() {}\n3 |   void second() {}\n", "1 line more", "offset=4")
	hasNot(t, out.Text, "class A")
	if f := out.Detail.Files; f.First != 2 || f.Last != 3 || f.Paths[0] != "four.java" {
		t.Errorf("detail %+v", f)
	}
	has(t, b.do("read_file", args{"path": "tail.txt"}).Text, "tail.txt (lines 1-2 of 2)\n1 | a\n2 | b\n")
	has(t, b.do("read_file", args{"path": "dos.txt"}).Text, "(lines 1-2 of 2, CRLF, UTF-8 with BOM)\n1 | one\n2 | two\n")
	has(t, b.do("read_file", args{"path": "mixed.txt"}).Text, "mixed CRLF and LF")
	has(t, b.do("read_file", args{"path": "empty"}).Text, "empty file (0 lines)")
	has(t, b.do("read_file", args{"path": "tail.txt", "offset": 0}).Text, "1 | a")

	b.refuses("read_file", args{"path": "four.java", "offset": 5}, "out of range", "4 lines")
	b.refuses("read_file", args{"path": "four.java", "offset": -2}, "offset must be at least 1")
	b.refuses("read_file", args{"path": "four.java", "limit": 0}, "limit must be from 1 to 2000")
	b.refuses("read_file", args{"path": "four.java", "offset": float64(math.MaxInt64)})
	b.refuses("read_file", args{"path": "src"}, "is a directory", "list_dir")
	b.refuses("read_file", args{"path": "src/handlers.go"}, "not found", "src/handler.go")
}

func TestReadFileIsBounded(t *testing.T) {
	b := newBench(t, "long.txt", numbered(5000), "wide.txt", strings.Repeat("中", 3000)+"\nend\n",
		"huge-line.txt", "head\n"+strings.Repeat("A", 2<<20)+"\ntail\n", "fat.txt", strings.Repeat(strings.Repeat("x", 999)+"\n", 300))
	for _, in := range []args{{"path": "long.txt"}, {"path": "long.txt", "offset": 1, "limit": 5000}} {
		out := b.do("read_file", in)
		has(t, out.Text, "2000 | Line 2000\n", "lines 1-2000 of 5000", "offset=2001")
		hasNot(t, out.Text, "Line 2001")
	}
	has(t, b.do("read_file", args{"path": "long.txt", "limit": 5000}).Text, "limit was cut to 2000")
	has(t, b.do("read_file", args{"path": "wide.txt"}).Text, "1 | "+strings.Repeat("中", 2000)+" … (line truncated)\n2 | end\n")
	has(t, b.do("read_file", args{"path": "huge-line.txt", "offset": 2}).Text, "(line truncated)\n3 | tail\n")
	out := b.do("read_file", args{"path": "fat.txt"})
	if n := utf8.RuneCountInString(out.Text); n > maxFirstRunes+1000 {
		t.Errorf("%d characters", n)
	}
	has(t, out.Text, "lines 1-32 of 300", "offset=33")
}

// TestReadFileIsKept: a part that was asked for, and what was kept before, are never kept again.
func TestReadFileIsKept(t *testing.T) {
	b := newBench(t, "a.txt", numbered(9), ".paicli/tool-outputs/s/001-x.txt", numbered(9), "tool-outputs/a.txt", "x\n")
	for _, tt := range []struct {
		in    args
		whole bool
	}{
		{args{"path": "a.txt"}, false},
		{args{"path": "tool-outputs/a.txt"}, false},
		{args{"path": "a.txt", "offset": 2}, true},
		{args{"path": "a.txt", "limit": 2}, true},
		{args{"path": ".paicli/tool-outputs/s/001-x.txt"}, true},
		{args{"path": "./.paicli/tool-outputs/../tool-outputs/s/001-x.txt"}, true},
	} {
		if out := b.do("read_file", tt.in); out.Whole != tt.whole {
			t.Errorf("%v: whole %v", tt.in, out.Whole)
		}
	}
	if out := b.do("read_file", args{"path": "a.txt"}); out.Limit <= maxFirstRunes+maxLines*len("2000 | \n") {
		t.Errorf("a first read of the most lines is over its limit %d", out.Limit)
	}
}

func TestReadFileRefusesWhatIsNotText(t *testing.T) {
	b := newBench(t, "nul.dat", strings.Repeat("plain text\n", 20_000)+"\x00", "gbk.txt", "\xb2\xe2\xca\xd4\n", "half.txt", "ok \xe5\xb0",
		"utf16.txt", "\xff\xfea\x00", "a.pdf", "%PDF-1.4\n", "words.png", "just words\n")
	for _, path := range []string{"nul.dat", "a.pdf"} {
		b.refuses("read_file", args{"path": path}, "binary")
	}
	for _, path := range []string{"gbk.txt", "half.txt", "utf16.txt"} {
		b.refuses("read_file", args{"path": path}, "encoding")
	}
	has(t, b.do("read_file", args{"path": "words.png"}).Text, "just words")
}

func TestReadFileWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	b := newBench(t, "p.txt", "x")
	if err := os.Chmod(filepath.Join(b.dir, "p.txt"), 0); err != nil {
		t.Fatal(err)
	}
	b.refuses("read_file", args{"path": "p.txt"}, "permission denied")
}

// A scan sees the same whatever the pieces in which a file arrives.
func FuzzScan(f *testing.F) {
	f.Add([]byte("\uFEFFa\r\n中b\n\nend"), 3, 1)
	f.Fuzz(func(t *testing.T, data []byte, size, offset int) {
		if len(data) > 1000 {
			t.Skip() // long lines are cut, which is tested above
		}
		size, offset = 1+max(0, size%7), 1+max(0, offset%5)
		want := part{offset: offset, limit: 3, runes: 1000}
		s := newScan(want)
		var failed error
		// The first piece holds the marks at the begin of a file.
		head := min(len(data), max(size, 16))
		if failed = s.take(data[:head], true); failed == nil {
			for rest := data[head:]; len(rest) > 0 && failed == nil; {
				n := min(size, len(rest))
				failed = s.take(rest[:n], false)
				rest = rest[n:]
			}
		}
		if failed == nil && len(s.rest) > 0 {
			failed = textedit.ErrEncoding
		}
		if failed == nil && s.open {
			s.endLine()
		}
		text, err := textedit.Decode(data)
		if (err == nil) != (failed == nil) {
			t.Fatalf("%q: %v, decoding says %v", data, failed, err)
		}
		if err != nil {
			return
		}
		if s.total != lineCount(text.Text) {
			t.Fatalf("%q: %d lines, want %d", data, s.total, lineCount(text.Text))
		}
		lines := strings.Split(strings.TrimSuffix(text.Text, "\n"), "\n")
		for i, got := range s.lines {
			if want := strings.TrimSuffix(lines[offset-1+i], "\r"); got != want {
				t.Fatalf("%q: line %d is %q, want %q", data, offset+i, got, want)
			}
		}
	})
}

func BenchmarkReadFile(b *testing.B) {
	w := newBench(b, "a.txt", strings.Repeat("a line of ordinary length in a source file\n", 1000))
	b.SetBytes(int64(len(bytes.Repeat([]byte{0}, 43*1000))))
	for b.Loop() {
		w.do("read_file", args{"path": "a.txt"})
	}
}
