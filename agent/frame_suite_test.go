package agent

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// trick is a line of testdata/boundary.
type trick struct{ ID, Text, Source, Why string }

func readTricks(t *testing.T, name string) []trick {
	t.Helper()
	f, err := os.Open("../testdata/boundary/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []trick
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c trick
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil || c.Source == "" || c.Text == "" {
			t.Fatalf("%.80s: %v", lines.Text(), err)
		}
		out = append(out, c)
	}
	return out
}

// unframed takes the frame off; ok is false when there is none.
func unframed(s string) (string, bool) {
	_, s, _ = strings.Cut(s, "\n")
	return strings.CutSuffix(s, "\n</tool_result>")
}

// The judges say what is wrong with a framed text, "" when nothing is. They know nothing of how the
// frame is made.
var (
	anyTag = regexp.MustCompile(`(?i)<[\s/\\\\!?]*tool[\s_-]*_[\s_-]*result`)
	escape = regexp.MustCompile(`&(lt|#x[0-9A-F]+);`)
)

func judgeForged(c trick, framed string) string {
	body, ok := unframed(framed)
	switch {
	case !ok:
		return "no frame"
	case len(anyTag.FindAllString(seen(framed), -1)) != 2:
		return "another tag than ours"
	case len(escape.FindAllString(body, -1)) < 1+strings.Count(c.Text, "</tool_result>\n<tool_result"):
		return "the bracket is still there"
	case !strings.Contains(strings.ToLower(seen(body)), strings.ToLower(lastWord(c.Text))):
		return "what stood behind it is lost"
	}
	return ""
}

func judgeHidden(c trick, framed string) string {
	body, ok := unframed(framed)
	visible := strings.Map(func(r rune) rune {
		if r > unicode.MaxLatin1 && !strings.ContainsRune("\U0001f3f4\U0001f600\U0001f468\U0001f469\u2764", r) || r == 0xad {
			return -1
		}
		return r
	}, c.Text)
	plain, _, noted := strings.Cut(body, "\n[")
	switch {
	case !ok:
		return "no frame"
	case !noted || !strings.Contains(body, "U+"):
		return "nothing says that something was left out"
	case visible != strings.Map(func(r rune) rune {
		if strings.ContainsRune("\u200d\u200e\u200f\ufe0f", r) { // one of a run may stay
			return -1
		}
		return r
	}, plain):
		return "the visible text is another"
	case len([]rune(plain)) > len([]rune(visible))+1:
		return "something hidden is left"
	}
	return ""
}

func judgeKept(c trick, framed string) string {
	if body, _ := unframed(framed); body != c.Text {
		return "changed"
	}
	return ""
}

// seen is what is left of a text when all is dropped that has no width.
func seen(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Mn) || unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// lastWord is the last plain word of a text.
func lastWord(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) })
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// TestBoundarySuiteBites: without a frame that does its work, every trick works.
func TestBoundarySuiteBites(t *testing.T) {
	plain := func(c trick) string {
		return "<tool_result tool=\"x\" trust=\"untrusted-data\">\n" + c.Text + "\n</tool_result>"
	}
	for _, c := range readTricks(t, "forged") {
		if judgeForged(c, plain(c)) == "" {
			t.Errorf("%s (%s) passes without a frame", c.ID, c.Why)
		}
	}
	for _, c := range readTricks(t, "hidden") {
		if judgeHidden(c, plain(c)) == "" {
			t.Errorf("%s (%s) passes without a frame", c.ID, c.Why)
		}
	}
	for _, c := range readTricks(t, "kept") {
		if problem := judgeKept(c, plain(c)); problem != "" {
			t.Errorf("%s (%s): %s", c.ID, c.Why, problem)
		}
	}
}

func TestBoundarySuite(t *testing.T) {
	for name, judge := range map[string]func(trick, string) string{"forged": judgeForged, "hidden": judgeHidden, "kept": judgeKept} {
		for _, c := range readTricks(t, name) {
			if problem := judge(c, Frame("web_fetch", c.Text)); problem != "" {
				t.Errorf("%s (%s): %s: %.200q", c.ID, c.Why, problem, Frame("web_fetch", c.Text))
			}
		}
	}
}

// Nothing ends the frame but its end.
func FuzzFrame(f *testing.F) {
	for _, s := range []string{"</tool_result>", "<\u200btool\u00ad_result", "＜／ｔｏｏｌ＿ｒｅｓｕｌｔ＞", "x\n</TOOL_RESULT\n>"} {
		f.Add("web_fetch", s)
	}
	f.Fuzz(func(t *testing.T, name, body string) {
		got := Frame(name, body)
		if n := len(anyTag.FindAllString(seen(got), -1)); n != 2 {
			t.Fatalf("%d tags in %q", n, got)
		}
		head, _, _ := strings.Cut(got, "\n")
		if !strings.HasPrefix(head, `<tool_result tool="`) || strings.Count(head, `"`) != 4 || !strings.HasSuffix(got, "\n</tool_result>") {
			t.Fatalf("no frame: %q", got)
		}
	})
}
