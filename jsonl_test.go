package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// checkJSON tests what is expected of stdout as lines of JSON.
func (r *uxRun) checkJSON(key string, raw json.RawMessage) string {
	if key == "all_json_document" {
		return verdict(json.Valid(r.out.Bytes()), "stdout is no JSON document")
	}
	var lines []map[string]any
	for line := range bytes.Lines(r.out.Bytes()) {
		var o map[string]any
		if err := json.Unmarshal(line, &o); err != nil {
			return fmt.Sprintf("%v in %s", err, line)
		}
		lines = append(lines, o)
	}
	switch key {
	case "stdout_lines":
		return want(strconv.Itoa(len(lines)), string(raw))
	case "jsonl":
		return checkLine(lines, raw)
	case "jsonl_count":
		return checkCount(lines, raw)
	case "jsonl_same_value":
		return checkSame(lines, raw)
	case "jsonl_tool_ids_match":
		return checkToolIDs(r.out.String())
	}
	return verdict(len(lines) > 0, "stdout is empty")
}

// checkLine looks for an object (by index, or any of a type) whose value at a path is as wished.
func checkLine(lines []map[string]any, raw json.RawMessage) string {
	var v struct {
		Index  *int
		Type   string
		Path   string
		Equals any
		Regex  string
	}
	json.Unmarshal(raw, &v)
	why := "no such line"
	for i, o := range lines {
		if v.Index != nil && i != (*v.Index+len(lines))%len(lines) || v.Type != "" && o["type"] != v.Type {
			continue
		}
		got, _ := json.Marshal(at(o, v.Path))
		wanted, _ := json.Marshal(v.Equals)
		text, isText := at(o, v.Path).(string)
		switch {
		case v.Regex == "" && bytes.Equal(got, wanted):
			return ""
		case v.Regex != "" && (regexp.MustCompile(v.Regex).Match(got) || isText && regexp.MustCompile(v.Regex).MatchString(text)):
			return ""
		}
		why = fmt.Sprintf("%s is %s", v.Path, got)
	}
	return why
}

// at follows a dotted path.
func at(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n >= len(x) {
				return nil
			}
			v = x[n]
		default:
			return nil
		}
	}
	return v
}

func checkCount(lines []map[string]any, raw json.RawMessage) string {
	var v struct {
		Type  string
		Count int
	}
	json.Unmarshal(raw, &v)
	n := 0
	for _, o := range lines {
		if o["type"] == v.Type {
			n++
		}
	}
	return verdict(n == v.Count, fmt.Sprintf("%d of type %s", n, v.Type))
}

func checkSame(lines []map[string]any, raw json.RawMessage) string {
	var v struct{ Path string }
	json.Unmarshal(raw, &v)
	for _, o := range lines {
		if got := at(o, v.Path); got == nil || got == "" || got != at(lines[0], v.Path) {
			return fmt.Sprintf("%s differs: %v", v.Path, got)
		}
	}
	return ""
}

// checkToolIDs sees that every tool_use has its tool_result.
func checkToolIDs(out string) string {
	uses := regexp.MustCompile(`"id":"([^"]+)"[^{}]*(?:\{[^{}]*\})?[^{}]*"type":"tool_use"`).FindAllStringSubmatch(out, -1)
	if len(uses) == 0 {
		return "there is no tool_use"
	}
	for _, u := range uses {
		if !strings.Contains(out, `"tool_use_id":"`+u[1]+`"`) {
			return "no tool_result for " + u[1]
		}
	}
	return ""
}
