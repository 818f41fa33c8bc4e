package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"paicli/internal/term/termtest"
)

// tuiRun is a case that is played by a person at a terminal.
type tuiRun struct {
	*uxRun
	*person
	budget time.Duration // how long an expectation may still take to come true
	ended  chan struct{} // closed when the program has ended
}

// runTUI plays a case and returns what was not as expected. Cases are about moments, so one that
// failed while the machine held this process up is played again.
func runTUI(t *testing.T, c uxCase) (problems []string) {
	for range 3 {
		late := watchClock()
		problems = playTUI(t, c)
		if held := late(); len(problems) == 0 || held < 100*time.Millisecond {
			break
		}
	}
	return problems
}

// watchClock measures by how much this process was held up until it is asked.
func watchClock() func() time.Duration {
	const beat = 10 * time.Millisecond
	stop, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		var held time.Duration
		for {
			before := time.Now()
			select {
			case <-stop:
				worst <- held
				return
			case <-time.After(beat):
				held = max(held, time.Since(before)-beat)
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-worst
	}
}

// playTUI plays a case in a terminal of 80×24.
func playTUI(t *testing.T, c uxCase) []string {
	r, err := newUX(t, c)
	if err != nil {
		return []string{err.Error()}
	}
	defer r.server.Close()
	if variants, err := r.setUp(); err != nil || variants != nil {
		return []string{fmt.Sprintf("variants of a terminal case are not known here: %v", err)}
	}
	p := &person{t: t, screen: termtest.New(80, 24), server: r.server, home: r.home, read: make(chan struct{})}
	p.open()
	p.cmd = exec.Command("paicli", r.args...)
	p.cmd.Dir, p.cmd.Env = r.dir, r.env
	p.start()
	run := &tuiRun{uxRun: r, person: p, budget: slack * time.Second, ended: make(chan struct{})}
	p.gone = true // the program's end is waited for here
	go func() {
		defer close(run.ended)
		p.cmd.Wait()
	}()
	defer func() {
		p.cmd.Process.Kill()
		<-run.ended
	}()
	for i, s := range c.Steps {
		if problem := run.step(s); problem != "" {
			return []string{fmt.Sprintf("step %d, %s %s: %s\n%s", i+1, s.Type, s.Value, problem, p.screen.Text())}
		}
	}
	return run.expect(c.Expect)
}

// step plays one step. Those that count before the start were played then.
func (r *tuiRun) step(s uxStep) string {
	switch s.Type {
	case "file", "llm_reply":
		return ""
	case "text":
		var text string
		if err := json.Unmarshal(s.Value, &text); err != nil {
			return err.Error()
		}
		for _, c := range strings.SplitAfter(text, "") {
			r.keys(c)
		}
		return ""
	case "keys":
		return r.press(s.Value)
	case "sleep":
		var n int
		if err := json.Unmarshal(s.Value, &n); err != nil {
			return err.Error()
		}
		time.Sleep(time.Duration(n) * time.Millisecond)
		r.budget = max(r.budget, slack*time.Duration(n)*time.Millisecond)
		return ""
	case "wait":
		return r.wait(s.Value)
	case "wait_exit":
		var n int
		if err := json.Unmarshal(s.Value, &n); err != nil {
			return err.Error()
		}
		return verdict(r.soon(time.Duration(n)*time.Millisecond*slack, r.exited), "the program did not end")
	case "paste":
		var text string
		if err := json.Unmarshal(s.Value, &text); err != nil {
			return err.Error()
		}
		r.keys("\x1b[200~" + strings.ReplaceAll(r.expand(text), "\n", "\r") + "\x1b[201~")
		return ""
	case "expect":
		var e map[string]json.RawMessage
		if err := json.Unmarshal(s.Value, &e); err != nil {
			return err.Error()
		}
		return strings.Join(r.expect([]map[string]json.RawMessage{e}), "\n")
	}
	return "this step is not known here"
}

// tuiKeys are the keys that cases name, as a terminal sends them.
var tuiKeys = map[string]string{
	"Enter": "\r", "Esc": "\x1b", "Tab": "\t", "S-Tab": "\x1b[Z", "Backspace": "\x7f", "Delete": "\x1b[3~",
	"Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D",
}

// press sends a key, or bytes in one write.
func (r *tuiRun) press(raw json.RawMessage) string {
	var name string
	var v struct{ Bytes string }
	if json.Unmarshal(raw, &name) != nil {
		if err := json.Unmarshal(raw, &v); err != nil {
			return err.Error()
		}
		r.keys(v.Bytes)
		return ""
	}
	letter, ctrl := strings.CutPrefix(name, "C-")
	switch {
	case tuiKeys[name] != "":
		r.keys(tuiKeys[name])
	case ctrl && len(letter) == 1:
		r.keys(string(letter[0] & 0x1f))
	case len(name) == 1:
		r.keys(name)
	default:
		return "this key is not known here"
	}
	return ""
}

// exited reports whether the program has ended.
func (r *tuiRun) exited() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// working matches the rows that say that something is going on.
var working = regexp.MustCompile(`Esc to interrupt|interrupting|waiting for your answer`)

// idle reports whether the prompt is shown and nothing is going on.
func (r *tuiRun) idle() bool {
	return strings.HasPrefix(r.screen.Before(), glyph) && !working.MatchString(strings.Join(r.screen.Visible(), "\n"))
}

// wait waits for a text on the screen or in its history, or for rest.
func (r *tuiRun) wait(raw json.RawMessage) string {
	var v struct {
		Regex string
		Idle  bool
		MS    int
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return err.Error()
	}
	re, err := regexp.Compile(v.Regex)
	if err != nil {
		return err.Error()
	}
	ready := func() bool { return re.MatchString(r.screen.Text()) }
	if v.Idle {
		ready = r.idle
	}
	return verdict(r.soon(time.Duration(v.MS)*time.Millisecond*slack, ready), "waited in vain")
}

// historyCount counts what matches on the screen and in its history.
func (r *tuiRun) historyCount(raw json.RawMessage) string {
	var v struct {
		Regex string
		Count int
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return err.Error()
	}
	re, err := regexp.Compile(v.Regex)
	if err != nil {
		return err.Error()
	}
	return want(strconv.Itoa(len(re.FindAllString(r.screen.Text(), -1))), strconv.Itoa(v.Count))
}

// soon waits until something is true, at most so long.
func (r *tuiRun) soon(most time.Duration, ok func() bool) bool {
	for end := time.Now().Add(most); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// expect checks what a case expects. What is not true yet may become so on a slow machine.
func (r *tuiRun) expect(all []map[string]json.RawMessage) (problems []string) {
	for _, e := range all {
		for key, raw := range e {
			problem := ""
			if !r.soon(r.budget, func() bool { problem = r.check(key, raw); return problem == "" }) {
				problems = append(problems, fmt.Sprintf("%s %s: %s\n%s", key, raw, problem, r.screen.Text()))
			}
		}
	}
	return problems
}

// check tests one expectation of a screen; the others are those of every case.
func (r *tuiRun) check(key string, raw json.RawMessage) string {
	switch key {
	case "screen_regex":
		return match(raw, strings.Join(r.screen.Visible(), "\n"), true)
	case "screen_not_regex":
		return match(raw, strings.Join(r.screen.Visible(), "\n"), false)
	case "history_regex":
		return match(raw, r.screen.Text(), true)
	case "history_not_regex":
		return match(raw, r.screen.Text(), false)
	case "raw_regex":
		return match(raw, r.screen.Raw(), true)
	case "raw_not_regex":
		return match(raw, r.screen.Raw(), false)
	case "history_count":
		return r.historyCount(raw)
	case "cursor_after":
		var text string
		json.Unmarshal(raw, &text)
		return verdict(strings.HasSuffix(r.screen.Before(), text), "the cursor stands behind "+r.screen.Before())
	case "process_alive":
		return want(strconv.FormatBool(!r.exited()), string(raw))
	case "exit_code":
		if !r.exited() {
			return "the program has not ended"
		}
		return want(strconv.Itoa(r.cmd.ProcessState.ExitCode()), string(raw))
	case "file_exists", "file_regex", "llm_request_count", "llm_request_regex", "llm_request_not_regex", "llm_request_index_regex", "llm_request_index_not_regex":
		return r.uxRun.check(key, raw)
	}
	return "this expectation is not known here"
}
