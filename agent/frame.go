package agent

import "strings"

// Frame puts a result between tags that say whose words these are not: data, never instructions.
// The loop applies it to every result. Tags of the same kind inside the body lose their bracket and
// the name keeps only letters, digits and _ . : - so that nothing inside can end the frame.
func Frame(name, body string) string {
	return `<tool_result tool="` + cleanName(name) + `" trust="untrusted-data">` + "\n" + defuse(body) + "\n</tool_result>"
}

func cleanName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_.:-", r):
			return r
		}
		return -1
	}, name)
}

// defuse escapes the bracket of every tool_result tag in the body, open or close, in any case.
func defuse(body string) string {
	const tag = "tool_result"
	var out strings.Builder
	rest := body
	for {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			break
		}
		after := strings.TrimLeft(rest[i+1:], "/ \t\r\n")
		if len(after) >= len(tag) && strings.EqualFold(after[:len(tag)], tag) {
			out.WriteString(rest[:i])
			out.WriteString("&lt;")
		} else {
			out.WriteString(rest[:i+1])
		}
		rest = rest[i+1:]
	}
	if out.Len() == 0 {
		return body
	}
	out.WriteString(rest)
	return out.String()
}
