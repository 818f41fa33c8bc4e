package term

import (
	"strings"
	"unicode"
)

// Draft is a text being written: grapheme clusters, and pastes that are shown by a label.
type Draft []unit

// unit is what the cursor moves over and a key deletes at once.
type unit struct {
	text  string
	label string // shown instead of the text; "" for what was typed
}

// NewDraft is a draft of plain text.
func NewDraft(text string) Draft { return split(text) }

// Text is what the draft says, pastes in full.
func (d Draft) Text() string {
	var b strings.Builder
	for _, u := range d {
		b.WriteString(u.text)
	}
	return b.String()
}

// Shown is the draft as a person sees it, pastes by their labels.
func (d Draft) Shown() string {
	var b strings.Builder
	for _, u := range d {
		b.WriteString(u.shown())
	}
	return b.String()
}

// shown is safe to print. A line end is kept.
func (u unit) shown() string {
	switch {
	case u.label != "":
		return u.label
	case u.text == "\n":
		return u.text
	case u.text == "\t":
		return "    "
	}
	return Printable(u.text, false)
}

func (u unit) width() int {
	if u.text == "\n" && u.label == "" {
		return 0
	}
	return Width(u.shown())
}

func split(text string) Draft {
	var d Draft
	clusters(text, func(c string, _ int) bool {
		d = append(d, unit{text: c})
		return true
	})
	return d
}

// isSpace reports whether a unit parts words.
func (u unit) isSpace() bool { return u.label == "" && strings.TrimSpace(u.text) == "" }

// isWord reports whether a unit is part of a word.
func (u unit) isWord() bool {
	return u.label != "" || strings.ContainsFunc(u.text, func(r rune) bool {
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	})
}

// Clusters lists what the cursor moves over, as it is shown.
func (d Draft) Clusters() []string {
	out := make([]string, len(d))
	for i, u := range d {
		out[i] = u.shown()
	}
	return out
}
