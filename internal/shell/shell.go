// Package shell runs command lines, each in a session of its own, with bounded output, and leaves
// nothing behind: when a command is over, so are the processes that it started. It decides nothing
// about what may run, keeps no state between commands, knows no tool and has no words for anybody.
//
//	Run, Start ─► bash -c, own session, stdin /dev/null ─► one pipe ─► reader ─► Output callback
//	     │                                                                 └─► plain text: head and tail
//	     ├─ waits for input that nobody can give (Linux) ─┐
//	     └─ exit, timeout, ctx, Kill ────────────────────►┴─► TERM, grace, KILL ─► sweep ─► Result
//
// On Linux the sweep finds whatever descends from the command, in whatever session it is: orphans
// become our children (we are their subreaper) and are known by two marks that they inherited.
// Elsewhere the process group is ended, on Windows what still hangs below the shell.
package shell

import (
	"context"
	"io"
	"time"
)

// How long processes have to end themselves, and how long one that was left behind may keep the
// output open.
const (
	graceTimeout   = 500 * time.Millisecond // between TERM and KILL
	graceInterrupt = 100 * time.Millisecond // a person is waiting
	graceHolder    = 500 * time.Millisecond
	patience       = 2 * time.Second // for KILL to work: a process in a system call may take a while
)

// When the processes of a command are looked at for one that waits for input. Together they stay
// below three seconds from the moment it begins to wait.
const (
	lookEvery   = 2 * time.Second
	lookConfirm = 400 * time.Millisecond
)

// DefaultKeep is how many bytes of output are kept when Options.Keep is zero.
const DefaultKeep = 256 << 10

// Options say how to run a command.
type Options struct {
	Dir     string
	Env     []string      // the whole environment, see Environ; nil = none but the quiet settings
	Timeout time.Duration // 0 = none
	Keep    int           // bytes of output kept, half head and half tail; 0 = DefaultKeep
	// Output receives the output while it is printed: the plain text that is kept, in pieces.
	// Where a line began anew, a carriage return stands. It is called from one goroutine that has
	// ended when Run returns, and must not block.
	Output func(text string)
	// Copy receives the plain text, see Result.Head. An error ends the copying, not the command.
	Copy io.Writer
}

// Result is what became of a command that was started.
type Result struct {
	// Head and Tail are what was printed, stdout and stderr in order, as the plain text that a
	// terminal would show in the end: without escape sequences, lines that were redrawn in their
	// last state. Tail is empty unless Dropped > 0.
	Head, Tail  string
	Dropped     int64  // bytes between Head and Tail that are lost
	Bytes       int64  // printed in all, as printed
	Lines       int    // printed in all; an unfinished last line counts
	Binary      []byte // the first bytes, when what was printed is no text
	Exit        int    // -1 when a signal ended it
	Signal      string // its name, such as SIGKILL
	Number      int    // its number
	TimedOut    bool   // ended because its time was over
	Interrupted bool   // ended because ctx was, or by Kill
	// Waiting is set when the command was ended because it waited for input.
	Waiting *Waiting
	// Left are the names of the processes that the command left behind when it had ended by
	// itself. They were ended too.
	Left []string
	// HeldOpen reports that a process that could not be ended kept the output open; what it
	// prints later is lost.
	HeldOpen bool
}

// Waiting is an input that a command waits for.
type Waiting struct {
	Program string // name of the process that reads
	From    string // the terminal or named pipe, as the system names it
	Prompt  string // the last line that was printed
}

// Run runs a command line to its end. It returns an error only when the command could not be
// started, or when ctx had ended before.
func Run(ctx context.Context, command string, o Options) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, context.Cause(ctx)
	}
	p, err := start(command, o)
	if err != nil {
		return Result{}, err
	}
	var late <-chan time.Time
	if o.Timeout > 0 {
		timer := time.NewTimer(o.Timeout)
		defer timer.Stop()
		late = timer.C
	}
	var res Result
	select {
	case <-p.exited:
	case <-ctx.Done():
		res.Interrupted = true
		p.end(graceInterrupt)
	case <-late:
		res.TimedOut = true
		p.end(graceTimeout)
	case w := <-p.watch():
		res.Waiting = &w
		p.end(graceTimeout)
	}
	p.finish(&res)
	return res, nil
}
