package dialect

import (
	"strings"

	"paicli/llm"
)

// dsmlPrefixes begin a tag of DeepSeek's DSML, in every kind and number of bars seen.
var dsmlPrefixes = [...]string{
	"<｜DSML｜", "</｜DSML｜", "<｜｜DSML｜｜", "</｜｜DSML｜｜",
	"<|DSML|", "</|DSML|", "<||DSML||", "</||DSML||",
}

// dsmlInvoke is one call; the tags around several calls are dropped on their own, so that a call
// counts whether or not its list is opened or closed.
var dsmlInvoke = kind{
	ends: []string{
		"</｜DSML｜invoke>", "</｜｜DSML｜｜invoke>", "</|DSML|invoke>", "</||DSML||invoke>",
		"</｜DSML｜ invoke>", "</｜｜DSML｜｜ invoke>", "</|DSML| invoke>", "</||DSML|| invoke>",
	},
	token: true,
	read: func(t *Tools, mark, body string) []llm.Call {
		return readInvokes(t, mark+body+"</invoke>")
	},
}

// dsmlMark finds a DSML tag at the beginning of s.
func dsmlMark(s string) (act action, n int, more bool) {
	const longest = 300 // bytes of a tag with its attributes
	n, more = dsmlPrefix(s)
	if n == 0 {
		return nil, 0, more
	}
	name := strings.TrimLeft(s[n:], " ｜|")
	start := len(s) - len(name)
	size := strings.IndexFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' })
	if size < 0 && len(s) < longest {
		return nil, 0, true
	}
	size = max(size, 0)
	close := strings.IndexAny(name[size:], "><\n")
	switch {
	case close < 0 && len(s) < longest:
		return nil, 0, true
	case close < 0 || name[size+close] != '>':
		return drop, start + size, false // half a tag
	}
	n = start + size + close + 1
	if name[:size] == "invoke" && s[1] != '/' {
		return opens(&dsmlInvoke), n, false
	}
	return drop, n, false
}

// dsmlPrefix is the length of the DSML prefix of s.
func dsmlPrefix(s string) (n int, more bool) {
	for _, p := range dsmlPrefixes {
		if strings.HasPrefix(s, p) {
			return len(p), false
		}
		more = more || strings.HasPrefix(p, s)
	}
	return 0, more
}
