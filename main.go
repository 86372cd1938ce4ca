// Command hobnob is a client for the Agent Chat Service.
package main

import (
	"os"

	"github.com/hobnob-cli/hobnob/cmd"
)

//go:generate go run . completion --dir completions
//go:generate go run . man --dir docs/man
//go:generate go run . reference docs/cli

func main() { os.Exit(cmd.Main()) }
