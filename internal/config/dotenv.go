package config

import (
	"strings"
)

// variable is one assignment of a .env file.
type variable struct {
	name, value string
	line        int
}

// parseDotenv reads a .env file: NAME=value lines, `export` before them allowed, `#` comments, values
// in single quotes as they are, in double quotes with \n, \r, \t, \", \\ and \$, both over several
// lines if need be. There is no expansion of variables. It returns the numbers of lines that are
// neither; later assignments stand after earlier ones.
func parseDotenv(src string) (vars []variable, bad []int) {
	src = strings.TrimPrefix(src, "\ufeff")
	src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	for line := 1; src != ""; {
		v, used, ok := assignment(src)
		if ok && v.name != "" {
			v.line = line
			vars = append(vars, v)
		}
		if !ok {
			bad = append(bad, line)
		}
		line += strings.Count(src[:used], "\n")
		src = src[used:]
	}
	return vars, bad
}

// assignment reads one line, or several when a quoted value goes on. ok without a name is a blank
// or comment line.
func assignment(src string) (v variable, used int, ok bool) {
	line, _, more := strings.Cut(src, "\n")
	used = len(line)
	if more {
		used++
	}
	trimmed := strings.TrimSpace(line)
	if trimmed == "" || trimmed[0] == '#' {
		return v, used, true
	}
	name, rest, found := strings.Cut(line, "=")
	v.name = variableName(name)
	if !found || v.name == "" || strings.IndexByte(line, 0) >= 0 {
		return variable{}, used, false
	}
	rest = strings.TrimLeft(rest, " \t")
	if rest == "" || rest[0] != '"' && rest[0] != '\'' {
		v.value = plainValue(rest)
		return v, used, true
	}
	start := len(line) - len(rest)
	value, end, ok := quoted(src[start:])
	if !ok {
		return variable{}, used, false
	}
	v.value = value
	after, _, more := strings.Cut(src[start+end:], "\n")
	used = start + end + len(after)
	if more {
		used++
	}
	after = strings.TrimSpace(after)
	return v, used, after == "" || after[0] == '#'
}

// variableName cleans the left side of an assignment; "" means that it is no name.
func variableName(s string) string {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "export"); ok && strings.TrimLeft(rest, " \t") != rest {
		s = strings.TrimSpace(rest)
	}
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return ""
		}
	}
	return s
}

// plainValue is a value without quotes: to the end of the line or a comment.
func plainValue(s string) string {
	for i := range len(s) {
		if s[i] == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t') {
			s = s[:i]
			break
		}
	}
	return strings.TrimSpace(s)
}

// quoted reads a value in quotes and returns its length with them.
func quoted(s string) (value string, end int, ok bool) {
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == 0:
			return "", 0, false
		case c == quote:
			return b.String(), i + 1, true
		case c == '\\' && quote == '"' && i+1 < len(s):
			i++
			b.WriteString(unescape(s[i]))
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case '"', '\\', '$':
		return string(c)
	}
	return `\` + string([]byte{c})
}
