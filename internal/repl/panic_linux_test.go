package repl

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"paicli/session"
)

// pty opens a pseudo terminal.
func pty(t *testing.T) (master, tty *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Skip(err)
	}
	var unlock, n int32
	ioctl(t, master, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	ioctl(t, master, syscall.TIOCGPTN, unsafe.Pointer(&n))
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	return master, tty
}

func ioctl(t *testing.T, f *os.File, request uintptr, arg unsafe.Pointer) {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(arg)); errno != 0 {
			t.Errorf("ioctl %#x: %v", request, errno)
		}
	})
}

// TestPanicGivesTerminalBack (sec-370): a crash of the goroutine that draws leaves the terminal as it
// was found, with every mode off that was switched on.
func TestPanicGivesTerminalBack(t *testing.T) {
	master, tty := pty(t)
	var before, after syscall.Termios
	ioctl(t, tty, syscall.TCGETS, unsafe.Pointer(&before))
	log, err := session.Create(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	// A turn that failed is explained, by a function that panics.
	if _, err := log.Thread("", 1).Append(&session.Said{By: session.ByUser, Text: "go"}, &session.TurnEnded{End: session.EndFailed, Failure: &session.Failure{Kind: "network"}}); err != nil {
		t.Fatal(err)
	}
	conv := &recorded{Log: log}
	seen := make(chan string)
	go func() {
		out, _ := io.ReadAll(master) // ends when the terminal is closed
		seen <- string(out)
	}()
	func() {
		defer func() {
			if r := recover(); r != "planted" {
				t.Errorf("no panic: %v", r)
			}
		}()
		Run(t.Context(), tty, tty, Options{
			Session: Session{Conv: conv}, Desk: noDesk{},
			Explain: func(*session.Failure, bool) (string, string) { panic("planted") },
		})
	}()
	ioctl(t, tty, syscall.TCGETS, unsafe.Pointer(&after))
	if before != after {
		t.Errorf("before %+v, after %+v", before, after)
	}
	tty.Close()
	select {
	case out := <-seen:
		for _, off := range []string{"\x1b[?2004l", "\x1b[<u", "\x1b[>4;0m", "\x1b[?25h"} {
			if !strings.Contains(out[strings.LastIndex(out, "\x1b[?2004h"):], off) {
				t.Errorf("%q is missing in %q", off, out)
			}
		}
	case <-time.After(10 * time.Second):
		t.Error("the terminal is still open")
	}
}
