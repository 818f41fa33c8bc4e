package tool

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzNotebook: a file that is called a notebook is shown as one, within bounds, or as its lines.
func FuzzNotebook(f *testing.F) {
	f.Add(`{"cells": [{"cell_type": "code", "source": ["a\n", "b"], "outputs": [{"text": "1"}, {"data": {"text/plain": 3}}]}]}`)
	f.Add(`{"cells": [{"source": 1}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		l := &look{scan: newScan(part{offset: 1, limit: maxLines}), data: []byte(text)}
		got := notebookListing("n.ipynb", l)
		if got != "" && !strings.HasPrefix(got, "n.ipynb (notebook, ") {
			t.Errorf("got %q", got)
		}
		if n := utf8.RuneCountInString(got); n > maxFirstRunes+maxCellSource+len(text) {
			t.Errorf("%d characters", n)
		}
	})
}
