package term

import (
	"slices"
	"strings"
)

// Editor is a text field of one or more lines, with what was entered before. The zero value is
// ready. It is not for concurrent use.
type Editor struct {
	// Label makes the label of a long paste, from its number and how many lines it has; nil shows
	// every paste in full.
	Label func(n, lines int) string

	text   Draft
	at     int   // the cursor stands before this unit
	killed Draft // by the last Ctrl+K, Ctrl+U or Ctrl+W
	pastes int
	width  int // of a row at the last layout, for moving up and down
	lead   int // cells that the prompt takes
	past   past
}

// A paste is shown by its label from this many lines or bytes on.
const (
	longLines = 4
	longBytes = 1000
)

// Text is what was entered, pastes in full.
func (e *Editor) Text() string { return e.text.Text() }

// Draft is what was entered.
func (e *Editor) Draft() Draft { return slices.Clone(e.text) }

// Empty reports whether nothing was entered.
func (e *Editor) Empty() bool { return len(e.text) == 0 }

// Set replaces the text and puts the cursor at its end.
func (e *Editor) Set(d Draft) {
	e.text, e.at = slices.Clone(d), len(d)
	e.past.at = 0
}

// Take empties the editor and returns what was in it.
func (e *Editor) Take() Draft {
	d := e.text
	e.text, e.at = nil, 0
	e.past.at = 0
	return d
}

// Before reports whether the text before the cursor ends with a suffix.
func (e *Editor) Before(suffix string) bool { return strings.HasSuffix(e.text[:e.at].Text(), suffix) }

// Do carries out an editing key and reports whether it was one.
func (e *Editor) Do(k Key) bool {
	switch k.Code {
	case Text:
		e.Insert(k.Text)
	case Paste:
		e.paste(k.Text)
	case NewLine:
		e.Insert("\n")
	case Backspace:
		e.rub(k)
	case Delete:
		e.remove(e.at, e.at+1)
	case Left, Right, Home, End:
		e.move(k)
	case Up:
		e.up()
	case Down:
		e.down()
	case Char:
		return e.letter(k)
	default:
		return false
	}
	return true
}

// Insert types a text at the cursor. A mark that combines with what stands before it joins it.
func (e *Editor) Insert(text string) {
	from := e.at
	if from > 0 && e.text[from-1].label == "" && e.text[from-1].text != "\n" {
		from--
		text = e.text[from].text + text
	}
	e.put(from, split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)))
}

// put replaces what stands between a place and the cursor.
func (e *Editor) put(from int, d Draft) {
	e.text = slices.Replace(e.text, from, e.at, d...)
	e.at = from + len(d)
	e.past.at = 0
}

func (e *Editor) paste(text string) {
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if e.Label == nil || lines < longLines && len(text) <= longBytes {
		e.Insert(text)
		return
	}
	e.pastes++
	e.put(e.at, Draft{{text: text, label: e.Label(e.pastes, lines)}})
}

// rub deletes backwards: a unit, or with Alt or Ctrl a word.
func (e *Editor) rub(k Key) {
	if k.Alt || k.Ctrl {
		e.kill(e.wordLeft(), e.at)
		return
	}
	e.remove(e.at-1, e.at)
}

func (e *Editor) remove(from, to int) {
	from, to = max(from, 0), min(to, len(e.text))
	if from >= to {
		return
	}
	e.text = slices.Delete(slices.Clone(e.text), from, to)
	e.at = from
	e.past.at = 0
}

func (e *Editor) kill(from, to int) {
	if from < to {
		e.killed = slices.Clone(e.text[from:to])
		e.remove(from, to)
	}
}

func (e *Editor) move(k Key) {
	word := k.Alt || k.Ctrl
	switch {
	case k.Code == Home:
		e.at = e.lineStart()
	case k.Code == End:
		e.at = e.lineEnd()
	case k.Code == Left && word:
		e.at = e.wordLeft()
	case k.Code == Right && word:
		e.at = e.wordRight()
	case k.Code == Left:
		e.at = max(e.at-1, 0)
	case k.Code == Right:
		e.at = min(e.at+1, len(e.text))
	}
}

// letter is an editing key with Ctrl or Alt, as readline has them.
func (e *Editor) letter(k Key) bool {
	switch {
	case k.IsCtrl("a"):
		e.at = e.lineStart()
	case k.IsCtrl("e"):
		e.at = e.lineEnd()
	case k.IsCtrl("b"):
		e.at = max(e.at-1, 0)
	case k.IsCtrl("f"):
		e.at = min(e.at+1, len(e.text))
	case k.IsCtrl("h"):
		e.remove(e.at-1, e.at)
	case k.IsCtrl("d"):
		e.remove(e.at, e.at+1)
	case k.IsCtrl("k"):
		e.kill(e.at, max(e.lineEnd(), min(e.at+1, len(e.text))))
	case k.IsCtrl("u"):
		e.kill(e.lineStart(), e.at)
	case k.IsCtrl("w"):
		e.kill(e.blankLeft(), e.at)
	case k.IsCtrl("y"):
		e.put(e.at, e.killed)
	case k.IsCtrl("p"):
		e.up()
	case k.IsCtrl("n"):
		e.down()
	case k.IsAlt("b"):
		e.at = e.wordLeft()
	case k.IsAlt("f"):
		e.at = e.wordRight()
	case k.IsAlt("d"):
		e.kill(e.at, e.wordRight())
	default:
		return false
	}
	return true
}

func (e *Editor) lineStart() int {
	at := e.at
	for at > 0 && !e.text[at-1].breaks() {
		at--
	}
	return at
}

func (e *Editor) lineEnd() int {
	at := e.at
	for at < len(e.text) && !e.text[at].breaks() {
		at++
	}
	return at
}

// breaks reports whether the unit is the end of a line.
func (u unit) breaks() bool { return u.label == "" && u.text == "\n" }

// wordLeft is the beginning of the word before the cursor: letters and digits, as Alt+B has it.
func (e *Editor) wordLeft() int {
	at := e.at
	for at > 0 && !e.text[at-1].isWord() {
		at--
	}
	for at > 0 && e.text[at-1].isWord() {
		at--
	}
	return at
}

func (e *Editor) wordRight() int {
	at := e.at
	for at < len(e.text) && !e.text[at].isWord() {
		at++
	}
	for at < len(e.text) && e.text[at].isWord() {
		at++
	}
	return at
}

// blankLeft is the beginning of what stands between blanks before the cursor, as Ctrl+W has it.
func (e *Editor) blankLeft() int {
	at := e.at
	for at > 0 && e.text[at-1].isSpace() {
		at--
	}
	for at > 0 && !e.text[at-1].isSpace() {
		at--
	}
	return at
}
