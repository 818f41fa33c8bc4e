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
