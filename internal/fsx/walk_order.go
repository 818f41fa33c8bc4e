package fsx

import (
	"sync"
	"sync/atomic"
)

// slot is a piece of work of a walk, at its place in the order of paths: a directory to be read, or
// a run of files to be looked at.
type slot[T any] struct {
	next  *slot[T]
	dir   *node
	files []entry // nil = the directory itself
	state int
	found []T
}

// States of a slot.
const (
	idle = iota
	taken
	done
)

// maxAhead is how many results may wait for an earlier file; a worker that would add to more waits.
// It bounds the memory of a walk in which one file takes long.
const maxAhead = 4096

// crawl is a walk in progress. The slots are a list in the order of paths. Workers take the first
// one that is idle, so that results come nearly in order and few of them have to wait; a directory
// that was read puts its parts into its own place.
type crawl[T any] struct {
	visit Visit[T]
	guess bool // no ignore file says where build results are
	over  atomic.Bool

	mu      sync.Mutex
	change  *sync.Cond
	head    *slot[T] // the first whose results were not taken
	idle    *slot[T] // the first that nobody works at
	running int
	ahead   int // results that wait
	skipped Skipped
}

func newCrawl[T any](visit Visit[T]) *crawl[T] {
	c := &crawl[T]{visit: visit}
	c.change = sync.NewCond(&c.mu)
	return c
}

// begin makes the first slot, as taken.
func (c *crawl[T]) begin(top *node) *slot[T] {
	c.head, c.running = &slot[T]{dir: top, state: taken}, 1
	return c.head
}

// end makes the workers stop.
func (c *crawl[T]) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over.Store(true)
	c.change.Broadcast()
}

// run works with so many goroutines until everything is done or the walk was ended.
func (c *crawl[T]) run(workers int) {
	var all sync.WaitGroup
	for range workers {
		all.Go(c.work)
	}
	all.Wait()
	for s := c.idle; s != nil; s = s.next { // of a walk that was ended
		if s.state == idle && s.files != nil {
			s.dir.handle.release()
		}
	}
}

func (c *crawl[T]) work() {
	f := &Item{}
	look := c.visit.Look()
	for s := c.take(); s != nil; s = c.take() {
		if s.files != nil {
			c.look(s, f, look)
			c.finish(s, nil, Skipped{})
			continue
		}
		names, err := s.dir.open(f)
		if err != nil {
			c.finish(s, nil, Skipped{Unreadable: 1})
			continue
		}
		parts, skipped := c.parts(s.dir, names)
		own := few(parts)
		c.finish(s, parts, skipped)
		for _, run := range own {
			c.look(run, f, look)
		}
		c.finishAll(own)
	}
}

// few claims the files of a small directory for the worker that read it.
func few[T any](parts []*slot[T]) (own []*slot[T]) {
	files := 0
	for _, s := range parts {
		if s.files != nil {
			own = append(own, s)
			files += len(s.files)
		}
	}
	if files > runLength {
		return nil
	}
	for _, s := range own {
		s.state = taken
	}
	return own
}

func (c *crawl[T]) look(s *slot[T], f *Item, look func(*Item) (T, bool)) {
	defer s.dir.handle.release()
	f.dir = s.dir
	for _, f.entry = range s.files {
		if c.over.Load() {
			return
		}
		if found, ok := look(f); ok {
			s.found = append(s.found, found)
		}
	}
}

// take gives the first idle slot, nil when there is nothing more to do.
func (c *crawl[T]) take() *slot[T] {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		s := c.idle
		switch {
		case c.over.Load() || s == nil && c.running == 0:
			return nil
		case s != nil && (c.ahead < maxAhead || s == c.head):
			s.state = taken
			c.running++
			c.idle = s.firstIdle()
			return s
		}
		c.change.Wait()
	}
}

// firstIdle is the first idle slot from this one on.
func (s *slot[T]) firstIdle() *slot[T] {
	for ; s != nil && s.state != idle; s = s.next {
	}
	return s
}

// finish ends the work at a slot, puts the parts of a directory behind it, and hands over what has
// its turn now.
func (c *crawl[T]) finish(s *slot[T], parts []*slot[T], skipped Skipped) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.skipped.add(skipped)
	if len(parts) > 0 {
		after := s.next.firstIdle()
		for i := range parts[1:] {
			parts[i].next = parts[i+1]
		}
		s.next, parts[len(parts)-1].next = parts[0], s.next
		if after == c.idle { // otherwise a slot before this one is idle
			c.idle = parts[0].firstIdle()
		}
	}
	for _, part := range parts {
		if part.state == taken {
			c.running++
		}
	}
	c.done(s)
}

// finishAll ends the work at runs of files.
func (c *crawl[T]) finishAll(runs []*slot[T]) {
	if len(runs) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done(runs...)
}

func (c *crawl[T]) done(slots ...*slot[T]) {
	for _, s := range slots {
		s.state = done
		s.files = nil
		c.ahead += len(s.found)
	}
	c.running -= len(slots)
	c.hand()
	c.change.Broadcast()
}

// hand gives away the results of the slots that are done, up to the first that is not.
func (c *crawl[T]) hand() {
	for ; c.head != nil && c.head.state == done; c.head = c.head.next {
		for _, found := range c.head.found {
			if !c.over.Load() && !c.visit.Take(found) {
				c.over.Store(true)
			}
		}
		c.ahead -= len(c.head.found)
		c.head.found = nil
	}
}
