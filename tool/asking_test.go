//go:build linux

package tool

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// asking are programs that ask, page, edit or take commands: each must be back within five seconds
// and say why and how else. say is what the text must have beside that; empty = only that.
func asking() []struct{ name, needs, command, say string } {
	const repo = "git init -q r && cd r && git config user.email a@b && git config user.name a && " +
		"echo 1 >f && git add f && git commit -qm one && echo 2 >f && git commit -qam two && echo 3 >f && "
	return []struct{ name, needs, command, say string }{
		{"git commit", "git", repo + "git add f && git commit", "git commit -m"},
		{"git commit --amend", "git", repo + "git commit --amend", "git commit -m"},
		{"git rebase -i", "git", repo + "git stash -q && git rebase -i HEAD~1", "git rebase without -i"},
		{"git add -p", "git", repo + "git add -p", "git add PATH"},
		{"git clean -i", "git", repo + "touch new && git clean -i", "git clean -f"},
		{"git password", "git", "printf 'protocol=https\\nhost=localhost\\n\\n' | git -c credential.helper= credential fill", "git"},
		{"npm init", "npm", "npm init", "npm init -y"},
		{"ssh-keygen", "ssh-keygen", "ssh-keygen -t ed25519", "ssh-keygen -N"},
		{"python", "python3", "python3", "python3 -c"},
		{"python input", "python3", "python3 -c 'input(\"Name: \")'", "no terminal"},
		{"python password", "python3", "python3 -c 'import getpass; getpass.getpass()'", "no terminal"},
		{"node", "node", "node", "node -e"},
		{"perl", "perl", "perl", "perl -e"},
		{"sqlite3", "sqlite3", "sqlite3", "sqlite3 FILE QUERY"},
		{"bc", "bc", "bc", "| bc"},
		{"ed", "ed", "ed", "edit_file"},
		{"vim", "vim", "vim f", "edit_file"},
		{"rm -i", "rm", "touch f; rm -i f", "rm -f"},
		{"cp -i", "cp", "touch f g; cp -i f g", "cp -f"},
		{"read on the terminal", "bash", "read -p 'Sure? ' x </dev/tty", "no terminal"},
		{"y/n", "bash", "printf 'Go on? [y/N] '; read x", "no terminal"},
		{"passwd", "passwd", "passwd", "ask"},
		{"su", "su", "su nobody -s /bin/sh -c 'su root'", ""},
		{"openssl password", "openssl", "openssl genrsa -aes256 2048", "-passout"},
		{"gpg", "gpg", "gpg --homedir . --gen-key", "gpg --batch"},
		{"top", "top", "top", "top -b"},
		{"a named pipe", "mkfifo", "mkfifo p; printf 'Password:'; cat <p", "waiting for input"},
		{"a named pipe that is open", "mkfifo", "mkfifo p; exec 3<>p; printf 'Go on? '; read x <&3", "Go on?"},
		{"python in a terminal", "python3", terminalOf("python3", "-q"), "waiting for input"},
		{"a question in a terminal", "python3", terminalOf("bash", "-c", "read -p Continue? x"), "Continue?"},
		{"a password in a terminal", "python3", terminalOf("python3", "-c", "import getpass; getpass.getpass()"), "Password:"},
		{"a pager in a terminal", "less", "seq 1000 >f; " + terminalOf("less", "f"), "waiting for input"},
		{"an editor in a terminal", "vim", terminalOf("vim", "-u", "NONE", "f"), "waiting for input"},
		{"sqlite3 in a terminal", "sqlite3", terminalOf("sqlite3"), "waiting for input"},
		{"more in a terminal", "more", "seq 1000 >f; " + terminalOf("more", "f"), "waiting for input"},
	}
}

// terminalOf is a command that runs a program in a terminal of its own, into which nobody types.
func terminalOf(argv ...string) string {
	const spawn = "import os,pty,sys\n" +
		"pid,fd=pty.fork()\n" +
		"if pid==0: os.execvp(sys.argv[1],sys.argv[1:])\n" +
		"import select\n" +
		"try:\n" +
		" while select.select([fd],[],[]): os.write(1,os.read(fd,1000))\n" +
		"except OSError: pass\n" +
		"sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid,0)[1]))\n"
	return "TERM=xterm python3 -c '" + spawn + "' " + quoted(argv)
}

func quoted(argv []string) string {
	var out []string
	for _, a := range argv {
		out = append(out, "'"+a+"'")
	}
	return strings.Join(out, " ")
}

func TestProgramsThatAsk(t *testing.T) {
	for _, tt := range asking() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(tt.needs); err != nil {
				t.Skipf("NOT RUN: %s: %s is not installed", tt.name, tt.needs)
			}
			b := newBench(t)
			begin := time.Now()
			out := b.do("execute_command", args{"command": tt.command, "timeout_seconds": 20})
			most := 15 * time.Second // tests share the machine
			if os.Getenv("PAICLI_FULL") != "" {
				most = 5 * time.Second
			}
			if took := time.Since(begin); took > most {
				t.Errorf("took %v", took)
			}
			if !strings.Contains(out.Text, "no terminal") || !strings.Contains(out.Text, tt.say) {
				t.Errorf("no explanation: %s", out.Text)
			}
		})
	}
}

// TestAptAsks: nothing could be changed even with a yes, since dpkg is not the real one.
func TestAptAsks(t *testing.T) {
	if err := exec.Command("dpkg-query", "-W", "git").Run(); err != nil {
		t.Skip("NOT RUN: apt: there is no package git to be asked about")
	}
	b := newBench(t)
	out := b.do("execute_command", args{"timeout_seconds": 20, "command": "apt-get -o Debug::NoLocking=1 " +
		"-o APT::Get::Assume-Yes=false -o Dir::Bin::dpkg=/bin/false remove git"})
	has(t, out.Text, "no terminal", "apt-get -y")
}

// TestSSHToAClosedPort: it neither waits for a host key's yes nor for a password.
func TestSSHToAClosedPort(t *testing.T) {
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Skip("NOT RUN: ssh is not installed")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	b := newBench(t)
	out := b.do("execute_command", args{"command": fmt.Sprintf("ssh -p %d 127.0.0.1 true", port), "timeout_seconds": 5})
	has(t, out.Text, "exit code: 255", "refused")
}

// TestPagersAreDisarmed: their output comes whole.
func TestPagersAreDisarmed(t *testing.T) {
	b := newBench(t)
	for _, command := range []string{"seq 300 | less", "seq 300 | more", "seq 300 | $PAGER"} {
		has(t, b.do("execute_command", args{"command": command, "timeout_seconds": 5}).Text, "exit code: 0\n1\n", "\n300\n")
	}
}

// TestSlowPrograms: what takes its time without wanting input is left alone.
func TestSlowPrograms(t *testing.T) {
	long := "4"
	if os.Getenv("PAICLI_FULL") != "" {
		long = "20"
	}
	serve := "import socket; s=socket.socket(); s.bind((\"127.0.0.1\",0)); s.listen(); "
	tests := []struct{ name, needs, command string }{
		{"sleep", "sleep", "sleep LONG"},
		{"a pipe", "sleep", "sleep LONG | cat | cat"},
		{"a loop", "bash", "for i in $(seq LONG); do sleep 1; done"},
		{"computing", "bash", "end=$((SECONDS+LONG)); while [ $SECONDS -lt $end ]; do :; done"},
		{"waiting for a child", "bash", "sleep LONG & wait"},
		{"a lock", "flock", "touch l; (flock 9; sleep LONG) 9<l & sleep 0.2; flock l true"},
		{"a named pipe with a slow writer", "mkfifo", "mkfifo p; (sleep LONG; echo x >p) & cat p"},
		{"a server", "python3", "timeout LONG python3 -c '" + serve + "s.accept()'; true"},
		{"a slow download", "python3", "python3 -c '" + serve + "import threading,time; c=socket.create_connection(s.getsockname()); " +
			"a,_=s.accept(); threading.Thread(target=lambda: (time.sleep(LONG), a.close())).start(); c.recv(1)'"},
		{"threads", "python3", "python3 -c 'import threading,time; e=threading.Event(); threading.Timer(LONG, e.set).start(); e.wait()'"},
		{"a watcher", "tail", "timeout LONG tail -f /dev/null; true"},
		{"a compiler", "go", "printf 'package main\\nfunc main(){}' >m.go; GOFLAGS= go build -o m m.go; sleep LONG"},
		{"in a terminal", "python3", terminalOf("sleep", "LONG")},
	}
	for i, tt := range tests {
		if os.Getenv("PAICLI_FULL") == "" && i%3 != 0 && i != 6 {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(tt.needs); err != nil {
				t.Skipf("NOT RUN: %s: %s is not installed", tt.name, tt.needs)
			}
			out := newBench(t).do("execute_command", args{"command": strings.ReplaceAll(tt.command, "LONG", long)})
			if !strings.HasPrefix(out.Text, "exit code: 0\n") || strings.Contains(out.Text, "no terminal") {
				t.Errorf("a false alarm, or it failed: %s", out.Text)
			}
		})
	}
}
