package fault

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"paicli/llm/internal/jsontext"
)

// maxDetail bounds the provider's words in an error, in runes.
const maxDetail = 500

// facts is what an error body says.
type facts struct {
	detail     string        // the provider's words: one line, no markup, at most maxDetail runes
	code       string        // the most telling code, as written
	codes      []string      // all codes and types, lower case
	param      string        // the request field the error is about
	status     int           // an HTTP status written in the body
	limit      int           // a context window told by number
	delay      time.Duration // a wait told by number
	generation string        // what the model wrote, if the server could not parse it
	html       bool
	json       bool
	empty      bool
}

// Generation is what the model wrote when the server could not parse it and says so in its error, ""
// for any other error.
func Generation(body []byte) string { return readBody(body).generation }

// readBody reads an error body of any of the shapes in use: an error object, an array of one, a
// plain string, fields at the top level, errors wrapped in the text of other errors, HTML or text.
func readBody(body []byte) facts {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	body = unframe(body)
	var f facts
	switch {
	case len(body) == 0:
		f.empty = true
	case looksHTML(body):
		f.html = true
		f.detail = pageText(string(body))
	default:
		v, ok := jsontext.Value(body)
		f.json = ok
		if !ok {
			v = string(body)
		}
		f.detail = f.walk(v, 0)
		if f.detail == "" {
			f.detail = string(body)
		}
	}
	f.detail = Line(f.detail)
	return f
}

// unframe takes the SSE framing off an error that was sent as an event.
func unframe(body []byte) []byte {
	if !bytes.HasPrefix(body, []byte("data:")) && !bytes.HasPrefix(body, []byte("event:")) {
		return body
	}
	var data [][]byte
	for line := range bytes.Lines(body) {
		if rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:")); ok && string(bytes.TrimSpace(rest)) != "[DONE]" {
			data = append(data, rest)
		}
	}
	return bytes.TrimSpace(bytes.Join(data, []byte("\n")))
}

// walk collects codes and numbers and returns the text of the innermost error that says something.
func (f *facts) walk(v any, depth int) string {
	if depth > 8 {
		return ""
	}
	switch v := v.(type) {
	case string:
		return f.walkText(v, depth)
	case []any:
		for _, e := range v {
			if s := f.walk(e, depth+1); s != "" {
				return s
			}
		}
	case map[string]any:
		return f.walkObject(v, depth)
	}
	return ""
}

// walkText reads a string, which may hold another error as JSON.
func (f *facts) walkText(s string, depth int) string {
	t := strings.TrimSpace(s)
	if strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
		if v, ok := jsontext.Value([]byte(t)); ok {
			if inner := f.walk(v, depth+1); inner != "" {
				return inner
			}
		}
	}
	if looksHTML([]byte(t)) {
		return pageText(t)
	}
	return t
}

func (f *facts) walkObject(m map[string]any, depth int) string {
	outer := ""
	for _, key := range []string{"message", "msg", "error_message", "error_msg", "errmsg", "status_msg", "detail", "title", "reason"} {
		if outer = f.walk(m[key], depth+1); outer != "" {
			break
		}
	}
	f.collect(m)
	inner := ""
	for _, key := range []string{"error", "errors", "base_resp", "metadata", "raw", "response", "details"} {
		if inner = f.walk(m[key], depth+1); inner != "" {
			break
		}
	}
	if outer == "" && inner == "" {
		return keyedText(m)
	}
	return joinTexts(outer, inner)
}

// keyedText handles objects whose key is the message: {"error parsing tool call": "…"}.
func keyedText(m map[string]any) string {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if s, ok := m[key].(string); ok && strings.HasPrefix(key, "error ") {
			return key + ": " + s
		}
	}
	return ""
}

// joinTexts puts an outer and an inner message together. Outer messages that only say that there is
// an inner one are dropped.
func joinTexts(outer, inner string) string {
	switch {
	case outer == "":
		return inner
	case inner == "" || strings.Contains(outer, inner):
		return outer
	}
	switch strings.ToLower(strings.TrimRight(outer, ".: ")) {
	case "provider returned error", "upstream error", "upstream request failed", "bad response status code":
		return inner
	}
	return outer + ": " + inner
}

// collect takes the codes, the field name and the numbers of one object.
func (f *facts) collect(m map[string]any) {
	_, minimax := m["status_msg"]
	for _, key := range []string{"code", "type", "status", "error_type", "error_code", "errcode", "status_code", "http_code", "@type"} {
		code := scalar(m[key])
		if code == "" || code == "0" || code == "error" {
			continue
		}
		if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
			f.status = cmp.Or(f.status, n)
			continue
		}
		if f.code == "" || key == "code" {
			f.code = code
		}
		if minimax && key == "status_code" {
			code = "base_resp:" + code // these numbers mean something else elsewhere
		}
		f.codes = append(f.codes, strings.ToLower(code))
	}
	if p, ok := m["param"].(string); ok && p != "" {
		f.param = p
	}
	if loc, ok := m["loc"].([]any); ok && len(loc) > 0 {
		f.param = scalar(loc[len(loc)-1])
		f.codes = append(f.codes, scalar(m["type"]))
	}
	if n, err := strconv.Atoi(scalar(m["n_ctx"])); err == nil && n > 0 {
		f.limit = n
	}
	if d, err := time.ParseDuration(scalar(m["retryDelay"])); err == nil && d > 0 {
		f.delay = d
	}
	if g, ok := m["failed_generation"].(string); ok {
		f.generation = g
	}
}

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func looksHTML(b []byte) bool {
	if len(b) == 0 || b[0] != '<' {
		return false
	}
	head := strings.ToLower(string(b[:min(len(b), 256)]))
	for _, tag := range []string{"<!doctype", "<html", "<head", "<body", "<title", "<center", "<h1", "<!--", "<?xml"} {
		if strings.Contains(head, tag) {
			return true
		}
	}
	return false
}

var pageTitle = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)<(?:title|h1|h2|message)\b[^>]*>(.*?)</`)
})

// pageText is the title or the first heading of a page, else its text.
func pageText(page string) string {
	for _, m := range pageTitle().FindAllStringSubmatch(page, 4) {
		if s := Line(stripTags(m[1])); s != "" {
			return s
		}
	}
	return stripTags(page)
}

var markup = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)<(?:script|style)\b.*?(?:</(?:script|style)>|$)|<!--.*?(?:-->|$)|</?[a-z!?][^<>]*(?:>|$)`)
})

func stripTags(s string) string {
	if !strings.Contains(s, "<") {
		return html.UnescapeString(s)
	}
	return html.UnescapeString(markup().ReplaceAllString(s, " "))
}

// Line makes one line of valid, printable UTF-8 of at most maxDetail runes, without tags of HTML
// pages.
func Line(s string) string {
	if pages := strings.ToLower(s); strings.Contains(pages, "<html") || strings.Contains(pages, "<!doctype") {
		s = markup().ReplaceAllString(s, " ")
		s = strings.ReplaceAll(s, "<", "‹") // whatever was no complete tag
	}
	var b strings.Builder
	space, n := false, 0
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
			n++
		}
		if n >= maxDetail-1 {
			b.WriteRune('…')
			break
		}
		if r == utf8.RuneError {
			r = '\ufffd'
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
