package agent

import (
	"context"
	"strings"
	"testing"

	"paicli/llm/llmtest"
	"paicli/session"
)

// batchOf runs one batch of calls and returns the results' first lines, in the order in which the
// model gets them, and the order in which the calls ran.
func batchOf(t *testing.T, pairs ...string) (results, ran []string) {
	t.Helper()
	order := make(chan string, len(pairs))
	make1 := func(name string, verb Verb) Tool {
		return fake(name, verb, func(_ context.Context, in args) (Output, error) {
			order <- name + " " + in.Path
			return Output{Text: name + " " + in.Path}, nil
		})
	}
	m := llmtest.NewScript(llmtest.CallTool(pairs...), llmtest.Say("done"))
	talk(t, scripted(m, make1("command", VerbRun), make1("read", VerbRead), make1("write", VerbWrite)), "go")
	close(order)
	for o := range order {
		ran = append(ran, o)
	}
	ms := m.Requests()[1].Messages
	for _, b := range ms[len(ms)-1].Blocks {
		results = append(results, b.Result.ID+"="+strings.Split(b.Result.Text, "\n")[1])
	}
	return results, ran
}

func TestParityLoop(t *testing.T) {
	t.Run("L-04", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(ErrInterrupted)
		log, err := session.Create(session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := llmtest.NewScript(llmtest.Say("never"))
		out, err := scripted(m).Run(ctx, log.Thread("", 1), nil)
		if err != nil || out.End != session.EndInterrupted || len(m.Requests()) != 0 {
			t.Errorf("%+v, %v, %d requests", out, err, len(m.Requests()))
		}
	})
	t.Run("T-05", func(t *testing.T) {
		m := llmtest.NewScript(llmtest.CallTool("missing_tool", `{}`), llmtest.Say("done"))
		events := talk(t, scripted(m, echo("read", VerbRead)), "go")
		c := pick[*session.CallEnded](events)[0]
		if c.Status != session.StatusError || !strings.Contains(c.Result.Text, `unknown tool "missing_tool"; the tools are: read`) || end(events).End != session.EndDone {
			t.Errorf("got %+v", c)
		}
	})
	t.Run("T-09", func(t *testing.T) {
		results, _ := batchOf(t, "read", `{"path":"1"}`, "read", `{"path":"2"}`, "write", `{"path":"1"}`, "command", `{"path":"1"}`, "read", `{"path":"3"}`)
		if got := strings.Join(results, ", "); got != "call_0=read 1, call_1=read 2, call_2=write 1, call_3=command 1, call_4=read 3" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("P-01", TestReadsRunTogetherAndWritesAlone)
	t.Run("P-02", func(t *testing.T) {
		_, ran := batchOf(t, "write", `{"path":"1"}`, "command", `{"path":"2"}`, "write", `{"path":"3"}`, "read", `{"path":"4"}`)
		if got := strings.Join(ran, ", "); got != "write 1, command 2, write 3, read 4" {
			t.Errorf("ran %s", got)
		}
	})
	t.Run("XS-15", func(t *testing.T) {
		results, ran := batchOf(t, "write", `{"path":"b"}`, "write", `{"path":"a"}`)
		if strings.Join(ran, ", ") != "write b, write a" || strings.Join(results, ", ") != "call_0=write b, call_1=write a" {
			t.Errorf("ran %v, results %v", ran, results)
		}
	})
	t.Run("XS-16", func(t *testing.T) {
		m := llmtest.NewScript(llmtest.CallTool("read", `{"path": "a`, "read", `{"path":["a"]}`), llmtest.Say("done"))
		events := talk(t, scripted(m, echo("read", VerbRead)), "go")
		for _, c := range pick[*session.CallEnded](events) {
			if c.Status != session.StatusError || !c.Result.Error {
				t.Errorf("got %+v", c)
			}
		}
		if e := end(events); e.End != session.EndDone || len(m.Requests()) != 2 {
			t.Errorf("%d requests, %+v", len(m.Requests()), e)
		}
	})
}
