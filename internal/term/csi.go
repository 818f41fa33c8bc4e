package term

import (
	"strconv"
	"strings"
)

// bracket reads a sequence that begins with ESC [: parameters, then a letter.
func bracket(b []byte, flush bool) (Key, int) {
	if len(b) > 2 && b[2] == '[' { // function keys of the Linux console: ESC [ [ A
		if len(b) == 3 {
			return unfinished(b, flush)
		}
		return Key{}, 4
	}
	i := 2
	for i < len(b) && b[i] >= 0x20 && b[i] <= 0x3f {
		i++
	}
	switch {
	case i > maxSequence:
		return Key{}, i
	case i == len(b):
		return unfinished(b, flush)
	case b[i] < 0x40 || b[i] > 0x7e: // broken off by something else
		return Key{}, i
	case b[i] == 'M' && i == 2: // a mouse report: three bytes follow
		if len(b) < 6 {
			return unfinished(b, flush)
		}
		return Key{}, 6
	}
	return sequence(string(b[2:i]), b[i]), i + 1
}

// sequence is the key of a complete ESC [ sequence.
func sequence(params string, final byte) Key {
	if strings.ContainsAny(params, "<=>?") {
		return Key{} // an answer to a question, not a key
	}
	nums := strings.Split(params, ";")
	switch final {
	case '~':
		return tilde(nums)
	case 'u':
		return modified(number(nums, 0, 0), nums, 1)
	case 'Z':
		return Key{Code: BackTab}
	}
	return modifiers(Key{Code: cursorCode(final)}, nums, 1)
}

// tilde is a key by number, and what xterm sends for modified keys: 27;MODIFIERS;CODE.
func tilde(nums []string) Key {
	switch number(nums, 0, 0) {
	case 1, 7:
		return modifiers(Key{Code: Home}, nums, 1)
	case 3:
		return modifiers(Key{Code: Delete}, nums, 1)
	case 4, 8:
		return modifiers(Key{Code: End}, nums, 1)
	case 5:
		return modifiers(Key{Code: PageUp}, nums, 1)
	case 6:
		return modifiers(Key{Code: PageDown}, nums, 1)
	case 27:
		return modified(number(nums, 2, 0), nums, 1)
	}
	return Key{}
}

// cursorCode is the key of a final letter.
func cursorCode(final byte) Code {
	switch final {
	case 'A':
		return Up
	case 'B':
		return Down
	case 'C':
		return Right
	case 'D':
		return Left
	case 'H':
		return Home
	case 'F':
		return End
	case 'M':
		return Enter // the keypad's, as ESC O M
	}
	return None
}

// keypad holds the signs of the keypad in the order of their codes from 57399 on in the kitty
// protocol (sw.kovidgoyal.net/kitty/keyboard-protocol).
const keypad = "0123456789./*-+"

// modified is a key that was reported by its code.
func modified(code int, nums []string, at int) Key {
	k := Key{}
	switch {
	case code == 27:
		k.Code = Esc
	case code == 13 || code == 57414:
		k.Code = Enter
	case code == 9:
		k.Code = Tab
	case code == 127 || code == 8:
		k.Code = Backspace
	case code >= 57399 && code < 57399+len(keypad):
		k = Key{Code: Text, Text: keypad[code-57399 : code-57398]}
	case code >= 57417 && code <= 57426:
		k.Code = [...]Code{Left, Right, Up, Down, PageUp, PageDown, Home, End, None, Delete}[code-57417]
	case code < 0x20 || code >= 0xE000 && code <= 0xF8FF || code > 0x10FFFF:
		return Key{} // a key without a character
	default:
		k = Key{Code: Text, Text: string(rune(code))}
	}
	return modifiers(k, nums, at)
}

// modifiers adds what was held down: 1 + (1 shift, 2 alt, 4 ctrl). A release is no key.
func modifiers(k Key, nums []string, at int) Key {
	held := number(nums, at, 1) - 1
	if at < len(nums) {
		if _, event, ok := strings.Cut(nums[at], ":"); ok && event == "3" {
			return Key{}
		}
	}
	k.Shift, k.Alt, k.Ctrl = held&1 != 0, held&2 != 0, held&4 != 0
	any := k.Shift || k.Alt || k.Ctrl
	switch {
	case k.Code == Enter && any:
		return Key{Code: NewLine}
	case k.Code == Tab && k.Shift:
		return Key{Code: BackTab}
	case k.Code != Text:
		return k
	case k.Ctrl && k.Text == "j":
		return Key{Code: NewLine}
	case k.Ctrl || k.Alt:
		k.Code, k.Text = Char, strings.ToLower(k.Text)
	case k.Shift:
		k.Text = strings.ToUpper(k.Text)
	}
	return k
}

// number is a parameter without what follows a colon, or a default.
func number(nums []string, i, missing int) int {
	if i >= len(nums) {
		return missing
	}
	s, _, _ := strings.Cut(nums[i], ":")
	n, err := strconv.Atoi(s)
	if err != nil {
		return missing
	}
	return n
}
