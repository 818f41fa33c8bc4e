package config

import (
	"fmt"
	"strings"

	"paicli/internal/i18n"
)

// Code names a kind of problem. The words are part of the JSON output.
type Code string

// The problems. The first three stop the program, the others are warnings.
const (
	CodeUnreadable Code = "unreadable"
	CodeSyntax     Code = "syntax"
	CodeBadValue   Code = "bad_value"
	CodeUnknownKey Code = "unknown_key"
	CodeDuplicate  Code = "duplicate_key"
	CodeEnvLine    Code = "env_line"
	CodeEnvIgnored Code = "env_ignored"
	CodeProjectKey Code = "project_key" // it does not count in the settings of a project
	CodeUntrusted  Code = "untrusted"   // what the project brings along has no effect
	CodeChanged    Code = "changed"     // since it was trusted
	CodeTooMuch    Code = "too_much"    // to be trusted
)

// Problem is one thing wrong with the settings.
type Problem struct {
	Code Code   `json:"code"`
	File string `json:"file,omitempty"` // "" for variables and flags
	Line int    `json:"line,omitempty"`
	Key  string `json:"key,omitempty"`  // dotted key, variable or flag
	Got  string `json:"got,omitempty"`  // the value, shortened
	Near string `json:"near,omitempty"` // the known key that was probably meant

	reason i18n.Text // what is wrong (syntax) or what the key takes (bad value)
	args   []any
}

// Error is everything that stops the program in the settings.
type Error struct{ Problems []Problem }

func (e *Error) Error() string { return e.Say(i18n.EN) }

// Say words all problems, one a line.
func (e *Error) Say(lang i18n.Lang) string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Say(lang)
	}
	return strings.Join(lines, "\n")
}

// Say words the problem, place first.
func (p Problem) Say(lang i18n.Lang) string {
	switch p.Code {
	case CodeUnreadable:
		return lang.Say(i18n.ConfigUnreadable, p.File, p.Got)
	case CodeSyntax:
		return p.saySyntax(lang)
	case CodeBadValue:
		return p.sayBadValue(lang)
	case CodeUnknownKey:
		if p.Near != "" {
			return lang.Say(i18n.ConfigUnknownNear, p.place(), p.Key, p.Near)
		}
		return lang.Say(i18n.ConfigUnknownKey, p.place(), p.Key)
	case CodeDuplicate:
		return lang.Say(i18n.ConfigDuplicate, p.place(), p.Key)
	case CodeEnvLine:
		return lang.Say(i18n.ConfigEnvLine, p.place())
	case CodeEnvIgnored:
		return lang.Say(i18n.ConfigEnvIgnored, p.place(), p.Key)
	case CodeProjectKey:
		return lang.Say(i18n.ConfigProjectKey, p.place(), p.Key)
	case CodeChanged:
		return lang.Say(i18n.ConfigChanged, p.place(), p.Got)
	case CodeTooMuch:
		return lang.Say(i18n.ConfigTooMuch, p.place())
	}
	return lang.Say(i18n.ConfigUntrusted, p.place(), p.Got)
}

func (p Problem) saySyntax(lang i18n.Lang) string {
	reason := lang.Say(p.reason, p.args...)
	if p.Key != "" {
		return lang.Say(i18n.ConfigSyntaxIn, p.place(), reason, p.Key)
	}
	return lang.Say(i18n.ConfigSyntax, p.place(), reason)
}

func (p Problem) sayBadValue(lang i18n.Lang) string {
	want := lang.Say(p.reason, p.args...)
	if p.File == "" {
		return lang.Say(i18n.ConfigBadVar, p.Key, p.Got, want)
	}
	return lang.Say(i18n.ConfigBadValue, p.place(), p.Key, p.Got, want)
}

func (p Problem) place() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}
