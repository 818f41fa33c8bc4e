package shell

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

func shellCommand(command string) *exec.Cmd {
	cmd := exec.Command("cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + command + `"`}
	return cmd
}

func scriptCommand(path string) *exec.Cmd { return exec.Command("cmd.exe", "/d", "/c", path) }

// isolate gives the command a process group of its own and no window.
func isolate(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags = windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW
}

// terminate asks the tree to end. Most programs without a window ignore it.
func terminate(pid int) { _ = exec.Command("taskkill", "/t", "/pid", strconv.Itoa(pid)).Run() }

func kill(pid int) { _ = exec.Command("taskkill", "/t", "/f", "/pid", strconv.Itoa(pid)).Run() }

// groupAlive is not known: a process group here has no table of its own.
func groupAlive(int) bool { return false }

func outcome(state *os.ProcessState) (exit int, signal string, number int) {
	return state.ExitCode(), "", 0
}
