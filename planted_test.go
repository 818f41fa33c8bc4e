//go:build unix

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paicli/llm"
	"paicli/llm/llmtest"
)

// plant is a key and where it was put.
type plant struct{ name, value, where string }

// plants are twenty keys. Some have characters that JSON and URLs write otherwise.
func plants() []plant {
	odd := func(i int) string { return fmt.Sprintf("pl4nted/%02d+\"k=e&y\\%s", i, strings.Repeat("xY", 4)) }
	out := []plant{
		{"DEEPSEEK_API_KEY", "sk-pl4nted-deepseek-000001", "environment"}, {"AWS_SECRET_ACCESS_KEY", odd(2), "environment"},
		{"GITHUB_TOKEN", "ghp_pl4ntedgithub0000003", "environment"}, {"DB_PASSWORD", "pl4nted pass word 4", "environment"},
		{"CLIENT_SECRET", odd(5), "environment"}, {"NPM_TOKEN", "npm_pl4ntednpm00000006", "environment"},
		{"KIMI_API_KEY", "sk-pl4nted-kimi-000007", "home .env"}, {"STRIPE_SECRET", odd(8), "home .env"}, {"MAIL_PASSWORD", "pl4nted-mail-9-пароль", "home .env"},
		{"GLM_API_KEY", "sk-pl4nted-glm-0000010", "project .env"}, {"SENTRY_TOKEN", "pl4nted-sentry-00011", "project .env"}, {"SIGNING_KEY_SECRET", "pl4nted-signing-0012", "project .env"},
		{"user", "pl4nted-userinfo-0013", "config"},
	}
	for i := 14; i <= 16; i++ {
		out = append(out, plant{fmt.Sprintf("asked%d", i), out[i-14].value, "file that is read"})
	}
	for i := 17; i <= 20; i++ {
		out = append(out, plant{fmt.Sprintf("unasked%d", i), fmt.Sprintf("pl4nted-unasked-00%d", i), "file that nobody asks for"})
	}
	return out
}

// ground is a home and a project with everything planted.
type ground struct {
	t         *testing.T
	home, dir string
	env       []string
	sent      []string // bodies of the requests
	shown     []string // what was printed
}

func newGround(t *testing.T) *ground {
	g := &ground{t: t, home: t.TempDir(), dir: t.TempDir()}
	g.env = append(os.Environ(), "HOME="+g.home, "PAICLI_HOME="+filepath.Join(g.home, ".paicli"), "LANG=C.UTF-8")
	files := map[string]string{}
	for _, p := range plants() {
		quoted := p.name + "='" + strings.ReplaceAll(p.value, "'", "") + "'\n"
		switch p.where {
		case "environment":
			g.env = append(g.env, p.name+"="+p.value)
		case "home .env":
			files[filepath.Join(g.home, ".env")] += quoted
		case "project .env":
			files[filepath.Join(g.dir, ".env")] += quoted
		case "file that is read":
			files[filepath.Join(g.dir, "notes.txt")] += spelt(p.value)
		default:
			files[filepath.Join(g.dir, p.name+".pem")] = "-----BEGIN PRIVATE KEY-----\n" + p.value + "\n-----END PRIVATE KEY-----\n"
		}
	}
	for _, p := range plants() { // a long output too, which goes to a file
		if p.where != "file that nobody asks for" {
			files[filepath.Join(g.dir, "long.txt")] += strings.Repeat("line of the output\n", 40) + spelt(p.value)
		}
	}
	// A message keeps 2000 characters of the beginning of this one.
	files[filepath.Join(g.dir, "edge.txt")] = strings.Repeat("x", 1990) + plants()[2].value + strings.Repeat("y", 20_000)
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// spelt is a value in the ways in which files have it.
func spelt(v string) string {
	quoted, _ := json.Marshal(map[string]string{"k": v})
	std := base64.StdEncoding.EncodeToString([]byte("user:" + v + ":tail of what stands behind it"))
	return strings.Join([]string{v, string(quoted), url.QueryEscape(v), url.PathEscape(v), base64.RawURLEncoding.EncodeToString([]byte(v)),
		std, std[:20] + "\n" + std[20:], "https://u:" + url.PathEscape(v) + "@host/", ""}, "\n")
}

// turn runs the program against a model that gives the answers.
func (g *ground) turn(answers []llmtest.Answer, args ...string) {
	g.t.Helper()
	server := llmtest.NewServer(answers...)
	defer server.Close()
	address := strings.Replace(server.URL(), "http://", "http://name:pl4nted-userinfo-0013@", 1) + "/v1"
	settings, _ := json.Marshal(map[string]string{"baseUrl": address, "model": "scripted"})
	if err := os.MkdirAll(filepath.Join(g.home, ".paicli"), 0o700); err != nil {
		g.t.Fatal(err)
	}
	config := filepath.Join(g.home, "config.json") // the person's own file, which may hold it
	if err := os.WriteFile(config, settings, 0o600); err != nil {
		g.t.Fatal(err)
	}
	cmd := exec.Command("paicli", append([]string{"--config", config}, args...)...)
	cmd.Dir, cmd.Env = g.dir, g.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code > 1 {
		g.t.Fatalf("%v: %s", err, out.String())
	}
	g.shown = append(g.shown, out.String())
	for _, r := range server.Requests() {
		g.sent = append(g.sent, string(r.Body))
	}
}

// runs is a reply that runs a command.
func runs(line string) llmtest.Answer {
	args, _ := json.Marshal(map[string]string{"command": line})
	return llmtest.Calls(llm.Call{ID: "c", Name: "execute_command", Args: string(args)})
}

// TestPlantedKeys: none of twenty keys is in anything that the program writes or sends.
func TestPlantedKeys(t *testing.T) {
	g := newGround(t)
	raw, _ := json.Marshal(map[string]string{"path": "notes.txt"})
	work := func() []llmtest.Answer {
		return []llmtest.Answer{
			runs("env; export -p; cat /proc/self/environ /proc/$PPID/environ | tr '\\0' '\\n'; true"),
			runs("cat notes.txt"),
			runs("cat long.txt"),
			runs("cat edge.txt"),
			runs("sleep 0.1; printf 'sk-pl4nted-'; sleep 0.1; echo deepseek-000001; base64 notes.txt"),
			runs("echo '" + plants()[0].value + "' DEEPSEEK_API_KEY=sk-pl4nted-deepseek-000001"),
			llmtest.Calls(llm.Call{ID: "r", Name: "read_file", Args: string(raw)}),
			llmtest.Calls(llm.Call{ID: "g", Name: "grep_code", Args: `{"pattern":"pl4nted","glob":"*.txt"}`}),
			llmtest.Calls(llm.Call{ID: "l", Name: "list_dir", Args: `{"path":"."}`}),
			llmtest.Text("the key is " + plants()[2].value),
		}
	}
	g.turn(work(), "-v", "--allow", "execute_command(*)", "-p", "go")
	g.turn(work(), "--output-format", "stream-json", "--include-partial-messages", "--allow", "execute_command(*)", "-p", "go")
	g.turn(work(), "--output-format", "events", "--allow", "execute_command(*)", "-p", "go")
	g.turn([]llmtest.Answer{{Status: 401, Header: http.Header{"Content-Type": {"application/json"}},
		Body: []byte(`{"error":{"message":"bad key sk-pl4nted-deepseek-000001 for ` + plants()[12].value + `"}}`)}}, "-v", "--allow", "execute_command(*)", "-p", "go")
	for _, args := range [][]string{{"audit", "--json"}, {"sessions", "list"}, {"config", "show", "--origin"}, {"doctor"}, {"policy", "show"}} {
		g.turn(nil, args...)
	}
	hits := 0
	look := func(where, text string) {
		text += strings.NewReplacer("\n", "", `\n`, "").Replace(text) // lines may break a value
		for _, p := range plants() {
			for _, form := range forms(p.value) {
				if i := strings.Index(text, form); i >= 0 {
					hits++
					t.Errorf("%s (%s) is in %s: …%.120q…", p.name, p.where, where, text[max(0, i-60):])
					break
				}
			}
		}
	}
	for i, text := range g.sent {
		if strings.Contains(text, plants()[2].value[:6]) {
			t.Errorf("request %d holds a part of a key that was cut", i+1)
		}
		look(fmt.Sprint("request ", i+1), text)
	}
	for i, text := range g.shown {
		look(fmt.Sprint("output ", i+1), text)
	}
	for _, dir := range []string{filepath.Join(g.home, ".paicli"), filepath.Join(g.dir, ".paicli")} {
		files := 0
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				files++
				text, _ := os.ReadFile(path)
				look(path, string(text))
			}
			return nil
		})
		if files < 2 {
			t.Errorf("%d files in %s", files, dir)
		}
	}
	if len(plants()) != 20 || len(g.sent) < 20 {
		t.Errorf("%d keys, %d requests", len(plants()), len(g.sent))
	}
	t.Logf("%d hits of %d keys in %d requests", hits, len(plants()), len(g.sent))
}

// forms are the spellings of a value that are looked for.
func forms(v string) []string {
	quoted, _ := json.Marshal(v)
	twice, _ := json.Marshal(string(quoted))
	out := []string{v, strings.Trim(string(quoted), `"`), strings.Trim(string(twice), `"\`), url.QueryEscape(v), url.PathEscape(v)}
	for shift := range 3 {
		all := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + v))
		core := all[(shift*8+5)/6 : (shift+len(v))*8/6]
		out = append(out, core, strings.NewReplacer("+", "-", "/", "_").Replace(core))
	}
	return out
}
