package permission

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"paicli/agent"
	"paicli/internal/effect"
	"paicli/llm"
)

//go:embed classifier.md
var classifierText string

// Bounds on a review; the original PaiCLI's, the last two ours.
const (
	maxRequestWords = 2000  // characters of the user's words
	maxArguments    = 32000 // characters; what is longer is not sent, whole or in part
	maxAnswer       = 400   // tokens
	reviewTime      = 20 * time.Second
	maxScript       = 8000 // characters of a script
	maxScripts      = 4
)

// purpose marks the requests of the classifier in the log.
const purpose = "classifier"

// classifier is the gate that has a model review, in auto mode, what is neither allowed nor for a person
// alone. Whatever is not a clear yes is a no.
func (p *Policy) classifier(model llm.Model) agent.Gate {
	return func(ctx context.Context, call *agent.Call) (agent.Verdict, error) {
		s := subjectOf(call)
		j := p.judge(s)
		if p.o.Mode() != Auto || j.verdict != effect.Review {
			return agent.Verdict{}, nil
		}
		scripts := p.scripts(j)
		key := cacheKey(call, scripts)
		if reason, ok := p.recall(s, key); ok {
			return agent.Verdict{Kind: agent.Allow, By: agent.ByClassifier, Reason: reason}, nil
		}
		allow, reason, err := p.review(ctx, model, call, s, j, scripts)
		if err != nil {
			return agent.Verdict{}, err
		}
		if allow {
			p.remember(s, key, reason)
			return agent.Verdict{Kind: agent.Allow, By: agent.ByClassifier, Reason: reason}, nil
		}
		return p.stopped(s, j, reason), nil
	}
}

// stopped is the verdict about a call that was not let through: a refusal, and the third one in a row a
// question; with nobody to ask, that one ends the turn. About a tool of which nobody knows what it does
// a person is asked at once, which makes it no part of a row.
func (p *Policy) stopped(s subject, j judged, reason string) agent.Verdict {
	switch {
	case j.blind:
		j.detail = reason
		return p.ask(j, j.blocked(reason))
	case p.block(s):
		j.code, j.detail = CodeBlocked, fmt.Sprintf("%d: %s", maxBlocks, reason)
		v := p.ask(j, j.lastBlock(reason))
		v.EndTurn = true
		return v
	}
	return agent.Verdict{Kind: agent.Deny, By: agent.ByClassifier, Reason: j.blocked(reason)}
}

// review asks the model. An error is only the end of ctx; a review that failed is a no.
func (p *Policy) review(ctx context.Context, model llm.Model, call *agent.Call, s subject, j judged, scripts []script) (allow bool, reason string, err error) {
	if utf8.RuneCount(call.Args) > maxArguments {
		return false, "it is too long to be reviewed", nil
	}
	text, err := p.question(call, s, j, scripts)
	if err != nil {
		return false, "it could not be put to the reviewer", nil
	}
	req := &llm.Request{
		System:   strings.TrimSpace(classifierText),
		Messages: []llm.Message{llm.Text(llm.RoleUser, text)},
		Thinking: llm.Thinking{Mode: llm.ThinkingOff},
		Limits:   llm.Limits{MaxOutput: maxAnswer},
		Tag:      llm.Tag{Purpose: purpose, Turn: s.turn},
	}
	if call.Thread != nil {
		req.Tag.Agent = call.Thread.Agent()
	}
	short, cancel := context.WithTimeout(ctx, reviewTime)
	defer cancel()
	reply, err := llm.Collect(model.Stream(short, req), nil)
	switch {
	case ctx.Err() != nil:
		return false, "", context.Cause(ctx)
	case short.Err() != nil:
		return false, fmt.Sprintf("the reviewer did not answer within %v", reviewTime), nil
	case err != nil:
		return false, "the reviewer could not be asked (" + failure(err) + ")", nil
	}
	allow, reason = readAnswer(reply)
	return allow, p.o.Scrub(reason), nil
}

// failure names the kind of an outage.
func failure(err error) string {
	if e := llm.AsError(err); e != nil {
		return string(e.Kind)
	}
	return "no connection"
}

// question is the message to the classifier: the user's words and the call, without history, results of
// tools or anything that is not the user's own.
func (p *Policy) question(call *agent.Call, s subject, j judged, scripts []script) (string, error) {
	args, err := p.scrubbed(call.Args)
	if err != nil {
		return "", err
	}
	effects := make([]string, 0, len(j.access))
	for _, a := range j.access {
		effects = append(effects, p.o.Scrub(strings.TrimSpace(a.Verb+" "+a.Target)))
	}
	var notes []string
	if j.note != "" {
		notes = append(notes, j.note)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(struct {
		Request string   `json:"user_request"`
		Tool    string   `json:"tool"`
		Args    any      `json:"arguments"`
		Effects []string `json:"effects"`
		Scripts []script `json:"scripts,omitempty"`
		Notes   []string `json:"notes,omitempty"`
	}{first(p.o.Scrub(own(s.words)), maxRequestWords), call.Name, args, effects, scripts, notes})
	return strings.TrimSpace(b.String()), err
}

// own are the words that the user wrote, without what was piped in behind them.
func own(words []string) string {
	var out []string
	for _, w := range words {
		if before, piped, ok := strings.Cut(w, "\n\n<stdin>\n"); ok && strings.HasSuffix(strings.TrimSpace(piped), "</stdin>") {
			w = before
		}
		out = append(out, w)
	}
	return strings.Join(out, "\n")
}

// first is the beginning of a text, in characters.
func first(s string, limit int) string {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i]
		}
		n++
	}
	return s
}

// scrubbed are arguments without secrets.
func (p *Policy) scrubbed(raw json.RawMessage) (any, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return p.scrubAll(v), nil
}

func (p *Policy) scrubAll(v any) any {
	switch v := v.(type) {
	case string:
		return p.o.Scrub(v)
	case []any:
		for i := range v {
			v[i] = p.scrubAll(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = p.scrubAll(v[k])
		}
	}
	return v
}

// script is a file of the project that a command runs.
type script struct {
	Path  string `json:"path"`
	Trust string `json:"trust"`
	Text  string `json:"text,omitempty"`
	Cut   bool   `json:"cut_off,omitempty"`
	None  bool   `json:"unreadable,omitempty"`

	whole [sha256.Size]byte // of all its text, so that no change goes unseen behind the cut
}

// scripts reads the files that a command runs.
func (p *Policy) scripts(j judged) []script {
	var out []script
	for i, path := range j.scripts {
		one := script{Path: path, Trust: "untrusted"}
		text, ok := "", false
		if i < maxScripts {
			text, ok = p.o.Script(path)
		}
		if one.None = !ok; ok {
			one.whole = sha256.Sum256([]byte(text))
			text = p.o.Scrub(text)
			one.Text = first(text, maxScript)
			one.Cut = len(one.Text) < len(text)
		}
		out = append(out, one)
	}
	return out
}

// readAnswer reads the classifier's answer: one JSON object, in a fence or not, and nothing else.
func readAnswer(reply *llm.Reply) (allow bool, reason string) {
	const unclear = "the reviewer gave no clear answer"
	if reply.Finish != llm.FinishStop || len(reply.Message.Calls()) > 0 {
		return false, unclear
	}
	decision, reason, err := parseAnswer(unfenced(reply.Message.Text()))
	if err != nil || decision != "allow" && decision != "ask" {
		return false, unclear
	}
	if reason = strings.Join(strings.Fields(first(reason, maxReason)), " "); reason == "" && decision == "ask" {
		reason = "the reviewer wants the user to decide"
	}
	return decision == "allow", reason
}

// maxReason bounds what is kept of a reason, in characters.
const maxReason = 300

// unfenced takes a Markdown fence off.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	body, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	body, ok = strings.CutSuffix(body, "```")
	if !ok {
		return text
	}
	return strings.TrimSpace(strings.TrimPrefix(body, "json"))
}

// errAnswer says that an answer is not in the agreed form.
var errAnswer = errors.New("no answer")

// parseAnswer takes one object with the exact key decision, once. A library that folds case or takes the
// last of two keys would read a yes where there is none.
func parseAnswer(text string) (decision, reason string, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return "", "", errAnswer
	}
	seen := make(map[string]any)
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return "", "", errAnswer
		}
		key, _ := tok.(string)
		var v any
		if _, twice := seen[key]; twice || dec.Decode(&v) != nil {
			return "", "", errAnswer
		}
		seen[key] = v
	}
	if _, err := dec.Token(); err != nil {
		return "", "", errAnswer
	}
	if _, err := dec.Token(); err != io.EOF {
		return "", "", errAnswer
	}
	decision, _ = seen["decision"].(string)
	reason, _ = seen["reason"].(string)
	return decision, reason, nil
}
