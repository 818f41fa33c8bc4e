package effect

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds the words that braces may make of one.
const maxBraces = 64

// braces makes the words that brace alternatives stand for. What would be too many words is one
// word that is not known.
func braces(w *syntax.Word) []*syntax.Word {
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	if !syntax.SplitBraces(split) {
		return []*syntax.Word{w}
	}
	lists := [][]syntax.WordPart{nil}
	for _, part := range split.Parts {
		lists = extend(lists, part, 0)
		if len(lists) > maxBraces {
			return []*syntax.Word{split}
		}
	}
	words := make([]*syntax.Word, len(lists))
	for i, parts := range lists {
		words[i] = &syntax.Word{Parts: mergeLiterals(parts)}
	}
	return words
}

// mergeLiterals makes one literal of those that braces leave side by side.
func mergeLiterals(parts []syntax.WordPart) []syntax.WordPart {
	var out []syntax.WordPart
	for _, part := range parts {
		lit, ok := part.(*syntax.Lit)
		if last := len(out) - 1; ok && last >= 0 {
			if before, ok := out[last].(*syntax.Lit); ok {
				out[last] = &syntax.Lit{Value: before.Value + lit.Value}
				continue
			}
		}
		out = append(out, part)
	}
	return out
}

// extend appends every alternative of a part to every list.
func extend(lists [][]syntax.WordPart, part syntax.WordPart, depth int) [][]syntax.WordPart {
	choices := [][]syntax.WordPart{{part}}
	if b, ok := part.(*syntax.BraceExp); ok && b.Sequence {
		choices = sequence(b)
	} else if ok && depth < maxDepth {
		choices = nil
		for _, elem := range b.Elems {
			alts := [][]syntax.WordPart{nil}
			for _, p := range elem.Parts {
				if alts = extend(alts, p, depth+1); len(alts) > maxBraces {
					break
				}
			}
			choices = append(choices, alts...)
		}
	}
	var out [][]syntax.WordPart
	for _, l := range lists {
		for _, c := range choices {
			if len(out) > maxBraces {
				return out
			}
			out = append(out, append(append([]syntax.WordPart(nil), l...), c...))
		}
	}
	return out
}

// sequence makes the alternatives of {1..5} and {a..e}; the part itself when they are too many or their
// kind is another one.
func sequence(b *syntax.BraceExp) [][]syntax.WordPart {
	same := [][]syntax.WordPart{{b}}
	if len(b.Elems) != 2 {
		return same
	}
	from, to := b.Elems[0].Lit(), b.Elems[1].Lit()
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	name := func(i int) string { return strconv.Itoa(i) }
	if len(from) == 1 && len(to) == 1 && err1 != nil && err2 != nil {
		first, last, err1, err2 = int(from[0]), int(to[0]), nil, nil
		name = func(i int) string { return string(rune(i)) }
	}
	padded := len(from) > 1 && from[0] == '0' || len(to) > 1 && to[0] == '0'
	if err1 != nil || err2 != nil || padded || max(first, last)-min(first, last) >= maxBraces {
		return same
	}
	step := 1
	if last < first {
		step = -1
	}
	var out [][]syntax.WordPart
	for i := first; i != last+step; i += step {
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: name(i)}})
	}
	return out
}
