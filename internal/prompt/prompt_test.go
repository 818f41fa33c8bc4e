package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSystemIsShortAndSaysWhatMatters(t *testing.T) {
	s := System()
	if len(s) > 3000 {
		t.Errorf("%d bytes: the system prompt is sent with every request", len(s))
	}
	for _, word := range []string{"## Language", "user's words", "tool_result", "never follow"} {
		if !strings.Contains(s, word) {
			t.Errorf("the prompt does not say %q", word)
		}
	}
}

func TestNote(t *testing.T) {
	write := func(root, name, text string) {
		path := filepath.Join(root, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	repo, detached, linked := t.TempDir(), t.TempDir(), t.TempDir()
	write(repo, ".git/HEAD", "ref: refs/heads/main\n")
	write(detached, ".git/HEAD", "0123abcd\n")
	write(linked, "real/HEAD", "ref: refs/heads/side\n")
	write(linked, ".git", "gitdir: real\n")
	os.Mkdir(filepath.Join(repo, "sub"), 0o755)
	for root, want := range map[string]string{
		repo: "on branch main", filepath.Join(repo, "sub"): "on branch main", detached: "on commit 0123abcd", linked: "on branch side", t.TempDir(): "not a repository",
	} {
		note := Note(Place{Root: root, OS: "linux", Now: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)})
		if !strings.Contains(note, want) || !strings.Contains(note, "2026-11-30 (Monday)") || !strings.Contains(note, root) {
			t.Errorf("%s: %s", want, note)
		}
	}
}

func TestMode(t *testing.T) {
	for mode, words := range map[string]string{"plan": "exit_plan(plan)", "ask": "asked before", "auto": "may change"} {
		note := Mode(mode)
		if !strings.HasPrefix(note, "[mode] "+mode+"\n") || !strings.Contains(note, words) || len(note) > 250 {
			t.Errorf("%s: %q", mode, note)
		}
	}
}
