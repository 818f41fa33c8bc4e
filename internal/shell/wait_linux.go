package shell

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// posture is how a process spends its time. Comparable, so that two looks can be.
type posture struct {
	kind    kind
	program string
	on      string // the terminal or named pipe that is waited for
	time    uint64 // computed by the whole command, in ticks
}

// kind is what a process does.
type kind int

const (
	idle  kind = iota // waits for another process of the command: a child, a pipe, a lock among threads
	busy              // computes, sleeps, waits for a disk, a network, a clock: leave it alone
	input             // waits for somebody to type, or to open a named pipe
)

// waiting looks at the command. Its on is set when somebody waits for input and nobody is busy.
func (t *tree) waiting() posture {
	var found posture
	var time uint64
	for _, p := range t.family() {
		time += p.time
		if p.state == 'Z' || p.state == 'X' {
			continue
		}
		switch now := look(p); now.kind {
		case busy:
			return posture{}
		case input:
			found = now
		}
	}
	if found.kind == input {
		found.time = time
	}
	return found
}

// look sees what the threads of a process do.
func look(p proc) posture {
	tasks := procPath(p.pid, "task")
	threads, err := os.ReadDir(tasks)
	if err != nil || len(threads) == 0 {
		return posture{kind: busy} // it just ended: look again later
	}
	result := posture{program: p.name}
	for _, th := range threads {
		k, on := lookThread(p.pid, filepath.Join(tasks, th.Name()))
		if k == busy {
			return posture{kind: busy}
		}
		if k == input {
			result.kind, result.on = input, on
		}
	}
	return result
}

// lookThread sees in which system call a thread is. Where that is not told, it counts as busy.
func lookThread(pid int, dir string) (kind, string) {
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return busy, ""
	}
	if p, ok := parseStat(stat); !ok || p.state != 'S' {
		return busy, ""
	}
	line, err := os.ReadFile(filepath.Join(dir, "syscall"))
	if err != nil {
		return busy, ""
	}
	number, first, ok := parseSyscall(string(line))
	if !ok {
		return busy, ""
	}
	switch number {
	case unix.SYS_READ, unix.SYS_READV, unix.SYS_PREAD64:
		return reading(pid, int(int32(first)))
	case unix.SYS_WAIT4, unix.SYS_WAITID, unix.SYS_RT_SIGSUSPEND, unix.SYS_FUTEX:
		return idle, ""
	case unix.SYS_OPENAT:
		if wchan, err := os.ReadFile(filepath.Join(dir, "wchan")); err == nil && string(wchan) == "wait_for_partner" {
			return input, "a named pipe that nobody else has open"
		}
	}
	if polls(number) {
		return polling(pid)
	}
	return busy, ""
}

// parseSyscall reads /proc/PID/syscall: the number and, in hexadecimal, the arguments. A running
// thread has neither.
func parseSyscall(line string) (number int, first uint64, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return 0, 0, false
	}
	number, err := strconv.Atoi(fields[0])
	if err != nil {
		return 0, 0, false
	}
	first, err = strconv.ParseUint(strings.TrimPrefix(fields[1], "0x"), 16, 64)
	return number, first, err == nil
}

// reading says what a read from a descriptor waits for.
func reading(pid, fd int) (kind, string) {
	at := procPath(pid, "fd/"+strconv.Itoa(fd))
	target, err := os.Readlink(at)
	switch {
	case err != nil:
		return busy, ""
	case isTerminal(target):
		return input, target
	case strings.HasPrefix(target, "pipe:"):
		return idle, ""
	}
	if info, err := os.Stat(at); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return input, target
	}
	return busy, ""
}

// polling says what a process waits for that waits for one of several things. One that has the
// other end of a terminal waits for the program in it.
func polling(pid int) (kind, string) {
	dir := procPath(pid, "fd")
	fds, err := os.ReadDir(dir)
	if err != nil {
		return busy, ""
	}
	for _, fd := range fds {
		if target, _ := os.Readlink(filepath.Join(dir, fd.Name())); target == "/dev/ptmx" || target == "/dev/pts/ptmx" {
			return idle, ""
		}
	}
	if target, err := os.Readlink(filepath.Join(dir, "0")); err == nil && isTerminal(target) {
		return input, target
	}
	return busy, ""
}

func isTerminal(target string) bool {
	return strings.HasPrefix(target, "/dev/tty") || target == "/dev/console" ||
		strings.HasPrefix(target, "/dev/pts/") && target != "/dev/pts/ptmx"
}
