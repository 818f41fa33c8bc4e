package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"paicli/llm/llmtest"
)

// check tests one expectation and says what is wrong.
func (r *uxRun) check(key string, raw json.RawMessage) string {
	switch key {
	case "exit_code":
		return want(strconv.Itoa(r.code), string(raw))
	case "max_ms":
		var n int
		json.Unmarshal(raw, &n)
		return verdict(r.took <= time.Duration(n)*time.Millisecond*slack, "took "+r.took.String())
	case "all_lines_json", "all_json_document", "stdout_lines", "jsonl", "jsonl_count", "jsonl_same_value", "jsonl_tool_ids_match":
		return r.checkJSON(key, raw)
	case "stdout_regex":
		return match(raw, r.out.String(), true)
	case "stdout_not_regex":
		return match(raw, r.out.String(), false)
	case "stderr_regex":
		return match(raw, r.err.String(), true)
	case "stderr_not_regex":
		return match(raw, r.err.String(), false)
	case "file_exists":
		var v struct {
			Path  string
			Value bool
		}
		json.Unmarshal(raw, &v)
		_, err := os.Stat(filepath.Join(r.dir, v.Path))
		return verdict((err == nil) == v.Value, "exists: "+strconv.FormatBool(err == nil))
	case "file_regex":
		var v struct {
			Path  string
			Regex json.RawMessage
		}
		json.Unmarshal(raw, &v)
		text, err := os.ReadFile(filepath.Join(r.dir, v.Path))
		if err != nil {
			return err.Error()
		}
		return match(v.Regex, string(text), true)
	case "llm_request_count", "llm_request_regex", "llm_request_not_regex", "llm_request_index_regex", "llm_request_index_not_regex":
		return r.checkRequests(key, raw)
	case "all_variants":
		return ""
	}
	return "this expectation is not known here"
}

func (r *uxRun) checkRequests(key string, raw json.RawMessage) string {
	reqs := slices.DeleteFunc(r.server.Requests(), reviews)
	if key == "llm_request_count" {
		return want(strconv.Itoa(len(reqs)), string(raw))
	}
	v := struct {
		Index int
		Regex json.RawMessage
	}{len(reqs), raw}
	if strings.Contains(key, "index") {
		json.Unmarshal(raw, &v)
	}
	if v.Index < 1 || v.Index > len(reqs) {
		return fmt.Sprintf("there are %d requests", len(reqs))
	}
	return match(v.Regex, string(reqs[v.Index-1].Body), !strings.Contains(key, "_not_"))
}

// reviews reports whether a request is one to the model that reviews calls. Cases do not script and
// do not count them.
func reviews(req llmtest.Request) bool {
	return bytes.Contains(req.Body, []byte("You are the safety reviewer of a coding agent"))
}

func want(got, want string) string { return verdict(got == want, "got "+got) }

func verdict(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

func match(raw json.RawMessage, text string, wanted bool) string {
	var re string
	json.Unmarshal(raw, &re)
	found := regexp.MustCompile(re).MatchString(text)
	return verdict(found == wanted, fmt.Sprintf("match is %v", found))
}
