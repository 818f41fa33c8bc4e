package charset

// The structures and frequencies of the encodings of East Asia, by the layout of their tables: each
// puts its frequent characters (level 1) into a range of lead bytes of their own.

func in(c, from, to byte) bool { return c >= from && c <= to }

// pair is 2 when both bytes of a character are in their ranges.
func pair(lead, trail bool) int {
	if lead && trail {
		return 2
	}
	return 0
}

// second is the second byte, 0 when there is none.
func second(p []byte) byte {
	if len(p) < 2 {
		return 0
	}
	return p[1]
}

func sizeGB(p []byte) int {
	if !in(p[0], 0x81, 0xFE) {
		return 0
	}
	if len(p) >= 4 && in(p[1], '0', '9') && in(p[2], 0x81, 0xFE) && in(p[3], '0', '9') {
		return 4
	}
	return pair(true, in(second(p), 0x40, 0x7E) || in(second(p), 0x80, 0xFE))
}

func weightGB(p []byte) float64 {
	switch {
	case len(p) == 4:
		return 0.3
	case p[1] < 0xA1 || p[0] < 0xA1:
		return 0.15 // the extension of GBK
	case in(p[0], 0xB0, 0xD7):
		return 1 // level 1 of GB 2312
	case in(p[0], 0xA1, 0xA3):
		return 0.8 // punctuation, full width
	case in(p[0], 0xD8, 0xF7):
		return 0.5 // level 2
	}
	return 0.3
}

func sizeBig5(p []byte) int {
	return pair(in(p[0], 0x87, 0xFE), in(second(p), 0x40, 0x7E) || in(second(p), 0xA1, 0xFE))
}

func weightBig5(p []byte) float64 {
	switch {
	case in(p[0], 0xA4, 0xC6):
		return 1
	case in(p[0], 0xA1, 0xA3):
		return 0.8
	case in(p[0], 0xC9, 0xF9):
		return 0.4
	}
	return 0.1
}

func sizeSJIS(p []byte) int {
	if in(p[0], 0xA1, 0xDF) {
		return 1 // katakana of half width
	}
	return pair(in(p[0], 0x81, 0x9F) || in(p[0], 0xE0, 0xFC), in(second(p), 0x40, 0x7E) || in(second(p), 0x80, 0xFC))
}

func weightSJIS(p []byte) float64 {
	switch {
	case len(p) == 1:
		return 0.2
	case p[0] == 0x82 && in(p[1], 0x9F, 0xF1), p[0] == 0x83 && p[1] <= 0x96:
		return 1 // hiragana, katakana
	case in(p[0], 0x88, 0x97):
		return 0.9 // level 1
	case in(p[0], 0x81, 0x83):
		return 0.8
	case in(p[0], 0x98, 0x9F), in(p[0], 0xE0, 0xEA):
		return 0.4 // level 2
	}
	return 0.1
}

func sizeKR(p []byte) int {
	c := second(p)
	return pair(in(p[0], 0x81, 0xFE), in(c, 'A', 'Z') || in(c, 'a', 'z') || in(c, 0x81, 0xFE))
}

func weightKR(p []byte) float64 {
	switch {
	case p[1] < 0xA1 || p[0] < 0xA1:
		return 0.3 // the extension of Windows
	case in(p[0], 0xB0, 0xC8):
		return 1 // Hangul
	case in(p[0], 0xA1, 0xA3):
		return 0.8
	case in(p[0], 0xCA, 0xFD):
		return 0.2 // Chinese characters
	}
	return 0.1
}
