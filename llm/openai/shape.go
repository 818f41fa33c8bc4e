package openai

// jsonShape follows JSON text as it arrives and knows whether it stands in a string, how deep it is
// nested and where the first value ends. It does not validate: "complete" means that the brackets
// of an object or list are closed.
type jsonShape struct {
	depth    int
	inString bool
	escaped  bool
	opened   bool
	end      int // length of the text up to the end of the first object or list, 0 = not there yet
	size     int
}

// complete reports whether the first object or list is closed.
func (s *jsonShape) complete() bool { return s.end > 0 }

func (s *jsonShape) write(text string) {
	for i := range len(text) {
		s.put(text[i])
	}
}

func (s *jsonShape) put(c byte) {
	s.size++
	if s.inString {
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.inString = false
		}
		return
	}
	switch c {
	case '"':
		s.inString = true
	case '{', '[':
		s.depth++
		s.opened = true
	case '}', ']':
		s.depth--
		if s.opened && s.depth <= 0 && s.end == 0 {
			s.end = s.size
		}
	}
}
