package fault

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strings"

	"paicli/llm"
)

// shortestSecret is the length from which a key is looked for in texts. Local servers are used with
// words such as "none" for a key, which must not be cut out of everything.
const shortestSecret = 8

// Secrets are the forms in which a key could appear in a text. The zero value hides nothing.
type Secrets []string

// NewSecrets lists the forms of a key.
func NewSecrets(key string) Secrets {
	if len(key) < shortestSecret {
		return nil
	}
	forms := Secrets{key, url.QueryEscape(key), url.PathEscape(key)}
	// Whole groups of three bytes only, so that a longer text that begins with the key matches.
	whole := []byte(key)[:len(key)/3*3]
	forms = append(forms, base64.StdEncoding.EncodeToString(whole), base64.URLEncoding.EncodeToString(whole))
	return forms
}

// Scrub takes the key out of everything that an error can print.
func (s Secrets) Scrub(err error) error {
	e := llm.AsError(err)
	if e == nil || len(s) == 0 {
		return err
	}
	hide := func(text string) string {
		for _, form := range s {
			text = strings.ReplaceAll(text, form, "***")
		}
		return text
	}
	e.Detail, e.URL, e.Code, e.Param = hide(e.Detail), hide(e.URL), hide(e.Code), hide(e.Param)
	if e.Err != nil {
		if text := e.Err.Error(); hide(text) != text {
			e.Err = errors.New(hide(text))
		}
	}
	return e
}
