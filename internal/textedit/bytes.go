package textedit

import (
	"bytes"
	"errors"

	"paicli/internal/charset"
)

// ErrMoved says that the bytes of a file are not where its text says. It would be a mistake of the
// program; nothing may be written then.
var ErrMoved = errors.New("the bytes around the change would not stay as they are")

// Apply puts edits of a text into the bytes that it was decoded from. Only the edits are encoded
// anew: all other bytes are those of data, and it is proven that they are the same text. Its errors
// are *charset.UnfitError, when the encoding does not have a character, and ErrMoved.
func Apply(data []byte, t charset.Text, edits []Edit) ([]byte, error) {
	p := patcher{data: data, encoding: t.Encoding}
	if t.BOM {
		if err := p.keep("\uFEFF"); err != nil {
			return nil, err
		}
	}
	done := 0
	for _, e := range edits {
		if err := p.keep(t.Text[done:e.From]); err != nil {
			return nil, err
		}
		if err := p.replace(t.Text[e.From:e.To], e.New); err != nil {
			return nil, err
		}
		done = e.To
	}
	if err := p.keep(t.Text[done:]); err != nil {
		return nil, err
	}
	return p.out, p.prove()
}

// patcher goes through the bytes of a file.
type patcher struct {
	data     []byte
	encoding charset.Encoding
	at       int // in data
	out      []byte
	kept     []kept
}

// kept is a piece of the file that stays as it is.
type kept struct{ from, to, size int }

// keep copies the bytes of a piece of text, which must be those at the current place.
func (p *patcher) keep(text string) error {
	size, err := p.size(text)
	if err != nil {
		return err
	}
	p.kept = append(p.kept, kept{from: p.at, to: len(p.out), size: size})
	p.out = append(p.out, p.data[p.at:p.at+size]...)
	p.at += size
	return nil
}

// replace leaves out the bytes of one piece of text and puts in those of another.
func (p *patcher) replace(old, repl string) error {
	fresh, err := p.encoding.Encode(repl)
	if err != nil {
		return err
	}
	size, err := p.size(old)
	p.out = append(p.out, fresh...)
	p.at += size
	return err
}

// size is how many bytes a piece of text takes at the current place.
func (p *patcher) size(text string) (int, error) {
	encoded, err := p.encoding.Encode(text)
	if err != nil || !bytes.HasPrefix(p.data[p.at:], encoded) {
		return 0, ErrMoved
	}
	return len(encoded), nil
}

// prove compares what was to stay with the file once more, now that all is done.
func (p *patcher) prove() error {
	if p.at != len(p.data) {
		return ErrMoved
	}
	for _, k := range p.kept {
		if !bytes.Equal(p.data[k.from:k.from+k.size], p.out[k.to:k.to+k.size]) {
			return ErrMoved
		}
	}
	return nil
}
