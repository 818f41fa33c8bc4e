package effect

import "strings"

// sedReads reports whether a script of sed prints and edits only what it prints. What is not
// understood does not.
func sedReads(script string) bool {
	s := &sedScript{rest: script}
	for {
		s.rest = strings.TrimLeft(s.rest, " \t\n;{}")
		if s.rest == "" {
			return true
		}
		if s.rest[0] == '#' {
			return false
		}
		if !s.addresses() || !s.command() {
			return false
		}
	}
}

// sedWrites names the files that a script writes with w.
func sedWrites(script string) []string {
	var out []string
	for line := range strings.SplitSeq(script, "\n") {
		s := &sedScript{rest: strings.TrimLeft(line, " \t;{}")}
		for s.rest != "" && s.addresses() {
			if s.rest != "" && (s.rest[0] == 'w' || s.rest[0] == 'W') {
				out = append(out, strings.TrimSpace(s.rest[1:]))
				break
			}
			if s.rest == "" || !s.command() {
				if i := strings.LastIndex(line, "w "); i >= 0 && strings.HasPrefix(s.rest, "w") {
					out = append(out, strings.TrimSpace(line[i+2:]))
				}
				break
			}
			s.rest = strings.TrimLeft(s.rest, " \t;{}")
		}
	}
	return out
}

type sedScript struct{ rest string }

// addresses skips what stands before a command.
func (s *sedScript) addresses() bool {
	for range 2 {
		switch {
		case s.rest == "":
			return false
		case s.rest[0] == '/':
			if !s.delimited('/') {
				return false
			}
			s.rest = strings.TrimLeft(s.rest, "IM")
		default:
			s.rest = strings.TrimLeft(s.rest, "0123456789$~+")
		}
		s.rest = strings.TrimLeft(s.rest, " \t")
		if !strings.HasPrefix(s.rest, ",") {
			break
		}
		s.rest = strings.TrimLeft(s.rest[1:], " \t")
	}
	s.rest = strings.TrimLeft(s.rest, " \t!")
	return s.rest != ""
}

// command skips a command that writes, runs and reads no file.
func (s *sedScript) command() bool {
	ch := s.rest[0]
	s.rest = s.rest[1:]
	switch {
	case ch == '{' || ch == '}':
		return true
	case strings.IndexByte("p=dDPnNhHgGxlz", ch) >= 0:
	case ch == 'q' || ch == 'Q':
		s.rest = strings.TrimLeft(s.rest, " 0123456789")
	case strings.IndexByte(":btT", ch) >= 0: // labels, and jumps to them
		s.rest = strings.TrimLeft(strings.TrimLeft(s.rest, " "), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	case ch == 's' || ch == 'y':
		if !s.substitute(ch) {
			return false
		}
	default:
		return false
	}
	s.rest = strings.TrimLeft(s.rest, " \t")
	return s.rest == "" || strings.IndexByte(";}\n", s.rest[0]) >= 0
}

// substitute skips the parts of s and y and the flags that only choose what is printed.
func (s *sedScript) substitute(ch byte) bool {
	if s.rest == "" || s.rest[0] == '\n' || s.rest[0] == '\\' {
		return false
	}
	end := s.rest[0]
	if !s.delimited(end) {
		return false
	}
	if !s.parted(0, end) {
		return false
	}
	if ch == 's' {
		s.rest = strings.TrimLeft(s.rest, "gpiI0123456789")
	}
	return true
}

// delimited skips text up to its delimiter. Implementations differ on a delimiter between brackets.
func (s *sedScript) delimited(end byte) bool { return s.parted(1, end) }

// parted does so from a place on.
func (s *sedScript) parted(from int, end byte) bool {
	bracket := false
	for i := from; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '\\':
			i++
		case c == '\n':
			return false
		case c == end:
			if bracket {
				return false
			}
			s.rest = s.rest[i+1:]
			return true
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		}
	}
	return false
}
