//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"paicli/llm"
	"paicli/llm/llmtest"
)

// securityCase is a line of testdata/cases/security.jsonl of the areas that this file runs.
type securityCase struct {
	ID, Title, Area string
	Input           struct {
		Tool, Where, Text, Path, Content, Command, Args string
		Output                                          *string `json:"tool_output"`
		Error                                           *string
		Event                                           string
		Chunks                                          []string
		Then                                            struct{ Old, New string }
	}
	Expect struct{ Verdict, Detail string }
}

var repeated = regexp.MustCompile(`\{\{repeat:((?s:.*?)):(\d+)\}\}`)

// readSecurity reads the cases of an area.
func readSecurity(t *testing.T, area string) []securityCase {
	t.Helper()
	raw, err := os.ReadFile("testdata/cases/security.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []securityCase
	for line := range bytes.Lines(raw) {
		if !bytes.Contains(line, []byte(`"area": "`+area+`"`)) {
			continue
		}
		var c securityCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*string{c.Input.Output, &c.Input.Text, &c.Input.Args} {
			if s != nil {
				*s = spellOut(*s)
			}
		}
		out = append(out, c)
	}
	return out
}

// spellOut puts in what {{repeat:S:N}} stands for.
func spellOut(s string) string {
	return repeated.ReplaceAllStringFunc(s, func(m string) string {
		part, n := repeated.FindStringSubmatch(m), 0
		fmt.Sscan(part[2], &n)
		return strings.Repeat(part[1], n)
	})
}

// run is one turn of the real program in a project of its own.
type run struct {
	results []string // of the calls, as the model got them
	out     string   // stdout
	err     string   // stderr, with -v
	dir     string
}

// play lets the model make calls, one reply each, in a project with files.
func play(t *testing.T, files map[string]string, calls ...[2]string) run {
	t.Helper()
	r := run{dir: t.TempDir()}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var answers []llmtest.Answer
	for i, c := range calls {
		answers = append(answers, llmtest.Calls(llm.Call{ID: fmt.Sprintf("c%d", i), Name: c[0], Args: c[1]}))
	}
	server := llmtest.NewServer(append(answers, llmtest.Text("done"))...)
	defer server.Close()
	home := t.TempDir()
	cmd := exec.Command("paicli", "-v", "-p", "go", "--allow", "execute_command")
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "HOME="+home, "PAICLI_HOME="+filepath.Join(home, ".paicli"), "LANG=C.UTF-8",
		"PAICLI_BASE_URL="+server.URL()+"/v1", "PAICLI_API_KEY=dummy-key", "PAICLI_MODEL=scripted")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	r.out, r.err = stdout.String(), stderr.String()
	all := server.Requests()
	var last struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.Unmarshal(all[len(all)-1].Body, &last); err != nil {
		t.Fatal(err)
	}
	for _, m := range last.Messages {
		if text, ok := m.Content.(string); ok && m.Role == "tool" {
			r.results = append(r.results, text)
		}
	}
	if len(r.results) != len(calls) {
		t.Fatalf("%d results of %d calls", len(r.results), len(calls))
	}
	return r
}

// shows is a command that prints a text, in pieces that arrive one after the other.
func shows(pieces ...string) (map[string]string, [2]string) {
	files := map[string]string{}
	var parts []string
	for i, p := range pieces {
		name := fmt.Sprintf("piece%d", i)
		files[name] = p
		parts = append(parts, "cat "+name)
	}
	args, _ := json.Marshal(map[string]string{"command": strings.Join(parts, "; sleep 0.05; ")})
	return files, [2]string{"execute_command", string(args)}
}

// accounted sees that each case of an area is either run or listed as later, not both.
func accounted(t *testing.T, area string, runs func(t *testing.T, c securityCase) bool) {
	later := laterCases(t)
	for _, c := range readSecurity(t, area) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			if later[c.ID] {
				return
			}
			if !runs(t, c) {
				t.Errorf("nothing runs %s", c.Title)
			}
		})
	}
}

var ownTag = regexp.MustCompile(`(?i)<[\s/]*tool_result`)

// TestCasesBoundary: what a tool gave stays within its frame.
func TestCasesBoundary(t *testing.T) {
	accounted(t, "boundary", func(t *testing.T, c securityCase) bool {
		switch in := c.Input; {
		case in.Then.Old != "":
			editsTag(t, c)
		case in.Error != nil: // the text of an error is a name that the model gave
			args, _ := json.Marshal(map[string]string{"path": *in.Error})
			framed(t, c, play(t, nil, [2]string{"read_file", string(args)}).results[0], *in.Error)
		case strings.Contains(in.Tool, `"`):
			got := play(t, nil, [2]string{in.Tool, "{}"}).results[0]
			head, _, _ := strings.Cut(got, "\n")
			if !regexp.MustCompile(`^<tool_result tool="[\w.:-]*" trust="untrusted-data">$`).MatchString(head) {
				t.Error(head)
			}
		case in.Output != nil:
			files, call := shows(*in.Output)
			r := play(t, files, call)
			framed(t, c, r.results[0], *in.Output)
			sameViews(t, r)
		default:
			return false
		}
		return true
	})
}

// framed judges a result.
func framed(t *testing.T, c securityCase, got, text string) {
	t.Helper()
	bare := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Mn) {
			return -1
		}
		return r
	}, got)
	if n := len(ownTag.FindAllString(bare, -1)); n != 2 || !strings.HasPrefix(got, "<tool_result ") || !strings.HasSuffix(got, "\n</tool_result>") {
		t.Errorf("%d tags in %.300q", n, got)
	}
	if strings.ContainsAny(got, "＜\x1b") {
		t.Errorf("not neutral: %q", got)
	}
	if c.Expect.Verdict == "allow" && !strings.Contains(got, "\n"+text+"\n</tool_result>") {
		t.Errorf("changed: %q of %q", got, text)
	}
	if i := strings.IndexFunc(got, func(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }); i >= 0 && c.Expect.Verdict != "allow" {
		t.Errorf("something hidden is left: %q", got)
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) })
	if last := words[max(len(words)-1, 0):]; len(last) > 0 && !strings.Contains(got, last[0]) {
		t.Errorf("%q is lost: %q", last[0], got)
	}
	if strings.Contains(text, "Disregard") && !strings.Contains(got, "[erased: 31 characters]") {
		t.Errorf("nothing tells of what was erased: %q", got)
	}
}

// editsTag changes a file that holds the tag, quoted raw and as it was shown.
func editsTag(t *testing.T, c securityCase) {
	for _, neutral := range []bool{false, true} {
		then := c.Input.Then
		if neutral {
			then.Old, then.New = strings.ReplaceAll(then.Old, "<", "&lt;"), strings.ReplaceAll(then.New, "<", "&lt;")
		}
		args, _ := json.Marshal(map[string]string{"path": c.Input.Path, "old_text": then.Old, "new_text": then.New})
		r := play(t, map[string]string{c.Input.Path: c.Input.Content},
			[2]string{"read_file", `{"path":"` + c.Input.Path + `"}`}, [2]string{"edit_file", string(args)})
		want := strings.Replace(c.Input.Content, c.Input.Then.Old, c.Input.Then.New, 1)
		if got, _ := os.ReadFile(filepath.Join(r.dir, c.Input.Path)); string(got) != want {
			t.Errorf("neutral %v: got %q, want %q: %s", neutral, got, want, r.results[1])
		}
	}
}

// TestCasesTerminal: nothing that others wrote controls the terminal. Questions are judged in
// internal/repl.
func TestCasesTerminal(t *testing.T) {
	accounted(t, "terminal", func(t *testing.T, c securityCase) bool {
		switch in := c.Input; {
		case in.Where == "approval_prompt", in.Event != "":
			return true
		case in.Where == "tool_output":
			pieces := in.Chunks
			if pieces == nil {
				pieces = []string{in.Text}
			}
			files, call := shows(pieces...)
			r := play(t, files, call)
			harmless(t, c, r.err)
			sameViews(t, r)
		case in.Where == "filename":
			args, _ := json.Marshal(map[string]string{"path": in.Text})
			r := play(t, map[string]string{in.Text: "text"}, [2]string{"read_file", string(args)}, [2]string{"list_dir", `{"path":"."}`})
			harmless(t, c, r.err)
		case in.Where == "assistant":
			rendersText(t, in.Text)
		case in.Command != "":
			args, _ := json.Marshal(map[string]string{"command": in.Command})
			got := play(t, nil, [2]string{"execute_command", string(args)}).results[0]
			if !strings.Contains(got, "/dev/tty: No such device or address") {
				t.Error(got)
			}
		default:
			return false
		}
		return true
	})
}

// harmless judges what was printed for people.
func harmless(t *testing.T, c securityCase, shown string) {
	t.Helper()
	if i := strings.IndexFunc(shown, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
		t.Errorf("a control reaches the terminal: %q", shown)
	}
	wants := map[string][]string{
		"sec-355": {"ok"}, "sec-359": {"red"}, "sec-361": {"abc"}, "sec-373": {"100%", "done"}, "sec-375": {"PASS"},
		"sec-374": {c.Input.Text},
	}
	for _, want := range wants[c.ID] {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing in %q", want, shown)
		}
	}
}

// sameViews: people see the output that the model gets.
func sameViews(t *testing.T, r run) {
	t.Helper()
	_, body, _ := strings.Cut(r.results[0], "exit code: 0\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(body, "\n</tool_result>"), "\n") {
		shown := strings.HasPrefix(line, "[") || strings.Contains(line, "&") // the frame's own doing
		if !shown && !strings.Contains(r.err, line) {
			t.Errorf("the model reads %q, the person %q", line, r.err)
		}
	}
}

// TestNamesAreHarmless: what a model calls a tool is no more than a name on the screen.
func TestNamesAreHarmless(t *testing.T) {
	r := play(t, nil, [2]string{"bad\x1b[2J\u202e\u0007name", "{}"})
	if strings.ContainsFunc(r.err, func(r rune) bool { return unicode.IsControl(r) && r != '\n' || r == 0x202E }) || !strings.Contains(r.err, "name") {
		t.Errorf("%q", r.err)
	}
}

// rendersText shows an answer. The only requests are those to the model.
func rendersText(t *testing.T, text string) {
	t.Helper()
	server := llmtest.NewServer(llmtest.Text(text))
	defer server.Close()
	cmd := exec.Command("paicli", "-p", "go")
	home := t.TempDir()
	cmd.Dir = home
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "HTTP") }), "HOME="+home,
		"PAICLI_HOME="+filepath.Join(home, ".paicli"), "PAICLI_BASE_URL="+server.URL()+"/v1", "PAICLI_MODEL=scripted",
		"PAICLI_API_KEY=dummy-key")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), text) || len(server.Requests()) != 1 {
		t.Errorf("%q, %v, %d requests", out, err, len(server.Requests()))
	}
}
