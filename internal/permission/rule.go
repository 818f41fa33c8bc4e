package permission

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Rule is one rule of permission: TOOL or TOOL(PATTERN). What the pattern means depends on the tool:
// the words of a command, or the path of a file.
type Rule struct {
	Text string
	// names are the tools; a last * stands for any further letters.
	names   []string
	pattern string
	words   []word // of a rule about commands
	any     bool   // no pattern, or one that fits everything
}

// word is one word of a rule about commands.
type word struct {
	text string
	wild bool // an unquoted *: as the last word any further words, none included
	vars bool // NAME=*: the variable NAME may be set in front of the command
}

// runTool is the tool whose rules speak of commands.
const runTool = "execute_command"

// names are our tools for the names that other agents' drivers use.
func ours(name string) []string {
	switch name {
	case "Bash":
		return []string{runTool}
	case "Read":
		return []string{"read_file"}
	case "Write":
		return []string{"write_file"}
	case "Edit":
		return []string{"edit_file", "write_file"}
	case "Grep":
		return []string{"grep_code"}
	case "Glob":
		return []string{"glob_files"}
	case "LS":
		return []string{"list_dir"}
	case "WebFetch":
		return []string{"web_fetch"}
	case "WebSearch":
		return []string{"web_search"}
	case "TodoWrite":
		return []string{"todo_write"}
	case "MultiEdit", "NotebookEdit":
		return []string{"edit_file"}
	case "NotebookRead":
		return []string{"read_file"}
	case "BashOutput", "KillShell", "KillBash":
		return []string{"job"}
	case "ExitPlanMode":
		return []string{"exit_plan"}
	case "AskUserQuestion":
		return []string{"ask_user"}
	}
	return []string{name}
}

// isKnown reports whether there is a tool of a name, here or with other agents. A rule about no tool would
// do nothing, which nobody sees.
func isKnown(name string) bool {
	switch name {
	case runTool, "read_file", "write_file", "edit_file", "create_project", "list_dir", "glob_files", "grep_code", "todo_write", "job",
		"ask_user", "exit_plan", "web_fetch", "web_search", "revert_turn", "Task", "Agent", "Skill", "SlashCommand":
		return true
	}
	return len(name) > len(mcpPrefix) && strings.HasPrefix(name, mcpPrefix) || ours(name)[0] != name
}

// maxRule bounds the text of a rule, in bytes. What is longer is no rule that a person has read.
const maxRule = 4096

// ParseRule reads a rule. A driver's name stands for ours, and `Bash(git log:*)` is
// `execute_command(git log *)`.
func ParseRule(text string) (Rule, error) {
	text = strings.TrimSpace(text)
	name, pattern, has := strings.Cut(text, "(")
	if has {
		if !strings.HasSuffix(pattern, ")") {
			return Rule{}, errors.New("the closing bracket is missing")
		}
		pattern = strings.TrimSpace(strings.TrimSuffix(pattern, ")"))
	}
	switch {
	case len(text) > maxRule:
		return Rule{}, fmt.Errorf("longer than %d bytes", maxRule)
	case !isToolName(name):
		return Rule{}, fmt.Errorf("%q is no name of a tool", name)
	case !isKnown(name):
		return Rule{}, fmt.Errorf("there is no tool %q", name)
	case strings.ContainsFunc(text, isControl):
		return Rule{}, errors.New("it holds control characters")
	case has && pattern == "":
		return Rule{}, errors.New("the brackets are empty")
	}
	r := Rule{Text: text, names: ours(name), pattern: pattern, any: pattern == "" || pattern == "*"}
	if r.names[0] != runTool {
		r.any = r.any || pattern == "**"
		return r, nil
	}
	if before, ok := strings.CutSuffix(pattern, ":*"); ok && name == "Bash" {
		pattern = before + " *"
	}
	var err error
	r.words, err = splitWords(pattern)
	return r, err
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// isToolName takes letters, digits, _ and -, and as the last character of a name of MCP tools a *.
func isToolName(name string) bool {
	if mcp, ok := strings.CutSuffix(name, "*"); ok && strings.HasPrefix(mcp, mcpPrefix) && len(mcp) > len(mcpPrefix) {
		name = mcp
	}
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	})
}

// mcpPrefix begins the names of tools that other servers offer: mcp__server__tool.
const mcpPrefix = "mcp__"

// names reports whether the rule speaks of a tool. `mcp__server` speaks of all tools of the server.
func (r Rule) covers(tool string) bool {
	return slices.ContainsFunc(r.names, func(name string) bool {
		if start, ok := strings.CutSuffix(name, "*"); ok {
			return strings.HasPrefix(tool, start)
		}
		server, inServer := strings.CutPrefix(name, mcpPrefix)
		whole := inServer && !strings.Contains(server, "__")
		return tool == name || whole && strings.HasPrefix(tool, name+"__")
	})
}

// literal reports whether the rule names one thing and nothing else.
func (r Rule) literal() bool {
	if r.any {
		return false
	}
	if r.names[0] != runTool {
		return !strings.ContainsAny(r.pattern, `*?[\`)
	}
	return !slices.ContainsFunc(r.words, func(w word) bool { return w.wild || w.vars })
}

// splitWords reads the words of a command as a shell would, without any expansion: blanks part words,
// quotes and backslashes keep characters as they are.
func splitWords(s string) ([]word, error) {
	var out []word
	for s = strings.TrimLeft(s, " "); s != ""; s = strings.TrimLeft(s, " ") {
		w, rest, err := cutWord(s)
		if err != nil {
			return nil, err
		}
		out, s = append(out, w), rest
	}
	return out, nil
}

func cutWord(s string) (w word, rest string, err error) {
	var b strings.Builder
	quoted := false
	i := 0
	for ; i < len(s) && s[i] != ' '; i++ {
		switch s[i] {
		case '\\':
			if i++; i == len(s) {
				return w, "", errors.New("it ends with a backslash")
			}
			b.WriteByte(s[i])
			quoted = true
		case '\'', '"':
			text, n, ok := cutQuoted(s[i:])
			if !ok {
				return w, "", errors.New("a quote is not closed")
			}
			b.WriteString(text)
			i += n - 1
			quoted = true
		default:
			b.WriteByte(s[i])
		}
	}
	w.text = b.String()
	name, wild := strings.CutSuffix(w.text, "=*")
	w.wild, w.vars = !quoted && w.text == "*", !quoted && wild && isVariable(name)
	return w, s[i:], nil
}

// cutQuoted reads a quoted text and how many bytes it takes.
func cutQuoted(s string) (text string, n int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), i + 1, true
		case s[i] == '\\' && s[0] == '"' && i+1 < len(s) && strings.IndexByte("\\\"$`", s[i+1]) >= 0:
			i++
			fallthrough
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0, false
}

func isVariable(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	})
}

// quoteWord writes a word so that cutWord reads it back.
func quoteWord(s string) string {
	plain := s != "" && s != "*" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(strings.ContainsRune("_-./:@%+,=~", r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r > 0x7f)
	})
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
