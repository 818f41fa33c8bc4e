package search

import (
	"context"
	"io"
	"unicode/utf8"
)

// runes reads a text until ctx ends, for a match that may take long.
type runes struct {
	ctx  context.Context
	text []byte
	n    int
}

// ReadRune implements io.RuneReader.
func (r *runes) ReadRune() (rune, int, error) {
	if r.n++; len(r.text) == 0 || r.n%1024 == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	c, size := utf8.DecodeRune(r.text)
	r.text = r.text[size:]
	return c, size, nil
}
