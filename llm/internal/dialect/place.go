package dialect

// place knows where in a Markdown text a byte stands: at the beginning of a line, inside a code
// fence, between back ticks.
type place struct {
	words  bool // something other than white space came
	inLine bool // … in this line
	ticks  int  // length of the run of back ticks or tildes that ends here
	lead   bool // … and begins its line
	fence  byte // the sign of the open fence, 0 = none
	inline bool // between back ticks
}

// blank reports whether only white space came so far.
func (p *place) blank() bool { return !p.words }

// lineStart reports whether only white space came in this line.
func (p *place) lineStart() bool { return !p.inLine }

// code reports whether the next byte stands in code.
func (p *place) code() bool { return p.fence != 0 || p.inline }

func (p *place) put(c byte) {
	switch c {
	case '\n':
		p.inLine, p.inline, p.ticks = false, false, 0
		return
	case ' ', '\t', '\r':
		p.ticks = 0
		return
	case '`', '~':
		p.tick(c)
	default:
		p.ticks = 0
	}
	p.words, p.inLine = true, true
}

// tick counts a run of back ticks or tildes. Three that begin a line open or close a fence; a run
// of back ticks elsewhere opens or closes code within the line.
func (p *place) tick(c byte) {
	if p.ticks == 0 {
		p.lead = !p.inLine
	}
	p.ticks++
	fence := p.lead && p.ticks == 3
	switch {
	case fence && p.fence == 0:
		p.fence, p.inline = c, false
	case fence && p.fence == c:
		p.fence = 0
	case p.fence == 0 && c == '`' && p.ticks == 1:
		p.inline = !p.inline
	}
}
