//go:build unix

package session

import (
	"os"
	"syscall"
)

// lock takes the file for this process and reports whether it could. The system gives it back when
// the process ends, however it ends. Where a file system knows no locks, the file counts as taken
// by nobody else.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != syscall.EWOULDBLOCK
}

func unlock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
