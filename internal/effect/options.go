package effect

import (
	"maps"
	"slices"
	"strings"
)

// tool says what the options and operands of a program mean. What is not listed is not known.
type tool struct {
	kind    string            // what its operands are, see tools
	numbers bool              // -5 is an option
	inert   bool              // none of its options, listed or not, writes, runs or connects
	short   map[byte]string   // option letter: kind of its value, "" for none
	long    map[string]string // option name likewise
}

// Kinds of an option's value and how far the option may be trusted, as written in tables after its
// name.
const (
	optValue = ":" // takes a value that is no file
	optFile  = "<" // takes a file that is read
	optOut   = ">" // takes a file that is written
	optMaybe = "?" // takes a value when it is glued to it
	optBad   = "!" // writes, runs or connects; may be followed by one of the others
)

// parsed is a command line read by the table of its program.
type parsed struct {
	operands []arg
	opts     map[string]arg // options by letter or name, with their last values
	given    []option       // all of them in order
	reads    []arg
	writes   []arg
	why      string // why the options cannot be trusted
	unclear  bool   // an option is not known, so that a word may be its value
}

type option struct {
	name  string
	value arg
}

// values are the values of an option that may be given more than once.
func (p *parsed) values(names ...string) []arg {
	var out []arg
	for _, o := range p.given {
		if slices.Contains(names, o.name) {
			out = append(out, o.value)
		}
	}
	return out
}

func (p *parsed) has(names ...string) bool {
	for _, n := range names {
		if _, ok := p.opts[n]; ok {
			return true
		}
	}
	return false
}

func (p *parsed) doubt(why string) {
	if p.why == "" {
		p.why = why
	}
}

// options reads the arguments of a program. Options may follow operands, as GNU programs allow.
func (t *tool) options(args []arg) *parsed {
	p := &parsed{opts: map[string]arg{}}
	only := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case only || !strings.HasPrefix(a.text, "-") || a.text == "-":
			if !only && !t.inert && mayBecomeOption(a) {
				p.doubt("an argument that may become an option")
			}
			p.operands = append(p.operands, a)
		case a.text == "--":
			only = true
		case strings.HasPrefix(a.text, "--"):
			i += t.longOption(p, args[i:])
		default:
			i += t.shortOptions(p, args[i:])
		}
	}
	return p
}

// mayBecomeOption reports an argument whose beginning is known only when it runs.
func mayBecomeOption(a arg) bool {
	return a.glob && strings.IndexAny(a.text, "*?[") == 0 || strings.HasPrefix(a.text, unknown) && !a.output()
}

// longOption reads --name, --name=value, --name value, and returns how many more arguments it took.
func (t *tool) longOption(p *parsed, args []arg) int {
	text := strings.TrimPrefix(args[0].text, "--")
	name, value, glued := strings.Cut(text, "=")
	kind, known := t.long[name]
	if !known {
		full := ""
		if full, kind, known = t.abbreviated(name); !known {
			p.opts["--"+name] = arg{text: value}
			p.doubt("option --" + shorten(name))
			p.unclear = p.unclear || !glued
			return 0
		}
		p.doubt("option --" + shorten(name))
		name = full
	}
	a := arg{text: value}
	kind, bad := strings.CutPrefix(kind, optBad)
	if bad {
		p.doubt("option --" + name)
	}
	used := 0
	if kind != "" && kind != optMaybe && !glued && len(args) > 1 {
		a, used = args[1], 1
	}
	p.option("--"+name, kind, a)
	return used
}

// abbreviated finds the only option that begins with a name.
func (t *tool) abbreviated(name string) (full, kind string, ok bool) {
	for n, k := range t.long {
		if name != "" && strings.HasPrefix(n, name) {
			if ok {
				return "", "", false
			}
			full, kind, ok = n, k, true
		}
	}
	return full, kind, ok
}

// shortOptions reads a cluster of letters.
func (t *tool) shortOptions(p *parsed, args []arg) int {
	text := args[0].text
	for j := 1; j < len(text); j++ {
		if text[j] >= '0' && text[j] <= '9' && t.numbers {
			continue
		}
		kind, known := t.short[text[j]]
		name := text[j : j+1]
		if !known {
			p.opts[name] = arg{}
			p.doubt("option -" + shorten(name))
			p.unclear = true
			continue
		}
		kind, bad := strings.CutPrefix(kind, optBad)
		if bad {
			p.doubt("option -" + name)
		}
		switch {
		case kind == "":
			p.option(name, kind, arg{})
			continue
		case j+1 < len(text) || kind == optMaybe:
			p.option(name, kind, arg{text: text[j+1:]})
			return 0
		case len(args) > 1:
			p.option(name, kind, args[1])
			return 1
		}
	}
	return 0
}

// option notes an option with its value.
func (p *parsed) option(name, kind string, value arg) {
	p.opts[name] = value
	p.given = append(p.given, option{name, value})
	if !value.known() {
		p.doubt("an option whose value is known only when it runs")
	}
	switch kind {
	case optFile:
		p.reads = append(p.reads, value)
	case optOut:
		p.writes = append(p.writes, value)
		p.doubt("an option that writes: " + name)
	}
}

// parseTools reads a table of programs: names separated by |, the kind of operands, letters, long names.
func parseTools(table string) map[string]*tool {
	out := map[string]*tool{}
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		kind, inert := strings.CutSuffix(words[1], "+inert")
		t := &tool{kind: kind, inert: inert, short: map[byte]string{}, long: map[string]string{}}
		for i, word := range words[2:] {
			if i == 0 {
				t.letters(word)
				continue
			}
			if from := out[word]; from != nil && word[0] == '@' {
				maps.Copy(t.short, from.short)
				maps.Copy(t.long, from.long)
				t.numbers = t.numbers || from.numbers
				continue
			}
			name := strings.TrimRight(word, optValue+optFile+optOut+optMaybe+optBad)
			if name == "-number" {
				t.numbers = true
				continue
			}
			t.long[name] = word[len(name):]
		}
		for name := range strings.SplitSeq(words[0], "|") {
			out[name] = t
		}
	}
	return out
}

// letters reads option letters with their kinds.
func (t *tool) letters(word string) {
	if word == "-" {
		return
	}
	for i := 0; i < len(word); i++ {
		end := i + 1
		for end < len(word) && strings.IndexByte(optValue+optFile+optOut+optMaybe+optBad, word[end]) >= 0 {
			end++
		}
		t.short[word[i]] = word[i+1 : end]
		i = end - 1
	}
}
