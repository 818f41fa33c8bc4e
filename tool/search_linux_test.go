package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"paicli/agent"
)

const (
	searchDir  = "PAICLI_SEARCH_DIR"  // project of the process that is measured
	searchWhat = "PAICLI_SEARCH_WHAT" // the call that it makes, "" = none
)

// maxWalkMemory is how much more memory a search of many files may take than none, in KiB.
const maxWalkMemory = 40 << 10

// TestSearchInLittleMemory measures what a process needs to go through many files. The bound is
// judged with PAICLI_FULL=1, on 50,000 of them.
func TestSearchInLittleMemory(t *testing.T) {
	if dir := os.Getenv(searchDir); dir != "" {
		searchMeasured(t, dir, os.Getenv(searchWhat))
		return
	}
	files := rounds(5_000, 50_000)
	dir := manyFiles(t, files, "a line of text with a needle\n")
	idle := searchPeak(t, dir, "")
	for _, what := range []string{`glob_files {"pattern":"*.none"}`, `grep_code {"pattern":"absent"}`, `grep_code {"pattern":"needle"}`, `grep_code {"pattern":"n[^e]e+dle$|x\\d","regex":true,"max_results":200,"context_lines":5}`} {
		more := searchPeak(t, dir, what) - idle
		t.Logf("SUMMARY %d files, %s: %.1f MiB more than %.1f MiB idle", files, what, float64(more)/1024, float64(idle)/1024)
		if more > maxWalkMemory && os.Getenv("PAICLI_FULL") == "1" {
			t.Errorf("%d KiB more than idle, at most %d are allowed", more, maxWalkMemory)
		}
	}
}

func manyFiles(t *testing.T, count int, content string) string {
	t.Helper()
	dir := t.TempDir()
	for i := range count {
		at := filepath.Join(dir, fmt.Sprintf("d%02d/e%02d", i%40, i/40%20))
		if i < 40*20 {
			if err := os.MkdirAll(at, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(at, fmt.Sprintf("f%05d.txt", i)), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func searchPeak(t *testing.T, dir, what string) int {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestSearchInLittleMemory$", "-test.v")
	cmd.Env = append(os.Environ(), searchDir+"="+dir, searchWhat+"="+what)
	out, err := cmd.CombinedOutput()
	found := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(out)
	if err != nil || found == nil {
		t.Fatalf("%v: %s", err, out)
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

func searchMeasured(t *testing.T, dir, what string) {
	b := (&bench{t: t, dir: dir}).session()
	if name, in, ok := strings.Cut(what, " "); ok {
		if _, err := b.tools[name].Run(t.Context(), &agent.Call{Name: name, Args: json.RawMessage(in)}); err != nil {
			t.Fatal(err)
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM") {
			fmt.Print(line)
		}
	}
}

// maxLate is by how much a search may miss its deadline.
const maxLate = 100 * time.Millisecond

// TestSearchKeepsItsDeadline searches many files, and one long line, for patterns that take far
// longer than there is time. The bound is judged with PAICLI_FULL=1.
func TestSearchKeepsItsDeadline(t *testing.T) {
	const slow = `{"pattern":"(x|a).{14}(.{200}|[ab]).{14}[ab]$","regex":true}` // too large for an automaton
	full := os.Getenv("PAICLI_FULL") == "1"
	limit := 100 * time.Millisecond
	if full {
		limit = time.Second
	}
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, maxSearched-2)
	for i := range noise {
		noise[i] = "axz "[rng.IntN(4)]
	}
	for name, dir := range map[string]string{
		"many files": manyFiles(t, rounds(5_000, 50_000), string(noise[:4000])+"x\n"),
		"one line":   manyFiles(t, 1, string(noise)+"x"),
	} {
		b := (&bench{t: t, dir: dir}).session()
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		begin := time.Now()
		_, err := b.tools["grep_code"].Run(ctx, &agent.Call{Name: "grep_code", Args: json.RawMessage(slow)})
		took := time.Since(begin)
		cancel()
		t.Logf("SUMMARY %s: a search with %v of time took %v, %v", name, limit, took, err)
		if took > limit+maxLate && full {
			t.Errorf("%s: %v is too late", name, took)
		}
	}
}
