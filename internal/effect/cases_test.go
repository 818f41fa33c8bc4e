package effect

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// guardCase is a case of testdata/cases/security.jsonl, area command_guard. Its command is read, never run.
type guardCase struct {
	ID, Area string
	Input    struct {
		Command    string
		AllowRules []string `json:"allow_rules"`
	}
	Expect struct {
		Verdict     string
		AlsoOK      []string `json:"also_ok"`
		AutoApprove bool     `json:"auto_approve"`
		Detail      string
	}
}

var repeat = regexp.MustCompile(`\{\{repeat:(.*?):(\d+)\}\}`)

// filled is a command with its placeholders filled in.
func filled(command, root string) string {
	text := repeat.ReplaceAllStringFunc(command, func(m string) string {
		part := repeat.FindStringSubmatch(m)
		n, _ := strconv.Atoi(part[2])
		return strings.Repeat(part[1], n)
	})
	return strings.ReplaceAll(text, "${ROOT}", root)
}

// accepts reports whether a verdict is one of those that the case permits.
func (c guardCase) accepts(v Verdict) bool {
	for _, want := range append([]string{c.Expect.Verdict}, c.Expect.AlsoOK...) {
		switch {
		case want == "allow" && (v == Allow || v == Review && !c.Expect.AutoApprove),
			want == "ask" && (v == Review || v == Ask),
			want == "deny" && v == Deny:
			return true
		}
	}
	return false
}

func TestGuardCases(t *testing.T) {
	later := laterCases(t)
	const root, home = "/home/dev/project", "/home/dev"
	counts := map[Verdict]int{}
	total := 0
	eachLine(t, "../../testdata/cases/security.jsonl", func(line []byte) error {
		var c guardCase
		if err := json.Unmarshal(line, &c); err != nil || c.Area != "command_guard" {
			return err
		}
		total++
		start := time.Now()
		got := Analyse(filled(c.Input.Command, root), Place{Dir: root, Home: home})
		counts[got.Verdict]++
		problem := ""
		if !c.accepts(got.Verdict) {
			problem = fmt.Sprintf("%q is %v (%s), want %s", shorten(c.Input.Command), got.Verdict, got.Why, c.Expect.Verdict)
		}
		if got.Verdict == Deny && got.Finding.Command == "" {
			problem = "the refusal names no command"
		}
		if took := time.Since(start); took > time.Second {
			problem = fmt.Sprintf("took %v", took)
		}
		switch {
		case problem != "" && !slices.Contains(later, c.ID):
			t.Errorf("%s: %s", c.ID, problem)
		case problem == "" && slices.Contains(later, c.ID):
			t.Errorf("%s passes and stands in later.txt", c.ID)
		}
		return nil
	})
	t.Logf("SUMMARY command_guard: %d cases; allow %d, review %d, ask %d, deny %d", total, counts[Allow], counts[Review], counts[Ask], counts[Deny])
	if total == 0 {
		t.Error("no cases")
	}
}

func laterCases(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/cases/later.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(data))
}
