//go:build !windows

package shell

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// program is the shell that runs command lines: bash where there is one.
func program() string {
	if path, err := exec.LookPath("bash"); err == nil {
		return path
	}
	return "/bin/sh"
}

func shellCommand(command string) *exec.Cmd { return exec.Command(program(), "-c", command) }

func scriptCommand(path string) *exec.Cmd { return exec.Command(program(), path) }

// isolate gives the command a session, and so a process group, of its own: it has no terminal and
// its signals do not reach us.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// outcome is the exit code and the name and number of the signal that ended the process.
func outcome(state *os.ProcessState) (exit int, signal string, number int) {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -1, unix.SignalName(status.Signal()), int(status.Signal())
	}
	return state.ExitCode(), "", 0
}
