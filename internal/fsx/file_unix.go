//go:build !windows

package fsx

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep an open from waiting for a pipe's other end.
const openFlags = syscall.O_NONBLOCK

// keepOwner gives a new file the owner of the one that it replaces. Only root can do it for
// others' files; for everybody else it changes nothing.
func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}
