package textedit

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutant is a mistake that somebody could make: text of a source file and what stands there instead.
type mutant struct{ name, file, good, bad string }

func mutants() []mutant {
	return []mutant{
		{"overlapping places are not counted", "replace.go", "from += i + 1", "from += i + len(old)"},
		{"of two places the first is taken", "replace.go", "return span{}, ambiguous(text, found)", "return found[0], nil"},
		{"the text around is folded too", "replace.go", "b.WriteString(text[done:e.From])", "b.WriteString(fold(text[done:e.From]).text); _ = 0"},
		{"new text keeps its own line ends", "replace.go", "New: withLineEnd(repl, end)}", "New: repl}"},
		{"line ends are always those of the file", "replace.go", `if end == "" || end == "\r" {`, "if true {"},
		{"carriage returns are doubled", "replace.go", "return toCRLF(toLF(s))", "return toCRLF(s)"},
		{"line ends of the fewer lines", "replace.go", "case 2*crlf >= all:", "case 2*crlf < all:"},
		{"a CRLF file is not matched by LF text", "replace.go", "found = occurrences(text, toCRLF(lf)); len(found) == 0", "found = nil; len(found) == 0"},
		{"an LF file is not matched by CRLF text", "replace.go", "found = occurrences(text, lf)\n", "found = nil\n"},
		{"half of a line end stays behind", "replace.go", "s.from--", "s.from += 0"},
		{"files of the classic Mac get line feeds", "replace.go", `return strings.ReplaceAll(toLF(s), "\n", "\r")`, "return s"},
		{"all places, overlapping ones too", "replace.go", "if s.from >= taken {", "if s.from >= 0 {"},
		{"all places by folding", "replace.go", "range exact(text, old) {", "range append(exact(text, old), folded(text, old)...) {"},
		{"replacing all replaces one", "replace.go", "if s.from >= taken {", "if taken == 0 {"},
		{"no change is a change", "replace.go", "if !changes {", "if false {"},
		{"the same text is taken as a change", "replace.go", "if old == repl {", "if false {"},
		{"the second reason is given instead of the first", "replace.go", "if at, again = locate(text, bare); again != nil || !startsLine(text, at.from) {\n\t\t\treturn Replacement{}, err",
			"if at, again = locate(text, bare); again != nil || !startsLine(text, at.from) {\n\t\t\treturn Replacement{}, again"},
		{"numbers may stand for the middle of a line", "replace.go", "again != nil || !startsLine(text, at.from)", "again != nil"},
		{"line numbers stay in new text", "prefix.go", "repl = bare\n", "_ = bare\n"},
		{"line numbers are taken off lines that have none", "prefix.go", "return s, false\n\t\t}\n\t\tlines[i]", "continue\n\t\t}\n\t\tlines[i]"},
		{"an arrow is no line number", "prefix.go", `"→", `, ""},
		{"half of a character is replaced", "fold.go", "if okFrom && okTo {", "if okFrom || okTo || true {"},
		{"blanks at line ends count", "fold.go", "f.trim(begin, before, l.to)", "_, _ = begin, before"},
		{"blanks before the place are taken along", "fold.go", "if !begins {", "if true {"},
		{"blanks behind the place are taken along", "fold.go", "for i > 0 && f.patches[i-1].to == (span{at, at}) {", "for false {"},
		{"offsets in folded text are taken for offsets in the file", "fold.go", "return last.from.to + at - last.to.to, true", "return at + 0*last.to.to, true"},
		{"dashes are not folded", "fold.go", "case r >= 0x2010 && r <= 0x2015, r == 0x2212:", "case r == 0x2212:"},
		{"pieces of one character are taken for several", "fold.go", "for it.Pos() == pos && !it.Done() {", "for false {"},
		{"blank text is found", "fold.go", `if strings.TrimSpace(needle) == "" {`, `if needle == "" {`},
		{"offsets in text are taken for offsets in bytes", "bytes.go", "p.at += size\n\treturn err", "p.at += len(old) + 0*size\n\treturn err"},
		{"the byte order mark is forgotten", "bytes.go", "if t.BOM {", "if false {"},
		{"a character is replaced by another", "../charset/charset.go", "c.NewEncoder().Bytes([]byte(text))", "encoding.ReplaceUnsupported(c.NewEncoder()).Bytes([]byte(text))"},
		{"invalid bytes are replaced", "../charset/charset.go", "return []byte(text), nil", `return []byte(strings.ToValidUTF8(text, "\uFFFD")), nil`},
		{"the wrong byte order", "../charset/charset.go", "unicode.BigEndian", "unicode.LittleEndian"},
		{"Latin-1 is taken for the encoding of Windows", "../charset/legacy.go", "Encoding: Latin1, Doubtful", "Encoding: Windows1252, Doubtful"},
	}
}

// TestMutants: TestNoByteIsLost catches every mistake of the table. PAICLI_FULL=1 tries all of them,
// each in a build of its own; otherwise a few.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	all := mutants()
	for i, m := range all {
		if os.Getenv("PAICLI_FULL") != "1" && i%12 != 0 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			out, err := m.test(t)
			if err == nil {
				t.Error("nothing noticed it")
			}
			if !strings.Contains(out, "--- FAIL: TestNoByteIsLost") && !strings.Contains(out, "panic:") {
				t.Errorf("it was not the test that failed: %s", out)
			}
		})
	}
	t.Logf("%d mutants in the table", len(all))
}

// test runs the property test on a build with the mistake in it.
func (m mutant) test(t *testing.T) (string, error) {
	t.Helper()
	file, err := filepath.Abs(m.file)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), m.good) != 1 {
		t.Fatalf("%q is in %s %d times, want once", m.good, m.file, strings.Count(string(source), m.good))
	}
	dir := t.TempDir()
	bad := filepath.Join(dir, filepath.Base(file))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: bad}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{bad: []byte(strings.Replace(string(source), m.good, m.bad, 1)), filepath.Join(dir, "overlay.json"): overlay} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-timeout=60s", "-run=^TestNoByteIsLost$", "-overlay="+filepath.Join(dir, "overlay.json"), ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "PAICLI_FULL=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
