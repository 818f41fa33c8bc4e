package main

import (
	"strings"
	"testing"

	"paicli/llm"
	"paicli/llm/llmtest"
)

// TestReplRecords: /audit and /policy in the terminal.
func TestReplRecords(t *testing.T) {
	t.Parallel()
	p := sit(t, nil, llmtest.Calls(llm.Call{ID: "a", Name: "list_dir", Args: `{"path":"."}`}), llmtest.Text("looked"))
	p.at(glyph)
	p.keys("/audit\r")
	p.sees("nothing was called today")
	p.keys("go\r")
	p.sees("looked")
	p.at(glyph)
	p.until("the record", func() bool { // it is written beside the turn
		p.keys("/audit 5\r")
		p.at(glyph)
		return hasLine(p, `allow  none        list_dir  {"path":"."}`)
	})
	p.keys("/policy\r")
	p.sees("mode: auto")
	p.sees("no rules")
}

func hasLine(p *person, text string) bool { return strings.Contains(p.screen.Text(), text) }
