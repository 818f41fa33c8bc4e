package config

import (
	"encoding/json"
	"slices"
	"strings"

	"paicli/internal/i18n"
)

// Setting is one value and where it comes from.
type Setting struct {
	Key  string `json:"key"`
	JSON string `json:"value"`
	From Origin `json:"from"`
	// Under is what lower sources said, the highest first. Of lists that add up it is a part.
	Under []Setting `json:"under,omitempty"`
}

// Settings lists the values that hold, by key. A rule of permission stands alone, since each has its
// own origin; the other entries of projects."<root>" are not listed. Values are shown as they are:
// whoever prints them hides secrets.
func (c *Config) Settings() []Setting {
	var out []Setting
	for name, raw := range c.raw {
		if path, _ := splitKey(name); path[0] != "projects" && path[0] != "permissions" {
			out = append(out, Setting{name, c.valueOf(path, raw), c.Origin(name), c.under[name]})
		}
	}
	slices.SortFunc(out, func(a, b Setting) int { return strings.Compare(a.Key, b.Key) })
	for _, list := range []string{listAllow, listAsk, listDeny} {
		for _, r := range *c.Permissions.list(list) {
			out = append(out, Setting{Key: "permissions." + list, JSON: quote(r.Text), From: r.From})
		}
	}
	return out
}

// Get finds the value of a key. ok is false when it is not set. The error is an *Error that says that
// there is no such key.
func (c *Config) Get(name string) (s Setting, ok bool, err error) {
	path, _, err := find(c.File, name)
	if err != nil {
		return s, false, err
	}
	name = join(path)
	raw, ok := c.raw[name]
	value := c.valueOf(path, raw)
	return Setting{name, value, c.Origin(name), c.under[name]}, ok || value != "", nil
}

// valueOf is the text of a value, or all of a list whose sources add up.
func (c *Config) valueOf(path []string, raw string) string {
	for _, k := range keys() {
		if whole, _ := k.match(path); whole && k.get != nil {
			if all := k.get(c); len(all) > 0 {
				return textList(all)
			}
		}
	}
	return raw
}

func textList(list []string) string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = quote(text)
	}
	return "[" + strings.Join(out, ",") + "]"
}

// Set checks a value and puts it into the person's file (see Edit). text is JSON or, where the key
// takes one, a text without quotes. It returns the value as JSON. rule is Options.Rule.
func Set(file, name, text string, rule func(string) error) (string, error) {
	path, k, err := find(file, name)
	if err != nil {
		return "", err
	}
	plain := node{kind: kindText, text: text, raw: quote(text)}
	tries := []node{plain}
	if n, err := parseJSONC(text); err == nil && n.end > 0 {
		tries = []node{n, plain}
	}
	for _, n := range tries {
		in := &target{Config: defaults(), rule: rule}
		if n.kind == kindNull || k.set == nil || k.set(in, path, n) {
			return n.json(), Edit(file, path, n.json())
		}
	}
	p := k.bad(&target{rule: rule}, path, tries[0])
	p.Line = 0
	return "", &Error{Problems: []Problem{p}}
}

// find looks a key up by its dotted name.
func find(file, name string) ([]string, key, error) {
	path, ok := splitKey(name)
	known := keys()
	if ok {
		for _, k := range known {
			if whole, _ := k.match(path); whole {
				return path, k, nil
			}
		}
	}
	p := Problem{Code: CodeUnknownKey, File: file, Key: name}
	if ok {
		p.Near = nearest(known, path)
	}
	return nil, key{}, &Error{Problems: []Problem{p}}
}

// splitKey takes a dotted name apart; what is no plain word stands in quotes: models."a/b".images.
func splitKey(name string) ([]string, bool) {
	var path []string
	for {
		part, rest := name, ""
		if strings.HasPrefix(name, `"`) {
			p := parser{src: name}
			n, err := p.text()
			if err != nil {
				return nil, false
			}
			part, rest = n.text, name[p.pos:]
		} else if i := strings.IndexByte(name, '.'); i >= 0 {
			part, rest = name[:i], name[i:]
		}
		path = append(path, part)
		if rest == "" {
			return path, part != "" || len(path) > 1
		}
		if rest[0] != '.' {
			return nil, false
		}
		name = rest[1:]
	}
}

// Schema is the JSON schema of config.json.
func Schema() []byte {
	root := object{}
	for _, k := range keys() {
		at := root
		for _, name := range k.path[:len(k.path)-1] {
			at = at.child(name)
		}
		at.put(k.path[len(k.path)-1], k.schema())
	}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	out, _ := json.MarshalIndent(root, "", "  ") // maps of texts can always be written
	return append(out, '\n')
}

// object is the schema of an object.
type object map[string]any

// child is the schema of a member that is an object itself.
func (o object) child(name string) object {
	if name == "*" {
		inner, ok := o["additionalProperties"].(object)
		if !ok {
			inner = object{"type": "object"}
			o["additionalProperties"] = inner
		}
		return inner
	}
	members, _ := o["properties"].(map[string]any)
	inner, ok := members[name].(object)
	if !ok {
		inner = object{"type": "object"}
		o.put(name, inner)
	}
	return inner
}

func (o object) put(name string, schema any) {
	members, ok := o["properties"].(map[string]any)
	if !ok {
		members = map[string]any{}
		o["type"], o["properties"] = "object", members
	}
	members[name] = schema
}

// schema is what the key takes.
func (k key) schema() map[string]any {
	switch k.want {
	case i18n.WantText:
		return map[string]any{"type": "string"}
	case i18n.WantURL:
		return map[string]any{"type": "string", "format": "uri", "pattern": "^https?://"}
	case i18n.WantOneOf:
		return map[string]any{"enum": k.words}
	case i18n.WantBool:
		return map[string]any{"type": "boolean"}
	case i18n.WantCount, i18n.WantMillis:
		return map[string]any{"type": "integer", "minimum": 1}
	case i18n.WantList, i18n.WantRules:
		return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	}
	return map[string]any{}
}
