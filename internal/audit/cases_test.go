package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"paicli/session"
)

// auditCase is a line of testdata/cases/security.jsonl of the area audit.
type auditCase struct {
	ID, Title, Area string
	Input           struct {
		Args, Outcome, Event string
		Threads, Each        int
	}
	Expect struct{ Verdict, Detail string }
}

// TestCasesAudit runs the cases through the session's log, as arguments that the model gave and as a
// command line.
func TestCasesAudit(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/cases/security.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	later, err := os.ReadFile("../../testdata/cases/later.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(raw) {
		if !bytes.Contains(line, []byte(`"area": "audit"`)) {
			continue
		}
		var c auditCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		n++
		if bytes.Contains(later, []byte(c.ID+" ")) || bytes.Contains(later, []byte(c.ID+"\n")) {
			t.Errorf("%s is run: take it off later.txt", c.ID)
		}
		t.Run(c.ID, func(t *testing.T) {
			switch {
			case c.Input.Event != "":
				TestFilesAreTheOwners(t)
			case c.Input.Threads > 0:
				parityThreads(t)
				TestProcesses(t)
			default:
				runAuditCase(t, c)
			}
		})
	}
	if n != 12 {
		t.Errorf("%d cases", n)
	}
}

var repeated = regexp.MustCompile(`\{\{repeat:(.):(\d+)\}\}`)

func runAuditCase(t *testing.T, c auditCase) {
	args := repeated.ReplaceAllStringFunc(c.Input.Args, func(m string) string {
		part, n := repeated.FindStringSubmatch(m), 0
		fmt.Sscan(part[2], &n)
		return strings.Repeat(part[1], n)
	})
	for _, denied := range []bool{false, true} {
		end := &session.CallEnded{Status: session.StatusOK, Millis: 3}
		if denied {
			end = &session.CallEnded{Status: session.StatusDenied, Reason: "recursive rm", Args: object(args), Judged: &session.Judged{By: "policy"}, Millis: 3}
		} else if c.Input.Outcome == "deny" {
			continue
		}
		got := talked(t, one(args, end)...)
		if len(got) != 1 {
			t.Fatalf("%d entries", len(got))
		}
		judgeAudit(t, c, got[0], string(object(args)))
	}
}

func judgeAudit(t *testing.T, c auditCase, e Entry, args string) {
	t.Helper()
	gone := map[string][]string{
		"sec-483": {"real-token"}, "sec-485": {"ghs_", "FAKEFAKE"}, "sec-486": {"abc/def", "ghi"}, "sec-487": {"AAAA", "BBBB"},
		"sec-489": {"SECRET", "SEC"}, "sec-490": {`a\"b`, "b,c}d"},
	}
	kept := map[string][]string{
		"sec-483": {"Authorization", "***"}, "sec-485": {"git clone https://user:"}, "sec-486": {"AWS_SECRET_ACCESS_KEY=", "go test ./..."},
		"sec-487": {"PRIVATE KEY"}, "sec-490": {`"password":"***"`}, "sec-491": {"ls"}, "sec-493": {"cd / && rm -rf ."},
		"sec-498": {"tokenizer: handle key: value pairs"},
	}
	for _, text := range gone[c.ID] {
		if strings.Contains(e.Args, text) {
			t.Errorf("%q is in %q", text, e.Args)
		}
	}
	for _, text := range kept[c.ID] {
		if !strings.Contains(e.Args, text) {
			t.Errorf("%q is missing in %q", text, e.Args)
		}
	}
	if c.Expect.Verdict == "allow" && e.Args != args {
		t.Errorf("%q became %q", args, e.Args)
	}
	if c.Input.Outcome == "deny" && (e.Outcome != Denied || e.Reason == "" || e.Approver != "policy" || e.Millis != 3 || e.Mode == "" || e.CWD == "") {
		t.Errorf("%+v", e)
	}
}
