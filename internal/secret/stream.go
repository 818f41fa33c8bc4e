package secret

// Stream scrubs a text that comes in pieces. A value is found also where it is cut: what may be the
// beginning of one is held back until more has come, or the end. It is for one goroutine.
type Stream struct {
	scrubber *Scrubber
	emit     func(text string)
	held     string
}

// Stream makes a stream that hands scrubbed text on to emit.
func (s *Scrubber) Stream(emit func(text string)) *Stream { return &Stream{scrubber: s, emit: emit} }

// Write takes a piece.
func (t *Stream) Write(text string) {
	out, rest := t.scrubber.scrub(t.held+text, false)
	if over := len(rest) - 8*t.scrubber.most; over > 0 { // no value is so long, however it is spelt
		clean := t.scrubber.Text(rest)
		out, rest = out+clean, ""
	}
	t.held = rest
	if out != "" {
		t.emit(out)
	}
}

// Close hands on what was held back.
func (t *Stream) Close() {
	if t.held != "" {
		t.emit(t.scrubber.Text(t.held))
		t.held = ""
	}
}
