package term

// Key is one key press, or a piece of text that arrived at once: typed, from an input method, or
// pasted.
type Key struct {
	Code  Code
	Text  string // of Text, Paste and Char
	Ctrl  bool
	Alt   bool
	Shift bool
}

// Code says which key.
type Code int

// The keys. Sequences that mean nothing here make no key at all.
const (
	None    Code = iota
	Text         // Text holds what was typed
	Paste        // Text holds what was pasted, line ends as \n
	Char         // Text holds a letter or sign that came with Ctrl or Alt
	Enter        // Return alone
	NewLine      // Return with a modifier, or Ctrl+J
	Tab
	BackTab
	Esc
	Backspace
	Delete
	Up
	Down
	Left
	Right
	Home
	End
	PageUp
	PageDown
)

// IsCtrl reports whether the key is Ctrl and this letter.
func (k Key) IsCtrl(letter string) bool {
	return k.Code == Char && k.Ctrl && !k.Alt && k.Text == letter
}

// IsAlt reports whether the key is Alt and this letter.
func (k Key) IsAlt(letter string) bool {
	return k.Code == Char && k.Alt && !k.Ctrl && k.Text == letter
}
