package boundary

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// opens reports whether a character may be read as the bracket that opens a tag.
func opens(r rune) bool {
	switch r {
	case '<', 0xAB, 0x02C2, 0x1438, 0x2039, 0x2329, 0x276C, 0x276E, 0x27E8, 0x27EA, 0x3008, 0x300A, 0xFE64, 0xFF1C:
		return true
	}
	return false
}

// tag reports whether what stands behind a bracket may be read as the rest of a tool_result tag, open
// or closed: blanks and slashes in any number, then the name, in letters that look like its own, with
// at least one low line, dash or blank between its words. What has no width may stand anywhere.
func tag(s string) bool {
	s = skip(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/\\!?⁄∕⧸／＼", r) })
	s, ok := word(s, "tool")
	if !ok {
		return false
	}
	rest := skip(s, between)
	if !separated(s[:len(s)-len(rest)]) {
		return false
	}
	_, ok = word(rest, "result")
	return ok
}

func between(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Pc, r) || unicode.Is(unicode.Pd, r)
}

func separated(s string) bool { return strings.ContainsFunc(s, between) }

// word takes a word off the beginning of a text.
func word(s, w string) (rest string, ok bool) {
	for _, want := range w {
		s = skip(s, func(rune) bool { return false })
		r, size := utf8.DecodeRuneInString(s)
		if size == 0 || letter(r) != want {
			return s, false
		}
		s = s[size:]
	}
	return s, true
}

// skip leaves out the characters that may be skipped, those without a width and escape sequences.
func skip(s string, may func(rune) bool) string {
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == 0x1B && strings.HasPrefix(s, "\x1b["):
			const most = 32 // bytes of a sequence
			end := strings.IndexFunc(s[2:min(len(s), most)], func(r rune) bool { return r >= '@' && r < 0x7F })
			if end < 0 {
				return s
			}
			size = end + 3
		case !may(r) && !weightless(r):
			return s
		}
		s = s[size:]
	}
	return s
}

func weightless(r rune) bool {
	return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7F ||
		r >= 0x80 && (Weightless(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Mn, unicode.Me))
}

// letter is the small Latin letter as which a character of the name may be read.
func letter(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z' && r != 'I':
		return r + 'a' - 'A'
	case r < utf8.RuneSelf:
		return digitLike(r)
	case r >= 0xFF21 && r <= 0xFF3A:
		return r - 0xFF21 + 'a'
	case r >= 0xFF41 && r <= 0xFF5A:
		return r - 0xFF41 + 'a'
	case r >= 0x1D400 && r <= 0x1D6A3: // mathematical alphabets, each of 26 capitals and 26 small letters
		return 'a' + (r-0x1D400)%26
	case r >= 0x24B6 && r <= 0x24E9: // circled
		return 'a' + (r-0x24B6)%26
	case r >= 0x1D00 && r <= 0x1D7F, r >= 0x250 && r <= 0x2AF:
		return small(r)
	}
	return homoglyph(r)
}

func digitLike(r rune) rune {
	switch r {
	case '0':
		return 'o'
	case '1', 'I', '|':
		return 'l'
	}
	return r
}

// small are the small capitals of phonetic alphabets.
func small(r rune) rune {
	switch r {
	case 'ᴛ':
		return 't'
	case 'ᴏ':
		return 'o'
	case 'ʟ', 'ɩ':
		return 'l'
	case 'ʀ':
		return 'r'
	case 'ᴇ':
		return 'e'
	case 'ᴜ':
		return 'u'
	}
	return r
}

// homoglyph are letters of Greek, Cyrillic, Armenian and others (Unicode TR39, confusables).
func homoglyph(r rune) rune {
	switch r {
	case 'т', 'Т', 'τ', 'Τ':
		return 't'
	case 'о', 'О', 'ο', 'Ο', 'օ', 'σ', '०', '೦':
		return 'o'
	case 'ӏ', 'Ӏ', 'І', 'і', 'Ι', 'ι', 'ⅼ', 'Ⅼ', 'ǀ', '׀', '∣':
		return 'l'
	case 'г', 'Г', 'ꮁ', 'ᖇ':
		return 'r'
	case 'е', 'Е', 'ε', 'Ε', 'ё', 'є', 'ℯ':
		return 'e'
	case 'ѕ', 'Ѕ', 'ꜱ', 'ſ':
		return 's'
	case 'υ', 'ս', 'ц', 'ʋ':
		return 'u'
	}
	return r
}
