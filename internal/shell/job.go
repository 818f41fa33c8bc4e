package shell

import (
	"context"
	"sync"
	"time"
)

// DefaultUnread is how many bytes of output a Job keeps for its reader.
const DefaultUnread = 256 << 10

// Job is a command that runs while others do something else. It may be used by several goroutines.
type Job struct {
	Command string
	Started time.Time

	news chan Waiting
	stop chan struct{}
	done chan struct{}
	once sync.Once
	res  Result // once done is closed

	mu     sync.Mutex
	unread []byte
	missed int64         // bytes that were dropped before unread
	fresh  chan struct{} // closed when there is something unread
}

// Start starts a command in the background; Options.Timeout counts for it too. Whoever does must
// call Kill in the end. The error is that of a command that could not be started.
func Start(command string, o Options) (*Job, error) {
	j := &Job{
		Command: command, Started: time.Now(),
		news: make(chan Waiting, 1), stop: make(chan struct{}), done: make(chan struct{}), fresh: make(chan struct{}),
	}
	after := o.Copy
	o.Copy = writerFunc(func(p []byte) (int, error) {
		j.add(p)
		if after != nil {
			if _, err := after.Write(p); err != nil {
				after = nil
			}
		}
		return len(p), nil
	})
	p, err := start(command, o)
	if err != nil {
		return nil, err
	}
	go j.follow(p, o.Timeout)
	return j, nil
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// follow sees the command through. Kill waits for it.
func (j *Job) follow(p *process, timeout time.Duration) {
	defer close(j.done)
	var late <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		late = timer.C
	}
	waits := p.watch()
	for over := false; !over; {
		over = true
		select {
		case <-p.exited:
		case <-late:
			j.res.TimedOut = true
			p.end(graceTimeout)
		case <-j.stop:
			j.res.Interrupted = true
			p.end(graceTimeout)
		case w := <-waits:
			j.news <- w
			over = false
		}
	}
	p.finish(&j.res)
}

// add keeps output for the reader, the end of it when nobody reads for long.
func (j *Job) add(p []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.unread) == 0 && len(p) > 0 {
		close(j.fresh)
	}
	j.unread = append(j.unread, p...)
	if over := len(j.unread) - DefaultUnread; over > DefaultUnread {
		j.missed += int64(over)
		j.unread = append(j.unread[:0], j.unread[over:]...)
	}
}

// Read gives the plain text that was printed since the last call, and how many bytes before it were
// lost because nobody read for long. Of a running command only finished lines count.
func (j *Job) Read() (text string, missed int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.unread) == 0 {
		return "", 0
	}
	text, missed = clean(j.unread), j.missed
	j.unread, j.missed, j.fresh = nil, 0, make(chan struct{})
	return text, missed
}

// Wait waits until there is something to read, the job has ended, d is over or ctx is.
func (j *Job) Wait(ctx context.Context, d time.Duration) {
	j.mu.Lock()
	fresh := j.fresh
	j.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-fresh:
	case <-j.done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Done is closed when the command and everything that it started have ended.
func (j *Job) Done() <-chan struct{} { return j.done }

// Waits tells once that the command waits for input. It is not ended for that.
func (j *Job) Waits() <-chan Waiting { return j.news }

// Result is what became of the command; false while it runs.
func (j *Job) Result() (Result, bool) {
	select {
	case <-j.done:
		return j.res, true
	default:
		return Result{}, false
	}
}

// Kill ends the command and everything that it started, and waits for that. It may be called again.
func (j *Job) Kill() {
	j.once.Do(func() { close(j.stop) })
	<-j.done
}
