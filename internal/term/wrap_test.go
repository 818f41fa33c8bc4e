package term

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	tests := []struct {
		line  string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"short", 5, []string{"short"}},
		{"some words here", 10, []string{"some words", " here"}},
		{"some words here", 11, []string{"some words ", "here"}},
		{"averylongword x", 5, []string{"avery", "longw", "ord x"}},
		{"a verylongword", 8, []string{"a verylo", "ngword"}},
		{"中文字，字", 6, []string{"中文", "字，字"}},
		{"中", 1, []string{"中"}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, Wrap(tt.line, tt.width)); d != "" {
			t.Errorf("%q in %d: %s", tt.line, tt.width, d)
		}
	}
}

// FuzzWrap: nothing of a line is lost, and no row is too long unless one character is.
func FuzzWrap(f *testing.F) {
	f.Add("some words 中文 here", 7)
	f.Fuzz(func(t *testing.T, line string, width int) {
		line = Printable(strings.ToValidUTF8(line, "?"), false)
		rows := Wrap(line, width)
		if strings.Join(rows, "") != line {
			t.Errorf("%q became %q", line, rows)
		}
		for _, row := range rows {
			if Width(row) > max(width, 1) && len(split(row)) > 1 {
				t.Errorf("%q is wider than %d", row, width)
			}
		}
	})
}
