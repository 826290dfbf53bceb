// Command tq is one durable task queue: see `tq --help`.
package main

import (
	"os"

	"example.com/tq/internal/cli"
)

func main() { os.Exit(cli.Main()) }
