package permission

import (
	"path/filepath"
	"strings"
	"testing"

	"paicli/internal/effect"
)

func parse(t testing.TB, text string) Rule {
	t.Helper()
	r, err := ParseRule(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

func rules(t testing.TB, texts ...string) []Rule {
	t.Helper()
	var out []Rule
	for _, text := range texts {
		out = append(out, parse(t, text))
	}
	return out
}

func TestParseRuleRefuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "(x)", "Bash(", "Bash(ls", "Bash()", "Bash( )", "Bash ls", "Ba sh", "Bash(ls\nrm)", "*", "mcp__*", "B*", "Bash('ls)",
		`Bash(ls\)`, "Read(" + strings.Repeat("a", maxRule) + ")", "Bash(\x1b[2J)", "bash(ls)", "Foo", "Foo(x)", "read(x)", "execute_commands", "mcp__", "MCP__a",
	} {
		if r, err := ParseRule(text); err == nil {
			t.Errorf("%q was taken for %+v", text, r)
		}
	}
}

func TestRuleNamesTools(t *testing.T) {
	for _, tt := range []struct {
		rule, tool string
		want       bool
	}{
		{"Bash", "execute_command", true},
		{"execute_command(*)", "execute_command", true},
		{"Edit(a)", "edit_file", true},
		{"Edit(a)", "write_file", true},
		{"Write(a)", "edit_file", false},
		{"Read", "read_file", true},
		{"Grep", "grep_code", true},
		{"Glob", "glob_files", true},
		{"LS", "list_dir", true},
		{"WebFetch", "web_fetch", true},
		{"WebSearch", "web_search", true},
		{"TodoWrite", "todo_write", true},
		{"mcp__a__b", "mcp__a__b", true},
		{"mcp__a__b", "mcp__a__bc", false},
		{"mcp__a__*", "mcp__a__b__c", true},
		{"mcp__a__*", "mcp__ab__c", false},
		{"mcp__a", "mcp__a__b", true},
		{"mcp__a", "mcp__ab__b", false},
	} {
		if got := parse(t, tt.rule).covers(tt.tool); got != tt.want {
			t.Errorf("%s, %s: %v", tt.rule, tt.tool, got)
		}
	}
}

// commandOf is a command whose words are separated by blanks; ? is one that is not known.
func commandOf(text string) effect.Command {
	c := effect.Command{Text: text, Known: true}
	for _, w := range strings.Fields(text) {
		if name, ok := strings.CutSuffix(w, "="); ok && len(c.Words) == 0 {
			c.Assigns = append(c.Assigns, name)
			continue
		}
		if w == "?" {
			w, c.Known = "", false
		}
		c.Words = append(c.Words, w)
	}
	return c
}

func TestRuleCoversCommands(t *testing.T) {
	for _, tt := range []struct {
		rule, command string
		covers        bool // as a rule that allows
		speaks        bool // as one that denies or asks
	}{
		{"execute_command", "? x", true, true},
		{"execute_command(*)", "A= rm", true, true},
		{"Bash(git log:*)", "git log", true, true},
		{"Bash(git log:*)", "git log -3 main", true, true},
		{"Bash(git log:*)", "git logs", false, false},
		{"Bash(git log:*)", "git -C /x log", false, true},
		{"Bash(git push:*)", "git -c a=b --no-pager push", false, true},
		{"Bash(git push:*)", "git -c push log", false, false},
		{"Bash(git push:*)", "git.exe push", false, true},
		{"execute_command(git log *)", "git log ?", true, true},
		{"execute_command(git log)", "git log -3", false, false},
		{"execute_command(git log)", "git log", true, true},
		{"execute_command(git log *)", "/usr/bin/git log", false, true},
		{"execute_command(git log *)", "./git log", false, true},
		{"execute_command(rm *)", "RM -rf x", false, true},
		{"execute_command(git ? *)", "git", false, false},
		{"execute_command(git push *)", "git ?", false, true},
		{"execute_command(git push *)", "? push", false, false},
		{"execute_command(make *)", "CC= make all", false, true},
		{"execute_command(CC=* make *)", "CC= make all", true, true},
		{"execute_command(CC=* make *)", "make all", true, true},
		{"execute_command(CC=* make *)", "LD= make all", false, true},
		{"execute_command(CC=*)", "CC=", true, false},
		{"execute_command(CC=*)", "make", false, false},
		{"execute_command(ls '*')", "ls *", true, true},
		{"execute_command(ls '*')", "ls a", false, false},
		{"execute_command(ls * b)", "ls a b", false, false},
		{"Read", "cat x", false, false},
	} {
		r, c := parse(t, tt.rule), commandOf(tt.command)
		if got := r.coversCommand(c); got != tt.covers {
			t.Errorf("%s covers %s: %v", tt.rule, tt.command, got)
		}
		if got := r.speaksOf(c); got != tt.speaks {
			t.Errorf("%s speaks of %s: %v", tt.rule, tt.command, got)
		}
	}
}

func TestRuleCoversPaths(t *testing.T) {
	for _, tt := range []struct {
		rule, path string
		want       bool
	}{
		{"Edit(src/**)", "src/a/b.go", true},
		{"Edit(src/**)", "src", false},
		{"Edit(src/**)", "lib/src/a.go", false},
		{"Edit(/src)", "src/a.go", true},
		{"Edit(src/)", "lib/src/a.go", true},
		{"Edit(*.go)", "a/b.go", true},
		{"Edit(/*.go)", "a/b.go", false},
		{"Edit(/*.go)", "b.go", true},
		{"Read(.env)", ".env", true},
		{"Read(.env)", "a/.env", true},
		{"Read(.env)", "a.env", false},
		{"Read(**/test/*.go)", "test/a.go", true},
		{"Read(**/test/*.go)", "x/y/test/a.go", true},
		{"Read(**/test/*.go)", "x/test/y/a.go", false},
		{"Read(a/**/b)", "a/b", true},
		{"Read(a/**/b)", "a/x/y/b/c", true},
		{"Read(a/**/b/**/c)", "a/b/b/x/c", true},
		{"Read(a/**/b/**/c)", "a/x/c", false},
		{"Read(./a)", "a", true},
		{"Read", "anything", true},
		{"Read(**)", "anything", true},
		{"Read(*)", "a/b", true},
		{"Read(a[b)", "a[b", true},
		{"Read(//etc/**)", "/etc/hosts", true},
		{"Read(/etc/**)", "/etc/hosts", false},
		{"Read(hosts)", "/etc/hosts", false},
	} {
		if got := parse(t, tt.rule).coversPath(tt.path, false); got != tt.want {
			t.Errorf("%s, %s: %v", tt.rule, tt.path, got)
		}
	}
	r := parse(t, "Read(Secrets/**)")
	if r.coversPath("secrets/x", false) || !r.coversPath("SECRETS/x", true) {
		t.Error("case counts for what allows and does not for what denies")
	}
}

func TestLiteral(t *testing.T) {
	for text, want := range map[string]bool{
		"Bash": false, "Bash(*)": false, "Bash(rm *)": false, "Bash(rm -f x)": true, "Bash(rm '*')": true, "Bash(A=* make)": false,
		"Read(a/b)": true, "Read(a/*)": false, "Read": false, "Read([ab])": false,
	} {
		if got := parse(t, text).literal(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func FuzzParseRule(f *testing.F) {
	for _, seed := range []string{"Bash(git log:*)", "execute_command(rm -f 'a b')", "Edit(src/**)", "mcp__a__*", `Bash("a\"b" c\ d)`, "Read(a)b)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		r.coversPath("a/b", true)
		r.speaksOf(commandOf("git log"))
		if len(r.words) == 0 || !r.literal() {
			return
		}
		// The words, quoted anew, are the same rule.
		var again []string
		for _, w := range r.words {
			again = append(again, quoteWord(w.text))
		}
		next, err := ParseRule("execute_command(" + strings.Join(again, " ") + ")")
		if err != nil {
			if len(text) > maxRule/8 {
				return // quoting made it too long
			}
			t.Fatalf("%q: %q: %v", text, again, err)
		}
		for i, w := range next.words {
			if w != r.words[i] {
				t.Fatalf("%q: word %d is %+v, then %+v", text, i, r.words[i], w)
			}
		}
	})
}

// Every tool can be named in a rule.
func TestRuleKnowsTools(t *testing.T) {
	files, err := filepath.Glob("../../tool/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		parse(t, strings.TrimSuffix(filepath.Base(file), ".md"))
	}
}

func TestDeniesRead(t *testing.T) {
	policy := func(texts ...string) *Policy {
		var rules Rules
		for _, text := range texts {
			r, err := ParseRule(text)
			if err != nil {
				t.Fatal(err)
			}
			rules.Deny = append(rules.Deny, r)
		}
		return New(Options{Rules: rules})
	}
	if policy("Bash(ls *)", "Edit(src/**)", "Read").DeniesRead() != nil {
		t.Error("no rule denies reading a path")
	}
	denies := policy("Read(secret/**)", "Grep(*.sql)").DeniesRead()
	for path, want := range map[string]bool{"secret/a/b": true, "SECRET/a": true, "x/dump.sql": true, "src/a.go": false} {
		if denies(path) != want {
			t.Errorf("%s: want %v", path, want)
		}
	}
}
