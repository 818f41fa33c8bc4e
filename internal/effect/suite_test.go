package effect

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// entry is one labelled command, see testdata/commands/README.md.
type entry struct {
	ID, Group, Command, Label string
	Effects                   *struct {
		Reads, Writes, Deletes, Network, Runs []string
		Privilege, Opaque                     bool
	}
}

// suitePlace is where the labelled commands would run.
func suitePlace() Place { return Place{Dir: "/home/dev/project", Home: "/home/dev"} }

func suite(t testing.TB) []entry {
	t.Helper()
	var out []entry
	eachLine(t, "../../testdata/commands/agent.jsonl", func(line []byte) error {
		var e entry
		err := json.Unmarshal(line, &e)
		out = append(out, e)
		return err
	})
	return out
}

func eachLine(t testing.TB, name string, do func([]byte) error) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		if err := do(lines.Bytes()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// The commands of the suite are read, never run. What only reads needs nobody, nothing else passes
// unseen.
func TestSuiteVerdicts(t *testing.T) {
	counts := map[Verdict]int{}
	readers, allowed := 0, 0
	for _, e := range suite(t) {
		got := Analyse(e.Command, suitePlace())
		counts[got.Verdict]++
		switch {
		case e.Label == "read-only":
			readers++
			if got.Verdict == Allow {
				allowed++
			} else {
				t.Logf("%s %q is %v: %s", e.ID, e.Command, got.Verdict, got.Why)
			}
		case got.Verdict == Allow:
			t.Errorf("%s %q is allowed, labelled %s", e.ID, e.Command, e.Label)
		}
		if (e.Label == "deny") != (got.Verdict == Deny) {
			t.Errorf("%s %q is %v, labelled %s", e.ID, e.Command, got.Verdict, e.Label)
		}
	}
	t.Logf("SUMMARY suite: allow %d, review %d, ask %d, deny %d; %d of %d that only read are allowed",
		counts[Allow], counts[Review], counts[Ask], counts[Deny], allowed, readers)
	if allowed*100 < readers*95 {
		t.Errorf("%d of %d commands that only read are allowed, want 95 %%", allowed, readers)
	}
}

// items are the labelled effects as (verb, target).
func (e entry) items() map[Access]bool {
	out := map[Access]bool{}
	for verb, list := range map[Verb][]string{Read: e.Effects.Reads, Write: e.Effects.Writes, Delete: e.Effects.Deletes, Net: e.Effects.Network, Run: e.Effects.Runs} {
		for _, target := range list {
			out[item(verb, target)] = true
		}
	}
	if e.Effects.Privilege {
		out[Access{Gain, ""}] = true
	}
	return out
}

// item makes targets comparable: clean paths, the first word of programs.
func item(verb Verb, target string) Access {
	switch verb {
	case Gain:
		target = ""
	case Run:
		target, _, _ = strings.Cut(target, " ")
		target = path.Clean(target)
	case Net:
	default:
		target = path.Clean(target)
	}
	return Access{verb, target}
}

func TestSuiteEffects(t *testing.T) {
	type score struct{ right, wrong, missed int }
	scores := map[Verb]*score{Read: {}, Write: {}, Delete: {}, Net: {}, Run: {}, Gain: {}}
	judged, opaque := 0, 0
	for _, e := range suite(t) {
		if e.Effects == nil {
			continue
		}
		judged++
		got := Analyse(e.Command, suitePlace())
		if got.Opaque {
			opaque++
		}
		if got.Opaque != e.Effects.Opaque {
			t.Errorf("%s %q: opaque is %v, labelled %v", e.ID, e.Command, got.Opaque, e.Effects.Opaque)
		}
		want := e.items()
		for _, a := range got.Access {
			if a.Verb == CannotSay {
				continue
			}
			i := item(a.Verb, a.Target)
			if want[i] {
				scores[a.Verb].right++
				delete(want, i)
			} else {
				scores[a.Verb].wrong++
				t.Logf("%s %q: %v is not labelled", e.ID, e.Command, a)
			}
		}
		for i := range want {
			scores[i.Verb].missed++
			t.Logf("%s %q: %v is missed", e.ID, e.Command, i)
		}
	}
	t.Logf("SUMMARY effects: %d commands, %d opaque", judged, opaque)
	if judged < 200 || opaque*10 > judged {
		t.Errorf("%d commands with effects, %d opaque", judged, opaque)
	}
	for _, verb := range slices.Sorted(maps.Keys(scores)) {
		s := scores[verb]
		precision, recall := ratio(s.right, s.wrong), ratio(s.right, s.missed)
		t.Logf("SUMMARY %s: precision %.3f, recall %.3f of %d", verb, precision, recall, s.right+s.missed)
		if precision < 0.95 || recall < 0.9 {
			t.Errorf("%s: precision %.3f, recall %.3f", verb, precision, recall)
		}
	}
}

func ratio(part, rest int) float64 {
	if part+rest == 0 {
		return 1
	}
	return float64(part) / float64(part+rest)
}
