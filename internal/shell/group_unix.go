//go:build !windows && !linux

package shell

import "golang.org/x/sys/unix"

// The group of a session's first process has its number. A group that is gone is no error.
func terminate(pid int) { _ = unix.Kill(-pid, unix.SIGTERM) }

func kill(pid int) { _ = unix.Kill(-pid, unix.SIGKILL) }

func groupAlive(pid int) bool { return unix.Kill(-pid, 0) == nil }
