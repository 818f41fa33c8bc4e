//go:build ignore

// Beside compares the search with ripgrep; beside-ripgrep runs it.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// class is patterns of one kind, and what ripgrep must be told about them.
type class struct {
	name     string
	fold     bool
	regex    bool
	glob     bool
	bound    float64 // of the median ratio
	most     float64 // of each ratio
	patterns []string
}

func classes() []class {
	return []class{
		{name: "literal", bound: 1.2, most: 2, patterns: []string{"EXPORT_SYMBOL_GPL", "spin_lock_irqsave", "struct device_node", "kmalloc(", "of_property_read_u32"}},
		{name: "rare literal", bound: 1.2, most: 2, patterns: []string{"pm_runtime_put_noidle", "tcp_cwnd_restart", "cgroup_rstat_flush_locked", "rcu_barrier_tasks_trace", "ext4_mb_regular_allocator"}},
		{name: "no match", bound: 1.2, most: 2, patterns: []string{"no_such_thing_anywhere", "zyzzyva", "the quick brown fax", "return -ENOTHING;", "__unheard_of__"}},
		{name: "literal, any case", fold: true, bound: 1.2, most: 2, patterns: []string{"Kernel PANIC", "spin_LOCK_bh", "todo: fix", "copyright (c) 2012 intel", "Task_Struct *TSK"}},
		{name: "regex with a literal", regex: true, bound: 1.2, most: 2, patterns: []string{
			`static\s+int\s+\w+_probe_one\(`, `EXPORT_SYMBOL\(\w+_lock\)`, `#define\s+\w+_TIMEOUT\s+\d+`, `for_each_\w+_safe_reverse\(`, `return -E(BADF|NXIO|NODEV);`}},
		{name: "regex without", regex: true, bound: 10, most: 10, patterns: []string{
			`\w{5}\s+\w{5}\s+\w{5}\s+\w{5}\s+\w{5}\s+\w{5}`, `[0-9]{9,}`, `^\s+\d+\.\d+$`, `[A-Z]{12,}_[A-Z]{12,}`, `\b\d{3}-\d{4}\b`}},
		{name: "glob", glob: true, bound: 1.2, most: 2, patterns: []string{"*.c", "Makefile", "*.[ch]", "*usb*", "**/include/**/*.h"}},
	}
}

// pair is the two programs with one pattern.
type pair struct {
	ours, theirs []string
	sorted       []string // theirs, one thread, in order
	glob         bool
}

func (c class) pair(paicli, tree, pattern string) pair {
	rg := []string{"rg", "--no-config", "--hidden", "--no-require-git", "--no-ignore-parent", "--no-ignore-global", "--no-messages"}
	args := map[string]any{"pattern": pattern}
	name := "grep_code"
	if c.glob {
		name = "glob_files"
		rg = append(rg, "--files", "-g", pattern)
	} else {
		rg = append(rg, "--max-filesize", "2M", "--line-number", "--no-heading", "--color", "never")
		args["case_sensitive"], args["regex"] = !c.fold, c.regex
		switch {
		case c.regex: // \w and \d are ASCII in RE2
			rg = append(rg, "--no-unicode")
		default:
			rg = append(rg, "--fixed-strings")
		}
		if c.fold {
			rg = append(rg, "--ignore-case")
		}
		rg = append(rg, "-e", pattern)
	}
	raw, err := json.Marshal(args)
	check(err)
	rg = append(rg, ".")
	return pair{
		ours:   []string{paicli, "tool", name, "-C", tree, "--uncapped", "--args", string(raw)},
		theirs: rg,
		sorted: slices.Insert(slices.Clone(rg), 1, "--sort", "path"),
		glob:   c.glob,
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "beside:", err)
		os.Exit(1)
	}
}

// run is one whole process: its output and how long it took.
func run(tree string, args []string) ([]byte, time.Duration) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = tree
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	begin := time.Now()
	err := cmd.Run()
	took := time.Since(begin)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && out.Len() == 0 {
		err = nil // nothing was found
	}
	if err == nil && endedEarly.Match(out.Bytes()) {
		err = fmt.Errorf("%q did not search everything", args)
	}
	check(err)
	return out.Bytes(), took
}

// endedEarly matches the notices of a cut in what ours prints; a time with one is none.
var endedEarly = regexp.MustCompile(`(?m)^partial: true \(|\(truncated: the search ended after|\(truncated at max_results`)

// hits makes sorted lines path:line, or paths, of an output.
func hits(out []byte, form *regexp.Regexp) []string {
	var all []string
	for line := range bytes.Lines(out) {
		if m := form.FindSubmatch(bytes.TrimSuffix(line, []byte("\n"))); m != nil {
			all = append(all, string(m[1]))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var (
	oursForm   = regexp.MustCompile(`^\d+\. (.+)$`)
	theirsForm = regexp.MustCompile(`^\./(.+?:\d+):`)
	pathForm   = regexp.MustCompile(`^\./(.+)$`)
)

// compare tells how the hits differ.
func (p pair) compare(tree string) (count int, differ []string) {
	a, _ := run(tree, p.ours)
	b, _ := run(tree, p.theirs)
	form := theirsForm
	if p.glob {
		form = pathForm
	}
	ours, theirs := hits(a, oursForm), hits(b, form)
	for _, h := range ours {
		if info, err := os.Lstat(filepath.Join(tree, h)); p.glob && err == nil && !info.Mode().IsRegular() {
			continue // ripgrep lists no links
		}
		if _, ok := slices.BinarySearch(theirs, h); !ok {
			differ = append(differ, "only ours: "+h)
		}
	}
	for _, h := range theirs {
		if _, ok := slices.BinarySearch(ours, h); !ok {
			differ = append(differ, "only ripgrep's: "+h)
		}
	}
	return len(theirs), differ
}

// times are the medians of both, in turn.
func times(tree string, runs int, a, b []string, before func()) (time.Duration, time.Duration) {
	var as, bs []time.Duration
	once := func(args []string) time.Duration {
		before()
		_, took := run(tree, args)
		return took
	}
	for i := range runs {
		if i%2 == 0 {
			as = append(as, once(a))
			bs = append(bs, once(b))
		} else {
			bs = append(bs, once(b))
			as = append(as, once(a))
		}
	}
	return median(as), median(bs)
}

func median[T cmp.Ordered](of []T) T {
	slices.Sort(of)
	return of[len(of)/2]
}

// dropCaches empties the page cache.
func dropCaches() {
	syscall.Sync()
	check(os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0))
}

type comparison struct {
	paicli, tree string
	runs         int
	bad          bool
}

func (c *comparison) class(k class) {
	var ratios, sorted []float64
	for _, pattern := range k.patterns {
		p := k.pair(c.paicli, c.tree, pattern)
		count, differ := p.compare(c.tree)
		ours, theirs := times(c.tree, c.runs, p.ours, p.theirs, func() {})
		ratio := float64(ours) / float64(theirs)
		ratios = append(ratios, ratio)
		again, inOrder := times(c.tree, 1, p.ours, p.sorted, func() {})
		sorted = append(sorted, float64(again)/float64(inOrder))
		fmt.Printf("%-22s %-50s %7d hits  %5d ms  ripgrep %5d ms  ratio %.2f  beside --sort path %.2f\n", k.name, pattern, count, ours.Milliseconds(), theirs.Milliseconds(), ratio, sorted[len(sorted)-1])
		for _, d := range differ[:min(len(differ), 5)] {
			fmt.Println("  DIFFERS:", d)
		}
		c.bad = c.bad || len(differ) > 0 || ratio > k.most
	}
	most, mid := slices.Max(ratios), median(ratios)
	verdict := "ok"
	if mid > k.bound || most > k.most {
		verdict, c.bad = "TOO SLOW", true
	}
	fmt.Printf("SUMMARY warm %s: median %.2f (at most %.1f), worst %.2f (at most %.0f), beside --sort path %.2f: %s\n", k.name, mid, k.bound, most, k.most, median(sorted), verdict)
}

// cold compares with an empty page cache: the disk is what is measured, so it has no bound.
func (c *comparison) cold(k class) {
	p := k.pair(c.paicli, c.tree, k.patterns[0])
	ours, theirs := times(c.tree, 3, p.ours, p.theirs, dropCaches)
	fmt.Printf("SUMMARY cold %s: %d ms, ripgrep %d ms, ratio %.2f\n", k.name, ours.Milliseconds(), theirs.Milliseconds(), float64(ours)/float64(theirs))
}

func main() {
	tree, err := filepath.Abs(os.Args[2])
	check(err)
	c := &comparison{paicli: os.Args[1], tree: tree, runs: 7}
	if n, err := strconv.Atoi(os.Getenv("RUNS")); err == nil && n > 0 {
		c.runs = n
	}
	only := os.Getenv("CLASS")
	for _, k := range classes() {
		if strings.Contains(k.name, only) {
			c.class(k)
		}
	}
	switch {
	case os.Getenv("COLD") == "":
		fmt.Println("SUMMARY cold: not measured; COLD=1 does, as root")
	case os.Getuid() != 0:
		fmt.Println("SUMMARY cold: not measured; only root can empty the page cache")
	default:
		for _, k := range classes() {
			c.cold(k)
		}
	}
	if c.bad {
		os.Exit(1)
	}
}
