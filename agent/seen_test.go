package agent

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paicli/llm/llmtest"
	"paicli/session"
)

// TestSeen: the log has what the model knows of files after a call that ended well; of one that
// failed nothing is certain.
func TestSeen(t *testing.T) {
	seen := []session.Seen{{Path: "a.txt", Hash: "00"}}
	for _, failure := range []error{nil, errors.New("too late")} {
		tool := fake("read", VerbRead, func(context.Context, args) (Output, error) { return Output{Seen: seen}, failure })
		m := llmtest.NewScript(llmtest.CallTool("read", `{"path":"a.txt"}`), llmtest.Say("done"))
		end := pick[*session.CallEnded](talk(t, scripted(m, tool), "go"))[0]
		want := seen
		if failure != nil {
			want = nil
		}
		if d := cmp.Diff(want, end.Seen); d != "" {
			t.Errorf("%v: %s", failure, d)
		}
	}
}
