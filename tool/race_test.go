package tool

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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
	var inside sync.WaitGroup
	for _, f := range files {
		b.put(f.name, startText(writers))
		if f.pause >= 0 {
			f.end = startOutside(t, filepath.Join(b.dir, f.name), f.pause)
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
	for _, f := range files {
		if f.end != nil {
			f.put = f.end()
		}
		f.judge(t, b.content(f.name), writers)
	}
	noTempFiles(t, b.dir)
}

// contested is a file that is edited by us and, unless its pause is negative, by another program.
type contested struct {
	name          string
	pause         time.Duration // of the other program between two versions
	end           func() int    // ends that program and returns put
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
	rushed := f.pause >= 0 && f.pause < 10*time.Millisecond // so fast that perhaps nobody else gets through
	if lost > 0 || f.made.Load() == 0 && !rushed || f.put == 0 && over > 0 {
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

// startOutside starts the outside program, which is this test binary again, and waits until it has
// put its first line in place. The result ends it and returns how many lines it put in place.
func startOutside(t *testing.T, file string, pause time.Duration) (end func() int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestOutsideProgram$", "-test.v")
	cmd.Env = append(os.Environ(), outsideFile+"="+file, outsidePause+"="+pause.String())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() }) // for a test that ends early; else a second time
	lines := bufio.NewScanner(out)
	if found := scanFor(lines, "outside: "); found != "begun" {
		t.Fatalf("the outside program did not begin: %q", found)
	}
	return func() int {
		in.Close()
		n, err := strconv.Atoi(scanFor(lines, "outside: "))
		for lines.Scan() {
		}
		if err = errors.Join(err, cmd.Wait()); err != nil {
			t.Errorf("the outside program: %v", err)
		}
		return n
	}
}

// scanFor is the rest of the first line with a prefix.
func scanFor(lines *bufio.Scanner, prefix string) string {
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), prefix); ok {
			return rest
		}
	}
	return ""
}

// The file and the pause of the outside program.
const (
	outsideFile  = "PAICLI_TEST_OUTSIDE_FILE"
	outsidePause = "PAICLI_TEST_OUTSIDE_PAUSE"
)

// TestOutsideProgram is the outside program, until its input ends.
func TestOutsideProgram(t *testing.T) {
	file := os.Getenv(outsideFile)
	if file == "" {
		t.Skip("only as a process of its own")
	}
	pause, err := time.ParseDuration(os.Getenv(outsidePause))
	if err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop.Store(true)
	}()
	n := 0
	for ; n == 0 || !stop.Load(); n++ {
		time.Sleep(pause)
		addLine(t, file, n)
		if n == 0 {
			fmt.Println("outside: begun")
		}
	}
	fmt.Printf("outside: %d\n", n)
}

// addLine saves the file as editors do: a whole new version is renamed into place.
func addLine(t *testing.T, file string, n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file+"~", fmt.Appendf(text, "outside %d\n", n), 0o644)
	}
	if err == nil {
		err = os.Rename(file+"~", file)
	}
	if err != nil {
		t.Fatal(err)
	}
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
