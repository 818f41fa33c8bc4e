package boundary

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Characters that have no width, by what decides whether they mean something.
type kind int

const (
	visible   kind = iota
	hidden         // never of use in a text
	joiner         // shapes letters and emoji
	direction      // orders letters of scripts from the right
	selector       // picks one of several forms of what stands before it
)

// kindOf tells the characters apart. The ranges are the Default_Ignorable_Code_Points of Unicode, the
// bidirectional embeddings, overrides and isolates, the annotation anchors and the musical controls.
func kindOf(r rune) kind {
	switch {
	case r < 0xAD:
		return visible
	case r == 0x200C, r == 0x200D:
		return joiner
	case r == 0x200E, r == 0x200F, r == 0x061C:
		return direction
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r >= 0x180B && r <= 0x180D, r == 0x180F:
		return selector
	case r == 0xAD, r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x180E, r == 0x200B,
		r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F, r == 0x3164, r == 0xFEFF, r == 0xFFA0,
		r >= 0xFFF0 && r <= 0xFFFB, r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A, r >= 0xE0000 && r <= 0xE0FFF:
		return hidden
	}
	return visible
}

// sight goes through a text and knows what stood before a character.
type sight struct {
	before rune
	kind   kind // of before
}

// hides reports whether the next character cannot be seen and does nothing for what can. One joiner,
// direction mark or selector counts where its script or emoji has use for it; a run of them is a
// message to somebody else.
func (s *sight) hides(r rune) bool {
	k := kindOf(r)
	if k != visible && !s.allows(r, k) {
		return true
	}
	s.before, s.kind = r, k
	return false
}

func (s *sight) allows(r rune, k kind) bool {
	beyond := s.before >= utf8.RuneSelf && !unicode.IsSpace(s.before)
	switch k {
	case joiner:
		return beyond && (s.kind == visible || s.kind == selector)
	case direction:
		return s.kind == visible || s.kind == selector
	case selector:
		switch {
		case s.kind != visible:
			return false
		case r >= 0xE0100:
			return unicode.Is(unicode.Han, s.before)
		case r < 0xFE00:
			return unicode.Is(unicode.Mongolian, s.before)
		}
		return beyond || strings.ContainsRune("0123456789#*", s.before) // keycaps
	}
	return false
}

// blackFlag begins the flags of regions: it, three to six tag letters or digits, and the end of tags
// (UTS #51, emoji tag sequences).
const (
	blackFlag = 0x1F3F4
	endOfTags = 0xE007F
)

// flag is the length in bytes of the flag that a text begins with, 0 if it begins with none.
func flag(s string) int {
	at := utf8.RuneLen(blackFlag)
	for n := 0; n <= 6; n++ {
		r, size := utf8.DecodeRuneInString(s[at:])
		at += size
		switch {
		case r == endOfTags && n >= 3:
			return at
		case r >= 0xE0030 && r <= 0xE0039, r >= 0xE0061 && r <= 0xE007A:
		default:
			return 0
		}
	}
	return 0
}

// Mark puts something visible in the place of each character that cannot be seen and does nothing
// for what can. A text without any comes back as it is.
func Mark(s string, mark func(r rune) string) string {
	edits := find(s, false)
	for i := range edits {
		edits[i].to = mark(edits[i].gone)
	}
	return apply(s, edits)
}

// Weightless reports whether a character has no width of its own, wherever it stands.
func Weightless(r rune) bool { return kindOf(r) != visible }
