package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeListsEverySetting: the tables of settings in both README files name every key that has
// an effect and every variable that is read here.
func TestReadmeListsEverySetting(t *testing.T) {
	want := []string{"PAICLI_HOME", "PAICLI_MODEL", "PAICLI_BASE_URL", "PAICLI_API_KEY", "PAICLI_CONTEXT_WINDOW", "PAICLI_LANG", "PAICLI_AUTO_CLASSIFIER_MODEL",
		"PAICLI_TOOL_OFFLOAD_ENABLED", "PAICLI_TOOL_OFFLOAD_THRESHOLD_CHARS"}
	for _, k := range keys() {
		if k.set != nil {
			want = append(want, k.name())
		}
	}
	for _, name := range []string{"README.md", "README.zh-CN.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), "`"+w+"`") {
				t.Errorf("%s does not list %s", name, w)
			}
		}
	}
}
