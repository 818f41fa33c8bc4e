//go:build unix

package term

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// goOnWait is how long a stop may take to come into effect. Where nobody can continue a stopped
// program the system ignores the stop, and the program goes on after this time.
const goOnWait = 300 * time.Millisecond

// stop stops the whole process group, as the terminal does for Ctrl+Z, until somebody continues it.
func stop() {
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, syscall.SIGCONT)
	defer signal.Stop(goOn)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return
	}
	select {
	case <-goOn:
	case <-time.After(goOnWait):
	}
}

// Resized returns a channel that gets a value when the terminal changes its size, and a function
// that ends it.
func Resized() (<-chan os.Signal, func()) {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGWINCH)
	return ch, func() { signal.Stop(ch) }
}

// sequences does nothing: terminals understand control sequences here.
func sequences(*os.File) func() { return func() {} }
