//go:build unix

package effect

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Real bash runs made-up commands of harmless stubs, which log how they were started. Nothing that
// it started may be missing in the analysis; what the analysis calls opaque counts as seen. No
// command of a corpus is run here.
func TestNothingThatBashRunsIsMissed(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	rounds := 150
	if os.Getenv("PAICLI_FULL") != "" {
		rounds = 3_000
	}
	s := newStubs(t, shell)
	seed := uint64(time.Now().UnixNano())
	if os.Getenv("PAICLI_FULL") == "" {
		seed = 1
	}
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0))}
	ran, opaque := 0, 0
	for range rounds {
		text := strings.ReplaceAll(g.text(), "\r\n", "\n") // as it is run
		started := s.run(t, text)
		got := Analyse(text, Place{Dir: s.dir, Home: "/h"})
		if got.Opaque {
			opaque++
		}
		for _, argv := range started {
			ran++
			if !got.Opaque && !listed(got, argv) {
				t.Errorf("seed %d: bash starts %q for %q, which is not among %q", seed, argv, text, words(got))
			}
		}
		if got.Verdict == Allow && len(started) > 0 {
			t.Errorf("seed %d: %q is allowed", seed, text)
		}
	}
	t.Logf("SUMMARY bash: %d texts started %d stubs; %d texts were opaque", rounds, ran, opaque)
	if ran < rounds/2 || opaque > rounds/2 {
		t.Errorf("too little was compared: %d stubs started, %d of %d texts opaque", ran, opaque, rounds)
	}
}

func words(a Analysis) [][]string {
	var out [][]string
	for _, c := range a.Commands {
		out = append(out, c.Words)
	}
	return out
}

// listed reports whether an analysis has a command that was started so. Arguments are compared
// where all are known and none is a pattern.
func listed(a Analysis, argv []string) bool {
	return slices.ContainsFunc(a.Commands, func(c Command) bool {
		if len(c.Words) == 0 || c.Words[0] != argv[0] {
			return false
		}
		return !c.Known || strings.ContainsAny(strings.Join(c.Words, ""), "*?[") || slices.Equal(c.Words, argv)
	})
}

// stubs is a directory of programs that only log, and an empty directory to start them in.
type stubs struct{ shell, bin, dir string }

func newStubs(t *testing.T, shell string) *stubs {
	t.Helper()
	s := &stubs{shell: shell, bin: t.TempDir()}
	const script = "#!/bin/sh\nlog=$(printf '%s\\001' \"${0##*/}\" \"$@\")\nprintf '%s\\002' \"$log\" >>.log\n"
	for i := range 6 {
		if err := os.WriteFile(filepath.Join(s.bin, fmt.Sprintf("s%d", i)), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bash", "sh", "env", "timeout", "nice", "xargs"} {
		if p, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(p, filepath.Join(s.bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// run gives a text to bash and returns the argument lists with which stubs were started.
func (s *stubs) run(t *testing.T, text string) [][]string {
	t.Helper()
	s.dir = t.TempDir() // what a text leaves running logs into its own directory
	log := filepath.Join(s.dir, ".log")
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.shell, "--norc", "--noprofile", "-c", text)
	cmd.Dir, cmd.Env = s.dir, []string{"PATH=" + s.bin, "HOME=/h", "FUNCNEST=20"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	// The output ends when everything that was started has ended. Many texts are errors, and so what.
	_, _ = cmd.CombinedOutput()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for record := range strings.SplitSeq(string(data), "\x02") {
		if argv := strings.Split(strings.TrimSuffix(record, "\x01"), "\x01"); argv[0] != "" {
			out = append(out, argv)
		}
	}
	return out
}

// generator makes shell text out of stubs, without a slash and without names of other programs than
// those that start stubs.
type generator struct{ *rand.Rand }

func (g *generator) pick(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g *generator) text() string {
	text := g.list(g.IntN(3))
	for g.IntN(3) == 0 {
		text = g.mutate(text)
	}
	return text
}

// mutate puts a character that means something to the shell anywhere, or takes one out.
func (g *generator) mutate(s string) string {
	i := g.IntN(len(s) + 1)
	if g.IntN(3) == 0 && i < len(s) {
		return s[:i] + s[i+1:]
	}
	return s[:i] + g.pick("\\\n", "\\", "\n", "'", `"`, "#", " #", ";", "|", "&", "$", "$(", ")", "`", "{", "}", "(", "\t", "<<", ">", "!", "~", "*", "=", " ", "$'", "\r\n", "# \\\n") + s[i:]
}

func (g *generator) list(depth int) string {
	text := g.command(depth)
	for range g.IntN(3) {
		text += g.pick(" ; ", " && ", " || ", "\n", " | ", " & ", " |& ", ";", "\\\n && ", " # note\n", " # note \\\n", "\n\n", " ;\\\n") + g.command(depth)
	}
	return text
}

func (g *generator) command(depth int) string {
	if depth <= 0 {
		return g.simple(0)
	}
	inner := func() string { return g.list(depth - 1) }
	switch g.IntN(16) {
	case 0:
		return "( " + inner() + "\n)"
	case 1:
		return "{ " + inner() + "\n}"
	case 2:
		return "if " + inner() + "\nthen " + inner() + "\nelse " + inner() + "\nfi"
	case 3:
		return "for x in a b\ndo " + inner() + "\ndone"
	case 4:
		return "case a in\na) " + inner() + "\n;;\nesac"
	case 5:
		return "qq() { " + inner() + "\n}\nqq"
	case 6:
		return "! " + g.simple(depth)
	case 7:
		return "time " + g.simple(depth)
	case 8:
		return "bash -c " + g.quote(inner())
	case 9:
		return "eval " + g.quote(inner())
	case 10:
		return "trap " + g.quote(inner()) + " EXIT"
	case 11:
		return "bash <<" + g.pick("E", "'E'", `"E"`, `\E`) + "\n" + inner() + "\nE\n"
	case 12:
		return "s0 <<" + g.pick("E", "'E'", "-E") + "\n" + g.argument(depth) + "\nE\n"
	}
	return g.simple(depth)
}

func (g *generator) simple(depth int) string {
	text := g.pick("", "", "", "x=1 ", "x=$(s5) ")
	text += g.pick("", "", "", "", "env ", "timeout 5 ", "nice -n 1 ", "command ", "env y=2 ", "s4 a | xargs ", "exec ", "env -S ")
	text += g.name()
	for range g.IntN(3) {
		text += g.pick(" ", "  ", "\t", " \\\n") + g.argument(depth)
	}
	return text + g.pick("", "", "", " >o", " 2>&1", " <<<a", " >o 2>&1", " <<<\"$(s3)\"")
}

func (g *generator) name() string {
	n := g.pick("0", "1", "2", "3", "4", "5")
	return g.pick("s"+n, "s"+n, "s"+n, "'s"+n+"'", `"s`+n+`"`, `s\`+n, `\s`+n, "s''"+n, `s""`+n, "$'s"+n+"'", `$'\x73`+n+"'", "{s"+n+",b}", "s\\\n"+n, `$'\163`+n+"'", "s{"+n+",0}")
}

func (g *generator) argument(depth int) string {
	if depth <= 0 || g.IntN(3) > 0 {
		return g.pick("a", "'a b'", `"c d"`, `a\ b`, "a#b", "$x", `"$x"`, "~", "{a,b}", "'$(s1)'", `\$\(s1\)`, `"\$(s1)"`, `"\\"`, "a'b'c", "''", "$'a\\'b'", "-c", "--")
	}
	inner := g.list(depth - 1)
	switch g.IntN(8) {
	case 0, 1:
		return "$(" + inner + "\n)"
	case 2:
		return `"$(` + inner + "\n)\""
	case 3:
		return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`", "$", "\\$").Replace(g.simple(0)) + "`"
	case 4:
		return "<(" + inner + "\n)"
	case 5:
		return "${z:-$(" + inner + "\n)}"
	case 6:
		return "\"$\\\n(" + inner + "\n)\""
	}
	return "$(( 1 + $(" + inner + "\n) ))"
}

// quote makes one word of a text.
func (g *generator) quote(s string) string {
	if g.IntN(2) == 0 {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}
