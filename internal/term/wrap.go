package term

// Wrap breaks a line into rows of at most width cells, at blanks where there are any. It is printable
// text without styles, and all of it is in the rows.
func Wrap(line string, width int) []string {
	d := split(line)
	var rows []string
	from, cells := 0, 0
	for i := 0; i < len(d); i++ {
		w := d[i].width()
		if cells+w > width && i > from {
			to := blank(d, from, i)
			rows = append(rows, d[from:to].row())
			i, from, cells = to-1, to, 0
			continue
		}
		cells += w
	}
	return append(rows, d[from:].row())
}

// blank is where a row that overflows at unit i is best broken: behind its last blank, or, where the
// row would be short then, at i.
func blank(d Draft, from, i int) int {
	for at := i; at > from+(i-from)/2; at-- {
		if d[at-1].isSpace() {
			return at
		}
	}
	return allowed(d, from, i)
}
