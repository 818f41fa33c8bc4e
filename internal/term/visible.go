package term

import (
	"fmt"
	"strings"
	"unicode"

	"paicli/internal/boundary"
)

// Bounds on blanks that are shown one by one: what stands behind more of them would be out of sight.
const (
	maxBlanks = 8
	maxIndent = 40 // at the beginning of a line, where programs have many
)

// Visible shows every character of a text that a person is to judge, such as a command: controls and
// characters without a width as what they are (\x1b, ␍, <U+202E>), long runs of blanks by their
// number. Newlines stay. Two different texts may look the same only where one spells such a code out.
func Visible(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		visibleLine(&b, boundary.Mark(line, code))
	}
	return b.String()
}

// plain reports whether a text is ASCII that shows itself.
func plain(s string) bool {
	blanks := 0
	for i := range len(s) {
		c := s[i]
		if c > '~' || c < ' ' && c != '\n' {
			return false
		}
		if c != ' ' {
			blanks = 0
		} else if blanks++; blanks > maxBlanks {
			return false
		}
	}
	return true
}

func visibleLine(b *strings.Builder, line string) {
	most := maxIndent
	for line != "" {
		rest := strings.TrimLeftFunc(line, isBlank)
		b.WriteString(blanks(line[:len(line)-len(rest)], most))
		most = maxBlanks
		end := strings.IndexFunc(rest, isBlank)
		if end < 0 {
			end = len(rest)
		}
		for _, r := range rest[:end] {
			b.WriteString(visible(r))
		}
		line = rest[end:]
	}
}

func isBlank(r rune) bool { return r == '\t' || unicode.Is(unicode.Zs, r) }

// blanks shows a run of blanks.
func blanks(run string, most int) string {
	n := strings.Count(run, "") - 1
	if n > most {
		return fmt.Sprintf("⟨␣×%d⟩", n)
	}
	return strings.ReplaceAll(run, "\t", "    ")
}

func visible(r rune) string {
	switch {
	case r == '\r':
		return "␍"
	case r < ' ' || r == 0x7F:
		return fmt.Sprintf(`\x%02x`, r)
	case unicode.IsControl(r):
		return fmt.Sprintf(`\u%04x`, r)
	case reorders(r):
		return code(r)
	}
	return string(r)
}

// Sheet is a text laid out for somebody who must judge it and will not read all of a long one.
type Sheet struct {
	Lines []string // all of it, visible; equal neighbours as one with their number
	Total int      // lines of the text
	First []Numbered
	More  int // lines that belong to First and found no room
}

// Numbered is a line and its number, from 1.
type Numbered struct {
	Number int
	Text   string
}

// maxFirst bounds Sheet.First, so that it fits a screen.
const maxFirst = 12

// Lay lays a text out. First are the lines for which risky says yes.
func Lay(text string, risky func(line string) bool) Sheet {
	var s Sheet
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	s.Total = len(all)
	for i := 0; i < len(all); {
		same := 1
		for i+same < len(all) && all[i+same] == all[i] {
			same++
		}
		shown := Visible(strings.TrimSuffix(all[i], "\r"))
		s.add(all[i], Numbered{i + 1, shown}, risky)
		if same > 1 {
			shown = fmt.Sprintf("%s  ⟨×%d⟩", shown, same)
		}
		s.Lines = append(s.Lines, shown)
		i += same
	}
	return s
}

func (s *Sheet) add(line string, n Numbered, risky func(string) bool) {
	switch {
	case risky == nil || strings.TrimSpace(line) == "" || !risky(line):
	case len(s.First) == maxFirst:
		s.More++
	default:
		s.First = append(s.First, n)
	}
}
