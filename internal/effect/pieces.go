package effect

import "strings"

// pieces judges text without a syntax tree: it cuts the text where a command may begin, and judges
// the beginning of every piece. It sees less than the parser and knows no quotes, so it may take a
// word in a long text for a command; it is used only when nobody can say what the text does.
func (w *walker) pieces(text string) {
	if bomb(text) {
		w.deny(ForkBomb, text)
		return
	}
	// What the pieces seem to do is no knowledge, so that only what the rules say of them counts.
	probe := &walker{scan: newScan(w.at), dir: w.dir, depth: w.depth + 1}
	probe.left = w.left
	for len(text) > 0 && probe.out.Finding.Code == "" {
		piece, sep, rest := cutPiece(text)
		text = rest
		if argv := w.words(piece); len(argv) > 0 && argv[0].text != "$" && argv[0].text != "" {
			c := &cmd{walker: probe, argv: argv, out: Command{Text: piece}}
			c.judge()
			probe.in.download = isDownload(unwrapAll(argv)) || probe.in.download && sep == '|'
		}
		if sep != '|' {
			probe.in.download = false
		}
	}
	w.left = probe.left
	if f := probe.out.Finding; f.Code != "" {
		w.deny(f.Code, f.Command)
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
func (s *scan) words(piece string) []arg {
	var argv []arg
	for w := range strings.FieldsSeq(piece) {
		quoted := strings.HasPrefix(w, `"~`) || strings.HasPrefix(w, "'")
		w = strings.Map(plain, w)
		if !quoted {
			w = s.unescape(w, true)
			w = strings.ReplaceAll(w, "${HOME}", s.home)
			w = strings.ReplaceAll(w, "$HOME", s.home)
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
