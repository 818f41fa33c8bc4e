package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
	"paicli/session"
)

// day is the day of the tests.
func day() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.Local) }

func writer(dir string, at time.Time) *Writer {
	return &Writer{Dir: dir, Now: func() time.Time { return at }}
}

// talked logs calls and gives the entries that were made of them.
func talked(t *testing.T, bodies ...session.Body) []Entry {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "audit")
	log, err := session.Create(session.Options{Now: day})
	if err != nil {
		t.Fatal(err)
	}
	f := Follow(log, Options{Dir: dir, Mode: "auto", CWD: "/proj", Now: day, Warn: func(err error) { t.Error(err) }})
	if _, err := log.Thread("", 1).Append(bodies...); err != nil {
		t.Fatal(err)
	}
	log.Close()
	f.Wait()
	got, err := Recent(dir, day(), 100)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Verify(dir); err != nil || r.Broken != nil || r.Entries != len(got) {
		t.Errorf("%+v, %v", r, err)
	}
	return got
}

// one is a call on its way through the log: started only when it was allowed.
func one(args string, end *session.CallEnded) []session.Body {
	out := []session.Body{
		&session.Said{By: session.ByUser, Text: "go"},
		&session.Replied{Message: llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{{Kind: llm.KindCall, Call: &llm.Call{ID: "c", Name: "x", Args: args}}}}},
	}
	end.Call, end.Name, end.Result.ID = session.CallName(3, 0), "execute_command", "c"
	if end.Status != session.StatusDenied {
		out = append(out, &session.CallStarted{Call: end.Call, ID: "c", Name: "execute_command", Judged: &session.Judged{By: "user"}, Args: object(args)})
	}
	return append(out, end)
}

// object makes arguments that are none an object, as a tool needs it.
func object(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	raw, _ := json.Marshal(map[string]string{"command": args})
	return raw
}

func TestParity(t *testing.T) {
	t.Run("K-12", func(t *testing.T) {
		t.Run("fields", parityFields)
		t.Run("recent", parityRecent)
		t.Run("threads", parityThreads)
		t.Run("failure", parityFailure)
	})
}

func parityFields(t *testing.T) {
	tests := []struct {
		name string
		args string
		end  session.CallEnded
		want Entry
	}{
		{"allowed", `{"a":1}`, session.CallEnded{Status: session.StatusOK, Millis: 7}, Entry{Args: `{"a":1}`, Outcome: Allowed, Status: "ok", Approver: "user", Millis: 7}},
		{"failed", `{}`, session.CallEnded{Status: session.StatusTimeout, Reason: "timed out"}, Entry{Args: `{}`, Outcome: Failed, Status: "timeout", Approver: "user", Reason: "timed out"}},
		{"denied", `{"command":"rm -rf /"}`, session.CallEnded{Status: session.StatusDenied, Reason: "rm of /", Args: json.RawMessage(`{"command":"rm -rf /"}`), Judged: &session.Judged{By: "policy", Reason: "rm of /"}},
			Entry{Args: `{"command":"rm -rf /"}`, Outcome: Denied, Status: "denied", Approver: "policy", Reason: "rm of /"}},
		{"not judged", `{"broken`, session.CallEnded{Status: session.StatusDenied, Reason: "x"}, Entry{Args: `{"broken`, Outcome: Denied, Status: "denied", Approver: "none", Reason: "x"}},
		{"long", strings.Repeat("好", 1001), session.CallEnded{Status: session.StatusDenied, Judged: &session.Judged{By: "nobody"}}, Entry{Args: strings.Repeat("好", 1001), Outcome: Denied, Status: "denied", Approver: "nobody"}},
		{"cut", `{"command":"` + strings.Repeat("好", 2000) + `"}`, session.CallEnded{Status: session.StatusOK}, Entry{Args: `{"command":"` + strings.Repeat("好", 988) + "...(truncated)", Outcome: Allowed, Status: "ok", Approver: "user"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := talked(t, one(tt.args, &tt.end)...)
			if len(got) != 1 {
				t.Fatalf("%d entries", len(got))
			}
			tt.want.Session, tt.want.Turn, tt.want.Time, tt.want.Tool, tt.want.Mode, tt.want.CWD = got[0].Session, 1, stamp(day()), "execute_command", "auto", "/proj"
			tt.want.Seq, tt.want.Prev, tt.want.Hash = got[0].Seq, start, got[0].Hash
			if diff := cmp.Diff(tt.want, got[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func parityRecent(t *testing.T) {
	dir := t.TempDir()
	if got, err := Recent(dir, day(), 3); got != nil || err != nil {
		t.Errorf("without a file: %v, %v", got, err)
	}
	w := writer(dir, day())
	for i := range 5 {
		if err := w.Append(Entry{Turn: i}); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, "null\n{bad\n\n")
	got, err := Recent(dir, day(), 3)
	if err != nil || len(got) != 3 || got[0].Turn != 2 || got[2].Turn != 4 {
		t.Errorf("%v, %v", got, err)
	}
	if got, _ := Recent(dir, day().AddDate(0, 0, 1), 3); got != nil {
		t.Errorf("another day: %v", got)
	}
}

// put appends to the file of the day what is no entry.
func put(t *testing.T, dir, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "2026-11-30.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(text)
	f.Close()
}

func parityThreads(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			w := writer(dir, day())
			for j := range 20 {
				if err := w.Append(Entry{Turn: i, Seq: int64(j), Args: strings.Repeat("x", 500)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	r, err := Verify(dir)
	if got, _ := Recent(dir, day(), 1000); err != nil || r.Broken != nil || r.Entries != 200 || len(got) != 200 {
		t.Errorf("%+v, %v, %d entries", r, err, len(got))
	}
}

func parityFailure(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := session.Create(session.Options{Now: day})
	if err != nil {
		t.Fatal(err)
	}
	warned := 0
	f := Follow(log, Options{Dir: dir, Warn: func(error) { warned++ }})
	for range 2 {
		seq, err := log.Thread("", 1).Append(&session.Said{By: session.ByUser, Text: "go"}, &session.Replied{Message: llm.Message{
			Role: llm.RoleAssistant, Blocks: []llm.Block{{Kind: llm.KindCall, Call: &llm.Call{ID: "c", Name: "x"}}}}})
		if err == nil {
			_, err = log.Thread("", 1).Append(&session.CallEnded{Call: session.CallName(seq+1, 0), Status: session.StatusError, Result: llm.Result{ID: "c"}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	log.Close()
	f.Wait()
	if warned != 1 {
		t.Errorf("warned %d times", warned)
	}
}

// TestProcesses: two processes write a thousand lines each. As a child this test is the writer.
func TestProcesses(t *testing.T) {
	const folder = "PAICLI_TEST_AUDIT"
	if dir := os.Getenv(folder); dir != "" {
		w := writer(dir, day())
		for i := range 1000 {
			if err := w.Append(Entry{Turn: os.Getpid(), Seq: int64(i), Args: strings.Repeat("y", i%700)}); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestProcesses$")
			cmd.Env = append(os.Environ(), folder+"="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	if r, err := Verify(dir); err != nil || r.Broken != nil || r.Entries != 2000 || r.Earlier || len(r.Torn) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// chain writes two days of three entries each.
func chain(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 6 {
		if err := writer(dir, day().AddDate(0, 0, i/3)).Append(Entry{Turn: i, Tool: "read_file", Outcome: Allowed}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestVerify(t *testing.T) {
	const first, second = "2026-11-30.jsonl", "2026-12-01.jsonl"
	change := func(file string, f func(lines []string) []string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			raw, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			lines := f(strings.SplitAfter(strings.TrimSuffix(string(raw), "\n"), "\n"))
			if err := os.WriteFile(filepath.Join(dir, file), []byte(strings.Join(lines, "")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name string
		do   func(*testing.T, string)
		want string // of the broken line, "" = none
		why  string
	}{
		{"untouched", func(*testing.T, string) {}, "", ""},
		{"another outcome", change(first, func(l []string) []string { l[1] = strings.Replace(l[1], "allow", "deny", 1); return l }), first + ":2", "changed"},
		{"a line taken out", change(first, func(l []string) []string { return append(l[:1], l[2]) }), first + ":2", "order"},
		{"the first line taken out", change(second, func(l []string) []string { return l[1:] }), second + ":1", "order"},
		{"the last line of a day taken out", change(first, func(l []string) []string { return []string{l[0], strings.TrimSpace(l[1])} }), second + ":1", "order"},
		{"two lines swapped", change(second, func(l []string) []string { l[0], l[1] = l[1], l[0]; return l }), second + ":1", "order"},
		{"a line put in", change(second, func(l []string) []string { return []string{l[0], `{"outcome":"allow"}` + "\n", l[1], l[2]} }), second + ":2", "changed"},
		{"no entry put in", change(second, func(l []string) []string { return []string{l[0], "nothing\n", l[1], l[2]} }), second + ":2", "no_entry"},
		{"no entry at the end", change(second, func(l []string) []string { return append(l, "\nnothing") }), second + ":4", "no_entry"},
		{"a line twice", change(second, func(l []string) []string { return []string{l[0], l[0], l[1], l[2]} }), second + ":2", "order"},
		{"a day taken out", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, first)) }, "", ""},
		{"a line broken open", change(first, func(l []string) []string { l[0] = strings.Replace(l[0], "{", "{\n", 1); return l }), first + ":1", "no_entry"},
		{"an empty line", change(first, func(l []string) []string { l[0] += "\n"; return l }), first + ":2", "no_entry"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := chain(t)
			tt.do(t, dir)
			r, err := Verify(dir)
			got, why := "", ""
			if r.Broken != nil {
				got, why = r.Broken.String(), r.Broken.Why
			}
			if err != nil || got != tt.want || why != tt.why {
				t.Errorf("%q (%s), %v, want %q (%s): %+v", got, why, err, tt.want, tt.why, r)
			}
			if r.Earlier != (tt.name == "a day taken out") {
				t.Errorf("earlier days: %v", r.Earlier)
			}
		})
	}
}

// A line that a process could not finish is closed by the next one and is no forgery.
func TestTorn(t *testing.T) {
	for _, torn := range []string{`{"time":"2026`, "x", "{}"} {
		for _, at := range []time.Time{day(), day().AddDate(0, 0, 5)} {
			dir := t.TempDir()
			w := writer(dir, day())
			for i := range 2 {
				if err := w.Append(Entry{Turn: i}); err != nil {
					t.Fatal(err)
				}
			}
			put(t, dir, torn)
			if r, err := Verify(dir); err != nil || r.Broken != nil || len(r.Torn) != 1 {
				t.Errorf("before it is closed: %+v, %v", r, err)
			}
			if err := writer(dir, at).Append(Entry{Turn: 2}); err != nil {
				t.Fatal(err)
			}
			r, err := Verify(dir)
			if err != nil || r.Broken != nil || r.Entries != 3 || len(r.Torn) != 1 || r.Torn[0].String() != "2026-11-30.jsonl:3" {
				t.Errorf("%q: %+v, %v", torn, r, err)
			}
		}
	}
}

// Of a line that was cut off only its end may be missing.
func TestTornEnd(t *testing.T) {
	dir := chain(t)
	path := filepath.Join(dir, "2026-12-01.jsonl")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.TrimSuffix(raw, []byte("\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	for want := 6; want < 8; want++ {
		if r, err := Verify(dir); err != nil || r.Broken != nil || r.Entries != want || len(r.Torn) > 0 {
			t.Errorf("%+v, %v", r, err)
		}
		if err := writer(dir, day().AddDate(0, 0, 1)).Append(Entry{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFilesAreTheOwners(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home", "audit")
	if err := writer(dir, day()).Append(Entry{}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "2026-11-30.jsonl"): 0o600, filepath.Join(dir, lockName): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// A clock that goes back does not begin a second end of the chain.
func TestClockGoesBack(t *testing.T) {
	dir := t.TempDir()
	for _, at := range []time.Time{day(), day().AddDate(0, 0, 2), day(), day().AddDate(0, 0, 1), day().AddDate(0, 0, 3)} {
		if err := writer(dir, at).Append(Entry{}); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := Verify(dir); err != nil || r.Broken != nil || r.Entries != 5 || r.Days != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A session that goes on gets entries for what it has none of.
func TestResumed(t *testing.T) {
	dir, logs := t.TempDir(), t.TempDir()
	so := session.Options{Dir: logs, Now: day}
	log, err := session.Create(so)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Dir: dir, Now: day}
	f := Follow(log, opts)
	if _, err := log.Thread("", 1).Append(one(`{"n":1}`, &session.CallEnded{Status: session.StatusOK})...); err != nil {
		t.Fatal(err)
	}
	log.Close()
	f.Wait()
	log, _, err = session.Open(log.ID(), so)
	if err != nil {
		t.Fatal(err)
	}
	th := log.Thread("", 2)
	seq, err := th.Append(&session.Set{Key: "mode", Value: "ask"}, &session.Said{By: session.ByUser, Text: "on"}, &session.Replied{Message: llm.Message{
		Role: llm.RoleAssistant, Blocks: []llm.Block{{Kind: llm.KindCall, Call: &llm.Call{ID: "d", Name: "x", Args: `{"n":2}`}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := th.Append(&session.CallEnded{Call: session.CallName(seq+2, 0), Name: "x", Status: session.StatusError, Result: llm.Result{ID: "d"}}); err != nil {
		t.Fatal(err)
	}
	opts.Resumed, opts.Since = true, day()
	f = Follow(log, opts) // begins behind the call, as after a crash
	log.Close()
	f.Wait()
	got, err := Recent(dir, day(), 10)
	if err != nil || len(got) != 2 || got[1].Args != `{"n":2}` || got[1].Mode != "ask" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRead(t *testing.T) {
	for _, line := range []string{"", "null", "[]", "{", `{"hash":"x"}`, `{"a":1,"hash":"` + strings.Repeat("0", 64) + `"}`} {
		if _, err := read([]byte(line)); !errors.Is(err, errNoEntry) && !errors.Is(err, errChanged) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	line, _, err := Entry{Args: "x"}.seal(start)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(line, "\n{\n"...))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "2026-11-30.jsonl"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := Verify(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := writer(dir, day()).Append(Entry{}); err != nil {
			t.Fatal(err)
		}
		after, _ := Verify(dir)
		if before.Broken == nil && after.Broken != nil && bytes.Count(data, []byte("\n")) > 0 && data[len(data)-1] == '\n' {
			t.Fatalf("%+v, then %+v", before, after)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	w := writer(b.TempDir(), day())
	for b.Loop() {
		if err := w.Append(Entry{Args: fmt.Sprintf("%0500d", 1)}); err != nil {
			b.Fatal(err)
		}
	}
}
