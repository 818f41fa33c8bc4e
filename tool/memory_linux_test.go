package tool

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	memoryDir    = "PAICLI_MEMORY_DIR"    // project of the process that is measured
	memoryOffset = "PAICLI_MEMORY_OFFSET" // line that it reads, 0 = it reads nothing
)

// maxMemory is how much more memory a window of a large file may take than none, in KiB.
const maxMemory = 20 << 10

// TestReadInLittleMemory measures what a process needs to read a window at the begin and at the end
// of a large file. The bound is judged with PAICLI_FULL=1, on a file of 1 GiB.
func TestReadInLittleMemory(t *testing.T) {
	if dir := os.Getenv(memoryDir); dir != "" {
		readMeasured(t, dir)
		return
	}
	dir := t.TempDir()
	lines := rounds(1<<20, 16<<20) // of 64 bytes
	f, err := os.Create(filepath.Join(dir, "big.log"))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	for i := range lines {
		fmt.Fprintf(w, "%-63d\n", i+1)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	idle := peak(t, dir, 0)
	for _, offset := range []int{1, lines - 100} {
		more := peak(t, dir, offset) - idle
		t.Logf("SUMMARY %d MiB, window at line %d: %.1f MiB more than %.1f MiB idle", lines>>14, offset, float64(more)/1024, float64(idle)/1024)
		if more > maxMemory && os.Getenv("PAICLI_FULL") == "1" {
			t.Errorf("%d KiB more than idle, at most %d are allowed", more, maxMemory)
		}
	}
}

// peak runs the process and returns its largest resident size in KiB.
func peak(t *testing.T, dir string, offset int) int {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestReadInLittleMemory$", "-test.v")
	cmd.Env = append(os.Environ(), memoryDir+"="+dir, memoryOffset+"="+strconv.Itoa(offset))
	out, err := cmd.CombinedOutput()
	found := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(out)
	if err != nil || found == nil {
		t.Fatalf("%v: %s", err, out)
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

func readMeasured(t *testing.T, dir string) {
	b := &bench{t: t, dir: dir}
	b = b.session()
	if offset := os.Getenv(memoryOffset); offset != "0" {
		has(t, b.do("read_file", args{"path": "big.log", "offset": offset, "limit": 100}).Text, "\n"+offset+" | "+offset+" ")
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
