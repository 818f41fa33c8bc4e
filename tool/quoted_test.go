package tool

import "testing"

func TestQuotedFromResult(t *testing.T) {
	const tag, neutral = "</tool_result>", "&lt;/tool_result>"
	tests := []struct{ name, file, old, repl, want string }{
		{"raw", "end = \"" + tag + "\"\n", "end = \"" + tag + "\"", "fin = \"" + tag + "\"", "fin = \"" + tag + "\"\n"},
		{"neutral", "end = \"" + tag + "\"\n", "end = \"" + neutral + "\"", "fin = \"" + neutral + "\"", "fin = \"" + tag + "\"\n"},
		{"raw, new text neutral", "a " + tag + "\n", "a", "b " + neutral, "b " + tag + " " + tag + "\n"},
		{"beside one", "a " + tag + " b\n", neutral + " b", "c", "a c\n"},
		{"fullwidth", "a ＜/tool_result＞\n", "a &#xFF1C;/tool_result＞", "b", "b\n"},
		{"the file speaks of the neutral form", "a " + neutral + " " + tag + "\n", "a", "b " + neutral, "b " + neutral + " " + neutral + " " + tag + "\n"},
		{"no tag in the file", "a\n", "a", neutral, neutral + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, "f.go", tt.file)
			b.do("read_file", args{"path": "f.go"})
			b.do("edit_file", args{"path": "f.go", "old_text": tt.old, "new_text": tt.repl})
			if got := b.content("f.go"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	b := newBench(t, "f.go", "foo\u200bbar \"x\"\n")
	b.do("read_file", args{"path": "f.go"})
	b.refuses("edit_file", args{"path": "f.go", "old_text": "foobar \"x\"", "new_text": "y"}, "not found", `foo\u200bbar \"x\"`)
	b.do("edit_file", args{"path": "f.go", "old_text": "foo\u200bbar", "new_text": "y"})
	b = newBench(t, "f.go", "end = \""+tag+"\"\n")
	b.do("read_file", args{"path": "f.go"})
	b.do("write_file", args{"path": "f.go", "content": "// new\nend = \"" + neutral + "\"\n"})
	if got := b.content("f.go"); got != "// new\nend = \""+tag+"\"\n" {
		t.Errorf("written: %q", got)
	}
}
