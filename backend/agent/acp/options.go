package acp

import (
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"time"
)

// Options are what the client runs with.
type Options struct {
	Args    []string // flags, "--", the argument list of the agent's program
	Environ []string // of the agent: "K=V"
	Dir     string   // its worktree, absolute; it runs there
	Version string   // of this program, which the agent is told
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  *os.File // the agent gets it as it is
}

// flags are what Args say; see arguments, which writes them.
type flags struct {
	permissions string
	modes       []string // the first that is offered is set
	model       string
	session     string // to go on with; "" begins one
	scratch     string
	inbox       string // "" means that nobody answers
	patience    time.Duration
	variable    string // that tells where program is
	program     string
	argv        []string
}

func parse(args []string) (flags, error) {
	var f flags
	set := flag.NewFlagSet("acp", flag.ContinueOnError)
	set.SetOutput(io.Discard) // the error says it
	set.StringVar(&f.permissions, "permissions", "", "")
	set.Func("mode", "", func(id string) error { f.modes = append(f.modes, id); return nil })
	set.StringVar(&f.model, "model", "", "")
	set.StringVar(&f.session, "session", "", "")
	set.StringVar(&f.scratch, "scratch", "", "")
	set.StringVar(&f.inbox, "inbox", "", "")
	set.DurationVar(&f.patience, "patience", usualPatience, "")
	set.Func("program", "", func(s string) error {
		var ok bool
		if f.variable, f.program, ok = strings.Cut(s, "="); !ok {
			return errors.New("VARIABLE=PROGRAM is wanted")
		}
		return nil
	})
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if f.argv = set.Args(); len(f.argv) == 0 {
		return f, errors.New("no program to speak to")
	}
	return f, nil
}
