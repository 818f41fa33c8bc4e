package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// process is a command that was started.
type process struct {
	cmd    *exec.Cmd
	tree   *tree
	pipe   *os.File
	out    *output
	exited chan struct{} // closed when the shell has ended
	read   chan struct{} // closed when the output is read to its end
	over   chan struct{} // closed by finish: the watcher ends
	clean  func()
	wg     sync.WaitGroup
}

// start starts a command line. Whoever does must call finish.
func start(command string, o Options) (*process, error) {
	cmd, clean, err := build(command)
	if err != nil {
		return nil, fmt.Errorf("prepare command: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		clean()
		return nil, fmt.Errorf("make output pipe: %w", err)
	}
	p := &process{
		pipe: r, clean: clean, tree: newTree(), out: newOutput(o),
		exited: make(chan struct{}), read: make(chan struct{}), over: make(chan struct{}),
	}
	cmd.Dir, cmd.Env = o.Dir, p.tree.environ(o.Env)
	cmd.Stdout, cmd.Stderr = w, w
	isolate(cmd)
	p.cmd, err = p.tree.start(cmd)
	w.Close()
	if err != nil {
		r.Close()
		clean()
		return nil, fmt.Errorf("start shell: %w", err)
	}
	p.wg.Go(func() {
		defer close(p.read)
		p.out.drain(r)
	})
	p.wg.Go(func() {
		defer close(p.exited)
		_ = p.cmd.Wait() // the state of the process says it all
	})
	return p, nil
}

// watch looks now and then whether the command waits for input, and sends once that it does.
func (p *process) watch() <-chan Waiting {
	found := make(chan Waiting, 1)
	p.wg.Go(func() {
		for p.pause(lookEvery) {
			before, printed := p.tree.waiting(), p.out.printed()
			if before.on == "" {
				continue
			}
			if !p.pause(lookConfirm) {
				return
			}
			if now := p.tree.waiting(); now.still(before) && p.out.printed() == printed {
				found <- Waiting{Program: now.program, From: now.on, Prompt: p.out.lastLine()}
				return
			}
		}
	})
	return found
}

// pause waits, and reports whether the command still runs.
func (p *process) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.exited:
	case <-p.over:
	}
	return false
}

// end asks all processes of the command to end, gives them a grace and kills what is left. It
// returns when the shell has ended.
func (p *process) end(grace time.Duration) {
	p.tree.terminate()
	if within(p.exited, grace) {
		within(p.read, grace) // the output closes when the last process that has it has ended
	}
	p.tree.kill()
	<-p.exited
}

// finish comes after the shell's end: it gives what the shell left behind a moment to print its
// last, ends it, and fills in the result.
func (p *process) finish(res *Result) {
	<-p.exited
	close(p.over)
	p.tree.orphaned()
	drained := within(p.read, graceHolder)
	left := p.sweep()
	if !res.TimedOut && !res.Interrupted && res.Waiting == nil {
		res.Left = left
	}
	if !drained && !within(p.read, graceHolder) {
		res.HeldOpen = true
		_ = p.pipe.SetReadDeadline(time.Now())
	}
	p.wg.Wait()
	p.pipe.Close()
	p.clean()
	p.out.report(res)
	res.Exit, res.Signal, res.Number = outcome(p.cmd.ProcessState)
}

// sweep ends what is left of the command and returns its names.
func (p *process) sweep() []string {
	left := p.tree.alive()
	if len(left) == 0 {
		return nil
	}
	p.tree.terminate()
	if !p.tree.gone(graceTimeout) {
		for end := time.Now().Add(patience); time.Now().Before(end); {
			p.tree.kill()
			if p.tree.gone(20 * time.Millisecond) {
				break
			}
		}
	}
	return left
}

// gone waits until no process of the command is alive.
func (t *tree) gone(d time.Duration) bool {
	for end, step := time.Now().Add(d), time.Millisecond; ; step = min(2*step, 20*time.Millisecond) {
		if len(t.alive()) == 0 {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(step)
	}
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
