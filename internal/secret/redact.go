package secret

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Mask stands where a secret was that is known by its form or name only.
const Mask = "***"

// rule replaces what an expression finds in texts that hold one of some words, in small letters.
type rule struct {
	words []string
	find  *regexp.Regexp
	with  string
}

// rules are the forms, in the order in which they are looked for.
var rules = sync.OnceValue(func() []rule {
	return []rule{
		{[]string{"private key-----"}, regexp.MustCompile(`(?s)(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----).*?(-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`), "$1" + Mask + "$2"},
		{[]string{"authorization"}, regexp.MustCompile(`(?i)\b((?:proxy-)?authorization\s*[:=]\s*)(?:(?:bearer|basic|digest|token|apikey|negotiate)\s+)?[^\s"',;*]{4,}`), "${1}" + Mask},
		{[]string{"bearer"}, regexp.MustCompile(`(?i)\b(bearer)\s+[\w.~+/=-]{4,}`), "$1 " + Mask},
		{[]string{"cookie"}, regexp.MustCompile(`(?i)\b((?:set-)?cookie\s*:\s*)[^"'\r\n]+`), "${1}" + Mask},
		{prefixes(), regexp.MustCompile(`\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|` +
			`\bxox[a-z]-[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|\b(?:hf|npm)_[A-Za-z0-9]{20,}|\bpypi-[\w-]{16,}|` +
			`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`), Mask},
		{[]string{"://"}, regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^/\s:@"'\x60]*):[^/\s@"'\x60]+@`), "$1:" + Mask + "@"},
		{[]string{"-u", "user"}, regexp.MustCompile(`((?:^|\s)(?:-u|--user|--proxy-user)[ =]['"]?[^\s:'"]+:)[^\s'"]+`), "${1}" + Mask},
	}
})

// prefixes begin tokens of known makers.
func prefixes() []string {
	return []string{"sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "akia", "asia",
		"aiza", "hf_", "npm_", "pypi-", "eyj"}
}

// Redact masks what looks like a secret: private keys, tokens by their prefix, passwords in URLs, and
// the values of names such as API_KEY, password or Authorization.
func Redact(text string) string {
	low := strings.ToLower(text)
	for _, r := range rules() {
		if slices.ContainsFunc(r.words, func(w string) bool { return strings.Contains(low, w) }) {
			text = r.find.ReplaceAllString(text, r.with)
		}
	}
	return redactNamed(text)
}

// redactNamed masks the values of names that say so: NAME=value, --name value, name: "value".
func redactNamed(text string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		next := strings.IndexAny(text[i:], "=:-")
		if next < 0 {
			break
		}
		i += next + 1
		name, from, end := pairAt(text, i-1)
		if end == 0 || from < done {
			continue
		}
		sep, value := text[i-1:from], text[from:end]
		if text[i-1] == '-' {
			sep = ""
		} else if strings.HasSuffix(strings.TrimRight(text[:i-1], " \t"), `"`) {
			sep += `"` // a field of JSON
		}
		if secretValue(name, sep, value) {
			b.WriteString(text[done:from])
			b.WriteString(masked(value))
			done, i = end, end
		}
	}
	return b.String() + text[done:]
}

// pairAt reads a name and the place of its value around a separator, or behind the dashes of a flag.
// end is 0 when there is none.
func pairAt(text string, at int) (name string, from, end int) {
	if text[at] == '-' { // --name value; with = it is found there
		if at == 0 || text[at-1] != '-' {
			return "", 0, 0
		}
		size := nameEnd(text[at+1:])
		name, from = text[at+1:at+1+size], at+1+size
		if from == len(text) || text[from] != ' ' {
			return "", 0, 0
		}
	} else {
		before := strings.TrimRight(text[:at], " \t")
		before = strings.TrimRight(strings.TrimRight(before, `"'`), `\`)
		from = at + 1
		name = before[nameStart(before):]
		if from < len(text) && text[from] == '>' {
			from++
		}
	}
	if name == "" {
		return "", 0, 0
	}
	from += len(text[from:]) - len(strings.TrimLeft(text[from:], " \t"))
	return name, from, from + valueEnd(text[from:])
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}

func nameEnd(s string) int {
	n := 0
	for n < len(s) && inName(s[n]) {
		n++
	}
	return n
}

func nameStart(s string) int {
	const most = 64 // bytes; no name is so long
	n := len(s)
	for n > 0 && len(s)-n < most && inName(s[n-1]) {
		n--
	}
	return n
}

// valueEnd is the length of the value that a text begins with, its quotes with it.
func valueEnd(s string) int {
	slashes := len(s) - len(strings.TrimLeft(s, `\`))
	if slashes == len(s) {
		return 0
	}
	quote := s[slashes]
	if quote != '"' && quote != '\'' {
		if end := strings.IndexAny(s, " \t\r\n\"',;&|)}]"); end >= 0 {
			return end
		}
		return len(s)
	}
	closing := s[:slashes+1]
	for at := slashes + 1; at < len(s); {
		i := strings.Index(s[at:], closing)
		if i < 0 {
			return len(s) // not closed: all of it
		}
		at += i + len(closing)
		if quote == '\'' || odd(s[:at-len(closing)]) == (slashes%2 == 1 && slashes > 1) {
			return at
		}
	}
	return len(s)
}

// odd reports whether a text ends with an odd number of backslashes.
func odd(s string) bool { return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1 }

// masked is the mask in the quotes that the value had.
func masked(value string) string {
	open := len(value) - len(strings.TrimLeft(value, `\`))
	if open < len(value) && (value[open] == '"' || value[open] == '\'') && len(value) > 2*open+1 {
		return value[:open+1] + Mask + value[:open+1]
	}
	return Mask
}

// secretValue reports whether the value of a name is to be masked. Without a separator it is that of a
// flag.
func secretValue(name, sep, value string) bool {
	bare := strings.Trim(value, `\"'`)
	switch {
	case bare == "" || strings.HasPrefix(bare, Mask) || strings.HasPrefix(bare, "$") || strings.HasPrefix(bare, Mark):
		return false
	case sep == "":
		return Name(name) && !strings.HasPrefix(value, "-")
	case Name(name):
		return strings.ContainsAny(sep, `="`) || random(bare) || value != bare
	}
	return strings.EqualFold(name, "key") && random(bare)
}

// random reports whether a word is none that people write: long, with letters and digits.
func random(s string) bool {
	return len(s) >= 16 && strings.ContainsFunc(s, unicode.IsLetter) && strings.ContainsFunc(s, unicode.IsDigit) &&
		!strings.ContainsFunc(s, unicode.IsSpace)
}

// Args masks secrets in the arguments of a call: in each text of a JSON object for itself, and the
// whole value of a field whose name says so. What is no JSON is treated as text. What holds nothing to
// mask comes back as it is, but for escapes such as \u0026, which people cannot read.
func Args(args string) string {
	var out bytes.Buffer
	dec := json.NewDecoder(strings.NewReader(args))
	dec.UseNumber()
	changed, err := redactValue(dec, &out, "")
	if _, end := dec.Token(); err != nil || end != io.EOF {
		return Redact(args)
	}
	if !changed && !strings.Contains(args, `\u00`) {
		return args
	}
	return out.String()
}

// redactValue copies one value.
func redactValue(dec *json.Decoder, out *bytes.Buffer, name string) (changed bool, err error) {
	tok, err := dec.Token()
	if err != nil {
		return false, err
	}
	switch v := tok.(type) {
	case json.Delim:
		return redactInside(dec, out, v, name)
	case string:
		text := v
		if Name(name) && v != "" || strings.EqualFold(name, "key") && random(v) {
			text = Mask
		} else if text = Redact(v); strings.EqualFold(name, "cookie") {
			text = Mask
		}
		return text != v, write(out, text)
	case json.Number:
		if Name(name) {
			return true, write(out, Mask)
		}
	}
	return false, write(out, tok)
}

// redactInside copies what an object or a list holds.
func redactInside(dec *json.Decoder, out *bytes.Buffer, open json.Delim, name string) (changed bool, err error) {
	out.WriteString(open.String())
	for n := 0; dec.More(); n++ {
		if n > 0 {
			out.WriteByte(',')
		}
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return changed, err
			}
			name, _ = key.(string)
			if err := write(out, name); err != nil {
				return changed, err
			}
			out.WriteByte(':')
		}
		c, err := redactValue(dec, out, name)
		if changed = changed || c; err != nil {
			return changed, err
		}
	}
	end, err := dec.Token()
	if d, ok := end.(json.Delim); ok {
		out.WriteString(d.String())
	}
	return changed, err
}

func write(out *bytes.Buffer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1) // the line end
	return nil
}
