package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

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
// only counted.
func TestEditsAgainstAnOutsideProgram(t *testing.T) {
	const writers, sessions = 8, 4
	edits := rounds(50, 1000)
	names := []string{"a.txt", "b.txt", "c.txt"}
	b := newBench(t)
	for _, name := range names {
		b.put(name, startText(writers))
	}
	benches := []*bench{b}
	for range sessions - 1 {
		benches = append(benches, b.session())
	}
	var stop atomic.Bool
	var outside sync.WaitGroup
	put := make([]int, len(names))
	for i, name := range names {
		outside.Go(func() { put[i] = addLines(t, filepath.Join(b.dir, name), &stop) })
	}
	var made, refused atomic.Int64
	var inside sync.WaitGroup
	for w := range writers {
		inside.Go(func() {
			for n := range edits {
				if countUp(t, benches[w%sessions], names[(w+n)%len(names)], w) {
					made.Add(1)
				} else {
					refused.Add(1)
				}
			}
		})
	}
	inside.Wait()
	stop.Store(true)
	outside.Wait()
	lost, kept := 0, 0
	for i, name := range names {
		text := b.content(name)
		for n := range put[i] {
			if !strings.Contains(text, fmt.Sprintf("\noutside %d\n", n)) {
				lost++
			}
		}
		kept += counted(t, text, writers)
	}
	t.Logf("SUMMARY %d edits made, %d refused, %d of them overwritten by the outside program; of %d lines of that program %d lost",
		made.Load(), refused.Load(), int(made.Load())-kept, put[0]+put[1]+put[2], lost)
	if lost > 0 || made.Load() == 0 {
		t.Errorf("%d lines lost, %d edits made", lost, made.Load())
	}
	noTempFiles(t, b.dir)
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
func addLines(t *testing.T, file string, stop *atomic.Bool) (n int) {
	temp := file + "~"
	for ; !stop.Load(); n++ {
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
		if strings.HasPrefix(d.Name(), ".paicli-") {
			t.Errorf("%s is left", p)
		}
		return errors.Join(err)
	})
	if err != nil {
		t.Error(err)
	}
}
