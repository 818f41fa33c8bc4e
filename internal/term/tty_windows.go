package term

import (
	"os"
	"syscall"
)

// stop does nothing: there is no job control here.
func stop() {}

// Resized returns a channel that stays silent: the size is read with every frame.
func Resized() (<-chan os.Signal, func()) { return nil, func() {} }

// vt switches control sequences of the output on (ENABLE_VIRTUAL_TERMINAL_PROCESSING).
const vt = 0x4

// sequences makes the console understand control sequences and returns what undoes it.
func sequences(out *os.File) func() {
	h := syscall.Handle(out.Fd())
	var mode uint32
	if syscall.GetConsoleMode(h, &mode) != nil {
		return func() {}
	}
	set := func(m uint32) {
		syscall.NewLazyDLL("kernel32.dll").NewProc("SetConsoleMode").Call(uintptr(h), uintptr(m))
	}
	set(mode | vt)
	return func() { set(mode) }
}
