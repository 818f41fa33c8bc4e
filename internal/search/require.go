package search

import (
	"regexp/syntax"
	"slices"
)

// maxNeedles bounds the alternatives that are looked for one by one.
const maxNeedles = 8

// need is text of which one piece is in every match; without pieces nothing is known.
type need struct {
	needles []needle
	bits    int // how rare the most frequent one is, less their number
}

func needOf(needles ...needle) need {
	n := need{needles: needles, bits: 1 << 20}
	for i := range needles {
		n.bits = min(n.bits, needles[i].bits())
	}
	for k := len(needles); k > 1; k /= 2 {
		n.bits--
	}
	return n
}

// required finds what every match of a regular expression contains.
func required(re *syntax.Regexp) need {
	switch re.Op {
	case syntax.OpLiteral:
		return ofChars(charsOf(re))
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		return ofConcat(re.Sub)
	case syntax.OpAlternate:
		return ofAlternatives(re.Sub)
	}
	return need{}
}

func ofChars(chars []char) need {
	if n, ok := bestNeedle(chars); ok {
		n.lead = 0
		return needOf(n)
	}
	return need{}
}

func charsOf(re *syntax.Regexp) (chars []char) {
	for _, r := range re.Rune {
		if re.Flags&syntax.FoldCase != 0 {
			chars = append(chars, forms(r))
		} else {
			chars = append(chars, char{string(r)})
		}
	}
	return chars
}

// ofConcat takes the best of the parts. Literals side by side are one.
func ofConcat(parts []*syntax.Regexp) (best need) {
	better := func(n need) {
		if len(n.needles) > 0 && (len(best.needles) == 0 || n.bits > best.bits) {
			best = n
		}
	}
	var run []char
	for _, part := range parts {
		if part.Op == syntax.OpLiteral {
			run = append(run, charsOf(part)...)
			continue
		}
		better(ofChars(run))
		run = nil
		better(required(part))
	}
	better(ofChars(run))
	return best
}

// ofAlternatives needs something of each.
func ofAlternatives(alternatives []*syntax.Regexp) need {
	var all []needle
	for _, re := range alternatives {
		n := required(re)
		if len(n.needles) == 0 {
			return need{}
		}
		all = slices.Concat(all, n.needles)
	}
	if len(all) > maxNeedles {
		return need{}
	}
	return needOf(all...)
}
