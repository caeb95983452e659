package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"offrun/backend/artifact"
	"offrun/backend/ops"
	"offrun/backend/work"
)

// Each of the writers says so much.
const (
	writers   = 5
	floodRate = 20_000 // lines a second
	floodTime = 20     // seconds
)

// flood measures a bench whose agents talk as fast as none does.
func flood(ctx context.Context, l *lab) (_ []Measurement, err error) {
	d, err := l.open(ctx, "home-flood")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	const lines = floodRate * floodTime
	project, err := l.add(ctx, d, l.path("small"), l.agent("writer", "claude", "write", strconv.Itoa(lines), strconv.Itoa(floodRate)))
	if err != nil {
		return nil, err
	}
	before, err := usageOf(ctx, d.pid())
	if err != nil {
		return nil, err
	}
	run, err := d.start(ctx, project, slices.Repeat([]string{"writer"}, writers)...)
	if err != nil {
		return nil, err
	}
	after := before
	err = await(ctx, 5*time.Minute, lazily, func() (bool, error) {
		state, err := ops.BenchShow.Ask(ctx, d, ops.None{})
		if err != nil {
			return false, err
		}
		now, err := usageOf(ctx, d.pid())
		after = usage{now.cpu, max(now.peak, after.peak)}
		return state.Working == 0, err
	})
	if err != nil {
		return nil, err
	}
	if run, err = ops.RunShow.Ask(ctx, d, ops.RunRef{Run: run.ID}); err != nil {
		return nil, err
	}
	written, lost, behind, err := l.account(run, lines)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("flood, %d × %d lines/s for %d s: ", writers, floodRate, floodTime)
	return []Measurement{
		measure(name+"lines lost", float64(lost), "lines").within(0),
		measure(name+"peak memory of the bench", float64(after.peak)/1e6, "MB").within(150),
		measure(name+"CPU of the bench", (after.cpu - before.cpu).Seconds(), "s").against(written.Seconds()).within(1),
		measure(name+"last line to end of the attempt", behind.Seconds(), "s"),
	}, nil
}

// account adds up the CPU time of the writers, the lines that are not in the
// conversations in their order, and how long the slowest attempt went on after its
// agent had ended.
func (l *lab) account(run work.Run, lines int) (cpu time.Duration, lost int, behind time.Duration, err error) {
	for _, a := range run.Attempts {
		t := a.Turn()
		if a.State() != work.Done {
			return 0, 0, 0, fmt.Errorf("%s is %s: %s", a.Name, a.State(), a.Why())
		}
		cpu += t.Agent.CPU.Duration()
		behind = max(behind, t.EndedAt.Sub(t.Agent.EndedAt))
		n, err := heard(filepath.Join(l.path("small"), "runs", string(run.ID), string(a.Name), artifact.Conversation))
		if err != nil {
			return 0, 0, 0, err
		}
		lost += lines - n
	}
	return cpu, lost, behind, nil
}

// heard counts the lines in the conversation at path that come right after the one
// said before; a line that is repeated, or out of order, counts as an error.
func heard(path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	last := -1
	var wrong error
	err = artifact.Entries(f, func(e work.Entry) {
		if e.Kind != work.Said {
			return
		}
		said := numberOf(e.Text)
		if said <= last && wrong == nil {
			wrong = fmt.Errorf("%s: line %d after line %d", path, said, last)
		}
		last = said
		n++
	})
	return n, errors.Join(err, wrong)
}
