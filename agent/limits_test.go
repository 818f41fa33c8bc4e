package agent

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paicli/llm"
	"paicli/llm/llmtest"
	"paicli/session"
)

// metered runs a turn whose requests are billed to its session.
func metered(t *testing.T, a *Agent) (*session.TurnEnded, *session.Log) {
	t.Helper()
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	with := *a
	with.Model = llm.Meter(Meter(log), time.Now)(a.Model)
	conv := NewConv(log, func(session.State) (*Agent, error) { return &with, nil }, ConvOptions{})
	conv.Submit(Prompt{Text: "go"})
	return end(untilEnd(t, conv)), log
}

func spending(n int, text string, calls ...string) llmtest.Step {
	s := llmtest.Say(text)
	if len(calls) > 0 {
		s = llmtest.CallTool(calls...)
	}
	s.Usage = llm.Usage{Input: n, Output: n, Known: true}
	return s
}

func TestParityLimits(t *testing.T) {
	calls := func(n int) []llmtest.Step {
		var steps []llmtest.Step
		for i := range n {
			steps = append(steps, spending(50, "", "read", `{"path":"`+strings.Repeat("x", i+1)+`"}`))
		}
		return append(steps, spending(1, "report"))
	}
	t.Run("L-10", func(t *testing.T) {
		m := llmtest.NewScript(calls(2)...)
		a := scripted(m, echo("read", VerbRead))
		a.Guards = []Guard{MaxSteps(2)}
		if e, _ := metered(t, a); len(m.Requests()) != 3 || len(m.Requests()[2].Tools) != 0 || e.End != session.EndPartial {
			t.Errorf("%d requests, %+v", len(m.Requests()), e)
		}
	})
	t.Run("G-11", func(t *testing.T) {
		for name, c := range map[string]struct {
			guard  Guard
			reason string
			asked  int
		}{
			"tokens":        {TokenBudget(250), ReasonTokens, 4}, // 100 a step: after the third 300 are used
			"cost":          {MaxCost(0.00025), ReasonCost, 4},
			"not reached":   {TokenBudget(10_000), "", 6},
			"nothing given": {func(context.Context, *Turn) error { return nil }, "", 6},
		} {
			m := llmtest.NewScript(calls(5)...)
			m.About.Prices = &llm.Prices{Currency: "USD", Base: llm.Price{Input: 1, Output: 1}}
			a := scripted(m, echo("read", VerbRead))
			a.Guards = []Guard{c.guard}
			e, _ := metered(t, a)
			if e.Reason != c.reason || len(m.Requests()) != c.asked {
				t.Errorf("%s: %d requests, %+v", name, len(m.Requests()), e)
			}
		}
	})
}

// The time of a turn may end while the model speaks or a tool runs: what is there is kept, the
// closing request follows.
func TestTimeLimit(t *testing.T) {
	t.Run("while the model speaks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slow := llmtest.Say("half of it")
			slow.Wait = func(ctx context.Context) { <-ctx.Done() }
			m := llmtest.NewScript(slow, llmtest.Say("report"))
			a := scripted(m)
			a.Limits.Time = time.Minute
			e, log := metered(t, a)
			if e.End != session.EndPartial || e.Reason != ReasonTime || e.Text != "report" {
				t.Errorf("got %+v", e)
			}
			if text := log.Thread("", 1).Messages()[1].Text(); !strings.HasPrefix(text, "half of it") {
				t.Errorf("the text so far is lost: %q", text)
			}
		})
	})
	t.Run("while a tool runs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := llmtest.NewScript(llmtest.CallTool("run", `{"path":"x"}`), llmtest.Say("report"))
			a := scripted(m, fake("run", VerbRun, func(ctx context.Context, _ args) (Output, error) {
				<-ctx.Done()
				return Output{}, ctx.Err()
			}))
			a.Limits.Time = time.Minute
			if e, _ := metered(t, a); e.Reason != ReasonTime || e.Text != "report" {
				t.Errorf("got %+v", e)
			}
		})
	})
}

func TestNoAnswerIsCarriedOnOnce(t *testing.T) {
	empty := func() llmtest.Step { return llmtest.Step{Err: &llm.Error{Kind: llm.ErrEmpty}} }
	cutOff := llmtest.Say("The first half")
	cutOff.Finish = llm.FinishLength
	again := llmtest.Say(" and a bit")
	again.Finish = llm.FinishLength
	thought := llmtest.Step{Finish: llm.FinishLength, Message: llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{{Kind: llm.KindThink, Text: "hm"}}}}
	for name, c := range map[string]struct {
		steps []llmtest.Step
		end   session.End
		text  string
		asked int
	}{
		"empty, then an answer":         {[]llmtest.Step{empty(), llmtest.Say("here")}, session.EndDone, "here", 2},
		"empty twice":                   {[]llmtest.Step{empty(), empty(), llmtest.Say("never")}, session.EndFailed, "", 2},
		"cut, then the rest":            {[]llmtest.Step{cutOff, llmtest.Say(" and the second.")}, session.EndDone, "The first half and the second.", 2},
		"cut twice":                     {[]llmtest.Step{cutOff, again, llmtest.Say("never")}, session.EndPartial, "The first half and a bit", 2},
		"only reasoning, cut by length": {[]llmtest.Step{thought, llmtest.Say("short")}, session.EndDone, "short", 2},
	} {
		m := llmtest.NewScript(c.steps...)
		e := end(talk(t, scripted(m), "go"))
		if e.End != c.end || e.Text != c.text || len(m.Requests()) != c.asked {
			t.Errorf("%s: %d requests, %+v", name, len(m.Requests()), e)
		}
	}
}

func TestParityParallel(t *testing.T) {
	t.Run("P-04", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slow := fake("slow", VerbRead, func(ctx context.Context, _ args) (Output, error) {
				<-ctx.Done()
				return Output{}, ctx.Err()
			})
			m := llmtest.NewScript(llmtest.CallTool("slow", `{"path":"x"}`, "read", `{"path":"y"}`), llmtest.Say("done"))
			events := talk(t, scripted(m, slow, echo("read", VerbRead)), "go")
			status := map[string]session.Status{}
			for _, e := range pick[*session.CallEnded](events) {
				status[e.Name] = e.Status
			}
			if status["slow"] != session.StatusTimeout || status["read"] != session.StatusOK {
				t.Errorf("got %v", status)
			}
			if r := m.Requests()[1].Messages[2].Blocks[0].Result; !strings.Contains(r.Text, "timed out after 1m30s") {
				t.Errorf("got %q", r.Text)
			}
		})
	})
}

// A call that ignores the end of its context is left behind; the turn goes on to its end.
func TestHangingCallIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		running := make(chan struct{})
		tool := fake("stuck", VerbRun, func(context.Context, args) (Output, error) {
			close(running)
			<-stuck
			return Output{Text: "late"}, nil
		})
		conv := newConv(t, scripted(llmtest.NewScript(llmtest.CallTool("stuck", `{"path":"x"}`)), tool))
		conv.Submit(Prompt{Text: "go"})
		<-running
		conv.Submit(Interrupt{})
		ends := pick[*session.CallEnded](untilEnd(t, conv))
		if len(ends) != 1 || ends[0].Status != session.StatusUnknown {
			t.Errorf("got %+v", ends)
		}
		close(stuck)
	})
}
