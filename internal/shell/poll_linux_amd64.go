package shell

import "golang.org/x/sys/unix"

// polls reports whether a system call waits for several descriptors.
func polls(number int) bool {
	switch number {
	case unix.SYS_POLL, unix.SYS_PPOLL, unix.SYS_SELECT, unix.SYS_PSELECT6, unix.SYS_EPOLL_WAIT, unix.SYS_EPOLL_PWAIT:
		return true
	}
	return false
}
