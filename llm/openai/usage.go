package openai

import (
	"encoding/json"
	"strconv"

	"paicli/llm"
	"paicli/llm/internal/jsontext"
)

// counters holds the spellings of token counts.
type counters struct {
	Prompt     count `json:"prompt_tokens"`
	Completion count `json:"completion_tokens"`
	Input      count `json:"input_tokens"`
	Output     count `json:"output_tokens"`

	Cached         count `json:"cached_tokens"`
	CacheRead      count `json:"cache_read_input_tokens"`
	CacheHit       count `json:"prompt_cache_hit_tokens"`
	InputCacheHit  count `json:"input_cache_hit_tokens"`
	CacheWrite     count `json:"cache_write_tokens"`
	CacheCreation  count `json:"cache_creation_input_tokens"`
	ReasoningFlat  count `json:"reasoning_tokens"`
	PromptDetails  part  `json:"prompt_tokens_details"`
	InputDetails   part  `json:"input_tokens_details"`
	OutputDetails  part  `json:"completion_tokens_details"`
	OutputDetails2 part  `json:"output_tokens_details"`
}

type part struct {
	Cached        count `json:"cached_tokens"`
	CacheWrite    count `json:"cache_write_tokens"`
	CacheCreation count `json:"cache_creation_tokens"`
	Reasoning     count `json:"reasoning_tokens"`
}

// readUsage reads a usage object. It counts only when both the prompt and the completion are
// explicit non-negative integers; strings and partial objects prove nothing. Of several fields for
// one count the last of its list wins, the order being that of rising trust in parity 3.3.
func readUsage(raw json.RawMessage) (llm.Usage, bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return llm.Usage{}, false
	}
	var c counters
	if jsontext.Decode(raw, &c) != nil {
		return llm.Usage{}, false
	}
	input, okIn := lastOf(c.Input, c.Prompt)
	output, okOut := lastOf(c.Output, c.Completion)
	if !okIn || !okOut {
		return llm.Usage{}, false
	}
	u := llm.Usage{Input: input, Output: output, Known: true}
	u.Cached, _ = lastOf(c.Cached, c.CacheRead, c.CacheHit, c.InputCacheHit, c.PromptDetails.Cached, c.InputDetails.Cached)
	u.CacheWrite, _ = lastOf(c.CacheWrite, c.CacheCreation, c.PromptDetails.CacheCreation, c.PromptDetails.CacheWrite, c.InputDetails.CacheWrite)
	u.Reasoning, _ = lastOf(c.ReasoningFlat, c.OutputDetails.Reasoning, c.OutputDetails2.Reasoning)
	return u, true
}

// count is a token count that is known only when the server sent a non-negative integer.
type count struct {
	value int
	known bool
}

func (c *count) UnmarshalJSON(raw []byte) error {
	v, err := strconv.Atoi(string(raw))
	if err == nil && v >= 0 {
		*c = count{v, true}
	}
	return nil
}

// lastOf returns the last count that is known.
func lastOf(counts ...count) (int, bool) {
	for i := len(counts) - 1; i >= 0; i-- {
		if counts[i].known {
			return counts[i].value, true
		}
	}
	return 0, false
}
