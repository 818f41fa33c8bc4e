package textedit

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	tests := []struct{ name, before, after, want string }{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"created", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"emptied", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"changed", "a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"no newline", "a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{
			"two hunks", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "x\n2\n3\n4\n5\n6\n7\n8\n9\ny\n",
			"@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-10\n+y\n",
		},
	}
	for _, tt := range tests {
		if got := Compare(tt.before, tt.after, 0); got.Unified != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got.Unified, tt.want)
		}
	}
}

func TestCompareIsBounded(t *testing.T) {
	var a, b strings.Builder
	for i := range 20_000 {
		fmt.Fprintln(&a, "old", i)
		fmt.Fprintln(&b, "new", i)
	}
	d := Compare(a.String(), b.String(), 10_000)
	if !d.Cut || len(d.Unified) > 10_100 || d.Added != 20_000 || d.Removed != 20_000 {
		t.Errorf("cut %v, %d bytes, +%d -%d", d.Cut, len(d.Unified), d.Added, d.Removed)
	}
}

func TestCompareFindsShortScripts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var a, b strings.Builder
		for i := range 40 {
			line := strconv.Itoa(rng.IntN(8))
			if rng.IntN(10) > 0 {
				fmt.Fprintln(&a, line)
			}
			if rng.IntN(10) > 0 {
				fmt.Fprintln(&b, line)
			}
			_ = i
		}
		d := Compare(a.String(), b.String(), 0)
		if got := patched(t, a.String(), d.Unified); got != b.String() {
			t.Fatalf("applied\n%s\nto %q gives %q, want %q", d.Unified, a.String(), got, b.String())
		}
		if d.Added+d.Removed > 20 {
			t.Errorf("+%d -%d for texts that differ in about 8 lines", d.Added, d.Removed)
		}
	}
}

// patched applies a unified diff.
func patched(t *testing.T, before, unified string) string {
	lines := splitLines(before)
	var out strings.Builder
	at, last := 0, byte(0)
	copyTo := func(n int) {
		for ; at < n; at++ {
			out.WriteString(lines[at])
		}
	}
	text := ""
	flush := func() {
		if last == '+' {
			out.WriteString(text)
		} else if last == '-' || last == ' ' {
			if at >= len(lines) || lines[at] != text {
				t.Fatalf("line %d is not %q", at+1, text)
			}
			if at++; last == ' ' {
				out.WriteString(text)
			}
		}
		last = 0
	}
	for line := range strings.Lines(unified) {
		switch line[0] {
		case '\\':
			text = strings.TrimSuffix(text, "\n")
		case '@':
			flush()
			var from int
			if _, err := fmt.Sscanf(line, "@@ -%d", &from); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(line[strings.Index(line, "-"):], fmt.Sprintf("-%d,0 ", from)) {
				from++
			}
			copyTo(from - 1)
		default:
			flush()
			last, text = line[0], line[1:]
		}
	}
	flush()
	copyTo(len(lines))
	return out.String()
}

func FuzzCompare(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\nd\n")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		if d := Compare(a, b, 0); patched(t, a, d.Unified) != b {
			t.Fatalf("applied\n%s\nto %q does not give %q", d.Unified, a, b)
		}
	})
}
