package jsontext

// Shape follows JSON text as it arrives and knows whether it stands in a string, how deep it is
// nested and where the first value ends. It does not validate: "complete" means that the brackets
// of an object or list are closed.
type Shape struct {
	InString bool // the text so far ends inside a string
	End      int  // length of the text up to the end of the first object or list, 0 = not there yet

	depth   int
	size    int
	escaped bool
	opened  bool
}

// Complete reports whether the first object or list is closed.
func (s *Shape) Complete() bool { return s.End > 0 }

// Write takes the next piece of the text.
func (s *Shape) Write(text string) {
	for i := range len(text) {
		s.put(text[i])
	}
}

func (s *Shape) put(c byte) {
	s.size++
	if s.InString {
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.InString = false
		}
		return
	}
	switch c {
	case '"':
		s.InString = true
	case '{', '[':
		s.depth++
		s.opened = true
	case '}', ']':
		s.depth--
		if s.opened && s.depth <= 0 && s.End == 0 {
			s.End = s.size
		}
	}
}
