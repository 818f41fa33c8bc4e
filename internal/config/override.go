package config

import (
	"strconv"
	"strings"

	"paicli/internal/i18n"
)

// fromEnv puts the variables over the file.
func (l *loader) fromEnv() {
	l.variable("PAICLI_MODEL", "model", &l.cfg.Model)
	l.variable("PAICLI_BASE_URL", "baseUrl", &l.cfg.BaseURL)
	l.variable("PAICLI_API_KEY", "", &l.cfg.APIKey)
	l.variable("PAICLI_AUTO_CLASSIFIER_MODEL", "", &l.cfg.Classifier)
	if v, ok := l.cfg.env.lookup("PAICLI_BASE_URL"); ok && !isURL(v.text) {
		l.badVariable(v.origin, hide(v.text), i18n.WantURL)
	}
	l.number("PAICLI_CONTEXT_WINDOW", 1, &l.cfg.ContextWindow)
	l.number("PAICLI_TOOL_OFFLOAD_THRESHOLD_CHARS", MinThreshold, &l.cfg.Offload.Threshold)
	if v, ok := l.cfg.env.lookup("PAICLI_TOOL_OFFLOAD_ENABLED"); ok {
		on, err := strconv.ParseBool(strings.ToLower(v.text))
		if err != nil {
			l.badVariable(v.origin, strconv.Quote(shorten(v.text)), i18n.WantBool)
		}
		l.cfg.Offload.Off = err == nil && !on
	}
}

// number reads a variable that holds a whole number from a least one up.
func (l *loader) number(name string, least int, field *int) {
	v, ok := l.cfg.env.lookup(name)
	if !ok {
		return
	}
	n, fits := parseCount(v.text)
	if !fits || n < least {
		l.badVariable(v.origin, strconv.Quote(shorten(v.text)), i18n.WantCountFrom, least)
		return
	}
	*field = n
}

func (l *loader) variable(name, key string, field *string) {
	v, ok := l.cfg.env.lookup(name)
	if !ok {
		return
	}
	*field = v.text
	if key != "" {
		l.cfg.put(key, quote(v.text), v.origin)
	}
}

func (l *loader) badVariable(o Origin, got string, want i18n.Text, args ...any) {
	l.fault(Problem{Code: CodeBadValue, File: o.File, Line: o.Line, Key: o.Name, Got: got, reason: want, args: args})
}

// fromFlags puts the flags over everything.
func (l *loader) fromFlags() {
	f := l.opts.Flags
	l.flag("--model", "model", f.Model, &l.cfg.Model, nil)
	l.flag("--mode", "mode", f.Mode, &l.cfg.Mode, modes())
	l.flag("--lang", "ui.lang", f.Lang, &l.cfg.UI.Lang, langs())
	l.flag("--protocol", "protocol", f.Protocol, &l.cfg.Protocol, protocols())
	l.flag("--base-url", "baseUrl", f.BaseURL, &l.cfg.BaseURL, nil)
	l.flagRules("--allow", f.Allow, &l.cfg.Permissions.Allow)
	l.flagRules("--deny", f.Deny, &l.cfg.Permissions.Deny)
	if f.BaseURL != "" && !isURL(f.BaseURL) {
		l.badVariable(Origin{Name: "--base-url"}, hide(f.BaseURL), i18n.WantURL)
	}
}

func (l *loader) flag(name, key, text string, field *string, words []string) {
	if text == "" {
		return
	}
	if words != nil && !(node{kind: kindText, text: text}).oneOf(words) {
		l.badVariable(Origin{Name: name}, strconv.Quote(shorten(text)), i18n.WantOneOf, strings.Join(words, ", "))
		return
	}
	*field = text
	l.cfg.put(key, quote(text), Origin{Source: FromFlag, Name: name})
}

// hide shows only the beginning of a text that should be an address but may be a misplaced key.
func hide(s string) string {
	const most = 8
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}
