// Command paicli is a coding agent for the terminal.
package main

import (
	"os"

	"paicli/internal/cli"
	"paicli/internal/shell"
)

func main() {
	shell.Seclude()
	os.Exit(cli.Main(os.Args[1:]))
}
