package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSetKeepsTheRest(t *testing.T) {
	tests := []struct{ name, src, path, json, want string }{
		{"an empty file", "", "a", "1", "{\n  \"a\": 1\n}\n"},
		{"only comments", "// mine", "a.b", "1", "// mine\n{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
		{"an empty object", "{}", "a", "1", "{\n  \"a\": 1\n}"},
		{"an empty object with a comment", "{ // c\n}\n", "a", "1", "{\n  \"a\": 1 // c\n}\n"},
		{"a short comment inside", "{/* c */}", "a", "1", "{\n  \"a\": 1/* c */\n}"},
		{"replaced", "{\n  // c\n  \"a\": [1, /* x */ 2], // d\n}", "a", `"z"`, "{\n  // c\n  \"a\": \"z\", // d\n}"},
		{"behind the last", "{\n\t\"a\": 1\n}\n", "b", "2", "{\n\t\"a\": 1,\n\t\"b\": 2\n}\n"},
		{"behind a comment", "{\n  \"a\": 1 // why, {\n}\n", "b", "2", "{\n  \"a\": 1, // why, {\n  \"b\": 2\n}\n"},
		{"with a trailing comma", "{\n  \"a\": 1, /* x\n y */ // z\n}\n", "b", "2", "{\n  \"a\": 1, /* x\n y */ // z\n  \"b\": 2,\n}\n"},
		{"on one line", `{"a": 1}`, "b.c", "2", "{\"a\": 1, \"b\": {\n  \"c\": 2\n}}"},
		{"on one line with a trailing comma", `{"a": 1, }`, "b", "2", `{"a": 1, "b": 2, }`},
		{"deeper", "{\n    \"p\": {\n        \"q\": 1\n    }\n}", "p.r.s", "2", "{\n    \"p\": {\n        \"q\": 1,\n        \"r\": {\n            \"s\": 2\n        }\n    }\n}"},
		{"null on the way", "{\n  \"p\": null // n\n}", "p.q", "2", "{\n  \"p\": {\n    \"q\": 2\n  } // n\n}"},
		{"the last of two", `{"a": 1, "a": 2}`, "a", "3", `{"a": 1, "a": 3}`},
		{"CRLF", "{\r\n  \"a\": 1 // x\r\n}\r\n", "b", "2", "{\r\n  \"a\": 1, // x\r\n  \"b\": 2\r\n}\r\n"},
		{"a byte order mark", "\ufeff{\"a\": 1}", "a", "2", "\ufeff{\"a\": 2}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, problem := parseDocument("f", tt.src)
			if problem != nil {
				t.Fatal(problem)
			}
			got, problem := d.set(strings.Split(tt.path, "."), tt.json)
			if problem != nil {
				t.Fatal(problem)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAddRule(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "config.json")
	root := `C:\a "b"`
	for range 2 {
		for _, rule := range []string{"read_file", "execute_command(echo \"<a>\" && b)"} {
			if err := AddRule(file, root, listAllow, rule); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, hash := range []string{"", "sha256:0", "", "", "sha256:1"} {
		if err := SetTrust(file, root, hash); err != nil {
			t.Fatal(err)
		}
	}
	if err := SetTrust(file, "/never", ""); err != nil {
		t.Fatal(err)
	}
	want := `{
  "projects": {
    "C:\\a \"b\"": {
      "permissions": {
        "allow": ["read_file", "execute_command(echo \"<a>\" && b)"]
      },
      "trust": "sha256:1"
    }
  }
}
`
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
	for name, mode := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): 0o700} {
		if info, err := os.Stat(name); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestEditRefuses: what cannot be understood is not written over.
func TestEditRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	for _, src := range []string{"{\n\"a\": ,\n}", "[]", `{"projects": 1}`, `{"projects": {"/r": {"permissions": {"allow": "x"}}}}`} {
		if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		err := AddRule(file, "/r", listAllow, "x")
		if err == nil {
			t.Errorf("%s: written", src)
		}
		if bad := (*Error)(nil); strings.Contains(src, ",\n") && (!errors.As(err, &bad) || bad.Problems[0].Line != 2) {
			t.Errorf("%s: %v", src, err)
		}
		if got, _ := os.ReadFile(file); string(got) != src {
			t.Errorf("%s became %s", src, got)
		}
	}
}

// TestEditFollowsLinks: a file that is a link to the person's own place for such files stays one.
func TestEditFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	file, real := filepath.Join(dir, "config.json"), filepath.Join(dir, "dotfiles.json")
	if err := os.WriteFile(real, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dotfiles.json", file); err != nil {
		t.Skip(err)
	}
	if err := Edit(file, []string{"model"}, `"m"`); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(file)
	got, _ := os.ReadFile(real)
	if err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.Contains(string(got), `"m"`) {
		t.Errorf("%v, %v, %s", info, err, got)
	}
}

// TestEditTogether: nobody's change is lost.
func TestEditTogether(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	const writers, each = 8, 10
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := range each {
				if err := AddRule(file, "/r", listAllow, string(rune('a'+w))+string(rune('0'+n))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	c, err := Load(Options{Root: "/r", Flags: Flags{File: file}})
	if err != nil || len(c.Permissions.Allow) != writers*each {
		t.Errorf("%d rules, %v", len(c.Permissions.Allow), err)
	}
}

// FuzzEdit: after an edit the value is in place, every other value is what it was, and of the text
// nothing is lost but the old value.
func FuzzEdit(f *testing.F) {
	for _, src := range []string{"", "{}", "{ // c\n}", "{\"a\":{\"b\":[1,],},}", "{\n \"a\": 1 // x\n , // y\n}", "{\"a\":null}", "\ufeff/**/{\r\n\"b\":2/* } */}", "{\"a\":1,\"a\":{}}", "// x"} {
		f.Add(src, "a.b", true)
		f.Add(src, "c", false)
	}
	f.Fuzz(func(t *testing.T, src, keys string, push bool) {
		before, err := parseJSONC(src)
		if err != nil || before.kind != kindObject {
			return
		}
		path := strings.Split(strings.ToValidUTF8(keys, ""), ".")
		d, problem := parseDocument("f", src)
		if problem != nil {
			t.Fatal(problem)
		}
		old, had := before.at(path)
		var out string
		if push && had && old.kind == kindList {
			out = d.push(old, `"new"`)
		} else {
			var problem *Problem
			if out, problem = d.set(path, `["new"]`); problem != nil {
				return
			}
		}
		after, err := parseJSONC(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", src, out, err)
		}
		got, ok := after.at(path)
		if !ok || len(got.items) == 0 || got.items[len(got.items)-1].text != "new" {
			t.Fatalf("%q became %q", src, out)
		}
		if !sameBut(before, after, path) {
			t.Fatalf("another value changed: %q became %q", src, out)
		}
		kept := src
		if had && old.kind != kindList {
			kept = src[:old.start] + src[old.end:]
		} else if n, ok := above(before, path); ok && n.kind == kindNull {
			kept = src[:n.start] + src[n.end:]
		}
		if !(had && old.kind == kindList) && !subsequence(kept, out) {
			t.Fatalf("text was lost: %q became %q", src, out)
		}
	})
}

// above is the deepest value on the way to a path.
func above(n node, path []string) (node, bool) {
	for i := len(path); i > 0; i-- {
		if v, ok := n.at(path[:i]); ok {
			return v, true
		}
	}
	return node{}, false
}

// sameBut reports whether two objects are equal but for what is at a path.
func sameBut(a, b node, path []string) bool {
	if len(path) == 0 || a.kind == kindNull {
		return true
	}
	at := -1
	for i, m := range a.members {
		if m.key == path[0] {
			at = i
		}
	}
	more := 0
	if at < 0 {
		more = 1
	}
	if len(b.members) != len(a.members)+more || more == 1 && b.members[len(a.members)].key != path[0] {
		return false
	}
	for i, m := range a.members {
		other := b.members[i]
		if m.key != other.key || i != at && m.value.canonical() != other.value.canonical() || i == at && !sameBut(m.value, other.value, path[1:]) {
			return false
		}
	}
	return true
}

func subsequence(part, whole string) bool {
	rest := []byte(whole)
	for _, c := range []byte(strings.Join(strings.Fields(part), "")) {
		i := slices.Index(rest, c)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}
