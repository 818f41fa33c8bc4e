package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"paicli/llm"
)

// TestRandomDamage cuts logs and flips bits in them: a load never panics, loses no record that is
// whole, names what it passed over, and what the model sees is well-formed.
func TestRandomDamage(t *testing.T) {
	dir := t.TempDir()
	whole := stormLog(t, dir)
	rounds, lost, refused := count(80, 10_000), 0, 0
	for seed := range uint64(rounds) {
		d := newDamage(whole, rand.New(rand.NewPCG(seed, 7)))
		if err := os.WriteFile(pathOf(dir, "damaged"), d.raw, 0o600); err != nil {
			t.Fatal(err)
		}
		l, report, err := Open("damaged", Options{Dir: dir, Frame: frame})
		if d.header {
			refused++
			d.checkRefused(t, seed, dir, err)
			if err == nil {
				l.Close()
			}
			continue
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		lost += len(d.hit)
		d.check(t, seed, l, report)
		if t.Failed() {
			return
		}
	}
	t.Logf("SUMMARY damaged logs: %d, records hit: %d, refused for their first line: %d", rounds, lost, refused)
}

// stormLog is the content of a log with turns of all threads at once, one that was not ended, its
// repair, and another one that was not ended.
func stormLog(t *testing.T, dir string) []byte {
	t.Helper()
	l, err := Create(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for life := range 2 {
		var wg sync.WaitGroup
		for i, agent := range threads {
			w := newWriter(t, l, agent, 40+uint64(i+life))
			w.n = 1000 * life
			wg.Go(func() {
				w.turn(life*9 + 1)
				w.turn(life*9 + 2)
				w.th = l.Thread(agent, life*9+3)
				w.put(&Said{By: ByUser, Text: "last"}, &Asked{ID: fmt.Sprint("open", agent, life)})
				w.put(callReply("functions.read_file:0", "functions.read_file:1"))
			})
		}
		wg.Wait()
		l.Close()
		if life == 0 {
			if l, _, err = Open(l.ID(), Options{Dir: dir, Frame: frame}); err != nil {
				t.Fatal(err)
			}
		}
	}
	raw, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// damage is a log that something happened to.
type damage struct {
	whole, raw []byte
	header     bool            // the first line is not what it was
	hit        map[int64]bool  // offsets of records of which a byte changed
	kept       map[string]bool // lines that are as they were
	cut        bool
}

func newDamage(whole []byte, rng *rand.Rand) *damage {
	d := &damage{whole: whole, raw: slices.Clone(whole), hit: map[int64]bool{}, kept: map[string]bool{}}
	if rng.IntN(2) == 0 {
		d.raw, d.cut = d.raw[:rng.IntN(len(whole))], true
	}
	for range rng.IntN(4) {
		if len(d.raw) > 0 {
			d.raw[rng.IntN(len(d.raw))] ^= 1 << rng.IntN(8)
		}
	}
	at := int64(0)
	for line := range bytes.Lines(whole) {
		end := at + int64(len(line))
		same := end <= int64(len(d.raw)) && bytes.Equal(d.raw[at:end], line)
		switch {
		case at == 0:
			d.header = !same
		case same:
			d.kept[string(line)] = true
		case at < int64(len(d.raw)):
			d.hit[at] = true
		}
		at = end
	}
	return d
}

// checkRefused: a file whose first line is damaged is refused, not touched.
func (d *damage) checkRefused(t *testing.T, seed uint64, dir string, err error) {
	t.Helper()
	var version *VersionError
	if err != nil && !errors.Is(err, ErrNotSession) && !errors.As(err, &version) {
		t.Errorf("seed %d: the damaged first line %.50q: %v", seed, d.raw[:min(50, len(d.raw))], err)
	}
	if raw, _ := os.ReadFile(pathOf(dir, "damaged")); err != nil && !bytes.Equal(raw, d.raw) {
		t.Errorf("seed %d: the refused file was changed", seed)
	}
}

func (d *damage) check(t *testing.T, seed uint64, l *Log, report Report) {
	t.Helper()
	for _, agent := range threads {
		if why := malformed(l.Thread(agent, 0).Messages()); why != "" {
			t.Errorf("seed %d: thread %q: %s", seed, agent, why)
		}
	}
	messages, state := l.Thread("", 9).Messages(), l.State()
	if state.Running || len(state.Asks) > 0 {
		t.Errorf("seed %d: the turn runs: %v, questions: %v", seed, state.Running, state.Asks)
	}
	if _, err := l.Thread("", 9).Append(&Said{By: ByUser, Text: "on"}); err != nil {
		t.Errorf("seed %d: go on: %v", seed, err)
	}
	l.Close()
	seen, reread := reread(l)
	for line := range d.kept {
		if !seen[line] {
			t.Errorf("seed %d: a whole record is lost: %.200s", seed, line)
		}
	}
	for at := range d.hit {
		end := at + int64(bytes.IndexByte(d.whole[at:], '\n')) + 1
		named := slices.ContainsFunc(report.Damaged, func(g Damage) bool { return at <= g.Offset && g.Offset < end })
		if !named && !seen[string(d.whole[at:end])] && at < int64(len(d.raw))-report.Cut {
			t.Errorf("seed %d: the damage of the record at %d is not told: %+v", seed, at, report)
		}
	}
	root := reread.folds[""]
	if d := cmp.Diff(messages, root.messages[:len(root.messages)-1], cmpopts.EquateEmpty()); d != "" {
		t.Errorf("seed %d: replayed:\n%.2000s", seed, d)
	}
	reread.state.Running, reread.state.Turn = state.Running, state.Turn
	if d := cmp.Diff(state, reread.state); d != "" {
		t.Errorf("seed %d: replayed state:\n%s", seed, d)
	}
}

// reread gives the records that a reader of a damaged log gets, and its view.
func reread(l *Log) (map[string]bool, *view) {
	seen, v := map[string]bool{}, newView()
	for e, err := range l.Events(context.Background(), 0) {
		if _, first := e.Body.(*Attached); first || err != nil {
			continue
		}
		line, _ := appendEnvelope(nil, e)
		seen[string(seal(line, 0))] = true
		v.add(e)
	}
	return seen, v
}

// change writes a log again as the function leaves it, under another id.
func change(t *testing.T, l *Log, f func(raw []byte) []byte) string {
	t.Helper()
	raw, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pathOf(filepath.Dir(l.Path()), "changed"), f(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	return "changed"
}

// The end of a call is lost: the call gets a result, and that of its neighbour counts.
func TestLostResult(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	th := l.Thread("", 1)
	must(t, th, &Said{By: ByUser, Text: "go"})
	seq := must(t, th, callReply("a", "b"))
	must(t, th, ended(seq, 0, "a"))
	must(t, th, ended(seq, 1, "b"))
	must(t, th, &Replied{Finish: llm.FinishStop, Message: llm.Text(llm.RoleAssistant, "done")}, &TurnEnded{End: EndDone})
	l.Close()
	id := change(t, l, func(raw []byte) []byte { return bytes.Replace(raw, []byte("text of a"), []byte("text of x"), 1) })
	again, report, err := Open(id, Options{Dir: filepath.Dir(l.Path())})
	if err != nil || len(report.Damaged) != 1 || report.Repaired != 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	defer again.Close()
	ms := again.Thread("", 2).Messages()
	if why := malformed(ms); why != "" || len(ms) != 4 {
		t.Fatalf("%d messages: %s", len(ms), why)
	}
	if a, b := ms[2].Blocks[0].Result.Text, ms[2].Blocks[1].Result.Text; a != resultLost || b != "text of b" {
		t.Errorf("results %q, %q", a, b)
	}
}

// The byte between two records is hit: both are read.
func TestLostLineEnd(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	th := l.Thread("", 1)
	must(t, th, &Noted{Code: "one"})
	must(t, th, &CallStarted{Call: "1.0", Args: []byte(`[{"x":1,"sum":"00000000"},{"seq":1}]`)})
	must(t, th, &Noted{Code: "two"})
	l.Close()
	id := change(t, l, func(raw []byte) []byte {
		for i := len(header); i < len(raw)-1; i++ {
			if raw[i] == '\n' {
				raw[i] = 0
			}
		}
		return raw
	})
	again, report, err := Open(id, Options{Dir: filepath.Dir(l.Path())})
	if err != nil || report.Damaged != nil || again.Head() != 4 {
		t.Errorf("%+v, %v", report, err)
	}
	again.Close()
	if n := len(all(t, again)); n != 4 {
		t.Errorf("%d events", n)
	}
}

// The number of a record that this program does not know is not given again.
func TestLaterKindKeepsItsNumber(t *testing.T) {
	l := open(t, Options{Dir: t.TempDir()})
	must(t, l.Thread("", 1), &Noted{Code: "x"})
	l.Close()
	id := change(t, l, func(raw []byte) []byte {
		return seal(append(raw, `{"seq":3,"time":"2030-01-01T00:00:00.000Z","turn":1,"agent":"","type":"invented","data":{}`...), len(raw))
	})
	again, report, err := Open(id, Options{Dir: filepath.Dir(l.Path())})
	if err != nil || report.Damaged != nil {
		t.Fatalf("%+v, %v", report, err)
	}
	defer again.Close()
	if seq := must(t, again.Thread("", 1), &Noted{Code: "y"}); seq != 4 {
		t.Errorf("the next number is %d", seq)
	}
}

// A first line without its end is no log: what would be appended could never be read.
func TestFirstLineWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(pathOf(dir, "nothing"), []byte(strings.TrimSpace(header)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open("nothing", Options{Dir: dir}); !errors.Is(err, ErrNotSession) {
		t.Errorf("got %v", err)
	}
}
