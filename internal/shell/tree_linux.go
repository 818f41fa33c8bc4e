package shell

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// markVariable holds the ids of the commands in which a process runs, the innermost last.
const markVariable = "PAICLI_COMMAND"

// tree knows the processes of one command. All descend from its leader, the shell. An orphan's next
// subreaper is this process, so that it is looked for among our children and their descendants; it is
// the command's when it has one of the marks that are inherited: the session of the leader, the id in
// the environment, or the value of a resource limit that has no effect. A limit survives what
// sessions and environments do not (setsid, env -i) and can still be read from a zombie.
type tree struct {
	id     string
	limit  uint64
	leader int
	orphan atomic.Bool // the leader was waited for: its number may be another's
}

func newTree() *tree {
	n := rand.Uint64() >> 16
	// RLIMIT_RTTIME counts microseconds of real-time scheduling. Half of the numbers are beyond
	// what anybody waits for; those have no effect.
	return &tree{id: strconv.FormatUint(n, 36), limit: 1<<62 + n}
}

// environ adds the mark to an environment.
func (t *tree) environ(env []string) []string {
	mark := markVariable + "=" + t.id
	for _, line := range env {
		if outer, ok := strings.CutPrefix(line, markVariable+"="); ok {
			mark = markVariable + "=" + outer + "," + t.id
		}
	}
	env = slices.DeleteFunc(slices.Clone(env), func(line string) bool { return strings.HasPrefix(line, markVariable+"=") })
	// Before the first command at the latest. It holds for the whole process and may be set again.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return append(env, mark)
}

// start starts the leader and marks it before its first instruction: it is traced for that moment, as
// it could have children of its own by the time that a mark comes from outside. Where tracing is not
// allowed the mark comes as soon as it can.
func (t *tree) start(cmd *exec.Cmd) (*exec.Cmd, error) {
	runtime.LockOSThread() // a tracer is a thread
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr.Ptrace = true
	err := cmd.Start()
	traced := err == nil
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		// A Cmd can be started once only.
		cmd.SysProcAttr.Ptrace = false
		cmd = &exec.Cmd{
			Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir,
			Stdout: cmd.Stdout, Stderr: cmd.Stderr, SysProcAttr: cmd.SysProcAttr,
		}
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	t.leader = cmd.Process.Pid
	t.mark()
	if traced {
		t.release()
	}
	return cmd, nil
}

// mark sets the limit, unless it is taken because we run in a command ourselves; then the other
// marks must do.
func (t *tree) mark() {
	var now unix.Rlimit
	if err := unix.Prlimit(t.leader, unix.RLIMIT_RTTIME, nil, &now); err == nil && now.Max == unix.RLIM_INFINITY {
		_ = unix.Prlimit(t.leader, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: t.limit, Max: t.limit}, nil)
	}
}

// release lets a traced leader go. It stops when its program is loaded; if it was killed before that,
// there is nothing to let go.
func (t *tree) release() {
	for {
		err := unix.Waitid(unix.P_PID, t.leader, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_ = unix.PtraceDetach(t.leader)
}

func (t *tree) orphaned() { t.orphan.Store(true) }

// family are the processes of the command, dead ones that nobody waited for included.
func (t *tree) family() []proc {
	var out []proc
	for _, pid := range children(os.Getpid()) {
		p, ok := readProc(pid)
		if ok && (pid == t.leader && !t.orphan.Load() || t.owns(p)) {
			out = below(out, p)
		}
	}
	return out
}

// below adds a process and its descendants.
func below(out []proc, p proc) []proc {
	out = append(out, p)
	for _, pid := range children(p.pid) {
		if child, ok := readProc(pid); ok && child.parent == p.pid {
			out = below(out, child)
		}
	}
	return out
}

func (t *tree) owns(p proc) bool {
	if p.session == t.leader {
		return true
	}
	var limit unix.Rlimit
	if unix.Prlimit(p.pid, unix.RLIMIT_RTTIME, nil, &limit) == nil && limit.Max == t.limit {
		return true
	}
	env, err := os.ReadFile(procPath(p.pid, "environ"))
	if err != nil {
		return false
	}
	for line := range bytes.SplitSeq(env, []byte{0}) {
		if ids, ok := bytes.CutPrefix(line, []byte(markVariable+"=")); ok {
			return slices.Contains(strings.Split(string(ids), ","), t.id)
		}
	}
	return false
}

// maxScans bounds how often the processes are looked through again.
const maxScans = 8

// alive names the living processes of the command, and buries the dead that became ours. A child
// whose parent dies during a look may be in neither's list, so that only a look that found nobody at
// all, living or dead, is believed.
func (t *tree) alive() []string {
	for range maxScans {
		family := t.family()
		var names []string
		for _, p := range family {
			switch {
			case p.state != 'Z' && p.state != 'X':
				names = append(names, p.name)
			case p.pid != t.leader && p.parent == os.Getpid():
				_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
			}
		}
		if len(names) > 0 || len(family) == 0 {
			return names
		}
	}
	return nil
}

func (t *tree) terminate() { t.signal(unix.SIGTERM) }

func (t *tree) kill() { t.signal(unix.SIGKILL) }

// signal goes to the leader's group as a whole, which no fork escapes, then to everybody else.
func (t *tree) signal(sig unix.Signal) {
	if !t.orphan.Load() {
		_ = unix.Kill(-t.leader, sig)
	}
	for _, p := range t.family() {
		if p.group != t.leader || t.orphan.Load() {
			p.signal(sig)
		}
	}
}

// signal makes sure that the number still is the process that was meant.
func (p proc) signal(sig unix.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if now, ok := readProc(p.pid); !ok || now.start != p.start {
		return
	}
	if err != nil { // a kernel before 5.3
		_ = unix.Kill(p.pid, sig)
		return
	}
	_ = unix.PidfdSendSignal(fd, sig, nil, 0)
}
