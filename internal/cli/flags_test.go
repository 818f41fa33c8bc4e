package cli

import (
	"testing"

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
