package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"paicli/internal/charset"
)

func TestWriteFile(t *testing.T) {
	b := newBench(t, "a.txt", "1\n", "bom.txt", "\uFEFFold\n", "bin", "a\x00b")
	out := b.do("write_file", args{"path": "deep/er/n.txt", "content": "x\ny"})
	has(t, out.Text, "file written: deep/er/n.txt (created, 2 lines)")
	if d := out.Detail.Diff; !d.Created || d.Added != 2 || d.Path != "deep/er/n.txt" {
		t.Errorf("detail %+v", d)
	}
	if got := b.content("deep/er/n.txt"); got != "x\ny" {
		t.Errorf("content %q", got)
	}
	b.refuses("write_file", args{"path": "a.txt", "content": "2\n"}, "must be read first", "a.txt")
	b.do("read_file", args{"path": "a.txt"})
	b.do("write_file", args{"path": "a.txt", "content": ""})
	if got := b.content("a.txt"); got != "" {
		t.Errorf("content %q", got)
	}
	b.do("write_file", args{"path": "a.txt", "content": "known, since we wrote it"})
	b.do("read_file", args{"path": "bom.txt"})
	b.do("write_file", args{"path": "bom.txt", "content": "new\n"})
	if got := b.content("bom.txt"); got != "\uFEFFnew\n" {
		t.Errorf("content %q", got)
	}
	b.refuses("write_file", args{"path": "dir/", "content": "x"}, "directory")
	b.refuses("write_file", args{"path": "bin", "content": "x"}, "binary")
	b.refuses("write_file", args{"path": "x"}, "content is missing")
	b.refuses("write_file", args{"path": "x", "content": nil}, "content must be a string")
	b.refuses("write_file", args{"path": "big", "content": strings.Repeat("x", maxWrite+1)}, "5 MiB")
	b.refuses("write_file", args{"path": "a.txt/b", "content": "x"}, "not a directory")
}

func TestEditFile(t *testing.T) {
	b := newBench(t, "a.txt", "port = 8080\nsame\nsame\n", "d/x", "")
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "8080", "new_text": "9090"}, "must be read first")
	b.do("read_file", args{"path": "a.txt", "limit": 1})
	out := b.do("edit_file", args{"path": "a.txt", "old_text": "8080", "new_text": "9090"})
	has(t, out.Text, "file edited: a.txt (line 1)")
	has(t, out.Detail.Diff.Unified, "-port = 8080\n+port = 9090\n")
	out = b.do("edit_file", args{"path": "a.txt", "old_text": "same", "new_text": "other", "replace_all": true})
	has(t, out.Text, "(2 places)")
	if got := b.content("a.txt"); got != "port = 9090\nother\nother\n" {
		t.Errorf("content %q", got)
	}
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "port = 8080", "new_text": "x"}, "not found in a.txt", "nearest lines", "\n1 | port = 9090")
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "other", "new_text": "x"}, "2 times", "lines 2, 3", "replace_all")
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "", "new_text": "x"}, "old_text is empty")
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "x", "new_text": "x"}, "same")
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "x"}, "new_text is missing")
	b.refuses("edit_file", args{"path": "d", "old_text": "x", "new_text": "y"}, "directory")
	b.refuses("edit_file", args{"path": "no.txt", "old_text": "", "new_text": "y"}, "not found")
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "port", "new_text": strings.Repeat("x", maxWrite)}, "5 MiB")
	if got := b.content("a.txt"); got != "port = 9090\nother\nother\n" {
		t.Errorf("content after refusals %q", got)
	}
}

func TestChangedSinceRead(t *testing.T) {
	b := newBench(t, "a.txt", "abc\n")
	b.do("read_file", args{"path": "a.txt"})
	info, err := os.Stat(filepath.Join(b.dir, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	b.put("a.txt", "abd\n")
	if err := os.Chtimes(filepath.Join(b.dir, "a.txt"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "ab", "new_text": "xy"}, "changed since it was read")
	b.refuses("write_file", args{"path": "a.txt", "content": "x"}, "changed since it was read")
	b.put("a.txt", "abc\n")
	b.do("edit_file", args{"path": "a.txt", "old_text": "ab", "new_text": "xy"})
	if err := os.Remove(filepath.Join(b.dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	b.do("write_file", args{"path": "a.txt", "content": "again"})
}

func TestSeenThroughLink(t *testing.T) {
	b := newBench(t, "real.txt", "1\n")
	if err := os.Symlink("real.txt", filepath.Join(b.dir, "link.txt")); err != nil {
		t.Skip(err)
	}
	b.do("read_file", args{"path": "link.txt"})
	b.do("edit_file", args{"path": "real.txt", "old_text": "1", "new_text": "2"})
	b.do("edit_file", args{"path": "link.txt", "old_text": "2", "new_text": "3"})
	if target, err := os.Readlink(filepath.Join(b.dir, "link.txt")); err != nil || target != "real.txt" {
		t.Errorf("the link is %q, %v", target, err)
	}
	if got := b.content("real.txt"); got != "3\n" {
		t.Errorf("content %q", got)
	}
}

// TestEncodingsAreKept: a change is written in the encoding of its file, and what has no place in it
// is refused by edit_file and said by write_file.
func TestEncodingsAreKept(t *testing.T) {
	gbk := func(s string) string {
		data, err := charset.GBK.Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	b := newBench(t, "a.c", gbk("// 旧的注释内容\r\nint a;\r\n"), "utf16.txt", "\xff\xfea\x00\n\x00", "latin.txt", "caf\xe9 au lait\n",
		"loss.txt", gbk("测试内容"+strings.Repeat("，还有很多别的文字都在这里，一个也不能少", 4))+"\xff", "broken.txt", "正文很长\n结\xe5\xb0")
	for _, name := range []string{"a.c", "utf16.txt", "latin.txt", "loss.txt", "broken.txt"} {
		b.do("read_file", args{"path": name})
	}
	has(t, b.do("edit_file", args{"path": "a.c", "old_text": "旧的", "new_text": "新的\n// 更多"}).Text, "(line 1, GBK)")
	b.refuses("edit_file", args{"path": "a.c", "old_text": "int a", "new_text": "int a /* 😀 */"}, "GBK", "'😀'", "nothing was written")
	if got := b.content("a.c"); got != gbk("// 新的\r\n// 更多注释内容\r\nint a;\r\n") {
		t.Errorf("content %q", got)
	}
	has(t, b.do("write_file", args{"path": "a.c", "content": "// 新\n"}).Text, "(overwritten, 1 line, GBK)")
	if got := b.content("a.c"); got != gbk("// 新\n") {
		t.Errorf("content %q", got)
	}
	b.do("write_file", args{"path": "utf16.txt", "content": "é\n"})
	if got := b.content("utf16.txt"); got != "\xff\xfe\xe9\x00\n\x00" {
		t.Errorf("content %q", got)
	}
	has(t, b.do("edit_file", args{"path": "latin.txt", "old_text": "café", "new_text": "thé"}).Text, "probably Latin-1")
	has(t, b.do("write_file", args{"path": "latin.txt", "content": "é 😀\n"}).Text, "now UTF-8: Latin-1 has no '😀'")
	if got := b.content("latin.txt"); got != "é 😀\n" {
		t.Errorf("content %q", got)
	}
	b.refuses("edit_file", args{"path": "loss.txt", "old_text": "测试", "new_text": "x"}, "not all of its bytes are", "GBK")
	b.do("edit_file", args{"path": "broken.txt", "old_text": "正文", "new_text": "本文"})
	if got := b.content("broken.txt"); got != "本文很长\n结\xe5\xb0" {
		t.Errorf("content %q", got)
	}
}

// TestOmissionsAreRefused: text that stands for omitted text is not written.
func TestOmissionsAreRefused(t *testing.T) {
	const placeholder = "// ... rest of the code unchanged ..."
	b := newBench(t, "a.go", "package a\n\nfunc f() {}\n", "old.go", placeholder+"\n")
	b.do("read_file", args{"path": "a.go"})
	b.do("read_file", args{"path": "old.go"})
	b.refuses("write_file", args{"path": "a.go", "content": "package a\n" + placeholder + "\n"}, "content", "omitted text", placeholder)
	b.refuses("edit_file", args{"path": "a.go", "old_text": "func f() {}", "new_text": "# 其余代码不变"}, "new_text", "omitted text")
	b.do("write_file", args{"path": "old.go", "content": "package a\n" + placeholder + "\n"})
	b.do("write_file", args{"path": "doc.md", "content": "```go\n" + placeholder + "\n```\n"})
	b.refuses("write_file", args{"path": "doc2.md", "content": "# Title\n" + placeholder + "\n"}, "omitted text")
}

func TestParallelEdits(t *testing.T) {
	b := newBench(t, "m.md", "A0 A1 A2 A3 A4 A5 A6 A7\n")
	b.do("read_file", args{"path": "m.md"})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, _, err := b.try("edit_file", args{"path": "m.md", "old_text": fmt.Sprintf("A%d", i), "new_text": fmt.Sprintf("b%d", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := b.content("m.md"); got != "b0 b1 b2 b3 b4 b5 b6 b7\n" {
		t.Errorf("content %q", got)
	}
}

// BenchmarkEdit makes one edit, to the rename and the sync of the directory.
func BenchmarkEdit(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10, 5<<20 - 100} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			line := "a line of ordinary length in a source file\n"
			w := newBench(b, "a.txt", strings.Repeat(line, size/len(line)/2)+"here it is: 0\n"+strings.Repeat(line, size/len(line)/2))
			w.do("read_file", args{"path": "a.txt"})
			b.SetBytes(int64(size))
			old := 0
			for b.Loop() {
				w.do("edit_file", args{"path": "a.txt", "old_text": fmt.Sprintf("here it is: %d\n", old), "new_text": fmt.Sprintf("here it is: %d\n", 1-old)})
				old = 1 - old
			}
		})
	}
}
