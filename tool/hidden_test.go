package tool

import (
	"strings"
	"testing"

	"paicli/internal/fsx"
)

// A search touches more than the call says beforehand: files of credentials and what a rule denies are
// passed over and named, and searched where the call names them, which gates see.
func TestSearchPassesOverSecrets(t *testing.T) {
	b := newBench(t, ".env", "needle=1\n", "tls/Server.KEY", "needle\n", ".aws/config", "needle\n", "private/a.txt", "needle\n",
		"a.txt", "needle\n", ".env.example", "needle\n", "id_rsa.pub", "needle\n")
	root, err := fsx.Open(b.dir, fsx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	for _, tool := range All(Options{Root: root, Denied: func(path string) bool { return strings.HasPrefix(path, "private/") }}) {
		b.tools[tool.Spec().Name] = tool
	}
	text := b.do("grep_code", args{"pattern": "needle"}).Text
	has(t, text, "3 matches in 3 files", "a.txt:1", ".env.example:1", "id_rsa.pub:1",
		"(not searched, as they hold credentials or a rule denies reading them: .aws/config, .env, private/a.txt, tls/Server.KEY)")
	has(t, b.do("grep_code", args{"pattern": "needle", "path": ".env"}).Text, ".env:1")
	has(t, b.do("grep_code", args{"pattern": "absent"}).Text, "no match found", "private/a.txt")
	has(t, b.do("grep_code", args{"pattern": "needle", "glob": "*.env"}).Text, "no match found", "not searched", ".env")
}
