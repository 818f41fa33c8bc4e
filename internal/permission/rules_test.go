package permission

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"paicli/agent"
	"paicli/internal/effect"
)

// TestRuleFamilies reads testdata/rules.txt: one rule at a time against all spellings of a command that it
// should cover or miss.
func TestRuleFamilies(t *testing.T) {
	data, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	rule, p := "", New(Options{})
	for line := range strings.Lines(string(data)) {
		kind, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case !ok || kind == "#":
		case !strings.HasPrefix(line, " "):
			o := Options{Place: effect.Place{Dir: "/home/ada/project", Home: "/home/ada"}}
			if rule = rest; kind == "allow" {
				o.Rules.Allow = rules(t, rule)
			} else {
				o.Rules.Deny = rules(t, rule)
			}
			p = New(o)
		default:
			want, quoted := strings.CutSuffix(kind, "=")
			if quoted {
				if rest, err = strconv.Unquote(rest); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
			}
			if got := outcome(t, p, rest); got != want {
				t.Errorf("%s: %q: %s, want %s", rule, rest, got, want)
			}
		}
	}
}

// outcome is what floor, rules and mode say of a command.
func outcome(t *testing.T, p *Policy, command string) string {
	t.Helper()
	call := &agent.Call{Name: runTool, Intent: agent.Intent{Access: []agent.Access{{Verb: agent.VerbRun, Target: command}}}}
	for _, gate := range []agent.Gate{p.floor, p.settled} {
		v, err := gate(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		switch v.Kind {
		case agent.Allow:
			return "allow"
		case agent.Deny:
			return "deny"
		}
	}
	return "ask"
}
