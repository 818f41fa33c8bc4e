//go:build !linux && !darwin

package fsx

import "os"

// exchange has nothing to build on here.
func exchange(*os.File, string, string) error { return errNoExchange }

// lease: this system has none.
func lease(*os.File) bool { return false }
