package repl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paicli/session"
)

func TestDiff(t *testing.T) {
	long := strings.Repeat("a", 100) + " old " + strings.Repeat("b", 100)
	tests := []struct {
		name    string
		unified string
		most    int
		want    []string
	}{
		{
			"numbers of both sides", "@@ -9,3 +9,4 @@ func x -5\n keep\n-gone\n+come\n+more\n last\n@@ -30 +31 @@\n-x\n+y\n", 0,
			[]string{" 9  keep", "10 -gone", "10 +come", "11 +more", "12  last", "   ...", "30 -x", "31 +y"},
		},
		{"at most", "@@ -1 +1 @@\n-1\n-2\n-3\n-4\n", 2, []string{"1 -1", "2 -2", "+2 lines"}},
		{
			"what changed of a long line", "@@ -1 +1 @@\n-" + long + "\n+" + strings.Replace(long, "old", "new", 1) + "\n", 0,
			[]string{
				"1 -..." + strings.Repeat("a", 21) + " old " + strings.Repeat("b", 21) + "...",
				"1 +..." + strings.Repeat("a", 21) + " new " + strings.Repeat("b", 21) + "...",
			},
		},
		{
			"what came into a long line", "@@ -1 +1 @@\n-" + strings.Repeat("a", 100) + "\n+" + strings.Repeat("a", 100) + "END\n", 0,
			[]string{"1 -..." + strings.Repeat("a", 23), "1 +..." + strings.Repeat("a", 22) + "END"},
		},
		{"a long line beside", "@@ -1 +1 @@\n " + long + "\n", 0, []string{"1  " + strings.Repeat("a", 50) + "..."}},
		{"a long new line", "@@ -0,0 +1 @@\n+" + strings.Repeat("c", 1000) + "\n", 0, []string{"1 +" + strings.Repeat("c", 6*53) + "... +682 characters"}},
		{"nothing is hidden", "@@ -1 +1 @@\n-a\r\n+evil\rgood\x1b[2K\u202e\r\n", 0, []string{"1 -a", "1 +evil␍good\\x1b[2K<U+202E>"}},
		{"wide characters", "@@ -1 +1 @@\n-中文\n+中问\n", 0, []string{"1 -中文", "1 +中问"}},
		{"no end of line", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", 0, []string{"1 -a", "1 +b"}},
		{"empty", "", 0, []string{"1  "}},
	}
	l := &loop{columns: func() int { return 61 }}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, l.diff(&session.Diff{Unified: tt.unified}, tt.most)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
	l.opts.Color = true
	got := l.diff(&session.Diff{Unified: "@@ -1 +1 @@\n-say old\n+say new\n+x\n"}, 0)
	want := []string{"1 \x1b[31m-say old\x1b[m", "1 \x1b[32m+say new\x1b[m", "2 \x1b[32m+x\x1b[m"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = l.diff(&session.Diff{Unified: "@@ -1 +1 @@\n-say old\n+say new\n"}, 0)
	want = []string{"1 \x1b[31m-say \x1b[1;4mold\x1b[22;24m\x1b[m", "1 \x1b[32m+say \x1b[1;4mnew\x1b[22;24m\x1b[m"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// FuzzDiff: whatever a diff says, its rows are safe and within bounds.
func FuzzDiff(f *testing.F) {
	f.Add("@@ -1 +1 @@\n-a\n+b\n", 5)
	f.Add("@@\n-中\xff\n+中\xfe\n", 0)
	f.Add("-\xe4\xb8\xad\n+\xe4\xb8\xad\xe4\n\n+\n", 3)
	f.Fuzz(func(t *testing.T, unified string, most int) {
		l := &loop{columns: func() int { return 40 }}
		rows := l.diff(&session.Diff{Unified: unified}, most)
		if most > 0 && len(rows) > most+1 {
			t.Errorf("%d rows", len(rows))
		}
		if text := fmt.Sprint(rows); strings.ContainsAny(text, "\x1b\r\n\t") {
			t.Errorf("%q", text)
		}
	})
}
