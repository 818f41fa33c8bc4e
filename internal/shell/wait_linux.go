package shell

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// posture is how a process spends its time.
type posture struct {
	kind    kind
	program string
	on      string // the terminal or named pipe that is waited for
	time    uint64 // computed by the whole command, in ticks
}

// still reports whether a command that waited before still does. Programs that wait for keys may wake
// up now and then to no purpose; a tick (10 ms) in all is none.
func (p posture) still(before posture) bool {
	return p.on == before.on && p.program == before.program && p.time <= before.time+1
}

// kind is what a process does.
type kind int

const (
	idle  kind = iota // waits for another process of the command: a child, a pipe, a thread, a signal
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
	case unix.SYS_WAIT4, unix.SYS_WAITID, unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_FUTEX:
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
	switch target, err := os.Readlink(filepath.Join(dir, "0")); {
	case err != nil:
	case isTerminal(target):
		return input, target
	case strings.HasPrefix(target, "pipe:") && writeOnly(pid, 0):
		// An editor that found no terminal at its input and took what it writes to for one.
		return input, "its own output"
	}
	return busy, ""
}

// writeOnly reports whether a descriptor was opened for writing alone, as proc_pid_fdinfo(5) has it.
func writeOnly(pid, fd int) bool {
	info, err := os.ReadFile(procPath(pid, "fdinfo/"+strconv.Itoa(fd)))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(info), "flags:")
	octal, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	flags, err := strconv.ParseUint(octal, 8, 64)
	return err == nil && flags&unix.O_ACCMODE == unix.O_WRONLY
}

func isTerminal(target string) bool {
	return strings.HasPrefix(target, "/dev/tty") || target == "/dev/console" ||
		strings.HasPrefix(target, "/dev/pts/") && target != "/dev/pts/ptmx"
}
