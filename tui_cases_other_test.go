//go:build !linux

package main

import "testing"

// runTUI needs a pseudo terminal, which these tests know on Linux only.
func runTUI(t *testing.T, _ uxCase) []string {
	t.Skip("no pseudo terminal")
	return nil
}
