package shell

import (
	"math"

	"golang.org/x/sys/unix"
)

// Seclude keeps children of this program from what is its own, for as long as it runs: its memory and
// its first environment, which every process of the same user could read, descriptors that it
// inherited, and room for core files. It is for the start of the program, before other goroutines
// open anything. A child that runs as root can read all the same. What the system does not offer is
// left out.
func Seclude() {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) // they stay open here
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}
