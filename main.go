// Offrun lets several coding agents work on one task card, side by side. With
// arguments it is a command line; without, it says what there is.
package main

import (
	"context"
	"os"

	"offrun/backend/cli"
)

func main() {
	args := os.Args[1:]
	if len(args) == 0 {
		args = []string{"help"}
	}
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0] // as good as a shell's guess; it is run again to start a bench
	}
	os.Exit(cli.Main(context.Background(), cli.Env{
		Args: args, Environ: os.Environ(), Self: []string{program},
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}))
}
