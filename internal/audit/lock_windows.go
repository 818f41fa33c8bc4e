package audit

import (
	"os"
	"syscall"
	"unsafe"
)

// lockfileExclusiveLock is the flag of the Windows API; without another one the call waits.
const lockfileExclusiveLock = 2

// lock waits for the file and takes it until it is closed.
func lock(f *os.File) {
	var at syscall.Overlapped
	syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx").Call(f.Fd(), lockfileExclusiveLock, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
}
