package effect

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestFamilies reads testdata/families.txt: whole families of commands, each with the verdict that its user
// wants, in both directions.
func TestFamilies(t *testing.T) {
	file, err := os.Open("testdata/families.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	wants := map[string][]Verdict{
		"deny": {Deny}, "guard": {Deny, Ask}, "ask": {Review, Ask}, "person": {Ask}, "never": {Review, Ask, Deny}, "allow": {Allow, Review}, "auto": {Allow},
	}
	source, total := "", 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "## "); ok {
			source = name
		}
		want, command, ok := strings.Cut(line, " ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if w, quoted := strings.CutSuffix(want, "="); quoted {
			want = w
			if command, err = strconv.Unquote(command); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		total++
		got := Analyse(filled(command, suitePlace().Dir), suitePlace())
		if !slices.Contains(wants[want], got.Verdict) {
			t.Errorf("%s: %q is %v (%s), want %s", source, shorten(command), got.Verdict, got.Why, want)
		}
		if got.Verdict == Deny && got.Finding.Command == "" {
			t.Errorf("%q: the refusal names no command", shorten(command))
		}
	}
	t.Logf("%d commands", total)
}
