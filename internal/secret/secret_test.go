package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func values() []string {
	return []string{"sk-planted-0123456789", `q"uo\te/&<pl>us+ %41 x`, "密码是很长的一串", "12345678", "a b+c/d=e?f&g", "multi\nline\tvalue", "%25percent", `C:\\dir\\\x`}
}

// spelt are the ways in which programs write a value.
func spelt(v string) map[string]string {
	quoted, _ := json.Marshal(v)
	twice, _ := json.Marshal(string(quoted))
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	enc.Encode(v)
	out := map[string]string{
		"raw":      v,
		"json":     string(quoted[1 : len(quoted)-1]),
		"plain":    strings.Trim(plain.String(), "\"\n"),
		"twice":    string(twice[1 : len(twice)-1]),
		"slashes":  strings.ReplaceAll(string(quoted), "/", `\/`),
		"query":    url.QueryEscape(v),
		"path":     url.PathEscape(v),
		"small":    strings.ToLower(url.QueryEscape(v)),
		"userinfo": url.UserPassword("u", v).String(),
	}
	if strings.ToLower(v) != v {
		delete(out, "small")
	}
	for shift := range 3 {
		text := strings.Repeat("~", shift) + v
		out[fmt.Sprint("base64 std ", shift)] = base64.StdEncoding.EncodeToString([]byte(text + "~~tail"))
		out[fmt.Sprint("base64 url ", shift)] = base64.RawURLEncoding.EncodeToString([]byte(text))
		out[fmt.Sprint("base64 in url ", shift)] = url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(text)))
		whole := base64.StdEncoding.EncodeToString([]byte(text))
		for _, end := range []string{"\n", "\r\n", `\n`, `\\n`} {
			out[fmt.Sprint("base64 in lines ", shift, " ", end)] = whole[:len(whole)/2] + end + whole[len(whole)/2:]
		}
	}
	return out
}

// left reports whether much of a value is still to be read.
func left(out, v string) bool {
	if strings.Contains(out, v) {
		return true
	}
	joined := strings.NewReplacer("\n", "", "\r", "", `\\n`, "", `\n`, "", "-", "+", "_", "/", "%2B", "+", "%2F", "/").Replace(out)
	for shift := range 3 {
		if core := base64Core(v, shift); strings.Contains(joined, core[1:len(core)-1]) {
			return true
		}
	}
	return false
}

func TestScrub(t *testing.T) {
	s := New(values())
	for _, v := range values() {
		for name, text := range spelt(v) {
			got := s.Text("before " + text + " after")
			if !strings.Contains(got, Mark) || left(got, v) || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
				t.Errorf("%q, %s: %q becomes %q", v, name, text, got)
			}
		}
	}
	for _, text := range []string{"", "nothing here", "%", `\`, "%4", `\u00`, "sk-planted-0-", "1234567"} {
		if got := s.Text(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if got := New(nil).Text("text"); got != "text" {
		t.Errorf("without values: %q", got)
	}
	for in, want := range map[string]string{
		`{"n":12345678,"s":"12345678"}`:   `{"n":12345678,"s":"[secret]"}`,
		`{"n":[12345678],"d":0.12345678}`: `{"n":[12345678],"d":0.12345678}`,
		"pin 12345678.":                   "pin [secret].",
	} {
		if got := string(s.Bytes([]byte(in))); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}

// A stream finds what is cut between two pieces.
func TestStream(t *testing.T) {
	s := New(values())
	for _, v := range values() {
		for name, text := range spelt(v) {
			text = "before " + text + " after"
			for size := 1; size < len(text); size += 3 {
				var got strings.Builder
				st := s.Stream(func(out string) { got.WriteString(out) })
				for at := 0; at < len(text); at += size {
					st.Write(text[at:min(at+size, len(text))])
				}
				st.Close()
				if left(got.String(), v) || !strings.HasSuffix(got.String(), " after") {
					t.Errorf("%q, %s, in pieces of %d: %q", v, name, size, got.String())
				}
			}
		}
	}
}

func TestRedact(t *testing.T) {
	tests := []struct{ in, want string }{
		{"Authorization: Bearer real-token", "Authorization: ***"},
		{"curl -H 'Authorization: Basic dXNlcjpwYXNz' x", "curl -H 'Authorization: ***' x"},
		{"git clone https://user:ghs_FAKEFAKEFAKEFAKEFAKEFAKE@github.example/x.git", "git clone https://user:***@github.example/x.git"},
		{"https://ghp_0123456789abcdef0123@github.example/x", "https://***@github.example/x"},
		{"AWS_SECRET_ACCESS_KEY=abc/def+ghi go test ./...", "AWS_SECRET_ACCESS_KEY=*** go test ./..."},
		{`export DB_PASSWORD="a b c" && x`, `export DB_PASSWORD="***" && x`},
		{"mysql --password hunter2 -u root", "mysql --password *** -u root"},
		{"tool --api-key=abc --verbose", "tool --api-key=*** --verbose"},
		{"curl -u user:pass http://x", "curl -u user:*** http://x"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\nBBBB\n-----END OPENSSH PRIVATE KEY----- x", "-----BEGIN OPENSSH PRIVATE KEY-----***-----END OPENSSH PRIVATE KEY----- x"},
		{"-----BEGIN RSA PRIVATE KEY-----\nAAAA", "-----BEGIN RSA PRIVATE KEY-----***"},
		{"key AKIAIOSFODNN7EXAMPLE x", "key *** x"},
		{`{"password":"a\"b,c}d"} x`, `{"password":"***"} x`},
		{`echo "{\"token\": \"abc\"}"`, `echo "{\"token\": \"***\"}"`},
		{"api_key: 0123456789abcdef0123", "api_key: ***"},
		{`git commit -m "tokenizer: handle key: value pairs"`, `git commit -m "tokenizer: handle key: value pairs"`},
		{"token: the lexer's unit; secret: keep it", "token: the lexer's unit; secret: keep it"},
		{"max_tokens=100 TOKEN_BUDGET=5 PWD=/tmp KEYBOARD=us", "max_tokens=100 TOKEN_BUDGET=5 PWD=/tmp KEYBOARD=us"},
		{"API_KEY=$KEY make", "API_KEY=$KEY make"},
		{"grep -rn password src", "grep -rn password src"},
		{"a=b c==d x: y https://host/path?q=1", "a=b c==d x: y https://host/path?q=1"},
		{"", ""},
	}
	for _, tt := range tests {
		got := Redact(tt.in)
		if got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
		}
		if again := Redact(got); again != got {
			t.Errorf("%q is not settled: %q", got, again)
		}
	}
}

func TestArgs(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"Authorization":"Bearer real-token"}`, `{"Authorization":"***"}`},
		{`{"password":"a\"b,c}d"}`, `{"password":"***"}`},
		{`{"key":"ArrowUp","keyboard":"us","max_tokens":100}`, `{"key":"ArrowUp","keyboard":"us","max_tokens":100}`},
		{`{"key":"0123456789abcdef0123"}`, `{"key":"***"}`},
		{`{"env":{"API_TOKEN":123456},"list":["x","API_KEY=abc"]}`, `{"env":{"API_TOKEN":"***"},"list":["x","API_KEY=***"]}`},
		{`{"command":"TOKEN=abc ls && echo <x>"}`, `{"command":"TOKEN=*** ls && echo <x>"}`},
		{`{ "command" : "ls" }`, `{ "command" : "ls" }`},
		{"ls TOKEN=abc", "ls TOKEN=***"},
		{`{"broken":`, `{"broken":`},
		{"", ""},
	}
	for _, tt := range tests {
		if got := Args(tt.in); got != tt.want {
			t.Errorf("%s becomes %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestName(t *testing.T) {
	for name, want := range map[string]bool{
		"API_KEY": true, "apiKey": true, "OPENAI_API_KEY": true, "x-api-key": true, "Authorization": true, "dbPassword": true, "GITHUB_TOKEN": true,
		"client_secret": true, "AWS_SECRET_ACCESS_KEY": true, "DB_PWD": true, "authtoken": true, "passphrase": true,
		"key": false, "keyboard": false, "max_tokens": false, "tokens": false, "tokenizer": false, "PWD": false, "OLDPWD": false, "MONKEY": false,
		"PASSWORD_FILE": false, "primary_key": false, "token_count": false, "secretary": false, "": false,
	} {
		if Name(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func FuzzScrub(f *testing.F) {
	for _, text := range spelt("sk-planted-0123456789") {
		f.Add("x"+text+"y", 5)
	}
	s := New(values())
	f.Fuzz(func(t *testing.T, text string, size int) {
		got := s.Text(text)
		for _, v := range values() {
			if strings.Contains(got, v) && v != "12345678" {
				t.Fatalf("%q is left in %q of %q", v, got, text)
			}
		}
		if strings.Contains(text, Mark) == false && s.Text(got) != got {
			t.Fatalf("%q is not settled: %q", got, s.Text(got))
		}
		var pieces strings.Builder
		st := s.Stream(func(out string) { pieces.WriteString(out) })
		size = 1 + (size%16+16)%16
		for at := 0; at < len(text); at += size {
			st.Write(text[at:min(at+size, len(text))])
		}
		st.Close()
		for _, v := range values() {
			if strings.Contains(pieces.String(), v) && v != "12345678" {
				t.Fatalf("in pieces %q is left in %q of %q", v, pieces.String(), text)
			}
		}
	})
}

func FuzzRedact(f *testing.F) {
	f.Add(`{"password":"a\"b"} TOKEN=x https://a:b@c`)
	f.Fuzz(func(t *testing.T, text string) {
		Redact(text)
		if got := Args(text); json.Valid([]byte(text)) && !json.Valid([]byte(got)) {
			t.Fatalf("%s becomes %s", text, got)
		}
	})
}

func BenchmarkScrub(b *testing.B) {
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("sk-planted-%d-abcdefghijklmnop", i*7919))
	}
	s := New(many)
	text := strings.Repeat(`{"seq":12,"type":"call_ended","data":{"text":"func main() {\n\tfmt.Println(\"hello\")\n}"}}`, 10000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.Text(text)
	}
}

func BenchmarkRedact(b *testing.B) {
	text := strings.Repeat("go test ./internal/foo -run TestX --count=1 key: value; ", 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Redact(text)
	}
}
