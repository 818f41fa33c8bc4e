package effect

import "strings"

// script judges sed, awk and jq: a program in the first operand, then files.
func (c *cmd) script(kind string, args []arg) {
	t := tools()[kind]
	if kind == "jq" {
		args = dropPairs(args)
	}
	p := t.options(args)
	c.takes(p)
	ops := p.operands
	var programs []arg
	if kind == "sed" {
		programs = p.values("e", "--expression")
	}
	fromFile := p.has("f", "--file", "--from-file")
	if len(programs) == 0 && !fromFile && len(ops) > 0 {
		programs, ops = ops[:1], ops[1:]
	}
	inPlace := kind == "sed" && p.has("i", "--in-place")
	if inPlace && len(programs) == 1 && programs[0].text == "" && len(ops) > 0 {
		programs, ops = ops[:1], ops[1:] // the BSD form: -i ''
	}
	for _, a := range programs {
		c.programText(kind, a)
	}
	c.each(Read, ops)
	if inPlace {
		c.each(Write, ops)
	}
}

// programText judges the program of sed, awk or jq.
func (c *cmd) programText(kind string, a arg) {
	ok := a.known() && !a.glob
	if ok {
		switch kind {
		case "sed":
			ok = sedReads(a.text)
		case "awk":
			ok = awkReads(a.text)
		case "jq":
			ok = jqReads(a.text)
		}
	}
	if !ok {
		c.blame(Review, "a program that may do more than print: "+kind)
	}
	if kind == "sed" {
		for _, name := range sedWrites(a.text) {
			c.touch(Write, arg{text: name})
		}
	}
}

// dropPairs takes off --arg NAME VALUE and --argjson NAME VALUE of jq.
func dropPairs(args []arg) []arg {
	var out []arg
	for i := 0; i < len(args); i++ {
		if (args[i].text == "--arg" || args[i].text == "--argjson") && i+2 < len(args) && args[i+1].known() && args[i+2].known() {
			i += 2
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// jqReads reports whether a program of jq reads its input only: no environment and no modules.
func jqReads(program string) bool {
	for _, word := range []string{"env", "ENV", "import", "include", "input_filename", "getpath(env", "halt_error", "debug"} {
		if strings.Contains(program, word) {
			return false
		}
	}
	return true
}

// awkReads reports whether a program of awk prints and computes only. What is not understood does
// not.
func awkReads(program string) bool {
	for _, word := range []string{"system", "getline", "ENVIRON", "ARGV", "ARGC", "PROCINFO", "@", "\\\n"} {
		if strings.Contains(program, word) {
			return false
		}
	}
	if !strings.ContainsAny(program, "|>") {
		return true
	}
	return awkTokens(program)
}

// awkTokens looks for | and for > after a print, outside strings and regular expressions.
func awkTokens(s string) bool {
	last := byte(';') // the last character that is no blank
	printing := false
	for i := 0; i < len(s); i++ {
		ch := s[i]
		switch {
		case ch == ' ' || ch == '\t':
			continue
		case ch == '"':
			if i = skipQuoted(s, i, '"'); i < 0 {
				return false
			}
		case ch == '/' && strings.IndexByte("(,{;!~&|\n}", last) >= 0:
			if i = skipQuoted(s, i, '/'); i < 0 {
				return false
			}
		case ch == '/' || ch == '#':
			return false // a division, or the start of what is none: not worth telling apart
		case ch == '|':
			if i+1 >= len(s) || s[i+1] != '|' {
				return false
			}
			i++
		case ch == '>' && printing:
			return false
		case strings.HasPrefix(s[i:], "print"):
			printing = true
		case ch == ';' || ch == '}':
			printing = false // a line's end may continue the statement
		}
		last = s[i]
	}
	return true
}

// skipQuoted is the index of the character that ends what begins at i; -1 when there is none, or
// when brackets make it unsure.
func skipQuoted(s string, i int, end byte) int {
	bracket := false
	for j := i + 1; j < len(s); j++ {
		switch ch := s[j]; {
		case ch == '\\':
			j++
		case ch == '\n' || ch == end && bracket:
			return -1
		case ch == end:
			return j
		case end == '/' && (ch == '[' || ch == ']'):
			bracket = ch == '['
		}
	}
	return -1
}
