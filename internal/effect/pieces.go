package effect

import "strings"

// pieces judges text without a syntax tree: it cuts the text where a command may begin, and judges
// the beginning of every piece. It sees less than the parser and knows no quotes, so it may take a
// word in a long text for a command; it is used only when nobody can say what the text does.
func (s *scan) pieces(text, dir string, depth int) {
	if bomb(text) {
		s.deny(ForkBomb, text)
		return
	}
	download := false
	for len(text) > 0 && !s.done() {
		piece, sep, rest := cutPiece(text)
		text = rest
		if argv := words(piece); len(argv) > 0 {
			inner := unwrapAll(argv)
			s.command(argv, input{download: download}, dir, depth+maxDepth)
			download = isDownload(inner) || download && sep == '|'
		}
		if sep != '|' {
			download = false
		}
	}
}

// cutPiece takes the text up to the next character that may begin a command.
func cutPiece(text string) (piece string, sep byte, rest string) {
	i := strings.IndexAny(text, ";|&\n(){}`")
	if i < 0 {
		return text, 0, ""
	}
	sep, rest = text[i], text[i+1:]
	if sep == '|' && strings.HasPrefix(rest, "|") {
		sep, rest = ';', rest[1:]
	}
	return text[:i], sep, rest
}

// maxPieceWords bounds the arguments of a piece that are looked at.
const maxPieceWords = 64

// words splits a piece at blanks and takes quotes and backslashes off.
func words(piece string) []arg {
	var argv []arg
	for w := range strings.FieldsSeq(piece) {
		quoted := strings.HasPrefix(w, `"~`) || strings.HasPrefix(w, "'")
		w = strings.Map(plain, w)
		if !quoted {
			w = unescape(w, true)
			w = strings.ReplaceAll(w, "${HOME}", home)
			w = strings.ReplaceAll(w, "$HOME", home)
		}
		if argv = append(argv, arg{text: w}); len(argv) == maxPieceWords {
			break
		}
	}
	return argv
}

// plain drops the characters of quoting.
func plain(r rune) rune {
	if r == '"' || r == '\'' || r == '\\' || r == 0 {
		return -1
	}
	return r
}

// bomb looks for name(){name|name&};name whatever its blanks.
func bomb(text string) bool {
	flat := strings.Join(strings.Fields(text), "")
	for at := 0; ; {
		i := strings.Index(flat[at:], "(){")
		if i < 0 {
			return false
		}
		at += i
		name := flat[strings.LastIndexAny(flat[:at], ";&|\n (){}")+1 : at]
		if name != "" && strings.HasPrefix(flat[at+3:], name+"|"+name+"&") {
			return true
		}
		at += 3
	}
}
