package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// run applies one check and returns what is wrong.
func (k check) run(got sent) string {
	var v any
	switch {
	case k.Path == "$url":
		v = got.url
	case strings.HasPrefix(k.Path, "$header."):
		if h := got.header.Values(strings.TrimPrefix(k.Path, "$header.")); len(h) > 0 {
			v = h[0]
		}
	default:
		v = find(got.body, k.Path)
	}
	if k.hold(v) {
		return ""
	}
	return fmt.Sprintf("got %v", v)
}

func (k check) hold(v any) bool {
	switch k.Op {
	case "equals":
		return same(v, k.Value)
	case "present":
		return v != nil && !same(v, []any{})
	case "absent":
		return v == nil || same(v, []any{})
	case "in":
		return each(v, func(v any) bool { return listed(k.Value, v) })
	case "not_in":
		return v == nil || each(v, func(v any) bool { return !listed(k.Value, v) })
	case "matches":
		s, ok := v.(string)
		return ok && regexp.MustCompile(k.Value.(string)).MatchString(s)
	case "type":
		_, isString := v.(string)
		return isString == (k.Value == "string")
	case "count":
		list, _ := v.([]any)
		return float64(len(list)) == k.Value
	case "contains":
		s, _ := v.(string)
		return strings.Contains(s, k.Value.(string))
	case "lte":
		n, ok := v.(float64)
		return ok && n <= k.Value.(float64)
	}
	return k.holdDeep(v)
}

func (k check) holdDeep(v any) bool {
	switch k.Op {
	case "nonempty_or_tool_calls":
		return each(v, func(v any) bool {
			m, ok := v.(map[string]any)
			return !ok || m["tool_calls"] != nil || m["content"] != nil && m["content"] != ""
		})
	case "not_list_with_empty_text":
		list, _ := v.([]any)
		return !slices.ContainsFunc(list, func(p any) bool { return find(p, "text") == "" })
	case "no_part", "has_part":
		found := false
		each(v, func(v any) bool {
			list, ok := v.([]any)
			if m, isPart := v.(map[string]any); isPart {
				list, ok = []any{m}, true
			}
			found = found || ok && slices.ContainsFunc(list, func(p any) bool { return find(p, "type") == k.Value })
			return true
		})
		return found == (k.Op == "has_part")
	case "no_key_deep":
		return !hasKey(v, k.Value.([]any), false)
	case "json_object_string":
		s, _ := v.(string)
		var m map[string]any
		return json.Unmarshal([]byte(s), &m) == nil && m != nil
	}
	panic("unknown check " + k.Op)
}

func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// each applies f to the items of a list, or to a single value.
func each(v any, f func(any) bool) bool {
	list, ok := v.([]any)
	if !ok {
		return f(v)
	}
	return !slices.ContainsFunc(list, func(v any) bool { return !f(v) })
}

func listed(list, v any) bool {
	return slices.ContainsFunc(list.([]any), func(x any) bool { return same(x, v) })
}

// hasKey looks for schema keywords; the names under properties are no keywords.
func hasKey(v any, keys []any, names bool) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(x any) bool { return hasKey(x, keys, false) })
	case map[string]any:
		for name, x := range v {
			if !names && slices.Contains(keys, any(name)) || hasKey(x, keys, name == "properties" && !names) {
				return true
			}
		}
	}
	return false
}

// find follows a path as described in the notes to the cases. nil means that nothing is there.
func find(v any, path string) any {
	for path != "" {
		var step string
		switch {
		case path[0] == '[':
			step, path, _ = strings.Cut(path[1:], "]")
			v = index(v, step)
		case path[0] == '.':
			path = path[1:]
			continue
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			step, path = path[:end], path[end:]
			v = key(v, step)
		}
	}
	return v
}

func index(v any, step string) any {
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	if step == "*" {
		return list
	}
	if n, err := strconv.Atoi(step); err == nil {
		if n < 0 {
			n += len(list)
		}
		if n >= len(list) || n < 0 {
			return nil
		}
		return list[n]
	}
	if step == "after assistant" {
		at := slices.IndexFunc(list, func(m any) bool { return key(m, "role") == "assistant" })
		return list[at+1:]
	}
	name, want, _ := strings.Cut(step, "=")
	var out []any
	for _, m := range list {
		if key(m, name) == want {
			out = append(out, m)
		}
	}
	if out == nil {
		return nil
	}
	return out
}

// key reads a member; of a list it reads the member of each item that has it.
func key(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[name]
	case []any:
		var out []any
		for _, m := range v {
			if x := key(m, name); x != nil {
				out = append(out, x)
			}
		}
		if out == nil {
			return nil
		}
		return out
	}
	return nil
}
