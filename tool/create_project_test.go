package tool

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paicli/agent"
	"paicli/internal/fsx"
)

// TestParityProject: every type has the files that the original makes.
func TestParityProject(t *testing.T) {
	t.Run("F-16", func(t *testing.T) {
		for kind, files := range map[string][]string{
			"java":   {"pom.xml", "src/main/java/com/example/app/App.java", "src/main/resources/.gitkeep"},
			"python": {"app/main.py", "requirements.txt"},
			"node":   {"package.json"},
			"go":     {"go.mod"},
		} {
			b := newBench(t)
			out := b.do("create_project", args{"name": "demo", "type": kind})
			has(t, out.Text, "project created: demo (type: "+kind+")")
			for _, f := range append(files, "README.md", ".gitignore") {
				b.content("demo/" + f)
			}
		}
	})
}

func TestCreateProject(t *testing.T) {
	b := newBench(t, "taken/x", "", "file", "", ".home/x", "")
	if err := os.Mkdir(filepath.Join(b.dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"demo", "services/API_2", "empty", "项目"} {
		intent, out, err := b.try("create_project", args{"name": name, "type": "go"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		paths := []string{name + "/go.mod", name + "/main.go", name + "/main_test.go", name + "/README.md", name + "/.gitignore"}
		if d := cmp.Diff(paths, out.Detail.Files.Paths); d != "" || intent.Title != name {
			t.Errorf("%s: title %q, %s", name, intent.Title, d)
		}
		var want []agent.Access
		for _, p := range paths {
			want = append(want, agent.Access{Verb: agent.VerbWrite, Target: p})
		}
		if d := cmp.Diff(want, intent.Access); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		has(t, b.content(name+"/README.md"), "# "+filepath.Base(name)+"\n")
	}
	has(t, b.content("services/API_2/go.mod"), "module example.com/api_2\n")
	has(t, b.content("项目/go.mod"), "module example.com/app\n")
	b.refuses("edit_file", args{"path": "demo/main.go", "old_text": "greets", "new_text": "waves"}, "must be read first")
}

func TestCreateProjectRefuses(t *testing.T) {
	b := newBench(t, "taken/x", "1", "file", "2", ".home/x", "3")
	for name, word := range map[string]string{
		"taken": "not empty", "file": "no directory", "taken/x/y": "not a directory", "": "cannot be used", ".": "cannot be used",
		"..": "cannot be used", "../out": "cannot be used", "a/../b": "cannot be used", "/tmp/x": "cannot be used", "a//b": "cannot be used",
		"a b": "cannot be used", "-rf": "cannot be used", ".hidden": "cannot be used", "a.": "cannot be used", "a\\b": "cannot be used",
		"c:x": "cannot be used", "a\nb": "cannot be used", "$(x)": "cannot be used", "~": "cannot be used", "a/CON": "cannot be used", "com1.x": "cannot be used", "x/": "cannot be used",
	} {
		b.refuses("create_project", args{"name": name, "type": "go"}, word)
	}
	for _, kind := range []string{"", "rust", "Java", "../go"} {
		b.refuses("create_project", args{"name": "demo", "type": kind}, "java, python, node and go")
	}
	entries, err := os.ReadDir(b.dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A project is made whole or not at all.
func TestCreateProjectIsUndone(t *testing.T) {
	b := newBench(t)
	root, err := fsx.Open(b.dir, fsx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w := &workspace{root: root}
	p, err := w.planProject(createProjectArgs{Name: "demo", Type: "go"})
	if err != nil {
		t.Fatal(err)
	}
	b.put("demo/README.md", "made meanwhile")
	if err := root.CreateAll(p.files); err == nil {
		t.Error("no error")
	}
	entries, err := os.ReadDir(filepath.Join(b.dir, "demo"))
	if err != nil || len(entries) != 1 || b.content("demo/README.md") != "made meanwhile" {
		t.Errorf("%v, %v", entries, err)
	}
}

func FuzzProjectName(f *testing.F) {
	for _, s := range []string{"demo", "a/b", "..", "项目", "é", "A_b-c.d", "-", "a\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if checkProjectName(name) != nil {
			return
		}
		if !filepath.IsLocal(name) || filepath.Clean(name) != filepath.FromSlash(name) || strings.ContainsAny(name, "\\:\x00\n \"'`$<>&|;") {
			t.Errorf("%q was taken", name)
		}
		id := projectID(filepath.Base(name))
		if id == "" || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || strings.Trim(id, "-._") != id {
			t.Errorf("%q has the id %q", name, id)
		}
	})
}

// TestSkeletons builds the new projects and runs their tests with the real tool chains.
func TestSkeletons(t *testing.T) {
	if os.Getenv("PAICLI_FULL") != "1" {
		t.Skip("SKIPPED: runs with PAICLI_FULL=1")
	}
	tests := []struct {
		kind     string
		commands [][]string
		says     string // what the program prints in the end
	}{
		{"go", [][]string{{"go", "vet", "./..."}, {"go", "test", "./..."}, {"go", "run", ".", "Ada"}}, "Hello, Ada!"},
		{"python", [][]string{{"python3", "-m", "unittest", "-v"}, {"python3", "-m", "app.main", "Ada"}}, "Hello, Ada!"},
		{"node", [][]string{{"npm", "test"}, {"node", "src/index.js", "Ada"}}, "Hello, Ada!"},
		{"java", [][]string{{"mvn", "-q", "-B", "package"}, {"java", "-jar", "target/my-demo-0.1.0-SNAPSHOT.jar", "Ada"}}, "Hello, Ada!"},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			b := newBench(t)
			b.do("create_project", args{"name": "parts/My.Demo", "type": tt.kind})
			b.do("create_project", args{"name": "my-demo", "type": tt.kind})
			for _, dir := range []string{"my-demo", "parts/My.Demo"} {
				last := ""
				for _, c := range tt.commands {
					last = runIn(t, filepath.Join(b.dir, dir), c)
				}
				if !strings.Contains(last, tt.says) {
					t.Errorf("%s says %q", dir, last)
				}
				if tt.kind == "java" {
					break // once is enough: the name is only in the name of the archive
				}
			}
		})
	}
}

// runIn runs a command that must succeed. Where its program is missing, the test is skipped.
func runIn(t *testing.T, dir string, command []string) string {
	t.Helper()
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Skipf("SKIPPED: NO %s ON THIS MACHINE", strings.ToUpper(command[0]))
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", command, err, out)
	}
	return string(out)
}
