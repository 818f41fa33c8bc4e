//go:build unix

package audit

import (
	"os"
	"syscall"
)

// lock waits for the file and takes it until it is closed. Where a file system knows no locks, lines
// are still whole, but two processes may name the same line before them.
func lock(f *os.File) {
	for syscall.Flock(int(f.Fd()), syscall.LOCK_EX) == syscall.EINTR {
	}
}
