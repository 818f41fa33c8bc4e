package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
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
