package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"paicli/agent"
	lines "paicli/internal/search"
	"paicli/session"
)

//go:embed grep_code.md
var grepCodeText string

type grepCodeArgs struct {
	Pattern      string `json:"pattern"`
	Path         string `json:"path,omitempty" jsonschema:"directory or file"`
	Glob         string `json:"glob,omitempty" jsonschema:"only these files, as *.go"`
	Regex        bool   `json:"regex,omitempty" jsonschema:"RE2; default: literal text"`
	IgnoreCase   unless `json:"case_sensitive,omitempty" jsonschema:"default true"`
	ContextLines int    `json:"context_lines,omitempty" jsonschema:"at most 5"`
	MaxResults   count  `json:"max_results,omitempty" jsonschema:"default 50, at most 200"`
	HeadLimit    count  `json:"head_limit,omitempty" jsonschema:"hits per file, default 20, at most 50"`
	MaxChars     count  `json:"max_chars,omitempty" jsonschema:"default 24000"`
}

func grepCode(w *workspace) agent.Tool {
	return agent.New(agent.Typed[grepCodeArgs]{
		Name:        "grep_code",
		Description: grepCodeText,
		Intent: func(_ context.Context, in grepCodeArgs) (agent.Intent, error) {
			p, err := w.resolveOr(in.Path, ".")
			if err == nil {
				_, err = w.query(in)
			}
			return agent.Intent{Title: oneLine(in.Pattern), Access: reads(p)}, err
		},
		Run: func(ctx context.Context, _ *agent.Call, in grepCodeArgs) (agent.Output, error) {
			return w.runGrep(ctx, in)
		},
	})
}

// query checks the arguments and makes a search of them.
func (w *workspace) query(in grepCodeArgs) (*search, error) {
	if in.Pattern == "" {
		return nil, errors.New("pattern is empty")
	}
	pattern, err := lines.Compile(in.Pattern, lines.Options{Regex: in.Regex, IgnoreCase: bool(in.IgnoreCase)})
	if err != nil {
		return nil, explainRegex(err)
	}
	s := &search{pattern: pattern, context: in.ContextLines, hides: w.hides}
	if in.Glob != "" {
		g, err := w.glob(in.Glob)
		if err != nil {
			return nil, err
		}
		s.only = &g
	}
	if in.ContextLines < 0 || in.ContextLines > 5 {
		return nil, errors.New("context_lines must be from 0 to 5")
	}
	var errs [3]error
	s.maxResults, errs[0] = in.MaxResults.or("max_results", 50, 1, 200)
	s.perFile, errs[1] = in.HeadLimit.or("head_limit", 20, 1, 50)
	s.maxChars, errs[2] = in.MaxChars.or("max_chars", 24_000, 1000, 60_000)
	if w.uncapped {
		s.maxResults, s.perFile, s.maxChars = math.MaxInt, math.MaxInt, math.MaxInt
	}
	return s, errors.Join(errs[:]...)
}

// explainRegex says what is wrong with a regular expression, and the way round for what RE2 lacks.
func explainRegex(err error) error {
	var detail *syntax.Error
	if !errors.As(err, &detail) {
		return fmt.Errorf("invalid regex: %w", err)
	}
	return fmt.Errorf("invalid regex: %s: `%s`%s", detail.Code, detail.Expr, wayRound(detail))
}

func wayRound(detail *syntax.Error) string {
	switch code, expr := detail.Code, detail.Expr; {
	case strings.HasPrefix(expr, "(?=") || strings.HasPrefix(expr, "(?!") || strings.HasPrefix(expr, "(?<"):
		return "; RE2 has no look-around: search for what must be there, and read the hits or search again for the rest"
	case strings.HasPrefix(expr, "(?>"):
		return "; RE2 has no atomic groups and needs none: write (?:…)"
	case code == syntax.ErrInvalidEscape && len(expr) > 1 && expr[1] >= '1' && expr[1] <= '9':
		return "; RE2 has no back-references: search for one spelling after the other"
	case code == syntax.ErrInvalidEscape:
		return "; to search for the text as it is, leave regex out"
	case code == syntax.ErrInvalidRepeatOp:
		return "; RE2 has no possessive repetition and needs none"
	case code == syntax.ErrInvalidRepeatSize:
		return "; RE2 repeats at most 1000 times: use * or +"
	case code == syntax.ErrMissingParen || code == syntax.ErrUnexpectedParen || code == syntax.ErrMissingBracket || code == syntax.ErrMissingRepeatArgument:
		return "; put \\ before a bracket or operator that is meant as text, or leave regex out"
	}
	return ""
}

func (w *workspace) runGrep(ctx context.Context, in grepCodeArgs) (agent.Output, error) {
	s, err := w.query(in)
	if err != nil {
		return agent.Output{}, err
	}
	p, err := w.resolveOr(in.Path, ".")
	if err != nil {
		return agent.Output{}, err
	}
	if err := s.run(ctx, w, p); err != nil {
		return agent.Output{}, w.explain(in.Path, err)
	}
	return s.output(in), nil
}

// output writes what a search found.
func (s *search) output(in grepCodeArgs) agent.Output {
	d := &session.Detail{Shape: session.ShapeMatches, Matches: &session.Matches{Pattern: in.Pattern}}
	if len(s.hits) == 0 {
		d.Matches.Cut = len(s.reasons) > 0
		return agent.Output{Text: "no match found for " + in.Pattern + s.nothing(in) + skipNote(s.skipped) + lateNote(d.Matches.Cut) + s.unsearchedNote(), Detail: d}
	}
	var b strings.Builder
	shown, chars := 0, 0
	for i, h := range s.hits {
		text := fmt.Sprintf("%d. %s:%d\n%s", i+1, h.path, h.line, h.text)
		if chars += utf8.RuneCountInString(text); chars > s.maxChars && i > 0 {
			s.partial(fmt.Sprintf("max_chars=%d", s.maxChars))
			break
		}
		b.WriteString(text)
		shown++
	}
	d.Matches.Count, d.Matches.Files = shown, countFiles(s.hits[:shown])
	d.Matches.Cut = len(s.reasons) > 0
	head := plural(shown, "match") + " in " + plural(d.Matches.Files, "file") + "\n"
	return agent.Output{Text: head + b.String() + s.partialNote() + s.unsearchedNote() + suggestions(s.hits[:shown]), Detail: d}
}

// nothing says why there was nothing to be found, where that is known.
func (s *search) nothing(in grepCodeArgs) string {
	switch {
	case !s.looked.Load() && s.only != nil:
		return ": no file fits the glob " + in.Glob
	case !s.looked.Load() && len(s.unsearched) == 0 && len(s.hidden) == 0:
		return ": there is no file to search"
	case in.Regex && strings.Contains(in.Pattern, `\n`):
		return `: lines are searched one by one, so \n matches nothing; search for one of the lines, with context_lines`
	}
	return ""
}

// partial records why a result is not all there is.
func (s *search) partial(reason string) {
	for _, r := range s.reasons {
		if r == reason {
			return
		}
	}
	s.reasons = append(s.reasons, reason)
}

func (s *search) partialNote() string {
	if len(s.reasons) == 0 {
		return ""
	}
	more := "there are more"
	if len(s.reasons) == 1 && strings.HasPrefix(s.reasons[0], "time") {
		more = "there may be more"
	}
	return "partial: true (" + strings.Join(s.reasons, ", ") + ": " + more + "; narrow the search)\n"
}

// unsearchedNote names files in which the pattern may be although it was not found there.
func (s *search) unsearchedNote() string {
	note := ""
	if len(s.unsearched) > 0 {
		note = "\n(not searched, unreadable, too large or in an unknown encoding: " + someOf(s.unsearched) + ")\n"
	}
	if len(s.hidden) > 0 {
		note += "\n(not searched, as they hold credentials or a rule denies reading them: " + someOf(s.hidden) + ")\n"
	}
	return note
}

// someOf names the first of a list of paths.
func someOf(paths []string) string {
	shown := paths[:min(len(paths), 5)]
	note := strings.Join(shown, ", ")
	if more := len(paths) - len(shown); more > 0 {
		note += fmt.Sprintf(" and %d more", more)
	}
	return note
}

func countFiles(hits []hit) int {
	n := 0
	for i, h := range hits {
		if i == 0 || h.path != hits[i-1].path {
			n++
		}
	}
	return n
}

// suggestions are ready arguments of read_file for the first files that were found.
func suggestions(hits []hit) string {
	const most, before, lines = 3, 20, 80 // as the original has it
	var b strings.Builder
	n := 0
	for i, h := range hits {
		if i > 0 && h.path == hits[i-1].path {
			continue
		}
		if n++; n > most {
			break
		}
		args, err := json.Marshal(struct {
			Path   string `json:"path"`
			Offset int    `json:"offset"`
			Limit  int    `json:"limit"`
		}{h.path, max(1, h.line-before), lines})
		if err == nil {
			fmt.Fprintf(&b, "- read_file %s\n", args)
		}
	}
	return "suggested_reads:\n" + b.String()
}
