package textedit

import "strings"

// stripBoth takes line numbers off a text quoted from a listing, and off its replacement when that
// has them on every line too. It is false when the quoted text has none.
func stripBoth(old, repl string) (bareOld, bareRepl string, ok bool) {
	bareOld, ok = StripLineNumbers(old)
	if !ok {
		return old, repl, false
	}
	if bare, ok := StripLineNumbers(repl); ok {
		repl = bare
	}
	return bareOld, repl, true
}

// StripLineNumbers takes the line numbers of a listing off a text: `N | `, `N|`, `N→` or `N` and a
// tab, perhaps padded on the left. It is false, and the text unchanged, unless every line that is
// not empty has one.
func StripLineNumbers(s string) (string, bool) {
	lines := strings.Split(s, "\n")
	any := false
	for i, line := range lines {
		if strings.TrimRight(line, "\r") == "" {
			continue
		}
		rest, ok := cutLineNumber(line)
		if !ok {
			return s, false
		}
		lines[i], any = rest, true
	}
	if !any {
		return s, false
	}
	return strings.Join(lines, "\n"), true
}

func cutLineNumber(line string) (string, bool) {
	rest := strings.TrimLeft(line, " ")
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if digits == 0 {
		return "", false
	}
	rest = rest[digits:]
	for _, sep := range []string{" | ", "|", "→", "\t"} {
		if text, ok := strings.CutPrefix(rest, sep); ok {
			return text, true
		}
	}
	if text, ok := strings.CutPrefix(rest, " |"); ok && strings.TrimRight(text, "\r") == "" {
		return text, true
	}
	return "", false
}
