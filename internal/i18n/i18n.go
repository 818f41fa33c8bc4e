// Package i18n holds every word that a person sees, in English and Chinese side by side, and the
// rule that picks the language. A message is a typed value, so a missing translation or a wrong
// name does not compile, there is nothing to look up and nothing runs at start.
//
// It is not for words that a model reads (those are English and live beside their tool or prompt),
// nor for flag names, configuration keys, JSON fields and error codes, which are never translated.
package i18n

import (
	"fmt"
	"strings"
)

// Text is one message in both languages. It may hold fmt verbs; both languages use the same
// arguments with the same verbs (a test sees to it), in any order by way of indexed verbs.
type Text struct{ EN, ZH string }

// Lang is a language of the screen. The zero value speaks English.
type Lang string

// The languages.
const (
	EN Lang = "en"
	ZH Lang = "zh"
)

// Say formats the text in the language.
func (l Lang) Say(t Text, args ...any) string {
	if l == ZH {
		return fmt.Sprintf(t.ZH, args...)
	}
	return fmt.Sprintf(t.EN, args...)
}

// Parse reads a language as a person writes it (en, zh, zh-CN, zh_TW, en_US.UTF-8). ok is false for
// any other language and for the empty string.
func Parse(s string) (lang Lang, ok bool) {
	tag, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(s)), ".")
	tag, _, _ = strings.Cut(tag, "@")
	tag, _, _ = strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	switch tag {
	case "zh":
		return ZH, true
	case "en":
		return EN, true
	}
	return EN, false
}

// Detect picks the language: the explicit wish of flag or configuration if there is one, else the
// first of PAICLI_LANG, LC_ALL, LC_MESSAGES and LANG that is not empty. Every language but Chinese,
// C and POSIX among them, means English.
func Detect(explicit string, getenv func(string) string) Lang {
	if explicit != "" {
		lang, _ := Parse(explicit)
		return lang
	}
	for _, name := range []string{"PAICLI_LANG", "LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			lang, _ := Parse(v)
			return lang
		}
	}
	return EN
}
