//go:build !windows

package fsx

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipeIsNotOpened(t *testing.T) {
	r := project(t, Options{})
	if err := syscall.Mkfifo(filepath.Join(r.Dir(), "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	var kind *KindError
	if _, err := r.Open(Path{Rel: "pipe"}); !errors.As(err, &kind) || kind.Kind != "named pipe" {
		t.Errorf("Open: %v", err)
	}
	if err := r.Create(Path{Rel: "pipe"}, nil); !errors.As(err, &kind) {
		t.Errorf("Create: %v", err)
	}
	if err := r.Replace(Path{Rel: "pipe"}, nil, nil); !errors.As(err, &kind) {
		t.Errorf("Replace: %v", err)
	}
}
