// Command paicli is a coding agent for the terminal.
package main

import (
	"os"

	"paicli/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:]))
}
