package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paicli/session"
)

// judgeEnd checks how an interrupted program ended: 130 with a result as its last line. A signal
// that came before the program could listen, or after it had said its result, ends it as any other.
func (r *faultRun) judgeEnd(cmd *exec.Cmd, heard bool) []string {
	lines := bytes.Split(bytes.TrimSpace(r.out.Bytes()), []byte("\n"))
	var last struct{ Type, Subtype string }
	json.Unmarshal(lines[len(lines)-1], &last)
	code := cmd.ProcessState.ExitCode()
	switch {
	case !heard && r.out.Len() == 0 && code == -1:
	case !heard && last.Type == "result" && last.Subtype == "success":
	case last.Type == "result" && last.Subtype == "interrupted" && code == 130:
	case last.Type == "result" && last.Subtype == "success" && code == 0: // the turn ended in that moment
	default:
		return []string{fmt.Sprintf("heard %v, exit %d, last line %.300s", heard, code, lines[len(lines)-1])}
	}
	return nil
}

// judge looks at what a process left behind, starts another one on the session and says what is
// wrong. whole: every line on stdout must be complete.
func (r *faultRun) judge(t *testing.T, whole bool) []string {
	t.Helper()
	var p problems
	logs, _ := filepath.Glob(filepath.Join(r.home, ".paicli/sessions/*.jsonl"))
	seen := r.seen(&p, whole)
	if len(logs) == 0 || unborn(logs[0]) {
		if len(seen) > 0 || r.asked > 0 {
			p.add("there is no log, but %d events were seen and %d requests made", len(seen), r.asked)
		}
		return p
	}
	id := strings.TrimSuffix(filepath.Base(logs[0]), ".jsonl")
	r.checkSeen(&p, id, seen)
	r.goOn(&p)
	ends := r.checkCalls(&p, id)
	r.checkEffects(&p, ends)
	r.checkFiles(&p)
	r.checkRequests(&p)
	return p
}

// unborn reports whether a log is one in which nothing was said yet: there is no session to go on with.
func unborn(path string) bool {
	info, err := session.Stat(filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ".jsonl"))
	return err != nil || info.Title == ""
}

type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

// line is what counts of an assistant's or user's line on stdout.
type line struct {
	Type    string
	UUID    string
	Message struct {
		Content []struct {
			Type, ID, Content string
			ToolUseID         string `json:"tool_use_id"`
		}
	}
}

// seen reads stdout. Only a killed process may leave its last line unfinished.
func (r *faultRun) seen(p *problems, whole bool) []line {
	var out []line
	for raw := range bytes.Lines(r.out.Bytes()) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			if whole || bytes.HasSuffix(raw, []byte("\n")) {
				p.add("stdout: %v in %.200s", err, raw)
			}
			continue
		}
		if l.Type == "assistant" || l.Type == "user" {
			out = append(out, l)
		}
	}
	return out
}

// events reads the log as it is.
func (r *faultRun) events(p *problems, id string) map[string]session.Event {
	events := map[string]session.Event{}
	err := session.ReadAll(filepath.Join(r.home, ".paicli/sessions"), id, func(e session.Event, err error) bool {
		if err != nil {
			p.add("the log: %v", err)
			return true
		}
		events[fmt.Sprintf("%s-%d", id, e.Seq)] = e
		return true
	})
	if err != nil {
		p.add("the log: %v", err)
	}
	return events
}

// checkSeen: what was seen is in the log.
func (r *faultRun) checkSeen(p *problems, id string, seen []line) {
	events := r.events(p, id)
	for _, l := range seen {
		switch b := events[l.UUID].Body.(type) {
		case *session.Replied:
			calls := b.Message.Calls()
			for _, c := range l.Message.Content {
				if c.Type == "tool_use" && (len(calls) == 0 || calls[0].ID != c.ID) {
					p.add("%s shows the call %s, which the log has not", l.UUID, c.ID)
				} else if c.Type == "tool_use" {
					calls = calls[1:]
				}
			}
		case *session.CallEnded:
			if c := l.Message.Content[0]; c.ToolUseID != b.Result.ID || c.Content != b.Result.Text {
				p.add("%s shows another result than the log has", l.UUID)
			}
		default:
			p.add("%s was seen and is not in the log", l.UUID)
		}
	}
}

// goOn starts the program again on the session.
func (r *faultRun) goOn(p *problems) {
	cmd := r.command("--continue", "-p", "go on", "--allow", "execute_command", "--output-format", "json")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte(`"result":"fine"`)) {
		p.add("going on: %v\n%s%s", err, out, stderr.Bytes())
	}
}

// checkCalls: every call has exactly one result. It returns the ends by command.
func (r *faultRun) checkCalls(p *problems, id string) map[string]session.Status {
	results, calls, ends := map[string]int{}, map[string]string{}, map[string]session.Status{}
	for _, e := range sorted(r.events(p, id)) {
		switch b := e.Body.(type) {
		case *session.Replied:
			for i, c := range b.Message.Calls() {
				if b.Broken == "" {
					calls[session.CallName(e.Seq, i)] = c.Args
				}
			}
		case *session.CallEnded:
			results[b.Call]++
			ends[calls[b.Call]] = b.Status
		}
	}
	for call := range calls {
		if results[call] != 1 {
			p.add("call %s has %d results", call, results[call])
		}
	}
	return ends
}

func sorted(events map[string]session.Event) []session.Event {
	var out []session.Event
	for _, e := range events {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b session.Event) int { return int(a.Seq - b.Seq) })
	return out
}

// checkEffects: a command ran at most once, one whose result is known to be good exactly once.
func (r *faultRun) checkEffects(p *problems, ends map[string]session.Status) {
	for i := range 6 {
		name := fmt.Sprintf("counter-%d.txt", i)
		raw, _ := os.ReadFile(filepath.Join(r.dir, name))
		n := bytes.Count(raw, []byte("x"))
		least := 0
		for args, status := range ends {
			if strings.Contains(args, name) && status == session.StatusOK {
				least = 1
			}
		}
		if n > 1 || n < least {
			p.add("%s was written %d times", name, n)
		}
	}
}

// checkFiles: each file is as one of the calls left it.
func (r *faultRun) checkFiles(p *problems) {
	want := map[string][]string{
		"data.txt":          {faultData, strings.Replace(faultData, "line 7\n", "line seven\n", 1)},
		"new.txt":           {"first\nversion\n", "second\nversion\n"},
		"deep/er/other.txt": {"other\n"},
	}
	filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(r.dir, path)
		if err != nil || d.IsDir() || strings.HasPrefix(name, "counter-") {
			return err
		}
		if strings.HasPrefix(d.Name(), ".paicli-") {
			r.left++ // of a write that was killed; the tools do not show it
			return nil
		}
		raw, _ := os.ReadFile(path)
		if !slices.Contains(want[name], string(raw)) {
			p.add("%s: %.100q", name, raw)
		}
		return nil
	})
}

// checkRequests: the request after the fault is well-formed and begins with the last one before it.
func (r *faultRun) checkRequests(p *problems) {
	reqs := r.server.Requests()
	for i, req := range reqs {
		if why := malformedBody(req.Body); why != "" {
			p.add("request %d: %s\n%s", i, why, req.Body)
		}
		if i == 0 {
			continue
		}
		head, err := headOf(reqs[i-1].Body)
		if err != nil || !bytes.HasPrefix(req.Body, head) {
			p.add("request %d of %d (%d before the fault) does not begin with the one before it: %v\n%s\n%s", i, len(reqs), r.asked, err, reqs[i-1].Body, req.Body)
		}
	}
}

// headOf is a body up to the end of its last message.
func headOf(body []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	for {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if tok != "messages" {
			continue
		}
		var messages []json.RawMessage
		if err := dec.Decode(&messages); err != nil {
			return nil, err
		}
		return body[:dec.InputOffset()-1], nil
	}
}

// malformedBody says what is wrong with the messages of a request: each call is answered in order
// directly behind it, and no neighbours are of one role but results.
func malformedBody(body []byte) string {
	var req struct {
		Messages []struct {
			Role       string
			ToolCalls  []struct{ ID string } `json:"tool_calls"`
			ToolCallID string                `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err.Error()
	}
	var open []struct{ ID string }
	last := ""
	for i, m := range req.Messages {
		switch {
		case m.Role == "tool" && (len(open) == 0 || open[0].ID != m.ToolCallID):
			return fmt.Sprintf("message %d answers %s, open are %v", i, m.ToolCallID, open)
		case m.Role == "tool":
			open = open[1:]
		case len(open) > 0:
			return fmt.Sprintf("message %d stands between calls and their results", i)
		case m.Role == last:
			return fmt.Sprintf("message %d is of %s as the one before it", i, m.Role)
		}
		if m.ToolCalls != nil {
			open = m.ToolCalls
		}
		last = m.Role
	}
	if last != "user" && last != "tool" {
		return "the last message is of " + last
	}
	return ""
}
