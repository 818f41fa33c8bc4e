//go:build unix && !linux

package tool

func selfExe(exe string) string { return exe }
