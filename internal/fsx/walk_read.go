package fsx

import (
	"errors"
	"io"
)

// ErrTooLarge refuses a file that is larger than was asked for.
var ErrTooLarge = errors.New("the file is too large")

// firstBuffer holds most source files whole, in bytes.
const firstBuffer = 64 << 10

// grow makes the buffer larger, up to one byte more than the largest file that is wanted.
func (f *Item) grow(most int) {
	buf := make([]byte, min(max(firstBuffer, 4*len(f.buf)), most+1))
	copy(buf, f.buf)
	f.buf = buf
}

// readOpened reads a file by way of the root.
func (f *Item) readOpened(most int) ([]byte, error) {
	file, err := f.dir.tree.root.Open(Path{Rel: f.Path()})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for n := 0; ; {
		if n == len(f.buf) {
			f.grow(most)
		}
		got, err := file.Read(f.buf[n:])
		if n += got; n > most {
			return nil, ErrTooLarge
		}
		if errors.Is(err, io.EOF) {
			return f.buf[:n], nil
		}
		if err != nil {
			return nil, err
		}
	}
}
