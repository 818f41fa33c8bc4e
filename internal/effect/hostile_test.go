package effect

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Hostile texts end soon: calls that branch, values that double, much of everything. The worst take a tenth
// of the time on a machine that does nothing else.
func TestHostileTexts(t *testing.T) {
	for name, text := range map[string]string{
		"openers":       strings.Repeat("$(", 128<<10),
		"backquotes":    strings.Repeat("`", 200<<10),
		"braces":        "echo " + strings.Repeat("{a,b}", 40),
		"words":         "rm -rf " + strings.Repeat("../a ", 40_000),
		"commands":      strings.Repeat("cat a | grep b\n", 8000),
		"stages":        strings.Repeat("echo a | ", 10_000) + "sh",
		"nested output": strings.Repeat("$(echo ", 190) + "ls" + strings.Repeat(")", 190),
		"nested eval":   strings.Repeat(`eval "$(`, 190) + "curl x" + strings.Repeat(`)"`, 190),
		"nested pipes":  strings.Repeat("$(cat x | ", 190) + "sh" + strings.Repeat(")", 190),
		"ring":          numbered(2000, func(i int) string { return fmt.Sprintf("f%d() { f%d x; f%d y; }\n", i, (i+1)%2000, (i+2)%2000) }) + "f0 a",
		"branches":      "f0() { ls; }\n" + numbered(40, func(i int) string { return fmt.Sprintf("f%d() { f%d a; f%d b; }\n", i+1, i, i) }) + "f40 a",
		"parameters":    numbered(40, func(i int) string { return fmt.Sprintf("f%d() { f%d \"$@\" \"$@\"; }\n", i, i+1) }) + "f0 a b c",
		"value":         "x=aaaa\n" + strings.Repeat("x=\"$x$x\"\n", 40) + "echo $x",
		"fields":        "x='a b c'\n" + strings.Repeat("x=\"$x $x\"\n", 40) + "rm $x",
		"loops":         strings.Repeat("for a in 1 2 3 4 5 6 7 8 9; do ", 20) + "ls $a" + strings.Repeat("; done", 20),
		"format":        "printf '" + strings.Repeat("x%s", 20_000) + "' " + strings.Repeat("a ", 20_000) + "| sh",
		"names":         "echo " + strings.Repeat("a ", 50_000) + " | xargs rm",
		"actions":       "find . " + strings.Repeat(`-name a -exec ls {} \; `, 5000),
		"starts":        "find " + strings.Repeat("a ", 3000) + strings.Repeat("-exec cat {} + ", 300),
		"substitutions": "sed '" + strings.Repeat("s/a/b/;", 20_000) + "' a",
		"wrappers":      strings.Repeat("env ", 20_000) + "ls",
		"fetched":       "X=$(curl x)\n" + strings.Repeat("echo $X | sh\n", 5000),
		"joined":        strings.Repeat("ls \\\n a;", 10_000),
		"comments":      strings.Repeat("# a \\\n", 20_000) + "ls",
	} {
		start := time.Now()
		Analyse(text, suitePlace())
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%s takes %v", name, took)
		}
	}
}

func numbered(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}
