package tool

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"paicli/internal/boundary"
	"paicli/internal/fsx"
)

// asWritten reads a quotation of a file as the file has it. What a model was shown is the neutral
// form of the text, in which our own tags have no brackets; the file never gets that form back. What
// the neutral form leaves out, because it cannot be seen, must be quoted: the error says how.
func (in editFileArgs) asWritten(p fsx.Path, text string) (editFileArgs, error) {
	if strings.Contains(text, in.OldText) {
		in.NewText = restored(text, in.NewText)
		return in, nil
	}
	raw, ok := boundary.Written(text, in.OldText)
	if !ok {
		return in, nil
	}
	if _, gone := boundary.Neutral(raw); gone.Count > 0 {
		return in, fmt.Errorf("not found: %s has this text with characters in it that cannot be seen; in old_text, as JSON, it is \"%s\"", p.Rel, jsonText(raw))
	}
	in.OldText, in.NewText = raw, boundary.Restore(in.NewText)
	return in, nil
}

// jsonText writes a text as in a JSON string, with escapes for what cannot be seen.
func jsonText(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
	return boundary.Mark(s, func(r rune) string {
		var out strings.Builder
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
		return out.String()
	})
}

// restored gives new text for a file its brackets back. A file that speaks of the neutral form itself
// keeps it.
func restored(before, text string) string {
	if boundary.Restore(before) != before {
		return text
	}
	if neutral, _ := boundary.Neutral(before); neutral == before {
		return text
	}
	return boundary.Restore(text)
}
