package permission

import (
	"strings"
	"testing"

	"paicli/agent"
)

func judge(t *testing.T, g agent.Gate, access ...agent.Access) agent.Verdict {
	t.Helper()
	v, err := g(t.Context(), &agent.Call{Intent: agent.Intent{Access: access}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The commands here are judged as text and never run.
func TestFloor(t *testing.T) {
	v := judge(t, Floor(), agent.Access{Verb: agent.VerbRun, Target: "ls; rm -rf /"})
	if v.Kind != agent.Deny || !strings.Contains(v.Reason, "rm -rf /") || !strings.Contains(v.Reason, "delete_tree") {
		t.Errorf("got %+v", v)
	}
	for _, a := range []agent.Access{
		{Verb: agent.VerbRun, Target: "go test ./..."},
		{Verb: agent.VerbRun, Target: "echo 'open"},
		{Verb: agent.VerbWrite, Target: "sudo ls"},
	} {
		if v := judge(t, Floor(), a); v.Kind != agent.Pass {
			t.Errorf("%+v: got %+v", a, v)
		}
	}
	v = judge(t, Floor(), agent.Access{Verb: agent.VerbRead, Target: "a"}, agent.Access{Verb: agent.VerbRun, Target: "sudo ls"})
	if v.Kind != agent.Deny {
		t.Errorf("the second access was not judged: %+v", v)
	}
}

func TestAllowAll(t *testing.T) {
	if v := judge(t, AllowAll()); v.Kind != agent.Allow {
		t.Errorf("got %+v", v)
	}
}
