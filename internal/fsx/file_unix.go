//go:build !windows

package fsx

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep an open from waiting for a pipe's other end.
const openFlags = syscall.O_NONBLOCK

// keepOwner gives a new file the owner and group of the one that it replaces, or at least the group.
// For most people both are theirs already, and only root can give files away.
func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok && f.Chown(int(st.Uid), int(st.Gid)) != nil {
		_ = f.Chown(-1, int(st.Gid))
	}
}

// tryLock takes the lock of a file for as long as it is open, or returns EAGAIN when somebody else
// has it.
func tryLock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
