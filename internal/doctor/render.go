package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"paicli/internal/i18n"
)

// JSON writes the report as one indented JSON object.
func (r Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// Text writes the report as lines, without colours or columns: Chinese and English words have no
// common width.
func (r Report) Text(w io.Writer, lang i18n.Lang) error {
	count := map[Status]int{}
	var b strings.Builder
	for _, c := range r.Checks {
		count[c.Status]++
		fmt.Fprintln(&b, lang.Say(i18n.DoctorLine, lang.Say(c.Status.word()), lang.Say(c.title), indent(c.Detail)))
		if c.Hint != "" && c.Status != OK {
			fmt.Fprintf(&b, "    %s\n", indent(lang.Say(i18n.HintLine, c.Hint)))
		}
	}
	fmt.Fprintln(&b, lang.Say(i18n.DoctorSummary, count[OK], count[Warn], count[Fail]))
	_, err := io.WriteString(w, b.String())
	return err
}

func (s Status) word() i18n.Text {
	switch s {
	case Warn:
		return i18n.DoctorWarn
	case Fail:
		return i18n.DoctorFail
	}
	return i18n.DoctorOK
}

func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n    ") }

// printable drops control characters but line ends, since values of the environment are shown.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}
