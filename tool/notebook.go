package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"paicli/internal/charset"
	"paicli/internal/fsx"
)

// isNotebook goes by the name: a notebook is JSON like any other.
func isNotebook(p fsx.Path) bool { return strings.EqualFold(path.Ext(p.Rel), ".ipynb") }

// Bounds on what is shown of a notebook, in characters.
const (
	maxCellOutput = 500 // of one output of a cell; the source is what matters
	maxCellSource = 8000
)

// notebook is the part of nbformat 4 that is shown.
type notebook struct {
	Cells []struct {
		Type    string     `json:"cell_type"`
		Source  joined     `json:"source"`
		Outputs []nbOutput `json:"outputs"`
	} `json:"cells"`
}

type nbOutput struct {
	Text  joined                     `json:"text"`
	Data  map[string]json.RawMessage `json:"data"`
	Name  string                     `json:"ename"`
	Value string                     `json:"evalue"`
}

// joined is a text that notebooks write as one string or as a list of lines.
type joined string

func (j *joined) UnmarshalJSON(data []byte) error {
	var lines []string
	if err := json.Unmarshal(data, &lines); err == nil {
		*j = joined(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(j))
}

// notebookListing shows a notebook as its cells, "" when it cannot be read as one.
func notebookListing(name string, l *look) string {
	text, err := charset.Decode(l.data)
	if err != nil || l.data == nil {
		return ""
	}
	var nb notebook
	if err := json.Unmarshal([]byte(text.Text), &nb); err != nil || nb.Cells == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (notebook, %s; %s of JSON, which is what edit_file changes: give an offset to see them)\n",
		name, plural(len(nb.Cells), "cell"), plural(l.total, "line"))
	for i, c := range nb.Cells {
		if utf8.RuneCountInString(b.String()) > maxFirstRunes {
			fmt.Fprintf(&b, "(truncated: %s more; continue with offset and limit in the JSON)\n", plural(len(nb.Cells)-i, "cell"))
			break
		}
		fmt.Fprintf(&b, "[%d] %s\n%s\n", i+1, c.Type, clip(string(c.Source), maxCellSource))
		for _, o := range c.Outputs {
			fmt.Fprintf(&b, "[%d] output: %s\n", i+1, o.short())
		}
	}
	return b.String()
}

// short is an output in a few words: text is cut, anything else named.
func (o nbOutput) short() string {
	switch {
	case o.Name != "":
		return clip(o.Name+": "+o.Value, maxCellOutput)
	case o.Text != "":
		return clip(string(o.Text), maxCellOutput)
	}
	var parts []string
	for _, mime := range slices.Sorted(maps.Keys(o.Data)) {
		var text joined
		if mime == "text/plain" && json.Unmarshal(o.Data[mime], &text) == nil {
			parts = append([]string{clip(string(text), maxCellOutput)}, parts...)
		} else {
			parts = append(parts, "("+mime+")")
		}
	}
	return strings.Join(parts, " ")
}

// clip cuts a text at n characters and says so.
func clip(text string, n int) string {
	text = strings.TrimRight(text, "\n")
	if short, cut := cutLine(text, n); cut {
		return short + " … (truncated)"
	}
	return text
}
