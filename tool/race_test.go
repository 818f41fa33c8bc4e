package tool

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paicli/agent"
	"paicli/internal/fsx"
)

// rounds is a number of repetitions: small in every check, whole with PAICLI_FULL=1.
func rounds(small, whole int) int {
	if os.Getenv("PAICLI_FULL") == "1" {
		return whole
	}
	return small
}

// session makes another session's tools on the same project: it shares nothing with the first.
func (b *bench) session() *bench {
	b.t.Helper()
	root, err := fsx.Open(b.dir, fsx.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { root.Close() })
	other := &bench{t: b.t, dir: b.dir, tools: make(map[string]agent.Tool)}
	for _, tool := range All(Options{Root: root}) {
		other.tools[tool.Spec().Name] = tool
	}
	return other
}

// TestEditsAgainstAnOutsideProgram: writers of several sessions edit the same files while another
// program reads them, adds a line and renames its version into place, which is how editors save.
// Every line of that program must be there at the end: each version of it was built on what it had
// read, so that a missing line was taken away by us. What it overwrites of ours is its doing and
// only counted; in the file that it leaves alone, every edit that was made must be there.
func TestEditsAgainstAnOutsideProgram(t *testing.T) {
	const writers, sessions = 8, 4
	edits := rounds(50, 1000)
	files := []*contested{
		{name: "a.txt", pause: 0}, {name: "b.txt", pause: time.Millisecond}, {name: "c.txt", pause: 10 * time.Millisecond}, {name: "d.txt", pause: -1},
	}
	b := newBench(t)
	benches := []*bench{b}
	for range sessions - 1 {
		benches = append(benches, b.session())
	}
	var stop atomic.Bool
	var outside, inside sync.WaitGroup
	for _, f := range files {
		b.put(f.name, startText(writers))
		if f.pause >= 0 {
			outside.Go(func() { f.put = addLines(t, filepath.Join(b.dir, f.name), f.pause, &stop) })
		}
	}
	for w := range writers {
		inside.Go(func() {
			for n := range edits {
				f := files[(w+n)%len(files)]
				if countUp(t, benches[w%sessions], f.name, w) {
					f.made.Add(1)
				} else {
					f.refused.Add(1)
				}
			}
		})
	}
	inside.Wait()
	stop.Store(true)
	outside.Wait()
	for _, f := range files {
		f.judge(t, b.content(f.name), writers)
	}
	noTempFiles(t, b.dir)
}

// contested is a file that is edited by us and, unless its pause is negative, by another program.
type contested struct {
	name          string
	pause         time.Duration // of the other program between two versions
	put           int           // lines that it added
	made, refused atomic.Int64  // edits of ours
}

func (f *contested) judge(t *testing.T, text string, writers int) {
	t.Helper()
	lost := 0
	for n := range f.put {
		if !strings.Contains(text, fmt.Sprintf("\noutside %d\n", n)) {
			lost++
		}
	}
	over := int(f.made.Load()) - counted(t, text, writers)
	t.Logf("SUMMARY %s, pause %v: %d edits made, %d refused, %d overwritten; %d lines from outside, %d lost",
		f.name, f.pause, f.made.Load(), f.refused.Load(), over, f.put, lost)
	if lost > 0 || f.made.Load() == 0 && f.pause != 0 || f.put == 0 && over > 0 {
		t.Errorf("%s has lost something", f.name)
	}
}

// startText has a line for each writer, far enough from each other to be merged.
func startText(writers int) string {
	var s strings.Builder
	for w := range writers {
		fmt.Fprintf(&s, "writer %d: 0.\n%s", w, strings.Repeat("a line of nobody\n", 5))
	}
	return s.String() + "end of the writers\n"
}

// countUp reads a file and raises the writer's number in it. It reports whether the edit was made.
func countUp(t *testing.T, b *bench, name string, writer int) bool {
	t.Helper()
	_, out, err := b.try("read_file", args{"path": name})
	if err != nil {
		t.Error(err)
		return false
	}
	mark := fmt.Sprintf("writer %d: ", writer)
	_, rest, _ := strings.Cut(out.Text, mark)
	var n int
	if _, err := fmt.Sscanf(rest, "%d.", &n); err != nil {
		t.Errorf("the line of writer %d is gone: %v\n%s", writer, err, out.Text)
		return false
	}
	_, _, err = b.try("edit_file", args{"path": name, "old_text": fmt.Sprint(mark, n, "."), "new_text": fmt.Sprint(mark, n+1, ".")})
	return err == nil
}

// counted adds up the numbers of all writers.
func counted(t *testing.T, text string, writers int) (sum int) {
	t.Helper()
	for w := range writers {
		_, rest, _ := strings.Cut(text, fmt.Sprintf("writer %d: ", w))
		var n int
		if _, err := fmt.Sscanf(rest, "%d.", &n); err != nil {
			t.Errorf("writer %d: %v", w, err)
		}
		sum += n
	}
	return sum
}

// addLines is the outside program. It returns how many lines it put in place.
func addLines(t *testing.T, file string, pause time.Duration, stop *atomic.Bool) (n int) {
	temp := file + "~"
	for ; !stop.Load(); n++ {
		time.Sleep(pause)
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(temp, fmt.Appendf(text, "outside %d\n", n), 0o644)
		}
		if err == nil {
			err = os.Rename(temp, file)
		}
		if err != nil {
			t.Error(err)
			return n
		}
	}
	return n
}

func noTempFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".paicli-") {
			t.Errorf("%s is left", p)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
