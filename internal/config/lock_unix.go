//go:build !windows

package config

import (
	"errors"
	"os"
	"syscall"
)

func tryLock(name string) (func(), error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return func() { f.Close() }, nil
}

// busy reports whether somebody else has the lock.
func busy(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }
