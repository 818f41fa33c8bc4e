package fsx

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two names of a directory in one step. Only APFS and HFS+ can do it.
func exchange(dir *os.File, a, b string) error {
	fd := int(dir.Fd())
	err := unix.RenameatxNp(fd, a, fd, b, unix.RENAME_SWAP)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		return errNoExchange
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}

// lease: this system has none.
func lease(*os.File) bool { return false }
