package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paicli/agent"
	"paicli/internal/charset"
	"paicli/internal/fsx"
)

// TestMergedEdits: an edit of a file that somebody has changed elsewhere since it was read is merged,
// and the result shows what they changed.
func TestMergedEdits(t *testing.T) {
	const base = "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n"
	b := newBench(t, "a.txt", base)
	b.do("read_file", args{"path": "a.txt"})
	b.put("a.txt", "zero\r\n"+base)
	out := b.do("edit_file", args{"path": "a.txt", "old_text": "four\nfive", "new_text": "4\n5\n6"})
	has(t, out.Text, "(line 5)", "changed since it was read", "merged", "+zero")
	if got := b.content("a.txt"); got != "zero\r\none\r\ntwo\r\nthree\r\n4\r\n5\r\n6\r\n" {
		t.Errorf("content %q", got)
	}
	if d := out.Detail.Diff; d.Added != 3 || d.Removed != 2 {
		t.Errorf("detail %+v", d)
	}
	// It was shown all of the others' change, so it knows the file again.
	b.do("edit_file", args{"path": "a.txt", "old_text": "zero", "new_text": "0"})
	b.do("write_file", args{"path": "a.txt", "content": "new\n"})
}

func TestConflictingEdits(t *testing.T) {
	b := newBench(t, "a.txt", "one\ntwo\nthree\n", "b.txt", numbered(5))
	b.do("read_file", args{"path": "a.txt"})
	b.put("a.txt", "one\nTWO\nthree\n")
	edit := args{"path": "a.txt", "old_text": "two", "new_text": "2"}
	b.refuses("edit_file", edit, "changed since it was read", "Nothing was written", "When it was read:\ntwo\n", "Now, from line 2 on:\nTWO\n", "With your edit:\n2\n")
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "TWO", "new_text": "2"}, "changed since it was read", "old_text was not found")
	if got := b.content("a.txt"); got != "one\nTWO\nthree\n" {
		t.Errorf("content %q", got)
	}
	b.put("a.txt", "one\n2\nthree\n")
	b.refuses("edit_file", edit, "nothing to do", "read it again")

	b.do("read_file", args{"path": "b.txt", "limit": 2})
	b.put("b.txt", numbered(4))
	b.refuses("edit_file", args{"path": "b.txt", "old_text": "Line 1", "new_text": "x"}, "changed since it was read")
}

// TestMergesWithMuchChange: what it was not shown, the model does not know; its next edits are
// merged again, and it may not write over the file.
func TestMergesWithMuchChange(t *testing.T) {
	b := newBench(t, "a.txt", "head\n\n"+numbered(500)+"\ntail\n")
	b.do("read_file", args{"path": "a.txt"})
	b.put("a.txt", "head\n\n"+strings.ReplaceAll(numbered(500), "Line", "LINE")+"\ntail\n")
	for _, word := range []string{"head", "tail"} {
		out := b.do("edit_file", args{"path": "a.txt", "old_text": word, "new_text": word + "!"})
		has(t, out.Text, "merged", "truncated: read the file again")
	}
	b.refuses("write_file", args{"path": "a.txt", "content": "x"}, "changed since it was read")
	if got := b.content("a.txt"); got != "head!\n\n"+strings.ReplaceAll(numbered(500), "Line", "LINE")+"\ntail!\n" {
		t.Errorf("content %.100q", got)
	}
}

func TestMergeKeepsEncoding(t *testing.T) {
	text := func(s string) string {
		data, err := charset.GBK.Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	b := newBench(t, "a.txt", text("标题：旧的内容\n第二行\n第三行\n"))
	b.do("read_file", args{"path": "a.txt"})
	b.put("a.txt", text("标题：旧的内容\n第二行\n第三行\n第四行\n"))
	has(t, b.do("edit_file", args{"path": "a.txt", "old_text": "旧的", "new_text": "新的"}).Text, "GBK", "第四行")
	if got := b.content("a.txt"); got != text("标题：新的内容\n第二行\n第三行\n第四行\n") {
		t.Errorf("content %q", got)
	}
	b.put("a.txt", "标题：新的内容\n第二行\n第三行\n第五行\n") // now UTF-8
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "新的", "new_text": "更新的"}, "changed since it was read")
}

// TestBases: bases are kept in the directory, bounded, for their owner only, and checked.
func TestBases(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bases")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "old"+baseExt), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	plain := newBench(t, "a.txt", "one\ntwo\nthree\n")
	root, err := fsx.Open(plain.dir, fsx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	b := &bench{t: t, dir: plain.dir, tools: make(map[string]agent.Tool)}
	for _, tool := range All(Options{Root: root, Bases: dir}) {
		b.tools[tool.Spec().Name] = tool
	}
	b.do("read_file", args{"path": "a.txt"})
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 1 || strings.HasSuffix(names[0], "old"+baseExt) {
		t.Fatalf("%q, %v", names, err)
	}
	if info, err := os.Stat(names[0]); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	b.put("a.txt", "zero\none\ntwo\nthree\n")
	has(t, b.do("edit_file", args{"path": "a.txt", "old_text": "three", "new_text": "3"}).Text, "merged")
	if err := os.WriteFile(names[0], []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.put("a.txt", "one\ntwo\n3\n")
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "3", "new_text": "4"}, "changed since it was read")
}

func TestBasesAreBounded(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		s := newBases(dir)
		data := make([]byte, maxBase)
		for i := range 40 {
			s.put(fmt.Sprint(i), data)
			if i == 20 && s.get("1") == nil {
				t.Error("it was dropped too early")
			}
		}
		if s.all > maxBases || len(s.kept) != 32 || s.get("39") == nil || s.get("1") == nil || s.get("2") != nil {
			t.Errorf("%q: %d bytes of %d files", dir, s.all, len(s.kept))
		}
		s.put("39", nil)
		s.put("big", make([]byte, maxBase+1))
		if s.get("39") != nil || s.get("big") != nil {
			t.Errorf("%q: something is kept that must not be", dir)
		}
		if dir != "" {
			if names, _ := os.ReadDir(dir); len(names) != 31 {
				t.Errorf("%d files", len(names))
			}
		}
	}
}
