package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"paicli/llm"
	"paicli/llm/internal/jsontext"
)

// outcome is what a case expects, or allows besides.
type outcome struct {
	Content   *string         `json:"content"`
	Reasoning *string         `json:"reasoning"`
	Calls     []expectedCall  `json:"tool_calls"`
	UniqueIDs bool            `json:"unique_ids"`
	Finish    string          `json:"finish"`
	Error     *string         `json:"error"`
	Class     string          `json:"error_class"`
	Retry     *bool           `json:"retry"`
	RetryMax  int             `json:"retry_max"`
	Recover   string          `json:"recover"`
	Usage     map[string]int  `json:"usage"`
	AfterMS   int64           `json:"retry_after_ms"`
	MaxWait   int             `json:"max_wait_ms"`
	Trim      *bool           `json:"trim"`
	Opaque    *string         `json:"reasoning_opaque"`
	Details   json.RawMessage `json:"reasoning_details"`
	Compact   bool            `json:"needs_compaction"`
	Alt       json.RawMessage `json:"alt"`

	refused bool // the whole call failed: no remedy means that there is none
}

type expectedCall struct {
	ID        *string         `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	ArgsError bool            `json:"arguments_error"`
}

// compare lists what differs from the expectation.
func (o outcome) compare(r *llm.Reply, err error) []string {
	var bad []string
	differ := func(what string, got, want any) {
		if d := cmp.Diff(want, got); d != "" {
			if len(d) > 2000 {
				d = d[:2000]
			}
			bad = append(bad, what+" (-want +got):\n"+d)
		}
	}
	trim := strings.TrimSpace
	if o.Trim != nil && !*o.Trim {
		trim = func(s string) string { return s }
	}
	if o.Content != nil {
		differ("content", trim(r.Message.Text()), trim(*o.Content))
	}
	if o.Reasoning != nil {
		differ("reasoning", trim(r.Message.Think()), trim(*o.Reasoning))
	}
	differ("finish", string(r.Finish), o.Finish)
	differ("overfull", r.Overfull, o.Compact)
	bad = append(bad, o.compareCalls(r.Message.Calls())...)
	bad = append(bad, o.compareError(err)...)
	for key, want := range o.Usage {
		got := map[string]int{
			"input": r.Usage.Input, "output": r.Usage.Output, "cached": r.Usage.Cached,
			"cache_write": r.Usage.CacheWrite, "reasoning": r.Usage.Reasoning,
		}
		differ("usage "+key, got[key], want)
	}
	if o.Opaque != nil {
		differ("reasoning_opaque", string(opaqueOf(r, opaqueReasoning)), string(jsontext.Quote(*o.Opaque)))
	}
	if o.Details != nil {
		differ("reasoning_details", anyJSON(opaqueOf(r, opaqueDetails)), anyJSON(o.Details))
	}
	return bad
}

func (o outcome) compareCalls(calls []llm.Call) []string {
	if len(calls) != len(o.Calls) {
		return []string{fmt.Sprintf("calls: got %+v, want %d", calls, len(o.Calls))}
	}
	var bad []string
	seen := map[string]bool{}
	for i, want := range o.Calls {
		got := calls[i]
		if got.Name != want.Name || want.ID != nil && got.ID != *want.ID || got.ID == "" {
			bad = append(bad, fmt.Sprintf("call %d: got %s %q, want %s", i, got.ID, got.Name, want.Name))
		}
		if seen[got.ID] {
			bad = append(bad, fmt.Sprintf("call %d: id %s twice", i, got.ID))
		}
		seen[got.ID] = true
		args, err := llm.ParseArgs(got.Args)
		switch {
		case want.ArgsError && err == nil:
			bad = append(bad, fmt.Sprintf("call %d: arguments %q parse", i, got.Args))
		case !want.ArgsError && err != nil:
			bad = append(bad, fmt.Sprintf("call %d: %v", i, err))
		case !want.ArgsError && !cmp.Equal(anyJSON(args), anyJSON(want.Arguments)):
			bad = append(bad, fmt.Sprintf("call %d: arguments %.300s, want %.300s", i, args, want.Arguments))
		}
	}
	return bad
}

func (o outcome) compareError(err error) []string {
	if o.Finish != "error" {
		if err != nil {
			return []string{"error: " + err.Error()}
		}
		return nil
	}
	e := llm.AsError(err)
	if e == nil {
		return []string{fmt.Sprintf("error is %v, want an *llm.Error", err)}
	}
	var bad []string
	if o.Error != nil && !regexp.MustCompile(*o.Error).MatchString(e.Error()) {
		bad = append(bad, fmt.Sprintf("error %q does not match %q", e, *o.Error))
	}
	if o.Class != "" && string(e.Kind) != o.Class {
		bad = append(bad, fmt.Sprintf("class %s, want %s (%v)", e.Kind, o.Class, e))
	}
	if o.Retry != nil && e.Retryable != *o.Retry {
		bad = append(bad, fmt.Sprintf("retryable %v, want %v (%v)", e.Retryable, *o.Retry, e))
	}
	if o.RetryMax > 0 && (e.Attempts == 0 || e.Attempts > o.RetryMax) {
		bad = append(bad, fmt.Sprintf("attempts %d, want at most %d", e.Attempts, o.RetryMax))
	}
	if o.AfterMS > 0 && e.RetryAfter != time.Duration(o.AfterMS)*time.Millisecond {
		bad = append(bad, fmt.Sprintf("wait %s, want %d ms", e.RetryAfter, o.AfterMS))
	}
	if (o.Recover != "" || o.refused) && string(e.Recover) != o.Recover {
		bad = append(bad, fmt.Sprintf("recover %q, want %q", e.Recover, o.Recover))
	}
	return bad
}

func opaqueOf(r *llm.Reply, kind string) json.RawMessage {
	for _, b := range r.Message.Blocks {
		if b.Kind == llm.KindOpaque && b.Opaque.Type == kind {
			return b.Opaque.Data
		}
	}
	return nil
}

func anyJSON(raw []byte) any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return fmt.Sprintf("invalid JSON %q", raw)
	}
	return v
}
