package tool

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"paicli/agent"
	"paicli/internal/shell"
)

// Bounds on commands in the background.
const (
	maxJobs   = 8                      // that run at a time
	keptJobs  = 32                     // that are remembered after their end
	firstLook = 500 * time.Millisecond // for the first output
	maxNews   = 500                    // characters of output in the news of a job's end
)

// JobsOptions say what becomes of what commands in the background have to tell.
type JobsOptions struct {
	// News takes, once for each, that a job has ended or waits for input and nobody has asked
	// about it since; nil: nobody is told. It may be called from any goroutine.
	News func(text string)
	// Keep makes a file for the whole output of a job and gives its path for the model; nil: none.
	Keep func(name string) (io.WriteCloser, string, error)
}

// Jobs are the commands of a session that run in the background. They may be used by several
// goroutines and must be closed.
type Jobs struct {
	opts JobsOptions
	wg   sync.WaitGroup

	mu     sync.Mutex
	jobs   []*job // in the order of their start
	last   int
	closed bool
}

// job is one of them.
type job struct {
	*shell.Job
	id   string
	path string // of its whole output, "" when there is none
	file io.Closer

	told    bool           // the model knows that it has ended
	waiting *shell.Waiting // for input, once that was seen
}

// NewJobs makes an empty list.
func NewJobs(o JobsOptions) *Jobs { return &Jobs{opts: o} }

// Close ends all jobs and waits for their end.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	jobs := slices.Clone(j.jobs)
	j.mu.Unlock()
	var wg sync.WaitGroup
	for _, one := range jobs {
		wg.Go(one.Kill)
	}
	wg.Wait()
	j.wg.Wait()
}

// start starts a command in the background.
func (j *Jobs) start(command string, o shell.Options) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if n := len(j.running()); n >= maxJobs {
		return nil, fmt.Errorf("%d commands run in the background already: end one with job(action=kill)", n)
	}
	if j.closed {
		return nil, errors.New("no commands in the background here: run it without background")
	}
	one := &job{id: strconv.Itoa(j.last + 1)}
	if j.opts.Keep != nil {
		// Without a file the end of the output is still there to be read.
		if file, path, err := j.opts.Keep("job"); err == nil {
			one.file, one.path, o.Copy = file, path, file
		}
	}
	var err error
	if one.Job, err = shell.Start(command, o); err != nil {
		one.closeFile()
		return nil, fmt.Errorf("the command could not be started: %w", err)
	}
	j.last++
	j.jobs = append(j.jobs, one)
	if over := len(j.jobs) - maxJobs - keptJobs; over > 0 {
		j.forget(over)
	}
	j.wg.Go(func() { j.follow(one) })
	return one, nil
}

func (j *job) closeFile() {
	if j.file != nil {
		_ = j.file.Close() // what is lost of the file is the end of a job's output
	}
}

// running are those that have not ended. The lock is held.
func (j *Jobs) running() []*job {
	return slices.DeleteFunc(slices.Clone(j.jobs), func(one *job) bool { return one.over() })
}

func (j *job) over() bool {
	_, over := j.Result()
	return over
}

// forget drops the oldest that have ended. The lock is held.
func (j *Jobs) forget(n int) {
	j.jobs = slices.DeleteFunc(j.jobs, func(one *job) bool {
		drop := n > 0 && one.over()
		if drop {
			n--
		}
		return drop
	})
}

// follow tells what becomes of a job.
func (j *Jobs) follow(one *job) {
	for waits := one.Waits(); ; {
		select {
		case w := <-waits:
			j.mu.Lock()
			one.waiting = &w
			j.mu.Unlock()
			j.tell(fmt.Sprintf("[job %s] %s\nEnd it with job(action=kill, id=%s).", one.id, waitingLine(one.Command, &w), one.id))
		case <-one.Done():
			one.closeFile()
			j.ended(one)
			return
		}
	}
}

// ended tells of the end, unless the model knows of it.
func (j *Jobs) ended(one *job) {
	j.mu.Lock()
	known := one.told || j.closed
	one.told = true
	j.mu.Unlock()
	if known {
		return
	}
	res, _ := one.Result()
	_, tail := agent.Ends(strings.TrimRight(res.Head+res.Tail, "\n"), 0, maxNews)
	text := fmt.Sprintf("[job %s] `%s` has ended, %s", one.id, oneLine(one.Command), state(one))
	if tail != "" && res.Binary == nil {
		text += "\nIts last output:\n" + tail
	}
	j.tell(text + fmt.Sprintf("\nRead what is new with job(action=output, id=%s).", one.id))
}

func (j *Jobs) tell(text string) {
	if j.opts.News != nil {
		j.opts.News(text)
	}
}

// find looks for a job by its id.
func (j *Jobs) find(id int) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, one := range j.jobs {
		if one.id == strconv.Itoa(id) {
			return one, nil
		}
	}
	if len(j.jobs) == 0 {
		return nil, fmt.Errorf("no job %d: no command was started with background=true", id)
	}
	return nil, fmt.Errorf("no job %d: look with job(action=list)", id)
}

// state says how a job is, such as "running for 3 s" or "exit code: 0".
func state(one *job) string {
	res, over := one.Result()
	switch {
	case !over:
		return fmt.Sprintf("running for %d s", int(time.Since(one.Started).Seconds()))
	case res.Interrupted:
		return "killed"
	}
	return strings.TrimSuffix(ending(res), "\n")
}
