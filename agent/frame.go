package agent

import (
	"fmt"
	"strings"

	"paicli/internal/boundary"
)

// Frame puts a result between tags that say whose words these are not: data, never instructions.
// The loop applies it to every result, error or not, whatever it looks like: nothing counts as framed
// already. Tags of the same kind inside the body lose their bracket, what cannot be seen is left out
// with a note, and the name keeps only letters, digits and _ . : - so that nothing inside can end the
// frame. It comes after everything that cuts a text, so no part of an escape is ever cut off.
func Frame(name, body string) string {
	body, gone := boundary.Neutral(body)
	return `<tool_result tool="` + cleanName(name) + `" trust="untrusted-data">` + "\n" + body + leftOut(gone) + "\n</tool_result>"
}

// leftOut is the note about characters that cannot be seen.
func leftOut(gone boundary.Removed) string {
	if gone.Count == 0 {
		return ""
	}
	var kinds []string
	for _, r := range gone.Kinds {
		kinds = append(kinds, fmt.Sprintf("U+%04X", r))
	}
	return fmt.Sprintf("\n[%d characters that cannot be seen were left out: %s]", gone.Count, strings.Join(kinds, ", "))
}

func cleanName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_.:-", r):
			return r
		}
		return -1
	}, name)
}
