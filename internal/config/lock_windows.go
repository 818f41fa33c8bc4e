package config

import (
	"errors"
	"os"
	"syscall"
)

// tryLock opens the file for this process alone.
func tryLock(name string) (func(), error) {
	p, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(p, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return func() { syscall.CloseHandle(h) }, nil
}

// busy reports whether somebody else has the file: ERROR_SHARING_VIOLATION.
func busy(err error) bool { return errors.Is(err, syscall.Errno(32)) }
