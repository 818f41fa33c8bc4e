// Package shell runs one command line in a session of its own, with bounded output, and ends the
// whole group of processes when its time is over. It decides nothing about what may run, keeps no
// state between commands and knows no tool.
//
//	Run ─► bash -c, own session, stdin /dev/null ─► one pipe ─► reader ─► Output callback
//	  └─ exit, timeout or ctx ─► TERM, grace, KILL ─► wait        └─► head and tail
package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// How long a group has to end itself, and how long a left-over process may keep the output open.
const (
	graceTimeout   = 500 * time.Millisecond // between TERM and KILL
	graceInterrupt = 100 * time.Millisecond // a person is waiting
	graceHolder    = time.Second
)

// DefaultKeep is how many bytes of output are kept when Options.Keep is zero.
const DefaultKeep = 256 << 10

// Options say how to run a command.
type Options struct {
	Dir     string
	Env     []string      // the whole environment, see Environ; nil = none but the quiet settings
	Timeout time.Duration // 0 = none
	Keep    int           // bytes of output kept, half head and half tail; 0 = DefaultKeep
	// Output receives the output while it is printed, as valid UTF-8. It is called from one
	// goroutine that has ended when Run returns, and must not block.
	Output func(text string)
}

// Result is what became of a command that was started.
type Result struct {
	Head, Tail  string // what was printed, stdout and stderr in order; Tail is empty unless Dropped > 0
	Dropped     int64  // bytes between Head and Tail that are lost
	Bytes       int64  // printed in all
	Lines       int    // printed in all; an unfinished last line counts
	Exit        int    // -1 when a signal ended it
	Signal      string // its name, such as SIGKILL
	TimedOut    bool   // ended because its time was over
	Interrupted bool   // ended because ctx was
	// HeldOpen reports that a process which the command left behind kept the output open; what
	// it prints later is lost.
	HeldOpen bool
}

// Run runs a command line to its end. It returns an error only when the command could not be
// started, or when ctx had ended before.
func Run(ctx context.Context, command string, o Options) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, context.Cause(ctx)
	}
	cmd, cleanup, err := build(command)
	if err != nil {
		return Result{}, fmt.Errorf("prepare command: %w", err)
	}
	defer cleanup()
	cmd.Dir = o.Dir
	cmd.Env = o.Env
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return Result{}, fmt.Errorf("make output pipe: %w", err)
	}
	defer r.Close()
	cmd.Stdout, cmd.Stderr = w, w
	isolate(cmd)
	err = cmd.Start()
	w.Close()
	if err != nil {
		return Result{}, fmt.Errorf("start shell: %w", err)
	}
	return wait(ctx, cmd, r, o), nil
}

// wait follows a started command to its end.
func wait(ctx context.Context, cmd *exec.Cmd, r *os.File, o Options) Result {
	out := newOutput(o)
	read := make(chan struct{})
	go func() {
		defer close(read)
		out.drain(r)
	}()
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait() // the state of the process says it all
	}()
	var res Result
	var late <-chan time.Time
	if o.Timeout > 0 {
		timer := time.NewTimer(o.Timeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-exited:
	case <-ctx.Done():
		res.Interrupted = true
		end(cmd, exited, read, graceInterrupt)
	case <-late:
		res.TimedOut = true
		end(cmd, exited, read, graceTimeout)
	}
	res.HeldOpen = !within(read, graceHolder)
	if res.HeldOpen {
		_ = r.SetReadDeadline(time.Now())
		<-read
	}
	out.report(&res)
	res.Exit, res.Signal = outcome(cmd.ProcessState)
	return res
}

// end asks the group to end, gives it a grace and kills what is left. It returns when the command
// itself has ended.
func end(cmd *exec.Cmd, exited, read <-chan struct{}, grace time.Duration) {
	terminate(cmd.Process.Pid)
	within(read, grace) // the output closes when the last process of the group has ended
	kill(cmd.Process.Pid)
	<-exited
}

// within reports whether done is closed before d has passed.
func within(done <-chan struct{}, d time.Duration) bool {
	select {
	case <-done:
		return true
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// maxArgument is the longest argument that Linux passes to a program (MAX_ARG_STRLEN, 32 pages).
const maxArgument = 128<<10 - 1

// build makes the process for a command line. A line too long for an argument goes through a file
// that is gone when cleanup has run.
func build(command string) (*exec.Cmd, func(), error) {
	command = strings.ReplaceAll(command, "\r\n", "\n")
	if strings.IndexByte(command, 0) >= 0 {
		return nil, nil, errors.New("the command contains a NUL byte")
	}
	if len(command) <= maxArgument {
		return shellCommand(command), func() {}, nil
	}
	f, err := os.CreateTemp("", "command-*.sh")
	if err != nil {
		return nil, nil, err
	}
	cleanup := func() { os.Remove(f.Name()) }
	_, err = f.WriteString(command)
	if err = errors.Join(err, f.Close()); err != nil {
		cleanup()
		return nil, nil, err
	}
	return scriptCommand(f.Name()), cleanup, nil
}
