package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"
)

// agentCommand is a line of testdata/commands/agent.jsonl; README.md there has the rules of its labels.
type agentCommand struct {
	ID      string        `json:"id"`
	Group   string        `json:"group"`
	Command string        `json:"command"`
	Label   string        `json:"label"`
	Source  string        `json:"source"`
	Effects *agentEffects `json:"effects"`
	Note    string        `json:"note"`
}

type agentEffects struct {
	Reads     []string `json:"reads"`
	Writes    []string `json:"writes"`
	Deletes   []string `json:"deletes"`
	Network   []string `json:"network"`
	Runs      []string `json:"runs"`
	Privilege bool     `json:"privilege"`
	Opaque    bool     `json:"opaque"`
}

func (e *agentEffects) onlyReads() bool {
	return len(e.Writes)+len(e.Deletes)+len(e.Network)+len(e.Runs) == 0 && !e.Privilege && !e.Opaque
}

// TestAgentCommands checks the shape of the suite, not what anybody makes of it: internal/effect does
// that.
func TestAgentCommands(t *testing.T) {
	commands := readAgentCommands(t)
	ids, texts := map[string]bool{}, map[string]bool{}
	for _, c := range commands {
		if ids[c.ID] || texts[c.Command] {
			t.Errorf("%s comes twice", c.ID)
		}
		ids[c.ID], texts[c.Command] = true, true
		for _, fault := range agentCommandFaults(c) {
			t.Errorf("%s: %s", c.ID, fault)
		}
	}
	checkAgentCounts(t, commands)
}

func readAgentCommands(t *testing.T) []agentCommand {
	t.Helper()
	data, err := os.ReadFile("testdata/commands/agent.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []agentCommand
	for line := range bytes.Lines(data) {
		var c agentCommand
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		out = append(out, c)
	}
	return out
}

func agentCommandFaults(c agentCommand) []string {
	var out []string
	if c.ID == "" || strings.TrimSpace(c.Command) == "" || strings.TrimSpace(c.Source) == "" {
		out = append(out, "has no id, command or source")
	}
	switch c.Label {
	case "read-only", "review", "ask", "deny":
	default:
		out = append(out, fmt.Sprintf("label %q", c.Label))
	}
	if c.Effects == nil {
		return out
	}
	if c.Label == "read-only" && !c.Effects.onlyReads() {
		out = append(out, "is labelled read-only and does more")
	}
	for _, list := range [][]string{c.Effects.Reads, c.Effects.Writes, c.Effects.Deletes} {
		for _, target := range list {
			if path.Clean(target) != target {
				out = append(out, fmt.Sprintf("path %q is not clean", target))
			}
		}
	}
	return out
}

// checkAgentCounts holds the suite to the sizes that make its percentages mean something.
func checkAgentCounts(t *testing.T, commands []agentCommand) {
	groups, effects, labels := map[string]int{}, map[string]int{}, map[string]int{}
	judged, opaque := 0, 0
	for _, c := range commands {
		groups[c.Group]++
		labels[c.Label]++
		if c.Effects == nil {
			continue
		}
		effects[c.Group]++
		if judged++; c.Effects.Opaque {
			opaque++
		}
	}
	for group, least := range map[string]int{"read": 120, "git": 60, "build": 80, "change": 40} {
		if groups[group] < least || effects[group] < 45 {
			t.Errorf("%s: %d commands and %d with effects, want %d and 45", group, groups[group], effects[group], least)
		}
	}
	if len(groups) != 4 || labels["read-only"] < 150 || judged < 200 || opaque*10 > judged {
		t.Errorf("%d groups, %d read-only, %d with effects of which %d opaque", len(groups), labels["read-only"], judged, opaque)
	}
}
