package agent

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"paicli/session"
)

// The numbers of the original PaiCLI: a reminder at the third time, an end at the fifth.
const (
	remindAt = 3
	stopAt   = 5
)

// habits is what the runaway guard remembers of a turn. A counter grows with every step that holds
// its key and falls back to zero in the first one that does not; so progress makes a later reminder
// possible again.
type habits struct {
	step    int
	actions map[string]int
	errors  map[string]int
	steps   []string // signatures of the last steps, for cycles
	cycles  int      // whole periods at the last step
}

// Runaway looks for a model that goes in circles: the same action (tool and arguments) or the same
// kind of error three times, or a cycle of two or three actions three times over. It reminds the
// model once, and ends the turn at the fifth time. Refused calls do not count and break a series.
func Runaway(_ context.Context, t *Turn) error {
	if t.Final || len(t.Batch) == 0 || t.habits.step == t.Steps {
		return nil
	}
	h := &t.habits
	h.step = t.Steps
	var actions, families []string
	for _, d := range t.Batch {
		if d.Status == session.StatusDenied {
			continue
		}
		actions = append(actions, d.action())
		if d.Status == session.StatusError || d.Status == session.StatusTimeout {
			if f := errorFamily(d.Text); f != "" {
				families = append(families, f)
			}
		}
	}
	family, failed := count(&h.errors, families)
	action, repeated := count(&h.actions, actions)
	before := h.cycles
	period := h.cycle(strings.Join(actions, "\n"))
	switch {
	case h.cycles >= stopAt:
		return &Stop{Reason: ReasonRunaway}
	case failed:
		return t.remind("the same kind of error (" + family + ") came " + strconv.Itoa(remindAt) + " times")
	case repeated:
		return t.remind("the same call of " + toolOf(action) + " was made " + strconv.Itoa(remindAt) + " times")
	case period > 1 && before < remindAt:
		return t.remind("the same " + strconv.Itoa(period) + " steps were made in turn " + strconv.Itoa(remindAt) + " times")
	}
	return nil
}

//go:embed runaway.md
var runawayNote string

func (t *Turn) remind(what string) error {
	_, err := t.Thread.Append(&session.Said{By: session.ByNote, Text: strings.TrimSpace(strings.ReplaceAll(runawayNote, "{{what}}", what))})
	return err
}

// count adds the keys of a step to the counters and drops those that are absent. It returns a key
// that has just reached the number at which the model is reminded.
func count(counters *map[string]int, keys []string) (crossed string, ok bool) {
	next := make(map[string]int, len(keys))
	for _, k := range keys {
		if next[k] == 0 {
			next[k] = (*counters)[k]
		}
		next[k]++
	}
	for _, k := range keys {
		if (*counters)[k] < remindAt && next[k] >= remindAt {
			crossed, ok = k, true
			break
		}
	}
	*counters = next
	return crossed, ok
}

// cycle adds a step and returns the shortest period, up to three, with which the last steps have
// repeated often enough for a reminder, 0 if there is none. A step without a counted call ends all
// cycles.
func (h *habits) cycle(signature string) (period int) {
	h.cycles = 0
	if signature == "" {
		h.steps = nil
		return 0
	}
	h.steps = append(h.steps, signature)
	if most := 3 * stopAt; len(h.steps) > most {
		h.steps = slices.Delete(h.steps, 0, len(h.steps)-most)
	}
	for p := 1; p <= 3; p++ {
		n := 1
		for len(h.steps) >= (n+1)*p && slices.Equal(tail(h.steps, 0, p), tail(h.steps, n*p, p)) {
			n++
		}
		if n >= remindAt {
			h.cycles = n
			return p
		}
	}
	return 0
}

// tail is a stretch of n steps that ends skip steps before the last one.
func tail(steps []string, skip, n int) []string {
	end := len(steps) - skip
	return steps[end-n : end]
}

// action is the key of a call: the tool and its arguments in one spelling.
func (d Done) action() string {
	var v any
	if json.Unmarshal(d.Args, &v) != nil {
		return d.Name + " " + string(d.Args)
	}
	canonical, err := json.Marshal(v) // sorts the keys of all objects
	if err != nil {
		return d.Name + " " + string(d.Args)
	}
	return d.Name + " " + string(canonical)
}

func toolOf(action string) string {
	name, _, _ := strings.Cut(action, " ")
	return name
}

// families are the kinds of errors and the words that tell them, in the order in which they are
// looked for.
var families = [...]struct {
	name  string
	words []string
}{
	{"timeout", []string{"timeout", "timed out", "deadline exceeded", "超时"}},
	{"rate_limit", []string{"rate limit", "rate_limit", "too many requests", "429", "限流", "频率"}},
	{"network", []string{"connection refused", "connection reset", "no such host", "network", "dns", "网络"}},
	{"auth", []string{"unauthorized", "401", "authentication", "api key", "invalid token", "认证", "密钥"}},
	{"permission", []string{"permission denied", "forbidden", "403", "access denied", "not permitted", "权限"}},
	{"not_found", []string{"not found", "no such file", "does not exist", "404", "cannot find", "未找到", "不存在"}},
	{"invalid_argument", []string{"invalid argument", "must be", "is missing", "there is no argument", "bad request", "参数"}},
	{"process_exit", []string{"exit code", "exit status", "killed by signal"}},
}

// How much of an error text is looked at, in characters.
const (
	maxErrorText   = 4096
	maxErrorFamily = 1024
)

// errorFamily names the kind of an error: a category, or the text itself in one spelling. A blank
// text has none.
func errorFamily(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(cut(text, maxErrorText)), " "))
	if text == "" {
		return ""
	}
	for _, f := range families {
		if slices.ContainsFunc(f.words, func(w string) bool { return strings.Contains(text, w) }) {
			return "category:" + f.name
		}
	}
	return "text:" + cut(text, maxErrorFamily)
}

// cut is at most the first n characters of a text.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}
