// Package artifact keeps tool results that are too long for a message: the whole text goes into a
// file of the project, the message keeps its beginning, its end and the way to the rest. It does not
// decide what a tool may give, and it writes nowhere but in its own folder.
//
//	.paicli/tool-outputs/.gitignore            *
//	.paicli/tool-outputs/<session>/NNN-<tool>.txt
package artifact

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"paicli/agent"
	"paicli/internal/fsx"
	"paicli/internal/secret"
)

// Lengths in characters.
const (
	DefaultLimit = 32_000 // of a result that stays in its message; the original PaiCLI's number

	headLength = 2000 // of the beginning that stays, as the original has it
	tailLength = 800  // of the end
	headerRoom = 500  // more than what is written around them has
)

// Options of a Store.
type Options struct {
	Root    *fsx.Root // of the project, required
	Session string    // id of the running session, required: the name of its folder
	// Limit is the longest result that stays in its message, at least 1000. It also holds for
	// tools with a larger limit of their own. 0 = DefaultLimit, and the tools' own limits.
	Limit   int
	Secrets *secret.Scrubber // takes secrets out of what is written; nil: none
	Now     func() time.Time // time.Now if nil
}

// Store keeps the long results of one session. It may be used by several goroutines.
type Store struct {
	opts Options

	mu    sync.Mutex
	last  int  // number of the last file
	swept bool // old folders were looked for
}

// New makes a store. Nothing is written before the first long result.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Secrets == nil {
		o.Secrets = secret.New(nil)
	}
	return &Store{opts: o}
}

// Wrap replaces the text of long results by a preview. Everything else of a result stays as it is.
func (s *Store) Wrap() agent.Wrap {
	return func(next agent.Exec) agent.Exec {
		return func(ctx context.Context, call *agent.Call) (agent.Output, error) {
			out, err := next(ctx, call)
			return s.keep(call.Name, out), err
		}
	}
}

// keep writes a long result to a file. When that fails the loop cuts the text, as it does without a
// store: a full disk is no reason to lose the result of a call.
func (s *Store) keep(tool string, out agent.Output) agent.Output {
	body, limit := out.Text[out.Lead:], s.limit(out)
	length := utf8.RuneCountInString(body)
	if out.Whole || length <= limit {
		return out
	}
	file, err := s.write(tool, body)
	if err != nil {
		out.Limit = limit
		return out
	}
	out.Text = out.Text[:out.Lead] + preview(tool, file, body, length, limit)
	out.Artifact, out.Whole = file, true
	return out
}

// limit is how long the text of a result may be.
func (s *Store) limit(out agent.Output) int {
	set := s.opts.Limit
	switch {
	case out.Limit > 0 && (set == 0 || out.Limit < set):
		return out.Limit
	case set == 0:
		return DefaultLimit
	}
	return set
}

// preview is what stays in the message, within the limit.
func preview(tool, file, body string, length, limit int) string {
	room := max(0, min(headLength+tailLength, limit-headerRoom))
	head := room * headLength / (headLength + tailLength)
	first, last := agent.Ends(body, head, room-head)
	next := strings.Count(first, "\n") + 1
	gone := length - utf8.RuneCountInString(first) - utf8.RuneCountInString(last)
	return fmt.Sprintf("[output too large: %s gave %d characters in %d lines; the whole of it is in %s. "+
		"Read on with read_file, offset %d and a limit. Its beginning and its end:]\n%s\n[… %d characters left out …]\n%s",
		fileName(tool), length, lines(body), file, next, strings.TrimSuffix(first, "\n"), gone, last)
}

// lines counts lines; an unfinished last one counts.
func lines(s string) int {
	n := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
