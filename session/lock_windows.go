package session

import (
	"os"
	"syscall"
	"unsafe"
)

// The numbers are those of the Windows API.
const (
	lockfileFailImmediately = 1
	lockfileExclusiveLock   = 2
	errorLockViolation      = syscall.Errno(33)
)

// lockAt is far behind any log: a locked region cannot be read by others.
const lockAt = 1 << 30

func lockProc(name string, f *os.File, flags uintptr) error {
	at := &syscall.Overlapped{OffsetHigh: lockAt}
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc(name)
	var ok uintptr
	var err error
	if name == "LockFileEx" {
		ok, _, err = proc.Call(f.Fd(), flags, 0, 1, 0, uintptr(unsafe.Pointer(at)))
	} else {
		ok, _, err = proc.Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(at)))
	}
	if ok != 0 {
		return nil
	}
	return err
}

// lock takes the file for this process and reports whether it could.
func lock(f *os.File) bool {
	return lockProc("LockFileEx", f, lockfileFailImmediately|lockfileExclusiveLock) != errorLockViolation
}

func unlock(f *os.File) { lockProc("UnlockFileEx", f, 0) }
