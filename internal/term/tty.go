package term

import (
	"fmt"
	"os"
	"sync"

	xterm "golang.org/x/term"
)

// Terminal is a terminal in raw mode: every key comes at once and none has an effect of its own. It
// must be closed on every way out of the program; Close may be called several times and by several
// goroutines.
type Terminal struct {
	in, out *os.File
	mu      sync.Mutex
	saved   *xterm.State // nil when the terminal is as it was found
	restore func()       // undoes what the system needs beside raw mode
}

// What is asked of the terminal, and how it is taken back: pastes in brackets, keys with modifiers
// by the kitty protocol and by xterm's. Those that do not know them ignore them.
const (
	enter = "\x1b[?2004h\x1b[>1u\x1b[>4;1m"
	leave = "\x1b[<u\x1b[>4;0m\x1b[?2004l\x1b[?2026l\x1b[?25h\x1b[m"
)

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return xterm.IsTerminal(int(f.Fd())) }

// OpenTerminal puts the terminal into raw mode.
func OpenTerminal(in, out *os.File) (*Terminal, error) {
	t := &Terminal{in: in, out: out}
	return t, t.raw()
}

func (t *Terminal) raw() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	saved, err := xterm.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return fmt.Errorf("set terminal: %w", err)
	}
	t.saved, t.restore = saved, sequences(t.out)
	t.out.WriteString(enter)
	return nil
}

// Close gives the terminal back as it was found.
func (t *Terminal) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.saved == nil {
		return nil
	}
	t.out.WriteString(leave)
	err := xterm.Restore(int(t.in.Fd()), t.saved)
	t.restore()
	t.saved = nil
	if err != nil {
		return fmt.Errorf("restore terminal: %w", err)
	}
	return nil
}

// Suspend gives the terminal back, stops the program as Ctrl+Z does, and takes the terminal again
// when it goes on.
func (t *Terminal) Suspend() error {
	if err := t.Close(); err != nil {
		return err
	}
	stop()
	return t.raw()
}

// Size is the terminal's size in cells. One that does not know its size counts as 80×24.
func (t *Terminal) Size() (columns, rows int) { return Size(t.out) }

// Size is the size in cells of the terminal that a file is.
func Size(f *os.File) (columns, rows int) {
	columns, rows, err := xterm.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 || rows <= 0 {
		return 80, 24
	}
	return columns, rows
}
