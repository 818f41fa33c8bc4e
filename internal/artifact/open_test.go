package artifact

import (
	"strings"
	"testing"

	"paicli/internal/secret"
)

func TestOpen(t *testing.T) {
	s, dir := newStore(t, Options{Secrets: secret.New([]string{"sk-1"})})
	f, path, err := s.Open("job")
	if err != nil || path != outputs+"/session-1/001-job.txt" {
		t.Fatalf("%q, %v", path, err)
	}
	for _, piece := range []string{"one sk", "-1\ntw", "o\nthree sk-1"} {
		if _, err := f.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, dir, path); got != "one [secret]\ntwo\nthree [secret]" {
		t.Errorf("while it grows: %q", got)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, path); got != "one [secret]\ntwo\nthree [secret]" {
		t.Errorf("at the end: %q", got)
	}
}

func TestOpenIsBounded(t *testing.T) {
	s, dir := newStore(t, Options{})
	f, path, err := s.Open("job")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 * maxOpen / (1 << 20) {
		if _, err := f.Write([]byte(strings.Repeat("x", 1<<20-1) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, path); len(got) > maxOpen+len(notice) || !strings.HasSuffix(got, notice) {
		t.Errorf("%d bytes", len(got))
	}
}
