package cli

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestSplitRules(t *testing.T) {
	for _, tt := range []struct{ in, want []string }{
		{nil, nil},
		{[]string{"read_file"}, []string{"read_file"}},
		{[]string{"a,b", "c"}, []string{"a", "b", "c"}},
		{[]string{" a , ,b ,"}, []string{"a", "b"}},
		{[]string{"Bash(git log:*),Edit(src/{a,b}/**) Read"}, []string{"Bash(git log:*)", "Edit(src/{a,b}/**)", "Read"}},
		{[]string{"execute_command(f (a, b) c),d"}, []string{"execute_command(f (a, b) c)", "d"}},
		{[]string{"execute_command(a, b"}, []string{"execute_command(a, b"}},
		{[]string{"a),b"}, []string{"a)", "b"}},
		{[]string{"execute_command(echo 中，文)\u3000b"}, []string{"execute_command(echo 中，文)", "b"}},
	} {
		if d := cmp.Diff(tt.want, splitRules(tt.in)); d != "" {
			t.Errorf("%q: %s", tt.in, d)
		}
	}
}

// FuzzSplitRules: nothing of a rule is lost, and what was taken apart stays so.
func FuzzSplitRules(f *testing.F) {
	for _, s := range []string{"a,b", "Bash(git log:*),Edit(a,b) c", "x(", ")),(a", "\u3000a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		list = strings.ToValidUTF8(list, "?")
		rules := splitRules([]string{list})
		bare := func(s string) string {
			return strings.Map(func(r rune) rune {
				if r == ',' || unicode.IsSpace(r) {
					return -1
				}
				return r
			}, s)
		}
		if got := bare(strings.Join(rules, "")); got != bare(list) {
			t.Errorf("%q became %q", list, rules)
		}
		if again := splitRules(rules); cmp.Diff(rules, again) != "" {
			t.Errorf("%q became %q and then %q", list, rules, again)
		}
	})
}
