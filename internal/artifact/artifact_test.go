package artifact

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"paicli/agent"
	"paicli/internal/fsx"
	"paicli/internal/secret"
)

const outputs = ".paicli/tool-outputs"

func newStore(t *testing.T, o Options) (*Store, string) {
	t.Helper()
	o.Root = openRoot(t, t.TempDir(), "")
	if o.Session == "" {
		o.Session = "session-1"
	}
	return New(o), o.Root.Dir()
}

func openRoot(t *testing.T, dir, home string) *fsx.Root {
	t.Helper()
	root, err := fsx.Open(dir, fsx.Options{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCommandOutput(t *testing.T) {
	b := newBench(t, Options{}).withTools()
	end := b.call("execute_command", `{"command":"seq 1 20000; exit 3"}`)
	text := end.Result.Text
	if !strings.HasPrefix(text, "exit code: 3\n[output too large: execute_command gave 108894 characters in 20000 lines") || !strings.HasSuffix(text, "\n19999\n20000\n") {
		t.Errorf("preview %s", text)
	}
	if file := b.file(end.Artifact); !strings.HasPrefix(file, "1\n2\n") || !strings.HasSuffix(file, "\n20000\n") || len(file) != 108894 {
		t.Errorf("file of %d bytes", len(file))
	}
}

func TestShortResultsLeaveNothing(t *testing.T) {
	s, dir := newStore(t, Options{})
	for _, out := range []agent.Output{
		{},
		{Text: strings.Repeat("中", DefaultLimit)},
		{Text: "exit code: 0\n" + strings.Repeat("a", 8000), Lead: 13, Limit: 8000},
		{Text: strings.Repeat("a", 3*DefaultLimit), Whole: true},
		{Text: strings.Repeat("a", DefaultLimit+1), Limit: DefaultLimit + 1},
	} {
		if got := s.keep("x", out); got.Text != out.Text || got.Artifact != "" {
			t.Errorf("%d characters were kept in %q", utf8.RuneCountInString(out.Text), got.Artifact)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("made %v, %v", entries, err)
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct{ set, own, want int }{
		{0, 0, 32_000}, {0, 8000, 8000}, {0, 50_000, 50_000}, {5000, 0, 5000}, {5000, 8000, 5000}, {100_000, 8000, 8000}, {100_000, 0, 100_000},
	} {
		if got := New(Options{Limit: tt.set}).limit(agent.Output{Limit: tt.own}); got != tt.want {
			t.Errorf("set %d, own %d: %d, want %d", tt.set, tt.own, got, tt.want)
		}
	}
}

// TestPreviewIsWithinTheLimit: also where the limit is smaller than beginning and end together.
func TestPreviewIsWithinTheLimit(t *testing.T) {
	for _, limit := range []int{1000, 2000, 2500, 3000, 3300, DefaultLimit} {
		for _, body := range []string{strings.Repeat("中", limit+1), strings.Repeat("word\n", limit), strings.Repeat("\n", limit+1), strings.Repeat("x\r\n", limit)} {
			s, dir := newStore(t, Options{Limit: limit})
			out := s.keep(strings.Repeat("n", 200), agent.Output{Text: body})
			if n := utf8.RuneCountInString(out.Text); n > limit || !utf8.ValidString(out.Text) {
				t.Errorf("limit %d: %d characters", limit, n)
			}
			if read(t, dir, out.Artifact) != body {
				t.Errorf("limit %d: another text in the file", limit)
			}
		}
	}
}

func TestFolder(t *testing.T) {
	s, dir := newStore(t, Options{Secrets: secret.New([]string{"planted"})})
	long := strings.Repeat("planted ", DefaultLimit)
	var wg sync.WaitGroup
	names := make([]string, 8)
	for i := range names {
		wg.Go(func() { names[i] = s.keep("mcp__a/../b__c", agent.Output{Text: long}).Artifact })
	}
	wg.Wait()
	slices.Sort(names)
	if names[0] != outputs+"/session-1/001-mcp__ab__c.txt" || names[7] != outputs+"/session-1/008-mcp__ab__c.txt" {
		t.Errorf("files %q", names)
	}
	if text := read(t, dir, names[0]); !strings.HasPrefix(text, "[secret] [secret]") {
		t.Errorf("written: %.40s", text)
	}
	if read(t, dir, outputs+"/.gitignore") != "*\n" {
		t.Error("the folder is not ignored")
	}
	again := New(Options{Root: openRoot(t, dir, ""), Session: "session-1"})
	if got := again.keep("x", agent.Output{Text: long}).Artifact; got != outputs+"/session-1/001-x.txt" {
		t.Errorf("a resumed session wrote %s", got)
	}
	if got := again.keep("mcp__ab__c", agent.Output{Text: long}).Artifact; got != outputs+"/session-1/009-mcp__ab__c.txt" {
		t.Errorf("a resumed session wrote %s", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	filepath.WalkDir(filepath.Join(dir, ".paicli"), func(p string, e fs.DirEntry, _ error) error {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 && !e.IsDir() || info.Mode().Perm() != 0o700 && e.IsDir() {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
		return nil
	})
}

// TestFolderIsReadOnlyForTools: what is written here cannot be changed by a path that a model gives.
func TestFolderIsReadOnlyForTools(t *testing.T) {
	s, dir := newStore(t, Options{})
	file := s.keep("x", agent.Output{Text: strings.Repeat("a", DefaultLimit+1)}).Artifact
	root := openRoot(t, dir, "")
	if _, err := root.Resolve(file, fsx.Read); err != nil {
		t.Error(err)
	}
	if _, err := root.Resolve(file, fsx.Write); err == nil {
		t.Error("can be written")
	}
}

// TestNothingIsKeptWhereItCannotBeRead: the home as a project.
func TestNothingIsKeptWhereItCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	s := New(Options{Root: openRoot(t, dir, filepath.Join(dir, ".paicli")), Session: "session-1"})
	if out := s.keep("x", agent.Output{Text: strings.Repeat("a", DefaultLimit+1)}); out.Artifact != "" || out.Limit != DefaultLimit {
		t.Errorf("kept in %q", out.Artifact)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("made %v, %v", entries, err)
	}
}

// TestLinksAreNotFollowed: a project cannot make us write elsewhere, inside or outside.
func TestLinksAreNotFollowed(t *testing.T) {
	for _, link := range []string{".paicli", ".paicli/tool-outputs", ".paicli/tool-outputs/session-1"} {
		s, dir := newStore(t, Options{})
		for _, target := range []string{t.TempDir(), filepath.Join(dir, "src")} {
			if err := os.MkdirAll(target, 0o755); err != nil {
				t.Fatal(err)
			}
			at := filepath.Join(dir, filepath.FromSlash(link))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, at); err != nil {
				t.Skip(err)
			}
			out := s.keep("x", agent.Output{Text: strings.Repeat("a", DefaultLimit+1)})
			if entries, err := os.ReadDir(target); out.Artifact != "" || out.Limit != DefaultLimit || err != nil || len(entries) > 0 {
				t.Errorf("%s → %s: wrote %q %v, %v", link, target, out.Artifact, entries, err)
			}
			if err := os.Remove(at); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestSweep(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s, dir := newStore(t, Options{Session: "running", Now: func() time.Time { return now }})
	put := func(name string, age time.Duration, size int64) {
		p := filepath.Join(dir, filepath.FromSlash(outputs), name)
		if err := os.MkdirAll(p, 0o700); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(p, "001-x.txt"))
		if err != nil {
			t.Fatal(err)
		}
		f.Truncate(size) // takes no room on the disk
		f.Close()
		if err := os.Chtimes(p, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	const day = 24 * time.Hour
	put("running", 30*day, 100<<20)
	put("old", 8*day, 1)
	put("large-2", 2*day, 100<<20)
	put("large-1", 1*day, 100<<20)
	put("week", 7*day, 1<<20)
	put("new", time.Hour, 1<<20)
	if s.keep("x", agent.Output{Text: strings.Repeat("a", DefaultLimit+1)}).Artifact == "" {
		t.Fatal("nothing was written")
	}
	var left []string
	entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(outputs)))
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{".gitignore", "large-1", "new", "running"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("left %q, %v, want %q", left, err, want)
	}
}
