package fsx

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two names of a directory in one step. Old kernels, gVisor and some file systems
// cannot do it.
func exchange(dir *os.File, a, b string) error {
	fd := int(dir.Fd())
	err := unix.Renameat2(fd, a, fd, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) {
		return errNoExchange
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}

// lease makes the system hold up whoever opens the file, until it is closed. It needs a file of our
// own on a file system that knows leases. Who opens without waiting gets EAGAIN.
func lease(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK)
	return err == nil
}
