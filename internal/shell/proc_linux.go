package shell

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// proc is a line of the process table.
type proc struct {
	pid, parent, group, session int
	name                        string
	state                       byte
	start                       uint64 // since boot, in ticks: with the number it names a process for good
	time                        uint64 // computed so far, in ticks
}

func procPath(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}

// readProc reads the entry of a process; false when there is none.
func readProc(pid int) (proc, bool) {
	data, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return proc{}, false
	}
	return parseStat(data)
}

// parseStat reads /proc/PID/stat (proc_pid_stat(5)). The name may hold anything, blanks and brackets
// included.
func parseStat(data []byte) (p proc, ok bool) {
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return proc{}, false
	}
	fields := strings.Fields(string(data[end+1:]))
	const last = 19 // of those read: starttime, the 22nd of all
	if len(fields) <= last || len(fields[0]) != 1 {
		return proc{}, false
	}
	number := func(s string) uint64 {
		n, err := strconv.ParseUint(s, 10, 64)
		ok = ok && err == nil
		return n
	}
	ok = true
	p = proc{
		pid: int(number(strings.TrimSpace(string(data[:open])))), name: string(data[open+1 : end]), state: fields[0][0],
		parent: int(number(fields[1])), group: int(number(fields[2])), session: int(number(fields[3])),
		time: number(fields[11]) + number(fields[12]), start: number(fields[last]),
	}
	return p, ok
}

// children are the numbers of a process's children.
func children(pid int) []int {
	tasks := procPath(pid, "task")
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return nil
	}
	var out []int
	for _, th := range threads {
		data, err := os.ReadFile(filepath.Join(tasks, th.Name(), "children"))
		if os.IsNotExist(err) && th.Name() == strconv.Itoa(pid) {
			return searchChildren(pid) // a kernel without CONFIG_PROC_CHILDREN
		}
		for field := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(field); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// searchChildren finds them in the whole process table.
func searchChildren(parent int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if p, ok := readProc(pid); ok && p.parent == parent {
				out = append(out, pid)
			}
		}
	}
	return out
}
