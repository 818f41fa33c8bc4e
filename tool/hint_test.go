package tool

import (
	"testing"

	"paicli/internal/shell"
)

func TestAdvise(t *testing.T) {
	tests := []struct{ command, use string }{
		{"git commit", "git commit -m MESSAGE"},
		{"cd x && GIT_AUTHOR_NAME=a git commit --amend", "git commit -m MESSAGE"},
		{"git rebase -i HEAD~2", "git rebase without -i, or GIT_SEQUENCE_EDITOR='sed -i …' git rebase -i"},
		{"/usr/bin/ssh host", "ssh -o BatchMode=yes -o ConnectTimeout=5 HOST COMMAND"},
		{"timeout 5 npm init", "npm init -y"},
		{"npm init -y", ""},
		{"python3", "python3 -c CODE, or a file"},
		{"python3 -", "python3 -c CODE, or a file"},
		{"docker run -it alpine", "docker without -i and -t"},
		{"docker ps", ""},
		{"go test ./...", ""},
		{"", ""},
	}
	for _, tt := range tests {
		f, ok := advise(tt.command)
		if f.use != tt.use || ok != (tt.use != "") {
			t.Errorf("%q: %q, want %q", tt.command, f.use, tt.use)
		}
	}
}

func TestAsked(t *testing.T) {
	tests := []struct {
		command, output string
		exit            int
		want            bool
	}{
		{"rm -i x", "rm: remove regular file 'x'? ", 0, true},
		{"./configure.sh", "Password: ", 1, true},
		{"./configure.sh", "Name [x]: ", 1, true},
		{"printf 'Name: '", "Name: ", 0, false},
		{"python3 x.py", "EOFError: EOF when reading a line\n", 1, true},
		{"python3", "", 0, true},
		{"true", "", 0, false},
		{"go test", "--- FAIL: TestX\nFAIL\n", 1, false},
		{"grep x y", "", 1, false},
		{"nosuch", "bash: nosuch: command not found\n", 127, false},
	}
	for _, tt := range tests {
		if got := asked(tt.command, shell.Result{Head: tt.output, Exit: tt.exit}); got != tt.want {
			t.Errorf("%q with %q: %v", tt.command, tt.output, got)
		}
	}
}

func FuzzAdvise(f *testing.F) {
	f.Add("cd x && git commit", "Password: ", 1)
	f.Fuzz(func(t *testing.T, command, output string, exit int) {
		asked(command, shell.Result{Head: output, Exit: exit})
		inputNote(command)
	})
}
