package session

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
)

func frame(tool, text string) string { return "<" + tool + ">" + text }

// reopen closes a log as a killed process does (its lock is gone, nothing more is written) and goes
// on with it.
func reopen(t *testing.T, l *Log) (*Log, Report) {
	t.Helper()
	l.Close()
	again, report, err := Open(l.ID(), Options{Dir: filepath.Dir(l.Path()), Frame: frame})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again, report
}

func TestParity(t *testing.T) {
	t.Run("XS-01", func(t *testing.T) {
		l := open(t, Options{Dir: t.TempDir()})
		must(t, l.Thread("", 1), &Said{By: ByUser, Text: "last words"})
		raw, _ := os.ReadFile(l.Path()) // nothing but the append has happened
		if !bytes.Contains(raw, []byte("last words")) {
			t.Error("the event is not in the file when Append returns")
		}
		again, _ := reopen(t, l)
		if got := again.Thread("", 2).Messages()[0].Text(); got != "last words" {
			t.Errorf("the resumed session has %q", got)
		}
	})
	t.Run("XS-02", func(t *testing.T) {
		dir := t.TempDir()
		a := open(t, Options{Dir: dir, Root: "/p"})
		must(t, a.Thread("", 1), &Said{By: ByUser, Text: "first session\nmore"})
		b := open(t, Options{Dir: dir, Root: "/p"})
		must(t, b.Thread("", 1), &Said{By: ByUser, Text: "second"})
		silent := open(t, Options{Dir: dir, Root: "/p"}) // only calls, no words: nothing to go on with
		other := open(t, Options{Dir: dir, Root: "/q"})
		for i, l := range []*Log{b, a, silent, other} { // a is used after b
			now := time.Now().Add(time.Duration(i) * time.Minute)
			if err := os.Chtimes(l.Path(), now, now); err != nil {
				t.Fatal(err)
			}
		}
		newest, err := Newest(dir, "/p")
		if err != nil || newest.ID != a.ID() || newest.Title != "first session" {
			t.Errorf("%+v, %v", newest, err)
		}
		if infos, _ := List(dir, ""); len(infos) != 4 {
			t.Errorf("%d sessions in all", len(infos))
		}
		if again, _ := reopen(t, b); again.ID() != b.ID() {
			t.Error("the given session was not opened")
		}
	})
	t.Run("XS-03", func(t *testing.T) {
		dir := t.TempDir()
		for name, text := range map[string]string{"future": strings.Replace(header, `"version":1`, `"version":99`, 1), "foreign": "hello\n", "nothing": ""} {
			if err := os.WriteFile(pathOf(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := Open("future", Options{Dir: dir})
		var version *VersionError
		if !errors.As(err, &version) || version.Version != 99 {
			t.Errorf("a later format: %v", err)
		}
		for _, id := range []string{"foreign", "nothing"} {
			if _, _, err := Open(id, Options{Dir: dir}); !errors.Is(err, ErrNotSession) {
				t.Errorf("%s: %v", id, err)
			}
		}
		if _, _, err := Open("../../etc/passwd", Options{Dir: dir}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a path as id: %v", err)
		}
	})
	t.Run("XS-04", func(t *testing.T) {
		l := open(t, Options{Dir: t.TempDir()})
		th, child := l.Thread("", 1), l.Thread("task-1", 1)
		must(t, th, &Said{By: ByUser, Text: "go"})
		seq := must(t, th, callReply("a", "b", "c"))
		must(t, th, &CallStarted{Call: CallName(seq, 0), ID: "a", Name: "read_file"})
		must(t, th, ended(seq, 0, "a"))
		must(t, th, &CallStarted{Call: CallName(seq, 1), ID: "b", Name: "read_file"})
		childSeq := must(t, child, callReply("x"))
		must(t, th, &Asked{ID: "q1", Code: "approve"})
		again, report := reopen(t, l)
		if report.Repaired != 3 || report.Cut != 0 || report.Damaged != nil {
			t.Errorf("report %+v", report)
		}
		results := again.Thread("", 2).Messages()[2].Blocks
		var texts []string
		for _, b := range results {
			texts = append(texts, b.Result.ID+" "+b.Result.Text)
		}
		if len(texts) != 3 || texts[0] != "a text of a" || !strings.HasPrefix(texts[1], "b <read_file>started, result unknown") ||
			!strings.HasPrefix(texts[2], "c <read_file>not started") {
			t.Errorf("results %q", texts)
		}
		if n := len(again.Thread("task-1", 2).Messages()); n != 2 {
			t.Errorf("the call %d of the other thread has no result", childSeq)
		}
		if s := again.State(); s.Running || len(s.Asks) != 0 || s.Turn != 1 {
			t.Errorf("state %+v", s)
		}
		if _, report := reopen(t, again); report.Repaired != 0 {
			t.Errorf("the second load repairs again: %+v", report)
		}
	})
}

// Whatever byte the file ends at: everything before the last whole line is there, and the session
// goes on.
func TestTornTail(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	th := l.Thread("", 1)
	must(t, th, &Said{By: ByUser, Text: "one"})
	must(t, th, &Replied{Message: llm.Text(llm.RoleAssistant, "two"), Finish: llm.FinishStop}, &TurnEnded{End: EndDone})
	l.Close()
	whole, _ := os.ReadFile(l.Path())
	for cut := len(header); cut <= len(whole); cut++ {
		dir := t.TempDir()
		if err := os.WriteFile(pathOf(dir, "session"), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		again, report, err := Open("session", Options{Dir: dir})
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		kept := bytes.LastIndexByte(whole[:cut], '\n') + 1
		if report.Cut != int64(cut-kept) || len(report.Damaged) != 0 {
			t.Fatalf("cut at %d: report %+v, want %d bytes cut", cut, report, cut-kept)
		}
		if _, err := again.Thread("", 2).Append(&Said{By: ByUser, Text: "on"}); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		again.Close()
		raw, _ := os.ReadFile(pathOf(dir, "session"))
		if !bytes.HasPrefix(raw, whole[:kept]) {
			t.Fatalf("cut at %d: what was written before is not kept", cut)
		}
		if _, report, err := Open("session", Options{Dir: dir}); err != nil || report.Cut != 0 || report.Damaged != nil {
			t.Fatalf("cut at %d: the second load says %+v, %v", cut, report, err)
		}
	}
}

// A flipped byte costs its record and no other; the session says so once.
func TestDamageIsPassedAndNamed(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	th := l.Thread("", 1)
	must(t, th, &Said{By: ByUser, Text: "one"})
	must(t, th, &Said{By: ByUser, Text: "two"})
	must(t, th, &Said{By: ByUser, Text: "three"})
	l.Close()
	raw, _ := os.ReadFile(l.Path())
	at := bytes.Index(raw, []byte(`"two"`))
	raw[at+1] = 'T'
	if err := os.WriteFile(l.Path(), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	again, report := reopen(t, l)
	if len(report.Damaged) != 1 || report.Damaged[0].Offset != int64(bytes.LastIndexByte(raw[:at], '\n')+1) {
		t.Errorf("report %+v", report)
	}
	var words []string
	for _, m := range again.Thread("", 2).Messages()[:2] {
		words = append(words, m.Text())
	}
	if d := cmp.Diff([]string{"one", "three"}, words); d != "" {
		t.Error(d)
	}
	var notes []*Noted
	again.Close()
	for e := range again.Events(context.Background(), 0) {
		if n, ok := e.Body.(*Noted); ok {
			notes = append(notes, n)
		}
	}
	if len(notes) != 1 || notes[0].Code != NoteDamaged || notes[0].Args["records"] != "1" {
		t.Errorf("notes %+v", notes)
	}
}

func TestTwoProcessesOnOneSession(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	dir := filepath.Dir(l.Path())
	_, _, err := Open(l.ID(), Options{Dir: dir})
	var inUse *InUseError
	if !errors.As(err, &inUse) || inUse.ID != l.ID() {
		t.Errorf("the second opener gets %v", err)
	}
	if err := Remove(dir, l.ID()); !errors.As(err, &inUse) {
		t.Errorf("removing an open session: %v", err)
	}
	l.Close()
	keepBase(t, l)
	if err := Remove(dir, l.ID()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if _, _, err := Open(l.ID(), Options{Dir: dir}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed session: %v", err)
	}
}

// keepBase puts a copy of a file beside the log.
func keepBase(t *testing.T, l *Log) {
	t.Helper()
	if err := os.Mkdir(l.Bases(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.Bases(), "a.base"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSeen: what calls have seen is known after a resume, the last of each file, and in a fork, which
// has the copies too.
func TestSeen(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	dir := filepath.Dir(l.Path())
	calls := llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{
		{Kind: llm.KindCall, Call: &llm.Call{ID: "x", Name: "read_file"}}, {Kind: llm.KindCall, Call: &llm.Call{ID: "y", Name: "read_file"}},
	}}
	th := l.Thread("", 1)
	must(t, th, &Said{By: ByUser, Text: "one"})
	seq, err := th.Append(&Replied{Message: calls})
	if err != nil {
		t.Fatal(err)
	}
	for i, seen := range [][]Seen{{{Path: "a", Hash: "1"}, {Path: "b", Hash: "1"}}, {{Path: "a", Hash: "2"}}} {
		must(t, th, &CallEnded{Call: CallName(seq, i), Status: StatusOK, Result: llm.Result{ID: calls.Calls()[i].ID}, Seen: seen})
	}
	keepBase(t, l)
	forked, _, err := Fork(l.ID(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer forked.Close()
	if data, err := os.ReadFile(filepath.Join(forked.Bases(), "a.base")); err != nil || string(data) != "text" {
		t.Errorf("base of a fork: %q, %v", data, err)
	}
	l.Close()
	again, _, err := Open(l.ID(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	want := map[string]string{"a": "2", "b": "1"}
	for _, one := range []*Log{l, again, forked} {
		if d := cmp.Diff(want, one.State().Seen); d != "" {
			t.Error(d)
		}
	}
	if none := open(t, Options{}); none.Bases() != "" {
		t.Error("a session in memory has a folder")
	}
}

func TestFork(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir(), Root: "/p"})
	dir := filepath.Dir(l.Path())
	must(t, l.Thread("", 1), &Said{By: ByUser, Text: "one"}, &TurnEnded{End: EndDone})
	forked, _, err := Fork(l.ID(), Options{Dir: dir, Root: "/p"}) // the other one is still open
	if err != nil {
		t.Fatal(err)
	}
	must(t, forked.Thread("", 2), &Said{By: ByUser, Text: "only here"})
	if d := cmp.Diff(l.Thread("", 2).Messages(), forked.Thread("", 2).Messages()[:2]); d != "" {
		t.Error(d)
	}
	forked.Close()
	again, _, err := Open(forked.ID(), Options{Dir: dir})
	if err != nil || again.ID() == l.ID() {
		t.Fatalf("%v", err)
	}
	info, err := Stat(dir, forked.ID())
	if err != nil || info.Root != "/p" || info.Title != "one" {
		t.Errorf("%+v, %v", info, err)
	}
}

// A log of the first version of the format is read for ever.
func TestFormatVersion1(t *testing.T) {
	dir := t.TempDir()
	raw, err := os.ReadFile("testdata/version1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pathOf(dir, "version1"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	l, report, err := Open("version1", Options{Dir: dir})
	if err != nil || report.Cut != 0 || report.Damaged != nil || report.Repaired != 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	defer l.Close()
	var roles []string
	for _, m := range l.Thread("", 9).Messages() {
		roles = append(roles, string(m.Role))
	}
	if got := strings.Join(roles, " "); got != "user user assistant tool assistant" {
		t.Errorf("messages: %s", got)
	}
	if s := l.State(); s.Turn != 1 || s.Running || s.Totals.Requests != 2 || s.Configured == nil {
		t.Errorf("state %+v", s)
	}
}

// A state in one record stands for everything before it.
func TestCompactedStandsForWhatIsBefore(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	th := l.Thread("", 1)
	must(t, th, &Set{Key: "mode", Value: "auto"}, &Said{By: ByUser, Text: "old"})
	must(t, th, &Spent{Usage: llm.Usage{Input: 7}, Cost: llm.Money{Amount: 2, Currency: "CNY"}})
	must(t, th, &Compacted{Messages: []llm.Message{llm.Text(llm.RoleUser, "summary")}, State: l.State()})
	must(t, th, &Said{By: ByUser, Text: "new"})
	want, wantState := th.Messages(), l.State()
	again, _ := reopen(t, l)
	if d := cmp.Diff(want, again.Thread("", 1).Messages()[:2]); d != "" {
		t.Error(d)
	}
	got := again.State()
	got.Running = wantState.Running // the reload ended the turn
	if d := cmp.Diff(wantState, got); d != "" {
		t.Error(d)
	}
	seq := must(t, th2(again), callReply("a"))
	if _, err := th2(again).Append(&Compacted{}); !errors.Is(err, errOpenCalls) {
		t.Errorf("compaction beside the open call %d: %v", seq, err)
	}
	if _, err := again.Thread("", 2).Append(&Compacted{}); !errors.Is(err, errOpenCalls) {
		t.Errorf("compaction of the root beside an open call of a child: %v", err)
	}
}

func th2(l *Log) *Thread { return l.Thread("child", 2) }

// bigLog writes a log of n events and about size bytes, with the whole state in one record at event
// at (0: nowhere).
func bigLog(tb testing.TB, n, size, at int) *Log {
	tb.Helper()
	l, err := Create(Options{Dir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	th := l.Thread("", 1)
	text := strings.Repeat("x", size/n-300)
	var batch []Body
	for i := 1; i < n; i++ {
		switch {
		case i == at:
			batch = append(batch, &Compacted{Messages: []llm.Message{llm.Text(llm.RoleUser, "summary")}})
		case i%2 == 1:
			batch = append(batch, &Said{By: ByUser, Text: text})
		default:
			batch = append(batch, &Replied{Message: llm.Text(llm.RoleAssistant, text), Finish: llm.FinishStop})
		}
		if len(batch) == 100 || i == n-1 {
			if _, err := th.Append(batch...); err != nil {
				tb.Fatal(err)
			}
			batch = nil
		}
	}
	l.Close()
	return l
}

func BenchmarkLoad(b *testing.B) {
	for _, c := range []struct {
		name string
		at   int
	}{{"compacted", 59_000}, {"whole", 0}} {
		b.Run(c.name, func(b *testing.B) {
			l := bigLog(b, 60_000, 45<<20, c.at)
			b.ResetTimer()
			for range b.N {
				again, _, err := Open(l.ID(), Options{Dir: filepath.Dir(l.Path())})
				if err != nil {
					b.Fatal(err)
				}
				again.Close()
			}
		})
	}
}

func BenchmarkFold(b *testing.B) {
	for range b.N {
		f := &fold{}
		for i := range 1000 {
			f.apply(int64(i), &Said{By: ByUser, Text: "words"})
		}
	}
}

// An event type of a later program is passed over by readers and loads.
func TestUnknownEventTypeIsPassedOver(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	must(t, l.Thread("", 1), &Said{By: ByUser, Text: "one"})
	l.Close()
	raw, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	line := seal([]byte(`{"seq":3,"time":"2026-11-30T12:00:00.000Z","turn":1,"agent":"","type":"dreamed","data":{}`), 0)
	if err := os.WriteFile(l.Path(), append(raw, line...), 0o600); err != nil {
		t.Fatal(err)
	}
	again, report := reopen(t, l)
	if len(report.Damaged) != 0 || again.Head() < 3 {
		t.Errorf("report %+v, head %d", report, again.Head())
	}
	again.Close()
	for e, err := range again.Events(t.Context(), 0) {
		if err != nil {
			t.Errorf("event %d: %v", e.Seq, err)
		}
	}
}
