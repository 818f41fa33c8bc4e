package tool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paicli/session"
)

// TestParity runs the rows of the parity list that speak of these tools.
func TestParity(t *testing.T) {
	t.Run("T-02", func(t *testing.T) { TestSpecs(t) })
	t.Run("T-04", func(t *testing.T) {
		var schema struct {
			Type       string
			Properties map[string]struct{ Type string }
			Required   []string
		}
		if err := json.Unmarshal(newBench(t).tools["read_file"].Spec().Schema, &schema); err != nil {
			t.Fatal(err)
		}
		if schema.Type != "object" || len(schema.Properties) != 3 || !cmp.Equal(schema.Required, []string{"path"}) {
			t.Errorf("got %+v", schema)
		}
		if schema.Properties["offset"].Type != "integer" || schema.Properties["path"].Type != "string" {
			t.Errorf("got %+v", schema.Properties)
		}
	})
}

// TestParityFiles runs the rows on reading, writing and searching.
func TestParityFiles(t *testing.T) {
	t.Run("F-01", func(t *testing.T) {
		b := newBench(t, "a.txt", numbered(5000))
		has(t, b.do("read_file", args{"path": "a.txt", "offset": 1, "limit": 5000}).Text, "lines 1-2000 of 5000", "Line 2000\n", "limit was cut to 2000")
	})
	t.Run("F-02", func(t *testing.T) {
		b := newBench(t, "A.java", "class A {\n  void first() {}\n  void second() {}\n}\n")
		has(t, b.do("read_file", args{"path": "A.java", "offset": 2, "limit": 2}).Text, "lines 2-3 of 4", "\n2 |   void first() {}\n3 |   void second() {}\n", "offset=4")
	})
	t.Run("F-03", func(t *testing.T) { TestPathsAreConfined(t) })
	t.Run("F-04", func(t *testing.T) {
		b := newBench(t)
		b.do("write_file", args{"path": "full", "content": strings.Repeat("x", maxWrite)})
		b.refuses("write_file", args{"path": "over", "content": strings.Repeat("x", maxWrite+1)}, "5 MiB")
	})
	t.Run("F-05", func(t *testing.T) { TestEditFile(t) })
	t.Run("F-06", func(t *testing.T) {
		editRow(t, "log(1)\nlog(2)\n", "log(", "print(", true, "print(1)\nprint(2)\n", "2 places")
	})
	t.Run("F-07", func(t *testing.T) {
		editRow(t, "a\r\nb\r\nc\r\n", "a\nb", "x\ny", false, "x\r\ny\r\nc\r\n", "line 1")
	})
	t.Run("F-08", func(t *testing.T) {
		editRow(t, "say “ＡＢＣ” — now  \nend\n", `say "ABC" - now`, "x", false, "x  \nend\n", "line 1")
	})
	t.Run("F-09", func(t *testing.T) { editRefused(t, "ﬁx\n", "ix", "not found") })
	t.Run("F-10", func(t *testing.T) {
		editRow(t, "a\n  int x;\n", "    2 |   int x;", "  int y;", false, "a\n  int y;\n", "line 2")
	})
	t.Run("F-11", func(t *testing.T) { editRefused(t, "foo\nfoo\n", "1 | foo", "not found") })
	t.Run("F-12", func(t *testing.T) {
		newBench(t, "d/x", "").refuses("edit_file", args{"path": "d", "old_text": "a", "new_text": "b"}, "directory")
	})
	t.Run("F-13", func(t *testing.T) {
		b := newBench(t, "a.txt", "old\n")
		b.do("read_file", args{"path": "a.txt"})
		out := b.do("write_file", args{"path": "a.txt", "content": "new\n"})
		if d := out.Detail.Diff; d == nil || d.Unified != "@@ -1 +1 @@\n-old\n+new\n" {
			t.Errorf("got %+v", d)
		}
	})
	t.Run("F-14", func(t *testing.T) {
		b := newBench(t)
		outside := filepath.Join(b.dir, "..", "outside.txt")
		if err := os.WriteFile(outside, []byte("safe"), 0o644); err != nil {
			t.Fatal(err)
		}
		b.refuses("edit_file", args{"path": "../outside.txt", "old_text": "safe", "new_text": "x"}, "outside the project")
		if got, err := os.ReadFile(outside); string(got) != "safe" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("F-15", func(t *testing.T) { TestGlobFiles(t); TestGrepCode(t); TestGrepIsBounded(t) })
}

// TestParityCommands runs the rows on commands.
func TestParityCommands(t *testing.T) {
	t.Run("C-01", func(t *testing.T) {
		b := newBench(t)
		has(t, b.do("execute_command", args{"command": "pwd; echo e >&2; echo $BASH"}).Text, b.dir+"\ne\n", "bash")
	})
	t.Run("C-02", func(t *testing.T) {
		out := newBench(t).do("execute_command", args{"command": "sleep 20", "timeout_seconds": 1})
		if out.Status != session.StatusTimeout {
			t.Errorf("%+v", out)
		}
	})
	t.Run("C-04", func(t *testing.T) {
		out := newBench(t).do("execute_command", args{"command": "printf problem; exit 7"})
		if has(t, out.Text, "exit code: 7", "problem"); out.Status != session.StatusError {
			t.Errorf("%+v", out)
		}
	})
}

// TestParityXsh runs the rows that come from the third original.
func TestParityXsh(t *testing.T) {
	t.Run("XS-07", func(t *testing.T) { TestPathsAreConfined(t) })
	t.Run("XS-08", func(t *testing.T) { TestChangedSinceRead(t); TestMergedEdits(t); TestConflictingEdits(t) })
	t.Run("XS-09", func(t *testing.T) {
		b := newBench(t, "a.txt", "old\n", "ro/b.txt", "old\n")
		b.do("read_file", args{"path": "a.txt"})
		b.do("write_file", args{"path": "a.txt", "content": "new\n"})
		b.refuses("write_file", args{"path": "a.txt", "content": strings.Repeat("x", maxWrite+1)}, "5 MiB")
		if got := b.content("a.txt"); got != "new\n" {
			t.Errorf("content %q", got)
		}
		noTempFiles(t, b.dir)
	})
	t.Run("XS-10", func(t *testing.T) {
		b := newBench(t, "a.txt", "one\r\ntwo\r\n")
		if got := b.do("read_file", args{"path": "a.txt"}).Text; got != "a.txt (lines 1-2 of 2, CRLF)\n1 | one\n2 | two\n" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("XS-11", func(t *testing.T) {
		b := newBench(t, "a.txt", "axb\n")
		has(t, b.do("grep_code", args{"pattern": "a.b"}).Text, "no match found")
	})
	t.Run("XS-12", func(t *testing.T) { editRefused(t, "same\nx\nsame\n", "same", "2 times, beginning on lines 1, 3") })
	t.Run("XS-14", func(t *testing.T) {
		newBench(t).refuses("execute_command", args{"command": "true", "timeout_seconds": 601}, "600")
	})
}

func editRow(t *testing.T, before, old, repl string, all bool, after, word string) {
	t.Helper()
	b := newBench(t, "a.txt", before)
	b.do("read_file", args{"path": "a.txt"})
	has(t, b.do("edit_file", args{"path": "a.txt", "old_text": old, "new_text": repl, "replace_all": all}).Text, word)
	if got := b.content("a.txt"); got != after {
		t.Errorf("got %q, want %q", got, after)
	}
}

func editRefused(t *testing.T, before, old, word string) {
	t.Helper()
	b := newBench(t, "a.txt", before)
	b.do("read_file", args{"path": "a.txt"})
	b.refuses("edit_file", args{"path": "a.txt", "old_text": old, "new_text": "x"}, word)
	if got := b.content("a.txt"); got != before {
		t.Errorf("the file was changed to %q", got)
	}
}
