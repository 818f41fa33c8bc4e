package tool

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
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

// keptBench is the tools of another process on the same project and session.
func (b *bench) keptBench(kept Kept) *bench {
	b.t.Helper()
	root, err := fsx.Open(b.dir, fsx.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { root.Close() })
	other := &bench{t: b.t, dir: b.dir, tools: make(map[string]agent.Tool)}
	for _, tool := range All(Options{Root: root, Kept: func() Kept { return kept }}) {
		other.tools[tool.Spec().Name] = tool
	}
	return other
}

// TestBases: bases are kept in the directory, for their owner only, and checked when they are used.
func TestBases(t *testing.T) {
	kept := Kept{Bases: filepath.Join(t.TempDir(), "bases"), Secret: func(data []byte) bool { return strings.Contains(string(data), "key") }}
	plain := newBench(t, "a.txt", "one\ntwo\nthree\n", "env", "key\n")
	b := plain.keptBench(kept)
	b.do("list_dir", args{"path": "."})
	b.do("read_file", args{"path": "env"})
	if _, err := os.Stat(kept.Bases); err == nil {
		t.Error("the directory is there before something is kept")
	}
	b.do("read_file", args{"path": "a.txt"})
	one := baseFiles(t, kept.Bases, 1)[0]
	for name, want := range map[string]os.FileMode{kept.Bases: 0o700, one: 0o600} {
		if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
	b.put("a.txt", "zero\none\ntwo\nthree\n")
	has(t, b.do("edit_file", args{"path": "a.txt", "old_text": "three", "new_text": "3"}).Text, "merged")
	two := baseFiles(t, kept.Bases, 1)[0] // that of the new content only
	if one == two {
		t.Error("a base was changed")
	}
	if err := os.WriteFile(two, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.put("a.txt", "one\ntwo\n3\n")
	b.refuses("edit_file", args{"path": "a.txt", "old_text": "3", "new_text": "4"}, "changed since it was read")
}

// TestBasesOfAnEarlierProcess: what the log says was seen counts, and only bases of that stay.
func TestBasesOfAnEarlierProcess(t *testing.T) {
	kept := Kept{Bases: filepath.Join(t.TempDir(), "bases")}
	plain := newBench(t, "a.txt", "one\ntwo\nthree\n", "b.txt", "same\n", "c.txt", "lost\n")
	first := plain.keptBench(kept)
	kept.Seen = map[string]string{"d.txt": "no hash"}
	for _, name := range []string{"a.txt", "b.txt"} {
		for _, s := range first.do("read_file", args{"path": name}).Seen {
			kept.Seen[s.Path] = s.Hash
		}
	}
	first.do("read_file", args{"path": "c.txt"}) // its result did not get into the log
	plain.put("a.txt", "zero\none\ntwo\nthree\n")
	second := plain.keptBench(kept)
	has(t, second.do("edit_file", args{"path": "a.txt", "old_text": "three", "new_text": "3"}).Text, "merged", "+zero")
	if got := second.content("a.txt"); got != "zero\none\ntwo\n3\n" {
		t.Errorf("content %q", got)
	}
	second.do("write_file", args{"path": "b.txt", "content": "new\n"})
	second.refuses("edit_file", args{"path": "c.txt", "old_text": "lost", "new_text": "x"}, "must be read first")
	baseFiles(t, kept.Bases, 2)

	other := newBench(t, "a.txt", "one\ntwo\nthree\n").keptBench(kept) // the session goes on elsewhere
	other.refuses("edit_file", args{"path": "a.txt", "old_text": "three", "new_text": "3"}, "must be read first")
}

func baseFiles(t *testing.T, dir string, n int) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != n {
		t.Fatalf("%q, %v", names, err)
	}
	return names
}

func TestBasesAreBounded(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		b := openBases(Kept{Bases: dir}, nil)
		data := make([]byte, maxBase)
		sums, needed := make([]sum, 40), make(map[sum]bool)
		for i := range sums {
			data[0] = byte(i)
			sums[i] = sha256.Sum256(data)
			needed[sums[i]] = true
			b.put(sums[i], data)
			if i == 20 && b.get(sums[1]) == nil {
				t.Error("it was dropped too early")
			}
		}
		if b.all > maxBases || len(b.kept) != 32 || b.get(sums[39]) == nil || b.get(sums[1]) == nil || b.get(sums[2]) != nil {
			t.Errorf("%q: %d bytes of %d files", dir, b.all, len(b.kept))
		}
		b.drop(sums[39])
		big := make([]byte, maxBase+1)
		b.put(sha256.Sum256(big), big)
		if b.get(sums[39]) != nil || b.get(sha256.Sum256(big)) != nil {
			t.Errorf("%q: something is kept that must not be", dir)
		}
		if dir == "" {
			continue
		}
		baseFiles(t, dir, 31)
		delete(needed, sums[38])
		if again := openBases(Kept{Bases: dir}, needed); len(again.kept) != 30 || again.all != 30*maxBase || again.get(sums[37]) == nil {
			t.Errorf("%d are kept of an earlier process", len(again.kept))
		}
		baseFiles(t, dir, 30)
	}
}
