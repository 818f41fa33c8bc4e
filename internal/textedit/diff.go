package textedit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Bounds on a comparison.
const (
	maxEdits    = 1000 // changed lines that are looked for one by one; more are shown as one block
	contextSize = 3    // unchanged lines around a change, as every diff program has it
)

// Diff is the comparison of two texts. Unified is its hunks; Cut reports that they were longer than
// asked for and end early. Added and Removed count the lines of the whole change.
type Diff struct {
	Unified string
	Added   int
	Removed int
	Cut     bool
}

// Compare compares two texts line by line. maxBytes bounds Unified, 0 = no bound.
func Compare(before, after string, maxBytes int) Diff {
	a, b := splitLines(before), splitLines(after)
	ops := script(a, b)
	var d Diff
	for _, op := range ops {
		switch op.kind {
		case '+':
			d.Added++
		case '-':
			d.Removed++
		}
	}
	var out strings.Builder
	for _, h := range hunks(ops) {
		if writeHunk(&out, h, maxBytes); maxBytes > 0 && out.Len() >= maxBytes {
			d.Cut = true
			break
		}
	}
	d.Unified = out.String()
	return d
}

// splitLines splits a text into lines with their ends.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// op is one line of a comparison: kept (' '), removed ('-') or added ('+'), with the numbers (from
// 1) that the next line has in either text before it.
type op struct {
	kind byte
	line string
	a, b int
}

// script lists the lines of a comparison in order.
func script(a, b []string) []op {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	kinds := middle(a[head:len(a)-tail], b[head:len(b)-tail])
	ops := make([]op, 0, head+len(kinds)+tail)
	x, y := 0, 0
	add := func(kind byte) {
		o := op{kind: kind, a: x + 1, b: y + 1}
		if kind == '+' {
			o.line = b[y]
		} else {
			o.line = a[x]
		}
		ops = append(ops, o)
		if kind != '+' {
			x++
		}
		if kind != '-' {
			y++
		}
	}
	for range head {
		add(' ')
	}
	for _, kind := range kinds {
		add(kind)
	}
	for range tail {
		add(' ')
	}
	return ops
}

// middle compares texts that differ at both ends by Myers' greedy algorithm ("An O(ND) Difference
// Algorithm", 1986). When too much differs, all of a is removed and all of b added.
func middle(a, b []string) []byte {
	limit := min(len(a)+len(b), maxEdits)
	zero := limit + 1 // where diagonal 0 is in v
	v := make([]int, 2*limit+3)
	var trace [][]int
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			x := v[zero+k-1] + 1
			if k == -d || k != d && v[zero+k-1] < v[zero+k+1] {
				x = v[zero+k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			v[zero+k] = x
			if x >= len(a) && x-k >= len(b) {
				return walkBack(trace, d, len(a), len(b))
			}
		}
		trace = append(trace, slices.Clone(v[zero-d:zero+d+1]))
	}
	return []byte(strings.Repeat("-", len(a)) + strings.Repeat("+", len(b)))
}

// walkBack reads the path of d edits to (x, y) out of the furthest points that fewer edits reach:
// trace[n] holds them for the diagonals -n to n.
func walkBack(trace [][]int, d, x, y int) []byte {
	var kinds []byte
	for ; d > 0; d-- {
		k, prev := x-y, trace[d-1]
		at := func(k int) int {
			if k < -(d-1) || k > d-1 {
				return -1
			}
			return prev[k+d-1]
		}
		down := k == -d || k != d && at(k-1) < at(k+1)
		px := at(k-1) + 1
		if down {
			px = at(k + 1)
		}
		for ; x > px; x, y = x-1, y-1 {
			kinds = append(kinds, ' ')
		}
		if down {
			kinds = append(kinds, '+')
			y--
		} else {
			kinds = append(kinds, '-')
			x--
		}
	}
	kinds = append(kinds, bytes.Repeat([]byte{' '}, x)...)
	slices.Reverse(kinds)
	return kinds
}

// hunks groups the changes with their context.
func hunks(ops []op) [][]op {
	var out [][]op
	from, last := -1, -1
	for i, o := range ops {
		if o.kind == ' ' {
			continue
		}
		if from >= 0 && i-last > 2*contextSize {
			out = append(out, ops[from:last+1+contextSize])
			from = -1
		}
		if from < 0 {
			from = max(0, i-contextSize)
		}
		last = i
	}
	if from >= 0 {
		out = append(out, ops[from:min(len(ops), last+1+contextSize)])
	}
	return out
}

func writeHunk(out *strings.Builder, h []op, maxBytes int) {
	na, nb := 0, 0
	for _, o := range h {
		if o.kind != '+' {
			na++
		}
		if o.kind != '-' {
			nb++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", extent(h[0].a, na), extent(h[0].b, nb))
	for _, o := range h {
		out.WriteByte(o.kind)
		out.WriteString(o.line)
		if !strings.HasSuffix(o.line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
		if maxBytes > 0 && out.Len() >= maxBytes {
			return
		}
	}
}

// extent writes the lines of a hunk in one text: the first and their number, the line before when
// there are none.
func extent(first, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", first-1)
	case 1:
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d,%d", first, n)
}
