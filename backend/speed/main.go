// Package main measures how fast Offrun is, each time against what the same costs
// by the plain git commands that a person would type. make bench runs it: one line
// a measurement, and all of them in bench.json.
//
// Measured is the real program, over its socket, or the very functions that it
// calls, with the real git, in a folder and an environment of its own. What is
// compared is done in turns on the same tree, so that both meet the same machine.
// A bar that is missed is reported; the program fails only if it cannot measure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// A trial measures one thing, or some that belong together.
type trial struct {
	name string
	do   func(context.Context, *lab) ([]Measurement, error)
}

// trials are in the order in which they are made. They share the big repository,
// whose trunk moves in the trial "result".
var trials = []trial{
	{"start", runStart},
	{"together", runsTogether},
	{"result", results},
	{"list", runList},
	{"flood", flood},
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "agent" {
		if err := play(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "agent:", err)
			os.Exit(1)
		}
		return
	}
	if err := bench(); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

func bench() (err error) {
	offrun := flag.String("offrun", "build/bin/offrun", "program to measure")
	out := flag.String("out", "", "file that gets the measurements as JSON")
	only := flag.String("only", "", "trials to make, with commas between them; default: all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := newLab(ctx, *offrun)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close(context.WithoutCancel(ctx))) }()
	found, err := l.measureAll(ctx, *only)
	if *out == "" {
		return err
	}
	b, jsonErr := report(found)
	if jsonErr == nil {
		jsonErr = os.WriteFile(*out, b, 0o644)
	}
	return errors.Join(err, jsonErr)
}

// measureAll makes the trials named in only, or all, and prints what they find.
func (l *lab) measureAll(ctx context.Context, only string) ([]Measurement, error) {
	var found []Measurement
	began := time.Now()
	fmt.Println(header())
	for _, t := range trials {
		if only != "" && !strings.Contains(","+only+",", ","+t.name+",") {
			continue
		}
		ms, err := t.do(ctx, l)
		for _, m := range ms {
			fmt.Println(m)
		}
		found = append(found, ms...)
		if err != nil {
			return found, fmt.Errorf("%s: %w", t.name, err)
		}
	}
	fmt.Printf("measured in %v\n", time.Since(began).Round(time.Second))
	return found, nil
}
