package search

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// lines are the numbers of the matching lines.
func lines(t testing.TB, p *Pattern, text string) (got []int) {
	t.Helper()
	m := p.Matcher()
	data := []byte(text)
	s := m.Search(data)
	for {
		line, ok := s.Next(t.Context())
		if !ok {
			break
		}
		got = append(got, 1+strings.Count(text[:line.Start], "\n"))
		if from, to := m.Locate(t.Context(), data[line.Start:line.End]); from < 0 || to < from {
			t.Errorf("line %d: the match is at %d, %d", got[len(got)-1], from, to)
		}
	}
	if len(got) > 0 && m.Absent(data) {
		t.Errorf("absent, but in lines %v", got)
	}
	return got
}

// plainly is what package regexp says of each line.
func plainly(pattern string, o Options, text string) (want []int) {
	source := pattern
	if !o.Regex {
		source = regexp.QuoteMeta(pattern)
	}
	if o.IgnoreCase {
		source = "(?i)" + source
	}
	re := regexp.MustCompile(source)
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if o.Regex {
			line = strings.TrimSuffix(line, "\r")
		}
		if re.MatchString(line) {
			want = append(want, n)
		}
	}
	return want
}

func TestSearch(t *testing.T) {
	const text = "call foo(); a || b\nFOO(bar)\nthe end\r\nend of it\r\n\nfinal é needle\r\n\r\nTaSK maſk \u212Aelvin\nl'ÉTÉ été ΣΊΣΥΦΟΣ σίσυφος\nword-word two words\n\u00a0x"
	for _, pattern := range []string{"foo", "foo(", "a || b", "end", "é", "É NEEDLE", "task", "MASK", "kelvin", "ss", "sk", "k", "s", "été", "σίσυφος", " ", "x"} {
		for _, o := range []Options{{}, {IgnoreCase: true}} {
			check(t, pattern, o, text)
		}
	}
	for _, pattern := range []string{
		"^$", "$", "^", "", "end$", "^end", "end|FOO", `\bword\b`, `\Bord`, `n\w+dle$`, "(two|the) (words|end)", "[^ -~]", `\PL\pL`, ".", "x*",
		"f(oo){1}", "(?i)task|kelvin", "^the|it$", `\A\w+ `, `needle\z`, "(?m)^end", "(?s).x", "a.*b", "[Ff][Oo]o", `\r`, "(a|b|c|d|e|f|g|h|i)x?n", "x{0}", "[^a-z]$", "é.*(?-i:n)",
	} {
		for _, o := range []Options{{Regex: true}, {Regex: true, IgnoreCase: true}} {
			check(t, pattern, o, text)
		}
	}
}

func check(t *testing.T, pattern string, o Options, text string) {
	t.Helper()
	p, err := Compile(pattern, o)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	if diff := cmp.Diff(plainly(pattern, o, text), lines(t, p, text)); diff != "" {
		t.Errorf("%q %+v (-want +got):\n%s", pattern, o, diff)
	}
}

func TestRequired(t *testing.T) {
	for pattern, want := range map[string]string{
		`func \w+\(`: "func ", "defineThing|createThing": "defineThing createThing", "(foo|bar)+baz": "baz", "a*": "", "x?needle": "needle",
		"(?i)task": "ta", `\d+`: "", "a{2,}": "a", "(a|b*)": "", "(?i:foo)bar": "foobar", "foo.*longer": "longer", "^$": "",
	} {
		p, err := Compile(pattern, Options{Regex: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range p.needles {
			got = append(got, string(n.bytes))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", pattern, got, want)
		}
	}
}

// TestLargeExpression: what is too large for an automaton is left to package regexp.
func TestLargeExpression(t *testing.T) {
	text := strings.Repeat("ab", 300) + "\n" + strings.Repeat("xa", 40) + "\nb\n"
	for _, pattern := range []string{"(a|b){500}", "(x|y).{30}[ab]", `(\pL{20}|\pN){20}`, ".*a.{12}[^b].{12}$"} {
		check(t, pattern, Options{Regex: true}, text)
	}
	m := mustCompile(t, "(x|a).{14}[ab]", Options{Regex: true}).Matcher()
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 1<<17)
	for i := range noise {
		noise[i] = "ax z"[rng.IntN(4)]
	}
	for i := 15; i < len(noise); i++ {
		if strings.IndexByte("ax", noise[i-15]) >= 0 {
			noise[i] = 'z'
		}
	}
	if line, ok := m.Search(noise).Next(t.Context()); ok || m.auto != nil {
		t.Errorf("line %v, %v; automaton %v", line, ok, m.auto != nil)
	}
}

func mustCompile(t testing.TB, pattern string, o Options) *Pattern {
	t.Helper()
	p, err := Compile(pattern, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSearchEnds: the end of ctx is noticed also in a long line.
func TestSearchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := mustCompile(t, "(a|b){300}c", Options{Regex: true}).Matcher()
	m.auto = nil
	line := bytes.Repeat([]byte("ab"), 1<<20)
	if _, ok := m.Search(line).Next(ctx); ok {
		t.Error("found something")
	}
	if from, _ := m.Locate(ctx, line); from >= 0 {
		t.Error("located something")
	}
}

// Every hit is what package regexp finds line by line, and no such line is missed.
func FuzzSearch(f *testing.F) {
	f.Add("a needle\r\nb\nneedle", "needle", false, false)
	f.Add("aa\naa ſK\r", "a+$|sK", true, true)
	f.Add("the quick brown fox jumps over the lazy dog, and back\n", "LAZY dog", false, true)
	f.Add("x\n\ny", `\b|^$`, true, false)
	f.Fuzz(func(t *testing.T, text, pattern string, isRegex, ignoreCase bool) {
		if pattern == "" || strings.ContainsAny(pattern, "\n\r") && !isRegex || !utf8.ValidString(text) || !utf8.ValidString(pattern) {
			t.Skip() // a pattern is for one line
		}
		o := Options{Regex: isRegex, IgnoreCase: ignoreCase}
		p, err := Compile(pattern, o)
		if err != nil {
			return
		}
		if diff := cmp.Diff(plainly(pattern, o, text), lines(t, p, text)); diff != "" {
			t.Fatalf("%q %+v in %q (-want +got):\n%s", pattern, o, text, diff)
		}
	})
}

// TestRandom does so with patterns and texts of few characters, which meet more often.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(from []string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(from[rng.IntN(len(from))])
		}
		return b.String()
	}
	chars := []string{"a", "b", "A", "k", "K", "\u212A", "s", "ſ", " ", "_", "é", "É", "中", "\n", "\r\n", "\r", "1"}
	parts := []string{"a", "b", "B", "k", "s", "é", "中", ".", "a+", "b*", "(a|bk)", "[ab]", "[^a]", `\b`, `\B`, "^", "$", `\w`, "(?i:a)", "{2}", "|", `\s`, "ab", "?", "(k|s|é)"}
	for range 20_000 {
		o := Options{Regex: rng.IntN(2) == 0, IgnoreCase: rng.IntN(2) == 0}
		from := parts
		if !o.Regex {
			from = chars[:13]
		}
		pattern := pick(from, 1+rng.IntN(5))
		if _, err := Compile(pattern, o); err != nil {
			continue
		}
		check(t, pattern, o, pick(chars, rng.IntN(60)))
	}
}

func BenchmarkSearch(b *testing.B) {
	text := []byte(strings.Repeat("\tif (pm_runtime_put(dev) < 0 && !test_bit(FLAG, &priv->flags))\n\t\treturn -EINVAL; /* of the usual length */\n", 20_000))
	for _, bb := range []struct {
		pattern string
		o       Options
	}{
		{"no_such_thing", Options{}}, {"quzzle", Options{}}, {"no_such_thing", Options{IgnoreCase: true}}, {"task_lock", Options{IgnoreCase: true}},
		{`runtime_\w+_noidle\(`, Options{Regex: true}}, {`\d{3}-\w+`, Options{Regex: true}}, {"one_thing|another_thing|third_thing", Options{Regex: true}},
	} {
		b.Run(fmt.Sprintf("%s/regex=%v,fold=%v", bb.pattern, bb.o.Regex, bb.o.IgnoreCase), func(b *testing.B) {
			m := mustCompile(b, bb.pattern, bb.o).Matcher()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, ok := m.Search(text).Next(b.Context()); ok {
					b.Fatal("found")
				}
			}
		})
	}
}
