package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestDataIsConsistent(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Providers() {
		for _, name := range append([]string{p.ID}, p.Aliases...) {
			if seen[name] || name != strings.ToLower(name) || name == Custom {
				t.Errorf("%s: name %q is taken twice or not in lower case", p.ID, name)
			}
			seen[name] = true
		}
		if p.Name == "" || len(p.URLs) == 0 {
			t.Errorf("%s: no name or no base URL", p.ID)
		}
		for _, raw := range append(append([]string{}, p.URLs...), p.Plans...) {
			if u, err := url.Parse(raw); err != nil || u.Host == "" {
				t.Errorf("%s: bad URL %q", p.ID, raw)
			}
		}
		if !p.Local && (len(p.Keys) == 0 || p.Console == "") {
			t.Errorf("%s: no key variable or no page to get one", p.ID)
		}
		if p.Default != "" && p.model(p.Default) == nil {
			t.Errorf("%s: default model %q is not listed", p.ID, p.Default)
		}
		if p.Default == "" && len(p.Models) > 0 {
			t.Errorf("%s: models but no default", p.ID)
		}
	}
}

func TestModelsAreConsistent(t *testing.T) {
	for _, p := range Providers() {
		for _, m := range p.Models {
			if m.MaxOutput > m.Window || m.Window < 0 {
				t.Errorf("%s/%s: output %d above the window %d", p.ID, m.ID, m.MaxOutput, m.Window)
			}
			if m.Prices == nil {
				continue
			}
			if _, err := time.Parse(time.DateOnly, m.Prices.AsOf); err != nil || m.Prices.Currency == "" {
				t.Errorf("%s/%s: price without day or currency", p.ID, m.ID)
			}
			if !slices.Contains([]string{"doc", "cat", "art", "iss"}, m.Source) {
				t.Errorf("%s/%s: price without source", p.ID, m.ID)
			}
			if (m.Prices.Long == nil) != (m.Prices.Above == 0) || (m.Prices.Peak == nil) != (len(m.Prices.PeakTime) == 0) {
				t.Errorf("%s/%s: half a second tariff", p.ID, m.ID)
			}
		}
	}
}

// Every partial object of the data must decode without an unknown key, and every field value must be
// one that a request can carry.
func TestQuirksDecodeStrictly(t *testing.T) {
	strict := func(where string, raw json.RawMessage) {
		if len(raw) == 0 {
			return
		}
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.DisallowUnknownFields()
		var q Quirks
		if err := d.Decode(&q); err != nil {
			t.Errorf("%s: %v", where, err)
		}
		for effort := range q.Thinking.Efforts {
			if !slices.Contains([]string{"low", "medium", "high", "max"}, effort) {
				t.Errorf("%s: effort %q", where, effort)
			}
		}
		if e := q.Thinking.Effort; e != "" && q.Thinking.Efforts[e] == nil {
			t.Errorf("%s: default effort %q has no fields", where, e)
		}
	}
	d := json.NewDecoder(strings.NewReader(string(source)))
	d.DisallowUnknownFields()
	var file struct {
		AsOf      string     `json:"as_of"`
		Providers []Provider `json:"providers"`
	}
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	for _, p := range file.Providers {
		strict(p.ID, p.Quirks)
		strict(p.ID+" family", p.Family.Quirks)
		for _, r := range p.Rules {
			strict(fmt.Sprint(p.ID, r.Match), r.Quirks)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		provider, model, url string
		id, base             string
		check                func(Entry) bool
	}{
		{"", "deepseek-flash", "", "deepseek", "https://api.deepseek.com", func(e Entry) bool {
			return e.Info.Window == 1_000_000 && e.Info.Images && e.Info.Prices != nil && e.Quirks.Echo.Field == "reasoning_content"
		}},
		{"deepseek", "", "", "deepseek", "https://api.deepseek.com", func(e Entry) bool { return e.Info.Model == "deepseek-flash" }},
		{"deepseek", "deepseek-v4-pro", "", "deepseek", "https://api.deepseek.com", func(e Entry) bool { return !e.Info.Images }},
		{"moonshot", "", "", "kimi", "https://api.moonshot.cn/v1", func(e Entry) bool { return *e.Quirks.Echo.Fill == " " }},
		{"", "kimi-k2.6", "https://proxy.example.test/v1", Custom, "https://proxy.example.test/v1", func(e Entry) bool {
			return e.Quirks.IDs == "kimi" && e.Info.Window == 262144 && e.Info.Prices == nil
		}},
		{"", "foo", "https://llm.example.test/v1", Custom, "https://llm.example.test/v1", plain},
		{"", "deepseek-r1:8b", "https://llm.example.test/v1", Custom, "https://llm.example.test/v1", plain},
		{Custom, "foo", "https://api.deepseek.com/v1", "deepseek", "https://api.deepseek.com/v1", nil},
		{"", "foo", "api.z.ai/api/paas/v4/", "glm", "api.z.ai/api/paas/v4/", func(e Entry) bool { return len(e.Quirks.Choices) == 1 }},
		{"", "glm-5.3", "https://api.z.ai/api/coding/paas/v4", "glm", "https://api.z.ai/api/coding/paas/v4", func(e Entry) bool {
			return e.Info.Prices == nil && e.Info.MaxOutput == 131072 && e.Quirks.Thinking.Default == "on"
		}},
		{"openrouter", "z-ai/glm-5.3", "", "openrouter", "https://openrouter.ai/api/v1", func(e Entry) bool {
			return slices.Equal(e.Quirks.Choices, []string{"auto"}) && e.Quirks.Echo.Field == "" &&
				e.Quirks.WithTools == nil && e.Info.Window == 1048576 && e.Info.Prices == nil
		}},
		{"", "qwen3:8b", "http://localhost:11434", "ollama", "http://localhost:11434", func(e Entry) bool {
			return e.Quirks.Thinking.On == nil && e.Quirks.Thinking.Off == nil
		}},
		{"", "devstral", "http://127.0.0.1:8080/v1", "llamacpp", "http://127.0.0.1:8080/v1", nil},
		{"", "gpt-5.1", "https://me.openai.azure.com/openai/v1?api-version=x", "openai", "https://me.openai.azure.com/openai/v1?api-version=x", func(e Entry) bool {
			return e.Quirks.MaxTokens == "max_completion_tokens"
		}},
		{"", "gpt-oss-120b", "https://x.example.test", Custom, "https://x.example.test", plain},
		{"groq", "", "", "groq", "https://api.groq.com/openai/v1", func(e Entry) bool { return e.Quirks.Echo.When != Calls }},
		{"", "step-3.5-flash-2603", "", "step", "https://api.stepfun.com/v1", func(e Entry) bool { return e.Quirks.Thinking.Effort == "high" }},
		{"", "step-3.5-flash", "", "step", "https://api.stepfun.com/v1", func(e Entry) bool { return e.Quirks.Thinking.Effort == "" }},
		{"", "glm-5v-turbo", "", "glm", "https://open.bigmodel.cn/api/paas/v4", func(e Entry) bool { return e.Info.Images && e.Quirks.RawImages }},
		{"", "minimax-m3", "", "minimax", "https://api.minimaxi.com/v1", func(e Entry) bool { return e.Info.Window == 1_000_000 }},
	} {
		t.Run(c.provider+" "+c.model+" "+c.url, func(t *testing.T) {
			e, err := Resolve(c.provider, c.model, c.url)
			if err != nil {
				t.Fatal(err)
			}
			if e.Info.Provider != c.id || e.BaseURL != c.base {
				t.Errorf("got %s at %s, want %s at %s", e.Info.Provider, e.BaseURL, c.id, c.base)
			}
			if c.check != nil && !c.check(e) {
				t.Errorf("unexpected entry %+v", e)
			}
		})
	}
}

// plain holds for an entry without extension fields.
func plain(e Entry) bool {
	q := e.Quirks
	return q.Echo.Field == "" && q.Constants == nil && q.WithTools == nil && q.Thinking.Default == "" && q.Thinking.On == nil
}

func TestUnknownProviderNamesTheNearest(t *testing.T) {
	_, err := Resolve("depseek", "x", "")
	var unknown *UnknownError
	if !errors.As(err, &unknown) || unknown.Nearest != "deepseek" {
		t.Errorf("got %v", err)
	}
	if _, err := Find("something-else"); !errors.As(err, &unknown) || unknown.Nearest != "" {
		t.Errorf("got %v", err)
	}
}

func TestSplit(t *testing.T) {
	for in, want := range map[string][2]string{
		"kimi/kimi-k2.6": {"kimi", "kimi-k2.6"}, "moonshot/k3": {"kimi", "k3"}, "foo": {"", "foo"},
		"openrouter/z-ai/glm-5.3": {"openrouter", "z-ai/glm-5.3"}, "meta/llama": {"", "meta/llama"}, "custom/foo": {"custom", "foo"},
	} {
		if p, m := Split(in); [2]string{p, m} != want {
			t.Errorf("%s: got %q %q", in, p, m)
		}
	}
}

func TestIsKey(t *testing.T) {
	for name, want := range map[string]bool{"DEEPSEEK_API_KEY": true, "ZHIPU_API_KEY": true, "DEEPSEEK_MODEL": false, "PATH": false, "": false} {
		if IsKey(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func TestFromEnvKeepsTheOrder(t *testing.T) {
	env := map[string]string{
		"OPENAI_API_KEY": "o", "MOONSHOT_API_KEY": " m ", "MOONSHOT_MODEL": "k3", "DEEPSEEK_API_KEY": "d",
		"ZAI_API_KEY": "z", "TOKENHUB_API_KEY": "t", "HUNYUAN_BASE_URL": "https://h.example.test/v1",
	}
	var got []string
	for _, f := range FromEnv(func(k string) string { return env[k] }) {
		got = append(got, strings.Join([]string{f.Provider.ID, f.KeyVar, f.Key, f.Model, f.BaseURL}, " "))
	}
	want := []string{
		"deepseek DEEPSEEK_API_KEY d  ",
		"glm ZAI_API_KEY z  https://api.z.ai/api/paas/v4",
		"hunyuan TOKENHUB_API_KEY t  https://h.example.test/v1",
		"kimi MOONSHOT_API_KEY m k3 ",
		"openai OPENAI_API_KEY o  ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for _, name := range []string{"GLM_MODEL", "ZHIPU_BASE_URL", "DASHSCOPE_API_KEY", "QWEN_MODEL"} {
		if !slices.Contains(Variables(), name) {
			t.Errorf("%s is not among the variables", name)
		}
	}
}

func TestLocalFindsServersThatListModels(t *testing.T) {
	list := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"gemma"}]}`)
		}
	}))
	defer list.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>hello") }))
	defer page.Close()
	away := httptest.NewServer(http.RedirectHandler(list.URL+"/v1/models", http.StatusFound))
	defer away.Close()

	var order []*Provider
	ports := map[*Provider]int{}
	for i, id := range []string{"llamacpp", "ollama", "vllm", "sglang"} {
		p, err := Find(id)
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, p)
		ports[p] = []int{portOf(t, page.URL), portOf(t, list.URL), 1, portOf(t, away.URL)}[i]
	}
	got := probeAll(context.Background(), nil, order, ports)
	if len(got) != 1 || got[0].Provider.ID != "ollama" || got[0].BaseURL != list.URL+"/v1" || !slices.Equal(got[0].Models, []string{"qwen3:8b", "gemma"}) {
		t.Errorf("got %+v", got)
	}
}

func portOf(t *testing.T, raw string) int {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(u.Port())
	return n
}
