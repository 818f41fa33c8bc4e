package textedit

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	const base = "1\n2\n3\n4\n5\n6\n"
	for _, tt := range []struct{ name, ours, theirs, want string }{
		{"nothing", base, base, base},
		{"ours only", "1\nb\n3\n4\n5\n6\n", base, "1\nb\n3\n4\n5\n6\n"},
		{"theirs only", base, "1\nb\n3\n4\n5\n6\n", "1\nb\n3\n4\n5\n6\n"},
		{"apart", "1\nB\n3\n4\n5\n6\n", "1\n2\n3\n4\nE\n6\n", "1\nB\n3\n4\nE\n6\n"},
		{"theirs before, longer", "1\n2\n3\n4\nE\n6\n", "0\n0\n1\n2\n3\n4\n5\n6\n", "0\n0\n1\n2\n3\n4\nE\n6\n"},
		{"theirs before, shorter", "1\n2\n3\n4\n5\nF\n", "3\n4\n5\n6\n", "3\n4\n5\nF\n"},
		{"the same", "1\nB\n3\n4\n5\n6\n", "1\nB\n3\n4\n5\n6\n", "1\nB\n3\n4\n5\n6\n"},
		{"the same and more", "1\nB\n3\n4\n5\n6\n", "1\nB\n3\n4\n5\nF\n", "1\nB\n3\n4\n5\nF\n"},
		{"insertions apart", "0\n1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6\n7\n", "0\n1\n2\n3\n4\n5\n6\n7\n"},
		{"no line end at the end", "1\nB\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6", "1\nB\n3\n4\n5\n6"},
	} {
		got, err := Merge(base, tt.ours, tt.theirs)
		if err != nil || got.Text != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got.Text, err, tt.want)
		}
		if apply(tt.theirs, got.Edits) != got.Text {
			t.Errorf("%s: the edits do not give the text", tt.name)
		}
	}
}

func TestMergeConflicts(t *testing.T) {
	const base = "1\n2\n3\n4\n5\n6\n"
	for _, tt := range []struct {
		name, ours, theirs string
		want               ConflictError
	}{
		{"one line", "1\nb\n3\n4\n5\n6\n", "1\nB\n3\n4\n5\n6\n", ConflictError{2, "2\n", "b\n", "B\n"}},
		{"side by side", "1\nb\n3\n4\n5\n6\n", "1\n2\nC\n4\n5\n6\n", ConflictError{2, "2\n3\n", "b\n3\n", "2\nC\n"}},
		{"removed and changed", "1\n5\n6\n", "0\n1\n2\nC\n4\n5\n6\n", ConflictError{3, "2\n3\n4\n", "", "2\nC\n4\n"}},
		{"two insertions", base + "a\n", base + "b\n", ConflictError{7, "", "a\n", "b\n"}},
		{"two of theirs", "1\nb\nc\nd\n5\n6\n", "1\nB\n3\nD\n5\n6\n", ConflictError{2, "2\n3\n4\n", "b\nc\nd\n", "B\n3\nD\n"}},
	} {
		_, err := Merge(base, tt.ours, tt.theirs)
		var got *ConflictError
		if !errors.As(err, &got) || !cmp.Equal(*got, tt.want) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// mergeLaws are what a merge must hold, whatever the texts.
func mergeLaws(t *testing.T, base, a, b string) {
	t.Helper()
	for _, law := range []struct{ ours, theirs, want string }{{a, base, a}, {base, b, b}, {a, a, a}} {
		if got, err := Merge(base, law.ours, law.theirs); err != nil || got.Text != law.want {
			t.Fatalf("Merge(%q, %q, %q) = %q, %v", base, law.ours, law.theirs, got.Text, err)
		}
	}
	got, err := Merge(base, a, b)
	if err != nil {
		return
	}
	if back, err := Merge(base, b, a); err != nil || back.Text != got.Text {
		t.Fatalf("Merge(%q, %q, %q) = %q, the other way %q, %v", base, a, b, got.Text, back.Text, err)
	}
	have := counts(got.Text)
	for _, side := range []string{a, b} {
		for line, n := range counts(side) {
			if more := n - counts(base)[line]; more > 0 && have[line] < more {
				t.Fatalf("Merge(%q, %q, %q) = %q lost %q", base, a, b, got.Text, line)
			}
		}
	}
	if apply(b, got.Edits) != got.Text {
		t.Fatalf("the edits of Merge(%q, %q, %q) do not give its text", base, a, b)
	}
}

func counts(text string) map[string]int {
	n := make(map[string]int)
	for _, line := range splitLines(text) {
		n[line]++
	}
	return n
}

func TestMergeLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	merged := 0
	for range 3000 {
		var base []string
		for range rng.IntN(12) {
			base = append(base, strconv.Itoa(rng.IntN(6))+"\n")
		}
		a, b := scrambled(rng, base), scrambled(rng, base)
		mergeLaws(t, strings.Join(base, ""), a, b)
		if _, err := Merge(strings.Join(base, ""), a, b); err == nil {
			merged++
		}
	}
	if merged < 300 {
		t.Errorf("only %d of 3000 merged", merged)
	}
}

// scrambled changes a few lines.
func scrambled(rng *rand.Rand, lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		switch rng.IntN(12) {
		case 0:
		case 1:
			b.WriteString("new " + strconv.Itoa(rng.IntN(3)) + "\n" + l)
		case 2:
			b.WriteString("other\n")
		default:
			b.WriteString(l)
		}
	}
	return b.String()
}

func FuzzMerge(f *testing.F) {
	f.Add("1\n2\n3\n", "1\nb\n3\n", "1\n2\n3\n4")
	f.Add("a\na\na\n", "a\na\n", "a\na\na\na\n")
	f.Fuzz(func(t *testing.T, base, a, b string) { mergeLaws(t, base, a, b) })
}
