package agent

import (
	"fmt"
	"slices"
	"time"

	"paicli/session"
)

// Note queues news that is nobody's prompt, such as the end of a command in the background. The model
// sees it at the next border of a turn, or before the user's next words; no turn is started for it.
func (c *Conv) Note(text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.queued++
	id := fmt.Sprintf("n%d-%d", time.Now().UnixMilli(), c.queued)
	_, err := c.thread().Append(&session.Queued{ID: id, By: session.ByNote, Text: text})
	return err
}

// prompted reports whether the user's words wait in the queue.
func prompted(queue []session.Queued) bool {
	return slices.ContainsFunc(queue, func(q session.Queued) bool { return q.By != session.ByNote })
}
